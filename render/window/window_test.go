//go:build cgo && linux

package window

import (
	"errors"
	"fmt"
	"image"
	"image/png"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/render"
)

// main takes functions that run on the main goroutine, as windows need. Tests run on others.
var main = make(chan func())

func TestMain(m *testing.M) {
	done := make(chan int)
	go func() { done <- m.Run() }()
	for {
		select {
		case f := <-main:
			f()
		case code := <-done:
			os.Exit(code)
		}
	}
}

// onMain runs a part of a test on the main goroutine. The part returns errors and must not end the
// test.
func onMain(t *testing.T, f func() error) {
	t.Helper()
	result := make(chan error)
	main <- func() { result <- f() }
	if err := <-result; err != nil {
		t.Fatal(err)
	}
}

// waitFor polls events until pleases accepts one, and returns it. Events come through another
// process, so time is real here, and the limit only ends a hopeless wait.
func waitFor(w *Window, what string, pleases func(render.Event) bool) (render.Event, error) {
	for start := time.Now(); time.Since(start) < 20*time.Second; {
		for e, ok := w.Poll(); ok; e, ok = w.Poll() {
			if pleases(e) {
				return e, nil
			}
		}
		runtime.Gosched()
		time.Sleep(time.Millisecond)
	}
	return render.Event{}, fmt.Errorf("%s did not happen", what)
}

func cubeFrame(w *Window, f *render.Frame, color render.Color) *render.Frame {
	f.Begin(w.Size())
	b := render.NewBatch(render.Cube, render.Solid, color)
	b.Append(components.Identity3D())
	f.View(render.LookAt(mgl32.Vec3{2, 2, 3}, mgl32.Vec3{})).Add(b)
	f.Overlay.Rect(render.Rect{X: 0, Y: 0, W: 20, H: 20}, render.Hex(0xff0000))
	f.Overlay.Text(30, 10, render.TextBody, f.Theme.Ink, "window")
	return f
}

func TestNoDisplay(t *testing.T) {
	t.Setenv("WAYLAND_DISPLAY", "")
	for name, display := range map[string]string{"unset": "", "unreachable": ":97531"} {
		t.Setenv("DISPLAY", display)
		onMain(t, func() error {
			for i := 0; i < 2; i++ {
				// a failure does not make the next attempt fail otherwise
				w, err := Open(Config{})
				if w != nil || !errors.Is(err, ErrNoDisplay) || !strings.Contains(err.Error(), "DISPLAY") && !strings.Contains(err.Error(), display) {
					return fmt.Errorf("DISPLAY %s: Open returns %v, %v", name, w, err)
				}
			}
			return nil
		})
	}
}

func TestBadConfigs(t *testing.T) {
	for _, c := range []Config{{Width: -1, Height: 5}, {Width: 5}, {Width: 1 << 20, Height: 5}, {Scale: -1}, {Scale: 100}} {
		if w, err := Open(c); w != nil || err == nil || errors.Is(err, ErrNoDisplay) {
			t.Errorf("%+v: Open returns %v, %v", c, w, err)
		}
	}
}

func TestWindow(t *testing.T) {
	startXvfb(t, 96)
	onMain(t, func() error {
		w, err := Open(Config{Title: "test", Width: 320, Height: 200, NoVSync: true})
		if err != nil {
			return err
		}
		defer w.Close()
		if second, err := Open(Config{}); second != nil || err == nil {
			return fmt.Errorf("a second window: %v, %v", second, err)
		}
		for _, part := range []func(*Window) error{drawing, keyboard, mouse, resizing, minimising, allocations, closing} {
			if err := part(w); err != nil {
				return err
			}
		}
		return nil
	})
	onMain(t, func() error { // after Close there can be another
		w, err := Open(Config{Width: 100, Height: 100, Hidden: true})
		if err != nil {
			return err
		}
		if !w.VSync() {
			return errors.New("vertical synchronisation is off by default")
		}
		w.Close()
		w.Close()
		return nil
	})
}

