//go:build cgo && linux

package offscreen

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/render"
)

// open returns a surface, or skips the test if this machine has none.
func open(t testing.TB, c Config) *Surface {
	t.Helper()
	s, err := New(c)
	if errors.Is(err, ErrUnavailable) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// redCube draws a cube that fills the middle of the picture.
func redCube(s *Surface) error {
	f := render.NewFrame(render.Daylight())
	f.Begin(s.Size())
	b := render.NewBatch(render.Cube, render.Solid, render.Hex(0xff0000))
	b.Append(components.Identity3D())
	f.View(render.LookAt(mgl32.Vec3{0.5, 0.5, 1.5}, mgl32.Vec3{})).Add(b)
	if err := s.Draw(f); err != nil {
		return err
	}
	img, err := s.Capture(nil)
	if err != nil {
		return err
	}
	if c := img.RGBAAt(img.Rect.Dx()/2, img.Rect.Dy()/2); c.R < 90 || c.G > 70 {
		return fmt.Errorf("the middle of the picture is %v, want red", c)
	}
	return nil
}

func TestConfig(t *testing.T) {
	for _, c := range []Config{{Width: -1, Height: 10}, {Width: 10}, {Width: 20000, Height: 10}, {Scale: -2}, {Scale: 9}} {
		if s, err := New(c); err == nil || errors.Is(err, ErrUnavailable) {
			t.Errorf("%+v: %v, %v", c, s, err)
		}
	}
	s := open(t, Config{})
	if got := s.Size(); got != (render.Size{Width: 1280, Height: 720, Scale: 1}) {
		t.Errorf("the default size is %+v", got)
	}
	if !strings.Contains(s.Driver(), "OpenGL") {
		t.Errorf("driver %q", s.Driver())
	}
}

// Surfaces on several goroutines have separate contexts.
func TestSurfacesSideBySide(t *testing.T) {
	open(t, Config{Width: 8, Height: 8}).Close()
	results := make(chan error)
	for i := 0; i < 3; i++ {
		go func() {
			s, err := New(Config{Width: 32 + i, Height: 32, Quality: render.QualityPlain})
			for n := 0; err == nil && n < 5; n++ {
				err = redCube(s)
				runtime.Gosched()
			}
			if err == nil {
				s.Close()
				s.Close()
			}
			results <- err
		}()
	}
	for i := 0; i < 3; i++ {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
}

// Each source of a context that exists here works without the others.
func TestPlatforms(t *testing.T) {
	open(t, Config{Width: 8, Height: 8}).Close()
	worked := 0
	for _, platform := range platforms {
		runtime.LockOSThread()
		c, err := newContext(platform)
		if err != nil {
			t.Logf("%s: %v", platform, err)
		} else {
			if c.procAddress("glDrawElementsInstanced") == nil {
				t.Errorf("%s: a function of OpenGL is missing", platform)
			}
			c.close()
			worked++
		}
		runtime.UnlockOSThread()
	}
	if worked == 0 {
		t.Error("none of the platforms works by itself")
	}
}

// Without a driver the error says what to install. A separate process runs with a wrong search path
// for drivers.
func TestNoDriver(t *testing.T) {
	if os.Getenv("TANDEM_TEST_NO_DRIVER") != "" {
		s, err := New(Config{Width: 8, Height: 8})
		if s == nil && errors.Is(err, ErrUnavailable) && strings.Contains(err.Error(), "apt install") {
			return
		}
		t.Fatalf("without a driver New returns %v, %v", s, err)
	}
	open(t, Config{Width: 8, Height: 8}).Close()
	test := exec.Command(os.Args[0], "-test.run=^TestNoDriver$")
	test.Env = append(os.Environ(), "TANDEM_TEST_NO_DRIVER=1", "__EGL_VENDOR_LIBRARY_DIRS="+t.TempDir(), "__EGL_VENDOR_LIBRARY_FILENAMES=")
	if out, err := test.CombinedOutput(); err != nil {
		if strings.Contains(string(out), "returns &") {
			t.Skip("this EGL library finds its driver without a search")
		}
		t.Errorf("%v: %s", err, out)
	}
}
