package browser

import (
	"image"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// files serves a folder as any server of files does, and returns its address.
func files(t *testing.T, folder string) string {
	t.Helper()
	s := httptest.NewServer(http.FileServer(http.Dir(folder)))
	t.Cleanup(s.Close)
	return s.URL
}

// tolerance is the share of pixels that may differ from a golden picture, which another rasteriser
// has drawn.
const tolerance = 0.004

// tolerances are those of pictures that consist of edges.
var tolerances = map[string]float64{"stress-ghosts": 0.03}

// golden returns a golden picture.
func golden(t *testing.T, name string) *image.RGBA {
	t.Helper()
	file, err := os.ReadFile(filepath.Join("..", "..", "demo", "internal", "app", "testdata", name+".png"))
	if err != nil {
		t.Fatal(err)
	}
	return decode(t, file)
}

// Every scene looks as it does outside of a browser. What the browser shows is compared, not what
// the program has drawn.
func TestGolden(t *testing.T) {
	p := open(t, files(t, suite.golden))
	p.until("the program", "!!window.golden")
	for _, name := range evaluate[[]string](p, "golden.names") {
		if text := evaluate[string](p, "golden.draw('"+name+"')"); text != "" {
			t.Fatalf("%s: %s", name, text)
		}
		got := p.picture()
		limit := max(tolerance, tolerances[name])
		share := different(got, golden(t, name))
		t.Logf("%s: %.2f %%", name, 100*share)
		if share > limit {
			t.Errorf("%.2f %% of the pixels differ from %s.png, want at most %.2f %%", 100*share, name, 100*limit)
		}
		// The comparison is useful only if it distinguishes the variants.
		if scene, variant, ok := strings.Cut(name, "-"); ok && (variant == "raw" || variant == "ghosts") {
			if share := different(got, golden(t, scene)); share < 2*limit {
				t.Errorf("only %.2f %% of the pixels of %s differ from %s.png, want %.2f %%", 100*share, name, scene, 200*limit)
			}
		}
	}
}

// The folder of make web works on a server of files, in each scene that a page has.
func TestFileServer(t *testing.T) {
	address := files(t, suite.web)
	p := open(t, address)
	p.frames(5)
	for _, scene := range []string{"lanes", "orbits", "teleports", "physics", "stress", "lab"} {
		p.visit(address + "/?scene=" + scene) // one page at a time: each draws as often as it can
		if s := p.frames(2); s.Scene != scene {
			t.Errorf("the scene is %q, want %s", s.Scene, scene)
		}
		if text := p.text(); text != "" {
			t.Errorf("the page says: %s", text)
		}
	}
}

// Keys change what the help says.
func TestKeys(t *testing.T) {
	p := open(t, files(t, suite.web)+"/?scene=lanes&hz=10&speed=0.5")
	s := p.frames(2)
	if s.Rate != 10 || s.Speed != 0.5 || s.Paused {
		t.Fatalf("the address asks for 10 Hz at half speed, and the state is %+v", s)
	}
	p.press(kb.ArrowUp)
	p.await("a higher rate", func(s state) bool { return s.Rate == 15 })
	p.press(kb.ArrowDown)
	p.press(kb.ArrowDown)
	p.await("a lower rate", func(s state) bool { return s.Rate == 5 })
	p.press(kb.ArrowLeft)
	p.await("slow motion", func(s state) bool { return s.Speed == 0.25 })
	p.press(kb.ArrowRight)
	p.press(kb.ArrowRight)
	p.await("full speed", func(s state) bool { return s.Speed == 1 })
	p.press("p")
	p.await("a pause", func(s state) bool { return s.Paused })
	p.press("p")
	p.await("the end of the pause", func(s state) bool { return !s.Paused })
	p.press(kb.Tab)
	p.await("the next scene", func(s state) bool { return s.Scene != "lanes" })
}

// A bad parameter is answered by a text in the page.
func TestBadParameter(t *testing.T) {
	p := open(t, files(t, suite.web)+"/?hz=many")
	p.says("hz")
}

// A page whose program is missing says so.
func TestNoProgram(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"index.html", "page.js", "wasm_exec.js"} {
		text, err := os.ReadFile(filepath.Join(suite.web, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, name), text, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	p := open(t, files(t, folder))
	p.allow("404")
	p.says("tandem.wasm")
}

// The browser may take the context of WebGL away, as when the graphics driver starts anew. The
// picture is the same when it has come back.
func TestLostContext(t *testing.T) {
	p := open(t, files(t, suite.web)+"/?scene=orbits&overlay=false&paused")
	p.frames(2)
	before := p.picture()
	evaluate[bool](p, `window.loss = document.querySelector("canvas").getContext("webgl2").getExtension("WEBGL_lose_context"), loss.loseContext(), true`)
	if !evaluate[bool](p, `document.querySelector("canvas").getContext("webgl2").isContextLost()`) {
		t.Fatal("the context is not lost")
	}
	p.frames(3)
	if share := different(before, p.picture()); share < 0.1 {
		t.Errorf("only %.2f %% of the pixels differ without a context: the test shows nothing", 100*share)
	}
	evaluate[bool](p, `loss.restoreContext(), true`)
	p.frames(5)
	if share := different(before, p.picture()); share > tolerance {
		t.Errorf("%.2f %% of the pixels differ after the loss of the context", 100*share)
	}
	if text := p.text(); text != "" {
		t.Errorf("the page says: %s", text)
	}
}
