package window

import (
	"errors"
	"fmt"
	"image"
	"math"
	"syscall/js"
	"time"

	"github.com/tandem-ecs/tandem/render"
	"github.com/tandem-ecs/tandem/render/opengl"
	"github.com/tandem-ecs/tandem/render/window/internal/browser"
)

// isOpen is true while there is a window: a page has one canvas to draw on.
var isOpen bool

// Window is a canvas of the page. It implements render.Surface. All calls must come from the main
// goroutine.
type Window struct {
	canvas, document, page js.Value // page is the browser's window
	renderer               *opengl.Renderer
	config                 Config

	size      render.Size
	pixels    [2]int     // of the canvas, as it is laid out
	drawn     [2]int     // of its framebuffer
	corner    [2]float64 // of the canvas in the page
	minimised bool
	focused   bool
	closing   bool

	// A callback of the browser only fills the channel: it must not block.
	frames       chan struct{}
	requestFrame js.Value
	onFrame      js.Func
	frame        js.Value // the number of the frame that was asked for
	asked        bool     // a frame is asked for and has not come
	rested       bool     // Poll has waited since the last Draw
	waited       time.Duration

	events  []render.Event
	next    int  // index of the event that Poll returns next
	pumped  bool // events were taken since Poll returned false
	down    map[render.Key]bool
	keys    map[render.Key]bool         // pressed, as of the last callback
	buttons [render.MouseOther + 1]bool // the same of the mouse
	cursor  [2]float32                  // points
	touches browser.Touches

	undo []func() // removes listeners and frees functions
}

var _ render.Surface = (*Window)(nil)

// Open takes the page's canvas. A page can have one window at a time.
//
// The error wraps [ErrNoDisplay] if there is no page, as in a worker, and [ErrNoOpenGL] if the
// browser has no WebGL2.
func Open(c Config) (*Window, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	page := js.Global()
	document := page.Get("document")
	if !document.Truthy() {
		return nil, fmt.Errorf("window: %w: this program does not run in a page", ErrNoDisplay)
	}
	if isOpen {
		return nil, errors.New("window: there is a window already: close it before you open another")
	}
	canvas := document.Call("querySelector", "canvas")
	if canvas.IsNull() {
		canvas = document.Call("createElement", "canvas")
		canvas.Get("style").Set("cssText", "position:fixed;inset:0;width:100%;height:100%")
		document.Get("body").Call("append", canvas)
	}
	context := canvas.Call("getContext", "webgl2", map[string]any{
		"alpha": false, "antialias": false, "depth": false, "stencil": false, "powerPreference": "high-performance",
	})
	if context.IsNull() {
		return nil, fmt.Errorf("window: %w: the browser has no WebGL2; update it, or switch on hardware acceleration in its settings", ErrNoOpenGL)
	}
	r, err := opengl.New(context, opengl.Config{Quality: c.Quality, Interactive: true})
	if err != nil {
		return nil, fmt.Errorf("window: %w: %w", ErrNoOpenGL, err)
	}
	w := &Window{
		canvas: canvas, document: document, page: page, renderer: r, config: c,
		frames: make(chan struct{}, 1), requestFrame: page.Get("requestAnimationFrame"),
		events: make([]render.Event, 0, 64), down: map[render.Key]bool{}, keys: map[render.Key]bool{},
		focused: document.Call("hasFocus").Bool(), minimised: document.Get("hidden").Bool(),
	}
	w.SetTitle(c.Title)
	w.onFrame = w.callback(func(js.Value) {
		w.asked = false
		w.wake()
	})
	w.listen()
	w.pixels = w.lay()
	w.measure()
	w.observe()
	w.keepAwake()
	isOpen = true
	return w, nil
}

// wake ends a wait for the next frame.
func (w *Window) wake() {
	select {
	case w.frames <- struct{}{}:
	default:
	}
}

// wait waits for the next frame of a page that is shown, or the Worker's tick of a hidden one.
func (w *Window) wait() {
	if !w.asked && !w.minimised {
		w.asked = true
		w.frame = w.requestFrame.Invoke(w.onFrame)
	}
	<-w.frames
}

// place reads where the canvas is in the page, and returns its rectangle.
func (w *Window) place() js.Value {
	box := w.canvas.Call("getBoundingClientRect")
	w.corner = [2]float64{box.Get("left").Float(), box.Get("top").Float()}
	return box
}