// drawing compares the picture of Capture with the screen.
func drawing(w *Window) error {
	if size := w.Size(); size != (render.Size{Width: 320, Height: 200, Scale: 1}) {
		return fmt.Errorf("the size is %+v", size)
	}
	f := cubeFrame(w, render.NewFrame(render.Daylight()), render.Hex(0x2e86c1))
	for i := 0; i < 3; i++ {
		w.Poll()
		if err := w.Draw(f); err != nil {
			return err
		}
	}
	img, err := w.Capture(nil)
	if err != nil {
		return err
	}
	if c := img.RGBAAt(5, 5); c.R != 255 || c.G != 0 {
		return fmt.Errorf("the upper left corner is %v, want red", c)
	}
	if c := img.RGBAAt(160, 110); int(c.B) < int(c.R)+30 {
		return fmt.Errorf("the middle is %v, want the blue of the cube", c)
	}
	if !strings.Contains(w.Driver(), "OpenGL") || w.Stats().Instances != 1 {
		return fmt.Errorf("driver %q, %+v", w.Driver(), w.Stats())
	}
	if _, err := exec.LookPath("import"); err != nil {
		return nil // ImageMagick is not here to look at the screen
	}
	file, err := os.CreateTemp("", "screen-*.png")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	defer file.Close()
	x, y := w.window.GetPos()
	if out, err := exec.Command("import", "-silent", "-window", "root", "-crop", fmt.Sprintf("320x200+%d+%d", x, y), "+repage", file.Name()).CombinedOutput(); err != nil {
		return fmt.Errorf("import: %w: %s", err, out)
	}
	screen, err := png.Decode(file)
	if err != nil {
		return err
	}
	return equal(screen, img)
}

func equal(screen image.Image, want *image.RGBA) error {
	if screen.Bounds().Size() != want.Rect.Size() {
		return fmt.Errorf("the screen shows %v", screen.Bounds())
	}
	lo := screen.Bounds().Min
	for y := 0; y < want.Rect.Dy(); y++ {
		for x := 0; x < want.Rect.Dx(); x++ {
			r, g, b, _ := screen.At(lo.X+x, lo.Y+y).RGBA()
			if c := want.RGBAAt(x, y); uint8(r>>8) != c.R || uint8(g>>8) != c.G || uint8(b>>8) != c.B {
				return fmt.Errorf("pixel %d,%d on the screen is %v, captured %v", x, y, screen.At(lo.X+x, lo.Y+y), c)
			}
		}
	}
	return nil
}

func resizing(w *Window) error {
	w.window.SetSize(401, 251)
	e, err := waitFor(w, "a resize", func(e render.Event) bool { return e.Kind == render.Resize && e.Size.Width == 401 })
	if err != nil {
		return err
	}
	if e.Size != (render.Size{Width: 401, Height: 251, Scale: 1}) || w.Size() != e.Size {
		return fmt.Errorf("resized to %+v, Size says %+v", e.Size, w.Size())
	}
	if err := w.Draw(cubeFrame(w, render.NewFrame(render.Dusk()), render.Hex(0x2e86c1))); err != nil {
		return err
	}
	img, err := w.Capture(nil)
	if err != nil {
		return err
	}
	if img.Rect != image.Rect(0, 0, 401, 251) {
		return fmt.Errorf("the picture is %v", img.Rect)
	}
	return nil
}

