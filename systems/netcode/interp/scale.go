package interp

import (
	"time"

	"github.com/go-gl/mathgl/mgl32"
)

// resized returns the scale at time t on the way from one sample to the next. It changes linearly,
// as that of any blended pose, while the body is under way.
func resized(s, e *Sample, c *Config, t time.Duration) mgl32.Vec3 {
	if s.Scale == e.Scale {
		return s.Scale
	}
	h, at := underway(s, e, c, t)
	return s.Scale.Add(e.Scale.Sub(s.Scale).Mul(min(max(at/h, 0), 1)))
}

// resizeTowards moves a scale by a share of the way to another one. It is for repeated calls with
// the last result, and reaches the other one exactly.
func resizeTowards(a, b mgl32.Vec3, share float32) mgl32.Vec3 {
	way := b.Sub(a)
	if !(share < 1) || way.Len() <= gone*max(b.Len(), 1) {
		return b
	}
	return a.Add(way.Mul(max(share, 0)))
}
