package scene

import "math"

// WheelZoom returns the factor by which whole steps of the mouse wheel change the distance of a
// camera.
func WheelZoom(steps float32) float32 {
	return float32(math.Pow(0.9, math.Round(float64(steps))))
}
