package app

import (
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

// look returns the scene's camera with the user's changes. In a narrow picture it stands further
// away, so that the same width is visible.
func (c *camera) look(o render.Orbit, aspect float32) render.Camera {
	o.Rotate(c.yaw, c.pitch)
	o.Zoom(c.zoom)
	if aspect < wide {
		o.Distance *= wide / aspect
	}
	o.Target = o.Target.Add(c.pan)
	c.shown = o
	return o.Camera()
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
