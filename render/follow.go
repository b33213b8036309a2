package render

import (
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl32"
)

// Follow moves the target of an [Orbit] after a moving body.
//
// Give it visual positions, after the synchronizer has run in the same frame. A camera that follows
// logical positions shakes at the fixed rate, and the whole picture seems to shake with it. The
// path to a resting target does not depend on the frame rate: two frames of 5 ms end where one of
// 10 ms does.
type Follow struct {
	// HalfLife is the time in which half of the distance to the target is covered. Zero follows
	// rigidly.
	HalfLife time.Duration

	// Snap is the distance, in world units, beyond which the camera jumps, for teleports. Zero
	// never jumps.
	Snap float32
}

// Update moves the orbit's target towards position; dt is the time since the previous frame.
//
// The approach is the exact solution of an exponential decay, not a fixed share per frame.
func (f Follow) Update(o *Orbit, position mgl32.Vec3, dt time.Duration) {
	d := position.Sub(o.Target)
	if f.HalfLife <= 0 || (f.Snap > 0 && d.Len() > f.Snap) {
		o.Target = position
		return
	}
	left := float32(math.Exp2(-float64(max(dt, 0)) / float64(f.HalfLife)))
	o.Target = position.Sub(d.Mul(left))
}
