package conformance

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// Truth is the exact state of a body at one instant of server time.
type Truth struct {
	Position, Velocity mgl64.Vec3 // metres, metres per second
	Rotation           mgl64.Quat
	Angular            mgl64.Vec3 // radians per second, parent's frame
	Discontinuity      uint8
	AtRest             bool
}

// Motion is a path in closed form, so every picture can be compared with the truth at any instant.
type Motion struct {
	ID    string // as in the case list: M1 to M8
	Title string
	At    func(t float64) Truth // the state at t seconds
	Child *Motion               // in the frame of the body; may be nil
}

var upright = mgl64.QuatIdent()

// Teleport is the stride of M7 in metres, along z. M7 has no other motion along z.
const Teleport = 50

// These are the motions of the case list. None of them has a period that fits the snapshots, so in
// a long run flips, bounces and stops occur at every phase between two snapshots.
var motions = []Motion{
	{ID: "M1", Title: "constant 6 m/s", At: func(t float64) Truth {
		return Truth{Position: mgl64.Vec3{6 * t, 0, 0}, Velocity: mgl64.Vec3{6, 0, 0}, Rotation: upright}
	}},
	{ID: "M2", Title: "circle of 20 m at 20 m/s", At: func(t float64) Truth {
		const r, w = 20, 1
		sin, cos := math.Sincos(w * t)
		return Truth{
			Position: mgl64.Vec3{r * cos, 0, r * sin}, Velocity: mgl64.Vec3{-r * w * sin, 0, r * w * cos},
			Rotation: mgl64.QuatRotate(-w*t, mgl64.Vec3{0, 1, 0}), Angular: mgl64.Vec3{0, -w, 0},
		}
	}},
	{ID: "M3", Title: "strafing at 6 m/s, a flip every 0.507 s", At: func(t float64) Truth {
		const period, v = 0.507, 6.0
		n := math.Floor(t / period)
		in := t - n*period
		if math.Mod(n, 2) == 0 {
			return Truth{Position: mgl64.Vec3{v * in, 0, 0}, Velocity: mgl64.Vec3{v, 0, 0}, Rotation: upright}
		}
		return Truth{Position: mgl64.Vec3{v * (period - in), 0, 0}, Velocity: mgl64.Vec3{-v, 0, 0}, Rotation: upright}
	}},
	{ID: "M4", Title: "a ball that bounces 1.2 m high", At: func(t float64) Truth {
		const g, height, forward = 9.81, 1.2, 3.0
		up := math.Sqrt(2 * g * height)
		period := 2 * up / g
		in := math.Mod(t, period)
		return Truth{Position: mgl64.Vec3{forward * t, up*in - g/2*in*in, 0}, Velocity: mgl64.Vec3{forward, up - g*in, 0}, Rotation: upright}
	}},
	{ID: "M5", Title: "0.7 s at 6 m/s, 0.6 s at rest", At: func(t float64) Truth {
		const v, goes, period = 6.0, 0.7037, 1.3091
		n := math.Floor(t / period)
		in := t - n*period
		if in < goes {
			return Truth{Position: mgl64.Vec3{v * (n*goes + in), 0, 0}, Velocity: mgl64.Vec3{v, 0, 0}, Rotation: upright}
		}
		return Truth{Position: mgl64.Vec3{v * (n + 1) * goes, 0, 0}, Rotation: upright, AtRest: true}
	}},
	{ID: "M6", Title: "one turn per second at 3 m/s", At: func(t float64) Truth {
		axis := mgl64.Vec3{1, 2, 0.5}.Normalize()
		const w = 2 * math.Pi
		return Truth{
			Position: mgl64.Vec3{3 * t, 0, 0}, Velocity: mgl64.Vec3{3, 0, 0},
			Rotation: mgl64.QuatRotate(math.Mod(w*t, 4*math.Pi), axis), Angular: axis.Mul(w),
		}
	}},
	{ID: "M7", Title: "6 m/s with a teleport of 50 m to and fro every 3.007 s", At: func(t float64) Truth {
		n := math.Floor(t / 3.007)
		return Truth{Position: mgl64.Vec3{6 * t, 0, Teleport * math.Mod(n, 2)}, Velocity: mgl64.Vec3{6, 0, 0}, Rotation: upright, Discontinuity: uint8(int64(n))}
	}},
	{ID: "M8", Title: "a spinning child on a turning parent", At: func(t float64) Truth {
		const r, w = 8, 1.3
		sin, cos := math.Sincos(w * t)
		return Truth{
			Position: mgl64.Vec3{r * cos, 0, r * sin}, Velocity: mgl64.Vec3{-r * w * sin, 0, r * w * cos},
			Rotation: mgl64.QuatRotate(-w*t, mgl64.Vec3{0, 1, 0}), Angular: mgl64.Vec3{0, -w, 0},
		}
	}, Child: &Motion{ID: "M8", Title: "the child", At: child8}},
}

// child8 is the child of M8 in its parent's frame.
func child8(t float64) Truth {
	const w = 2.1
	axis := mgl64.Vec3{1, 0, 0}
	sin, cos := math.Sincos(w * t)
	return Truth{
		Position: mgl64.Vec3{0.5, 2 * cos, 2 * sin}, Velocity: mgl64.Vec3{0, -2 * w * sin, 2 * w * cos},
		Rotation: mgl64.QuatRotate(math.Mod(w*t, 4*math.Pi), axis), Angular: axis.Mul(w),
	}
}

// MotionNamed returns the motion with an ID. It panics for an ID that does not exist.
func MotionNamed(id string) *Motion {
	for i := range motions {
		if motions[i].ID == id {
			return &motions[i]
		}
	}
	panic("conformance: no motion is called " + id + "; use M1 to M8")
}