// lay reads the place of the canvas, and returns its size in pixels. That may be one off.
func (w *Window) lay() [2]int {
	box, ratio := w.place(), w.ratio()
	return [2]int{int(math.Round(box.Get("width").Float() * ratio)), int(math.Round(box.Get("height").Float() * ratio))}
}

// ratio returns the number of pixels to one of the page's.
func (w *Window) ratio() float64 {
	if r := w.page.Get("devicePixelRatio"); r.Truthy() {
		return r.Float()
	}
	return 1
}

// measure sets the size, and reports a change.
func (w *Window) measure() {
	before := w.size
	w.size = render.Size{Scale: float32(w.ratio()) * w.config.Scale}
	if !w.minimised {
		w.size.Width, w.size.Height = w.pixels[0], w.pixels[1]
	}
	if w.size != before && before != (render.Size{}) {
		w.push(render.Event{Kind: render.Resize, Size: w.size})
	}
}

// Size returns the present size of the framebuffer, for [render.Frame.Begin]. It is empty while the
// page is hidden.
func (w *Window) Size() render.Size { return w.size }

// Draw draws the frame and waits for the browser's next one. While the page is hidden it draws
// nothing.
func (w *Window) Draw(f *render.Frame) error {
	if w.minimised || w.size.Empty() || f.Size.Empty() {
		if !w.rested { // a loop without Poll must not keep the page busy
			w.wait()
		}
		w.rested = false
		return nil
	}
	if size := [2]int{w.size.Width, w.size.Height}; size != w.drawn {
		w.drawn = size
		w.canvas.Set("width", size[0]) // clears the canvas
		w.canvas.Set("height", size[1])
	}
	err := w.renderer.Draw(f)
	w.renderer.Present(w.size.Width, w.size.Height)
	begin := time.Now()
	w.wait()
	w.waited = time.Since(begin)
	return err
}

// Waited returns the part of the last Draw's time in which it waited for the display.
func (w *Window) Waited() time.Duration { return w.waited }

// Capture returns the picture of the last Draw; see render.Renderer.
func (w *Window) Capture(dst *image.RGBA) (*image.RGBA, error) { return w.renderer.Capture(dst) }

// Stats returns the work of the last Draw.
func (w *Window) Stats() render.Stats { return w.renderer.Stats() }

// Driver names the graphics processor and the driver's version.
func (w *Window) Driver() string { return w.renderer.Driver() }

// ShouldClose reports whether RequestClose was called.
func (w *Window) ShouldClose() bool { return w.closing }

// RequestClose makes ShouldClose true.
func (w *Window) RequestClose() { w.closing = true }

// Minimised reports whether the page is hidden.
func (w *Window) Minimised() bool { return w.minimised }

// Focused reports whether the page receives the keyboard.
func (w *Window) Focused() bool { return w.focused }

// VSync reports whether Draw waits for the vertical blank: in a browser always.
func (w *Window) VSync() bool { return true }

// SetVSync has no effect in a browser.
func (w *Window) SetVSync(bool) {}

// SetTitle changes the page's title.
func (w *Window) SetTitle(title string) { w.document.Set("title", title) }

// Fullscreen reports whether the page covers the display.
func (w *Window) Fullscreen() bool { return w.document.Get("fullscreenElement").Truthy() }

// SetFullscreen makes the page cover the display, or puts it back. The browser permits it only as
// an answer to a key, a click or a touch, and not on all devices.
func (w *Window) SetFullscreen(on bool) {
	on, of, method := on && !w.Fullscreen(), w.document, "exitFullscreen"
	switch {
	case on:
		of, method = w.document.Get("documentElement"), "requestFullscreen"
	case !w.Fullscreen():
		return
	}
	if !of.Get(method).Truthy() {
		return
	}
	var ignore js.Func
	ignore = js.FuncOf(func(js.Value, []js.Value) any {
		ignore.Release()
		return nil
	})
	of.Call(method).Call("then", ignore, ignore) // a refusal is no error of the page
}

// Close gives the page back and frees everything. Further calls do nothing.
func (w *Window) Close() {
	if w.renderer == nil {
		return
	}
	if w.asked {
		w.page.Call("cancelAnimationFrame", w.frame)
	}
	for _, undo := range w.undo {
		undo()
	}
	w.renderer.Close()
	w.renderer = nil
	isOpen = false
}
