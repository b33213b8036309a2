package scene

import "math"

// WheelZoom returns the factor by which steps of the mouse wheel change the distance of a camera.
// Touch pads and fingers make parts of steps.
func WheelZoom(steps float32) float32 {
	return float32(math.Pow(0.9, float64(steps)))
}
