package app

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/demo/internal/scene"
	"github.com/tandem-ecs/tandem/render"
)

func TestCamera(t *testing.T) {
	base := render.Orbit{Distance: 10, MinDistance: 2, MaxDistance: 50}
	view := render.Rect{W: 1600, H: 900}
	whole, narrow := aim{view, view, 1}, aim{render.Rect{W: 800, H: 900}, render.Rect{W: 800, H: 900}, 1}
	c := newCamera()
	wideLook := c.look(base, whole)
	if d := wideLook.Distance(); d < 9.99 || d > 10.01 {
		t.Errorf("in a wide picture the distance is %v, want the scene's", d)
	}
	if d := c.look(base, narrow).Distance(); d < 19.9 || d > 20.1 {
		t.Errorf("in a picture half as wide the distance is %v, want twice the scene's", d)
	}
	c.look(base, whole)
	c.move(scene.CameraMotion{Right: -0.1, Zoom: 1})
	if moved := c.look(base, whole).Target; moved[0] >= 0 {
		t.Errorf("dragging to the right moves the picture with the mouse, so the target to the left; it is %v", moved)
	}
	c.move(scene.CameraMotion{Zoom: scene.WheelZoom(3)})
	if d := c.look(base, whole).Distance(); d >= 10 {
		t.Errorf("the wheel does not bring it nearer: %v", d)
	}
	for range 100 {
		c.move(scene.CameraMotion{Yaw: -0.3, Pitch: 0.3, Zoom: scene.WheelZoom(1)})
	}
	if d := c.look(base, whole).Distance(); d < 1.99 {
		t.Errorf("nearer than the scene allows: %v", d)
	}
}

// The target lies in the middle of what panels leave clear, at the scale at which that shows all.
func TestCameraLooksAtWhatIsClear(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		side := rapid.Float32Range(200, 2000)
		view := render.Rect{X: 10, Y: 20, W: side.Draw(t, "width"), H: side.Draw(t, "height")}
		top, foot := rapid.Float32Range(0, 0.4).Draw(t, "top"), rapid.Float32Range(0, 0.4).Draw(t, "foot")
		clear := render.Rect{X: view.X, Y: view.Y + top*view.H, W: view.W, H: (1 - top - foot) * view.H}
		base := render.Orbit{Target: mgl32.Vec3{1, 2, 3}, Yaw: 1, Pitch: 0.5, Distance: 300, FOV: 0.2}
		c := newCamera()
		look := c.look(base, aim{view, clear, 1})
		x, y, _, ok := look.Project(base.Target, view)
		if wantX, wantY := clear.X+clear.W/2, clear.Y+clear.H/2; !ok || math.Hypot(float64(x-wantX), float64(y-wantY)) > 1 {
			t.Fatalf("the target is at %v, %v, want %v, %v", x, y, wantX, wantY)
		}
		// the height of the scene's own picture, in its width and height
		h := view.H * base.Distance / look.Distance()
		if h > 1.001*clear.H || h*wide > 1.001*clear.W || h < 0.999*clear.H && h*wide < 0.999*clear.W {
			t.Fatalf("the scene's picture is %v high and %v wide, in %v by %v", h, h*wide, clear.H, clear.W)
		}
	})
}
