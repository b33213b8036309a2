"use strict";

// Loads the program, shows how much of it has come, and shows why it has ended.
(() => {
  const program = "tandem.wasm";
  const [box, title, text, bar, again] = ["#box", "#box h1", "#text", "#bar", "#again"].map(s => document.querySelector(s));

  const end = (heading, detail, button) => {
    if (title.dataset.ended) return; // the first reason is the cause
    title.dataset.ended = "yes";
    box.className = performance.getEntriesByName("first picture").length ? "over" : "";
    title.textContent = heading;
    text.textContent = detail;
    bar.hidden = true;
    again.hidden = false;
    again.textContent = button;
  };
  again.onclick = () => location.reload();
  addEventListener("hashchange", () => location.reload()); // another match

  const hasWebGL2 = () => {
    const context = document.createElement("canvas").getContext("webgl2");
    context?.getExtension("WEBGL_lose_context")?.loseContext();
    return !!context;
  };

  // sizes are the lengths of the files before compression, which no header says.
  const sizes = () => fetch("size.json").then(r => r.ok ? r.json() : {}).catch(() => ({}));

  const megabytes = n => (n / 1e6).toFixed(1);

  const load = async () => {
    const known = sizes();
    const response = await fetch(program).catch(() => { throw new Error("The server does not answer."); });
    if (!response.ok) throw new Error(`The server has no ${program}: it answers ${response.status}.`);
    const go = new Go();
    const copy = response.clone();
    const chunks = [];
    const count = async () => {
      const plain = !response.headers.get("Content-Encoding") && +response.headers.get("Content-Length");
      const total = (await known)[program] || plain || 0;
      let done = 0;
      for (const reader = copy.body.getReader(); ;) {
        const { value } = await reader.read();
        if (!value) break;
        chunks.push(value);
        done += value.length;
        if (total) bar.value = Math.min(done / total, 1);
        text.textContent = `Loading ${megabytes(done)}${total ? " of " + megabytes(total) : ""} MB`;
      }
      performance.mark("last byte");
      text.textContent = "Starting";
      bar.removeAttribute("value");
    };
    const counted = count();
    // The browser keeps the compiled program for the next visit only if it gets the response itself.
    const streams = (response.headers.get("Content-Type") || "").startsWith("application/wasm");
    let compiled = streams && WebAssembly.instantiateStreaming(response, go.importObject);
    if (compiled) compiled.catch(() => { }); // the reading below fails for a better reason
    await counted.catch(() => { throw new Error("The connection was lost before all of the program had come."); });
    compiled ||= WebAssembly.instantiate(await new Blob(chunks).arrayBuffer(), go.importObject);
    const { instance } = await compiled.catch(e => { throw new Error(`The program does not start in this browser: ${e.message}`); });
    performance.mark("compiled");
    return [go, instance];
  };

  document.addEventListener("tandem", e => {
    const { error, text } = e.detail;
    if (error) end("This does not work", text[0].toUpperCase() + text.slice(1), "Try again");
    else end("Tandem", text, "Start again");
  });

  const shown = () => {
    if (title.dataset.ended) return;
    if (!window.tandem?.state().frames) return requestAnimationFrame(shown);
    performance.mark("first picture");
    box.className = "gone";
  };

  const start = async () => {
    if (typeof WebAssembly !== "object" || typeof Go !== "function") {
      return end("This does not work", typeof Go === "function" ? "This browser has no WebAssembly: update it." : "The server has no wasm_exec.js: build the page with make web.", "Try again");
    }
    if (!hasWebGL2()) {
      return end("This browser has no WebGL2", "Update it, or switch on hardware acceleration in its settings.", "Try again");
    }
    const [go, instance] = await load();
    const ended = go.run(instance);
    requestAnimationFrame(shown);
    await ended;
    end("The program has stopped", "The browser's console says more.", "Start again");
  };
  start().catch(e => end("This does not work", e.message, "Try again"));
})();
