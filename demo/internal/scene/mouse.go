package scene

import (
	"math"

	"github.com/tandem-ecs/tandem/render"
)

// Mouse makes motions of a camera from events: the left button turns, the right one moves, the
// wheel zooms. The zero value is ready.
type Mouse struct {
	dragging [2]bool // by the left and the right button
	x, y     float32
}

// CameraMotion is how a user moves a camera.
type CameraMotion struct {
	Yaw, Pitch float32 // radians; see render.Orbit.Rotate
	Right, Up  float32 // shares of the picture's height; see render.Orbit.Pan
	Zoom       float32 // factor of the distance; 1: none
}

// Event takes an event and returns the motion that it asks for. The size is that of the picture.
func (m *Mouse) Event(e render.Event, size render.Size) CameraMotion {
	motion := CameraMotion{Zoom: 1}
	switch e.Kind {
	case render.MousePress, render.MouseRelease:
		if e.Button <= render.MouseRight {
			m.dragging[e.Button] = e.Kind == render.MousePress
			m.x, m.y = e.X, e.Y
		}
	case render.MouseMove:
		dx, dy := e.X-m.x, e.Y-m.y
		m.x, m.y = e.X, e.Y
		if m.dragging[render.MouseLeft] {
			const perPoint = 0.006 // radians
			motion.Yaw, motion.Pitch = -dx*perPoint, dy*perPoint
		} else if _, h := size.Points(); m.dragging[render.MouseRight] && h > 0 {
			motion.Right, motion.Up = -dx/h, dy/h
		}
	case render.Scroll:
		motion.Zoom = WheelZoom(e.Y)
	case render.Focus:
		m.dragging = [2]bool{}
	}
	return motion
}

// WheelZoom returns the factor by which steps of the mouse wheel change the distance of a camera.
// Touch pads and fingers make parts of steps.
func WheelZoom(steps float32) float32 {
	return float32(math.Pow(0.9, float64(steps)))
}
