//go:build cgo

package window

import (
	"errors"
	"fmt"
	"image"
	"os"
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/go-gl/glfw/v3.3/glfw"

	"github.com/tandem-ecs/tandem/render"
	"github.com/tandem-ecs/tandem/render/opengl"
)

func init() { runtime.LockOSThread() }

// isOpen guards GLFW, which exists once in a process: Close ends it for all windows.
var isOpen atomic.Bool

// minimisedWait is the time in seconds that Poll waits for an event while the window is minimised.
const minimisedWait = 0.05

// Window is a window on the display. It implements render.Surface. All calls must come from the
// main goroutine.
type Window struct {
	window   *glfw.Window
	renderer *opengl.Renderer
	config   Config
	vsync    bool
	waited   time.Duration

	size      render.Size
	minimised bool
	down      map[render.Key]bool
	mods      render.Mods
	cursorX   float32 // points
	cursorY   float32

	events []render.Event
	next   int  // index of the event that Poll returns next
	pumped bool // events were taken since Poll returned false

	restore [4]int // place and size of the window while it is full screen
}

var _ render.Surface = (*Window)(nil)

// Open opens a window. A process can have one at a time.
//
// The error wraps [ErrNoDisplay] if there is no display, and [ErrNoOpenGL] if the display has no
// OpenGL 3.3.
func Open(c Config) (w *Window, err error) {
	if c, err = c.withDefaults(); err != nil {
		return nil, err
	}
	if (runtime.GOOS == "linux" || runtime.GOOS == "freebsd") && os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
		// GLFW finds out too, but reports it only in the log.
		return nil, fmt.Errorf("window: %w: neither DISPLAY nor WAYLAND_DISPLAY is set: set one, or draw off screen", ErrNoDisplay)
	}
	if !isOpen.CompareAndSwap(false, true) {
		return nil, errors.New("window: there is a window already: close it before you open another")
	}
	missing := ErrNoDisplay
	defer func() {
		// GLFW's Go binding panics if it takes an error for misuse: for a display that cannot be
		// reached, the call after Init panics.
		if p := recover(); p != nil {
			e, ok := p.(*glfw.Error)
			if !ok {
				panic(p)
			}
			w, err = nil, fmt.Errorf("window: %w: the display %q cannot be used (%v)", missing, os.Getenv("DISPLAY"), e)
		}
		if err != nil {
			glfw.Terminate()
			isOpen.Store(false)
		}
	}()
	if err := glfw.Init(); err != nil {
		return nil, fmt.Errorf("window: %w: %w", ErrNoDisplay, err)
	}
	glfw.WindowHint(glfw.ContextVersionMajor, 3)
	glfw.WindowHint(glfw.ContextVersionMinor, 3)
	glfw.WindowHint(glfw.OpenGLProfile, glfw.OpenGLCoreProfile)
	glfw.WindowHint(glfw.OpenGLForwardCompatible, glfw.True) // macOS needs it
	glfw.WindowHint(glfw.ScaleToMonitor, glfw.True)
	// The picture is drawn elsewhere and copied: the window itself needs no depth and no samples.
	glfw.WindowHint(glfw.DepthBits, 0)
	glfw.WindowHint(glfw.StencilBits, 0)
	glfw.WindowHint(glfw.Visible, hint(!c.Hidden))
	missing = ErrNoOpenGL
	handle, err := glfw.CreateWindow(c.Width, c.Height, c.Title, nil, nil)
	if err != nil {
		return nil, fmt.Errorf("window: %w: %w; update the graphics driver", ErrNoOpenGL, err)
	}
	if handle == nil { // a platform error that GLFW has logged
		return nil, fmt.Errorf("window: %w: the window could not be created: see the log", ErrNoOpenGL)
	}
	handle.MakeContextCurrent()
	r, err := opengl.New(func(name string) unsafe.Pointer { return glfw.GetProcAddress(name) }, opengl.Config{Quality: c.Quality, Interactive: true})
	if err != nil {
		handle.Destroy()
		return nil, fmt.Errorf("window: %w: %w", ErrNoOpenGL, err)
	}
	w = &Window{window: handle, renderer: r, config: c, down: make(map[render.Key]bool), events: make([]render.Event, 0, 64)}
	w.listen()
	w.measure()
	w.SetVSync(!c.NoVSync)
	return w, nil
}

func hint(b bool) int {
	if b {
		return glfw.True
	}
	return glfw.False
}

// measure reads the framebuffer's size and the display's density.
func (w *Window) measure() {
	if w.minimised {
		w.size = render.Size{Scale: w.size.Scale}
		return
	}
	width, height := w.window.GetFramebufferSize()
	scale, _ := w.window.GetContentScale()
	if !(scale > 0) {
		scale = 1
	}
	w.size = render.Size{Width: width, Height: height, Scale: scale * w.config.Scale}
}

// Size returns the present size of the framebuffer, for [render.Frame.Begin]. It is empty while the
// window is minimised.
func (w *Window) Size() render.Size { return w.size }

// Draw draws the frame and shows it, waiting for the vertical blank if [Window.SetVSync] says so.
// While the window is minimised it does nothing.
func (w *Window) Draw(f *render.Frame) error {
	if w.minimised || w.size.Empty() || f.Size.Empty() {
		return nil
	}
	err := w.renderer.Draw(f)
	w.renderer.Present(w.size.Width, w.size.Height)
	begin := time.Now()
	w.window.SwapBuffers()
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

// ShouldClose reports whether the user has asked to close the window, or RequestClose was called.
func (w *Window) ShouldClose() bool { return w.window.ShouldClose() }

// RequestClose makes ShouldClose true.
func (w *Window) RequestClose() { w.window.SetShouldClose(true) }

// Minimised reports whether the window is minimised.
func (w *Window) Minimised() bool { return w.minimised }

// Focused reports whether the window receives the keyboard.
func (w *Window) Focused() bool { return w.window.GetAttrib(glfw.Focused) == glfw.True }

// VSync reports whether Draw waits for the vertical blank.
func (w *Window) VSync() bool { return w.vsync }

// SetVSync makes Draw wait for the vertical blank, or not. Virtual displays and some drivers never
// wait: use a [render.Pacer] where the rate matters.
func (w *Window) SetVSync(on bool) {
	w.vsync = on
	glfw.SwapInterval(hint(on))
}

// SetTitle changes the window's title.
func (w *Window) SetTitle(title string) { w.window.SetTitle(title) }

// Fullscreen reports whether the window covers its display.
func (w *Window) Fullscreen() bool { return w.window.GetMonitor() != nil }

// SetFullscreen makes the window cover the primary display, or puts it back where it was.
func (w *Window) SetFullscreen(on bool) {
	if on == w.Fullscreen() {
		return
	}
	if on {
		monitor := glfw.GetPrimaryMonitor()
		if monitor == nil {
			return
		}
		mode := monitor.GetVideoMode()
		w.restore[0], w.restore[1] = w.window.GetPos()
		w.restore[2], w.restore[3] = w.window.GetSize()
		w.window.SetMonitor(monitor, 0, 0, mode.Width, mode.Height, mode.RefreshRate)
	} else {
		w.window.SetMonitor(nil, w.restore[0], w.restore[1], w.restore[2], w.restore[3], glfw.DontCare)
	}
	w.SetVSync(w.vsync) // some systems lose it with the change
}

// Close closes the window and frees everything. Further calls do nothing.
func (w *Window) Close() {
	if w.window == nil {
		return
	}
	w.renderer.Close()
	w.window.Destroy()
	w.window = nil
	glfw.Terminate()
	isOpen.Store(false)
}
