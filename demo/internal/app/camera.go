package app

import (
	"cmp"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/demo/internal/scene"
	"github.com/tandem-ecs/tandem/render"
)

// camera holds the user's changes to the scene's own camera.
type camera struct {
	yaw, pitch float32
	zoom       float32
	pan        mgl32.Vec3
	shown      render.Orbit // by the last call of look
	mouse      scene.Mouse
}

func newCamera() camera { return camera{zoom: 1} }

// wide is the aspect ratio for which scenes choose their cameras.
const wide = 16.0 / 9

// aim is a part of a picture, and the part of it that no panel covers, in points. near is the
// factor by which the camera stands nearer than the width of the clear part asks for.
type aim struct {
	view, clear render.Rect
	near        float32
}

// aimUpright returns the aim for an upright picture, and changes the scene's camera for it.
func aimUpright(o *render.Orbit, u scene.Upright, view, clear render.Rect) aim {
	// a square picture has all of the raise, one of 16:9 has none
	square := mgl32.Clamp((clear.H/clear.W*wide-1)/(wide-1), 0, 1)
	o.Target = o.Target.Add(u.Move)
	o.Rotate(0, square*u.Raise)
	return aim{view, clear, 1 / cmp.Or(u.Zoom, 1)}
}

// look returns the scene's camera with the user's changes. In a narrow picture it stands further
// away, so that the same width is visible, and its target lies in the middle of what is clear.
func (c *camera) look(o render.Orbit, a aim) render.Camera {
	o.Rotate(c.yaw, c.pitch)
	o.Zoom(c.zoom)
	o.Distance *= a.view.H / min(a.clear.H, a.near*a.clear.W/wide)
	o.Target = o.Target.Add(c.pan)
	c.shown = o
	o.Pan(0, ((a.clear.Y+a.clear.H/2)-(a.view.Y+a.view.H/2))/a.view.H)
	camera := o.Camera()
	// The depth of a far picture is finer with a far near plane.
	if near := o.Distance / 100; near > 0.2 {
		camera.Near = near
	}
	return camera
}

// event follows the mouse.
func (c *camera) event(e render.Event, size render.Size) { c.move(c.mouse.Event(e, size)) }

func (c *camera) move(m scene.CameraMotion) {
	c.yaw += m.Yaw
	c.pitch = mgl32.Clamp(c.pitch+m.Pitch, -2, 2)
	c.zoom = mgl32.Clamp(c.zoom*m.Zoom, 0.1, 10)
	o := c.shown
	o.Pan(m.Right, m.Up)
	c.pan = c.pan.Add(o.Target.Sub(c.shown.Target))
}
