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

	dragging [2]bool // by the left and the right button
	mouse    [2]float32
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

// turn rotates by a drag of the mouse, in points.
func (c *camera) turn(dx, dy float32) {
	const perPoint = 0.006 // radians
	c.yaw -= dx * perPoint
	c.pitch = mgl32.Clamp(c.pitch+dy*perPoint, -2, 2)
}

// move shifts by a drag of the mouse, as a share of the picture's height.
func (c *camera) move(dx, dy float32) {
	o := c.shown
	o.Pan(-dx, dy)
	c.pan = c.pan.Add(o.Target.Sub(c.shown.Target))
}

// approach zooms by steps of the wheel.
func (c *camera) approach(steps float32) {
	c.zoom = mgl32.Clamp(c.zoom*scene.WheelZoom(steps), 0.1, 10)
}

// event follows the mouse: the left button turns, the right one moves, the wheel zooms.
func (c *camera) event(e render.Event, size render.Size) {
	switch e.Kind {
	case render.MousePress, render.MouseRelease:
		if e.Button <= render.MouseRight {
			c.dragging[e.Button] = e.Kind == render.MousePress
			c.mouse = [2]float32{e.X, e.Y}
		}
	case render.MouseMove:
		dx, dy := e.X-c.mouse[0], e.Y-c.mouse[1]
		c.mouse = [2]float32{e.X, e.Y}
		if c.dragging[render.MouseLeft] {
			c.turn(dx, dy)
		} else if c.dragging[render.MouseRight] {
			if _, h := size.Points(); h > 0 {
				c.move(dx/h, dy/h)
			}
		}
	case render.Scroll:
		c.approach(e.Y)
	case render.Focus:
		c.dragging = [2]bool{}
	}
}
