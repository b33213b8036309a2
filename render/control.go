package render

import "math"

// OrbitControl moves an [Orbit] with the mouse: the left button turns it, the right and middle ones
// pan, and the wheel zooms. The zero value is ready for use.
type OrbitControl struct {
	turning, panning bool
	x, y             float32 // of the cursor
}

// Speeds for a drag across the whole height of the view.
const (
	turnPerHeight = math.Pi  // radians for a drag as long as the view is high
	zoomPerStep   = 1 / 1.15 // factor of the distance for a step of the wheel
	tiltPerHeight = 0.75 * math.Pi
)

// Handle takes an event of the window and reports whether it changed the orbit. viewport is the
// part of the window in which presses and the wheel count, in points, such as [View].Viewport. A
// drag that began inside goes on outside.
func (c *OrbitControl) Handle(o *Orbit, e Event, viewport Rect) bool {
	switch e.Kind {
	case MousePress:
		c.x, c.y = e.X, e.Y
		if viewport.Contains(e.X, e.Y) {
			c.turning = c.turning || e.Button == MouseLeft
			c.panning = c.panning || e.Button == MouseRight || e.Button == MouseMiddle
		}
	case MouseRelease:
		switch e.Button {
		case MouseLeft:
			c.turning = false
		case MouseRight, MouseMiddle:
			c.panning = false
		}
	case Focus:
		c.turning, c.panning = false, false
	case MouseMove:
		dx, dy := (e.X-c.x)/viewport.H, (e.Y-c.y)/viewport.H
		c.x, c.y = e.X, e.Y
		switch {
		case dx == 0 && dy == 0:
			return false
		case c.turning:
			o.Rotate(-dx*turnPerHeight, dy*tiltPerHeight)
			return true
		case c.panning:
			o.Pan(-dx, dy)
			return true
		}
	case Scroll:
		if e.Y != 0 && viewport.Contains(c.x, c.y) {
			o.Zoom(float32(math.Pow(zoomPerStep, float64(e.Y))))
			return true
		}
	}
	return false
}
