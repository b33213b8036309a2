package window

import (
	"slices"
	"syscall/js"

	"github.com/tandem-ecs/tandem/render"
	"github.com/tandem-ecs/tandem/render/window/internal/browser"
)

// Poll returns the next event of this frame, and false when there are no more. Call it in every
// frame until it returns false:
//
//	for e, ok := win.Poll(); ok; e, ok = win.Poll() {
//		...
//	}
func (w *Window) Poll() (render.Event, bool) {
	if !w.pumped {
		w.pumped = true
		if w.size.Empty() {
			w.wait()
			w.rested = true
		}
	}
	if w.next == len(w.events) {
		w.events, w.next, w.pumped = w.events[:0], 0, false
		return render.Event{}, false
	}
	e := w.events[w.next]
	w.next++
	switch e.Kind {
	case render.KeyPress:
		w.down[e.Key] = true
	case render.KeyRelease:
		w.down[e.Key] = false
	}
	return e, true
}

// Down reports whether a key is held down, as of the last Poll.
func (w *Window) Down(k render.Key) bool { return w.down[k] }

// push keeps an event for Poll, and reports whether there was room for it. A press without room
// counts as none, so its release is none either.
func (w *Window) push(e render.Event) bool {
	if !browser.Room(len(w.events), e.Kind) {
		return false
	}
	w.events = append(w.events, e)
	return true
}

// callback makes a function that the browser may call, until Close.
func (w *Window) callback(f func(event js.Value)) js.Func {
	g := js.FuncOf(func(_ js.Value, args []js.Value) any {
		if len(args) > 0 {
			f(args[0])
		} else {
			f(js.Undefined())
		}
		return nil
	})
	w.undo = append(w.undo, g.Release)
	return g
}

// on listens to an event until Close. The listener may keep the event from the browser.
func (w *Window) on(target js.Value, event string, f func(event js.Value)) {
	g := w.callback(f)
	target.Call("addEventListener", event, g, map[string]any{"passive": false})
	// Before the function is released.
	w.undo = slices.Insert(w.undo, 0, func() { target.Call("removeEventListener", event, g) })
}

func (w *Window) listen() {
	w.on(w.page, "keydown", w.pressKey)
	w.on(w.page, "keyup", w.releaseKey)
	w.on(w.page, "blur", func(js.Value) { w.lose() })
	w.on(w.page, "focus", func(js.Value) {
		w.focused = true
		w.push(render.Event{Kind: render.Focus, Focus: true})
	})
	w.on(w.page, "resize", func(js.Value) {
		w.place()
		w.measure() // the density may be another
	})
	w.on(w.page, "scroll", func(js.Value) { w.place() })
	w.on(w.document, "visibilitychange", func(js.Value) {
		w.minimised = w.document.Get("hidden").Bool()
		if w.minimised {
			w.lose()
		}
		w.measure()
		w.wake()
	})
	w.on(w.canvas, "mousedown", w.mouseDown)
	w.on(w.page, "mouseup", w.mouseUp)
	w.on(w.page, "mousemove", func(e js.Value) {
		w.cursor[0], w.cursor[1] = w.points(e)
		w.push(render.Event{Kind: render.MouseMove, X: w.cursor[0], Y: w.cursor[1], Mods: modsOf(e)})
	})
	w.on(w.canvas, "wheel", func(e js.Value) {
		e.Call("preventDefault")
		mode, pinch := e.Get("deltaMode").Int(), e.Get("ctrlKey").Bool()
		w.push(render.Event{
			Kind: render.Scroll, X: browser.Steps(e.Get("deltaX").Float(), mode, false), Y: browser.Steps(e.Get("deltaY").Float(), mode, pinch),
			Mods: modsOf(e),
		})
	})
	w.on(w.canvas, "contextmenu", func(e js.Value) { e.Call("preventDefault") })
	w.on(w.canvas, "touchstart", func(e js.Value) {
		w.place()
		w.eachTouch(e, func(id int, x, y float32) {
			if browser.Room(len(w.events), render.TouchPress) {
				w.events = w.touches.Press(w.events, id, x, y)
			}
		})
	})
	w.on(w.canvas, "touchmove", func(e js.Value) {
		w.eachTouch(e, func(id int, x, y float32) {
			if browser.Room(len(w.events), render.TouchMove) {
				w.events = w.touches.Move(w.events, id, x, y)
			}
		})
	})
	for _, end := range [...]string{"touchend", "touchcancel"} {
		w.on(w.canvas, end, func(e js.Value) {
			w.eachTouch(e, func(id int, _, _ float32) { w.events = w.touches.Release(w.events, id) })
		})
	}
}

// points returns the place of a mouse event or a touch in points.
func (w *Window) points(e js.Value) (x, y float32) {
	scale := float64(w.config.Scale)
	return float32((e.Get("clientX").Float() - w.corner[0]) / scale), float32((e.Get("clientY").Float() - w.corner[1]) / scale)
}

func modsOf(e js.Value) (m render.Mods) {
	for i, name := range [...]string{"shiftKey", "ctrlKey", "altKey", "metaKey"} {
		if e.Get(name).Bool() {
			m |= 1 << i
		}
	}
	return m
}