// minimising sets the state by hand, since without a window manager no window is minimised.
func minimising(w *Window) error {
	f := cubeFrame(w, render.NewFrame(render.Dusk()), render.Hex(0x2e86c1))
	if err := w.Draw(f); err != nil {
		return err
	}
	before := w.Stats()
	w.minimised = true
	w.resized()
	if !w.Minimised() || !w.Size().Empty() {
		return fmt.Errorf("minimised, the size is %+v", w.Size())
	}
	e, err := waitFor(w, "the news", func(e render.Event) bool { return e.Kind == render.Resize && e.Size.Empty() })
	if err != nil {
		return err
	}
	if e.Size.Scale != 1 {
		return fmt.Errorf("minimised, the scale is %g", e.Size.Scale)
	}
	f.Begin(w.Size()) // one cube fewer
	if err := w.Draw(f); err != nil {
		return err
	}
	if w.Stats() != before {
		return errors.New("a minimised window draws")
	}
	// Each Poll waits for an event, so that a loop does not spin: ten take about half a second.
	// (More on a slow machine, never much less.)
	start := time.Now()
	for i := 0; i < 10; i++ {
		for _, ok := w.Poll(); ok; _, ok = w.Poll() {
		}
	}
	if d := time.Since(start); d < 200*time.Millisecond {
		return fmt.Errorf("ten frames of a minimised window take %v: the loop spins", d)
	}
	w.minimised = false
	w.resized()
	if w.Size() != (render.Size{Width: 401, Height: 251, Scale: 1}) {
		return fmt.Errorf("restored to %+v", w.Size())
	}
	return nil
}

func allocations(w *Window) error {
	f := render.NewFrame(render.Dusk())
	b := render.NewBatch(render.Cube, render.Solid, f.Theme.Accent(1))
	b.Append(components.Identity3D())
	var err error
	draw := func() {
		for _, ok := w.Poll(); ok; _, ok = w.Poll() {
		}
		f.Begin(w.Size())
		f.View(render.LookAt(mgl32.Vec3{2, 2, 3}, mgl32.Vec3{})).Add(b)
		if e := w.Draw(f); e != nil {
			err = e
		}
	}
	for i := 0; i < 20; i++ {
		draw()
	}
	if n := testing.AllocsPerRun(20, draw); n != 0 && err == nil {
		err = fmt.Errorf("a frame of a window makes %v allocations", n)
	}
	return err
}

func closing(w *Window) error {
	w.SetTitle("another title")
	w.SetVSync(true)
	if !w.VSync() || w.ShouldClose() || w.Fullscreen() {
		return errors.New("the window's state is not what was set")
	}
	w.SetFullscreen(true)
	if _, err := waitFor(w, "full screen", func(e render.Event) bool { return e.Kind == render.Resize && e.Size.Width == 1024 }); err != nil {
		return err
	}
	w.SetFullscreen(false)
	if _, err := waitFor(w, "the old size", func(e render.Event) bool { return e.Kind == render.Resize && e.Size.Width == 401 }); err != nil {
		return err
	}
	w.RequestClose()
	if !w.ShouldClose() {
		return errors.New("RequestClose does nothing")
	}
	return nil
}

// A display of twice the usual density has two pixels to a point, and a window twice as large in
// pixels.
func TestHighDensity(t *testing.T) {
	startXvfb(t, 192)
	onMain(t, func() error {
		w, err := Open(Config{Width: 320, Height: 200, NoVSync: true})
		if err != nil {
			return err
		}
		defer w.Close()
		if got := w.Size(); got != (render.Size{Width: 640, Height: 400, Scale: 2}) {
			return fmt.Errorf("the size is %+v, want 640 by 400 at scale 2", got)
		}
		f := render.NewFrame(render.Daylight())
		cubeFrame(w, f, render.Hex(0x2e86c1))
		if b := f.Overlay.Bounds(); b.W != 320 || b.H != 200 {
			return fmt.Errorf("the overlay is %v points, want 320 by 200", b)
		}
		if err := w.Draw(f); err != nil {
			return err
		}
		img, err := w.Capture(nil)
		if err != nil {
			return err
		}
		if c := img.RGBAAt(38, 38); c.R != 255 || c.G != 0 {
			return fmt.Errorf("a rectangle of 20 points does not reach pixel 38: %v", c)
		}
		if _, err := exec.LookPath("xdotool"); err != nil {
			return nil
		}
		x, y := w.window.GetPos()
		if err := xdotool("mousemove", fmt.Sprint(x+100), fmt.Sprint(y+60)); err != nil {
			return err
		}
		_, err = waitFor(w, "the cursor at 50, 30 points", func(e render.Event) bool { return e.Kind == render.MouseMove && e.X == 50 && e.Y == 30 })
		return err
	})
}