func (w *Window) pressKey(e js.Value) {
	if target := e.Get("target"); !target.Equal(w.canvas) && !target.Equal(w.document.Get("body")) && !target.Equal(w.document.Get("documentElement")) {
		return // a field or a button of the page
	}
	name := e.Get("key").String()
	event := render.Event{Kind: render.KeyPress, Key: browser.Key(e.Get("code").String(), name), Mods: modsOf(e)}
	isModifier := event.Key >= render.KeyShift && event.Key <= render.KeySuper
	if event.Mods&^render.ModShift != 0 && !isModifier {
		return // the browser's
	}
	if browser.Claimed(event.Key) {
		e.Call("preventDefault")
	}
	if e.Get("repeat").Bool() {
		event.Kind = render.KeyRepeat
	}
	if w.push(event) {
		w.keys[event.Key] = true
	}
	if r, ok := browser.Rune(name); ok {
		w.push(render.Event{Kind: render.Char, Rune: r})
	}
}

func (w *Window) releaseKey(e js.Value) {
	key := browser.Key(e.Get("code").String(), e.Get("key").String())
	if !w.keys[key] {
		return
	}
	delete(w.keys, key)
	w.push(render.Event{Kind: render.KeyRelease, Key: key, Mods: modsOf(e)})
	if key == render.KeySuper { // macOS reports no releases while that key is held
		w.releaseKeys()
	}
}

// releaseKeys releases all keys, in the order of their numbers.
func (w *Window) releaseKeys() {
	keys := make([]render.Key, 0, len(w.keys))
	for k := range w.keys {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	clear(w.keys)
	for _, k := range keys {
		w.push(render.Event{Kind: render.KeyRelease, Key: k})
	}
}

// lose releases everything, because the page does not receive the keyboard any more.
func (w *Window) lose() {
	w.releaseKeys()
	for b, held := range w.buttons {
		if held {
			w.push(render.Event{Kind: render.MouseRelease, Button: render.MouseButton(b), X: w.cursor[0], Y: w.cursor[1]})
		}
	}
	clear(w.buttons[:])
	w.events = w.touches.ReleaseAll(w.events)
	if w.focused {
		w.focused = false
		w.push(render.Event{Kind: render.Focus})
	}
}

// buttonOf converts a button: browsers count left, middle, right from 0.
func buttonOf(e js.Value) render.MouseButton {
	return [...]render.MouseButton{render.MouseLeft, render.MouseMiddle, render.MouseRight, render.MouseOther}[min(e.Get("button").Int(), 3)]
}

func (w *Window) mouseDown(e js.Value) {
	w.place()
	b := buttonOf(e)
	if b == render.MouseMiddle {
		e.Call("preventDefault") // it would scroll the page
	}
	w.cursor[0], w.cursor[1] = w.points(e)
	if w.push(render.Event{Kind: render.MousePress, Button: b, X: w.cursor[0], Y: w.cursor[1], Mods: modsOf(e)}) {
		w.buttons[b] = true
	}
}

func (w *Window) mouseUp(e js.Value) {
	b := buttonOf(e)
	if !w.buttons[b] {
		return // pressed elsewhere
	}
	w.buttons[b] = false
	w.cursor[0], w.cursor[1] = w.points(e)
	w.push(render.Event{Kind: render.MouseRelease, Button: b, X: w.cursor[0], Y: w.cursor[1], Mods: modsOf(e)})
}

// eachTouch calls f for the touches that an event reports. The browser makes no mouse events of
// them then.
func (w *Window) eachTouch(e js.Value, f func(id int, x, y float32)) {
	if e.Get("cancelable").Bool() {
		e.Call("preventDefault")
	}
	list := e.Get("changedTouches")
	for i := range list.Length() {
		touch := list.Index(i)
		x, y := w.points(touch)
		f(touch.Get("identifier").Int(), x, y)
	}
}

// observe follows the size of the canvas in pixels, exactly where the browser can.
func (w *Window) observe() {
	w.canvas.Get("style").Set("touchAction", "none") // touches neither scroll nor zoom the page
	observer := w.page.Get("ResizeObserver").New(w.callback(func(entries js.Value) {
		w.pixels = w.lay()
		if exact := entries.Index(entries.Length() - 1).Get("devicePixelContentBoxSize"); exact.Truthy() {
			size := [2]int{exact.Index(0).Get("inlineSize").Int(), exact.Index(0).Get("blockSize").Int()}
			// A browser that imitates another device reports the size on its own.
			if max(abs(size[0]-w.pixels[0]), abs(size[1]-w.pixels[1])) <= 1 {
				w.pixels = size
			}
		}
		w.measure()
	}))
	w.undo = slices.Insert(w.undo, 0, func() { observer.Call("disconnect") })
	box, entry := "content-box", w.page.Get("ResizeObserverEntry").Get("prototype")
	if w.page.Get("Reflect").Call("has", entry, "devicePixelContentBoxSize").Bool() {
		box = "device-pixel-content-box"
	}
	observer.Call("observe", w.canvas, map[string]any{"box": box})
}

func abs(n int) int { return max(n, -n) }

// ticker is the program of the Worker: while the page is hidden it sends a tick every 50 ms.
const ticker = `let t; onmessage = e => { clearInterval(t); if (e.data) t = setInterval(() => postMessage(0), 50) }`

// keepAwake wakes the program while the page is hidden. Browsers slow a page's own timers down
// then, but not those of a Worker.
func (w *Window) keepAwake() {
	url := w.page.Get("URL")
	address := url.Call("createObjectURL", w.page.Get("Blob").New([]any{ticker}, map[string]any{"type": "text/javascript"}))
	worker := w.page.Get("Worker").New(address)
	w.on(worker, "message", func(js.Value) { w.wake() })
	w.on(w.document, "visibilitychange", func(js.Value) { worker.Call("postMessage", w.document.Get("hidden")) })
	worker.Call("postMessage", w.minimised)
	w.undo = append(w.undo, func() {
		worker.Call("terminate")
		url.Call("revokeObjectURL", address)
	})
}
