// Package rotation contains the arithmetic of unit quaternions that interpolators need.
package rotation

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
)

// Unit returns q at length one, and the identity for a q without a direction.
func Unit(q mgl32.Quat) mgl32.Quat {
	w, x, y, z := float64(q.W), float64(q.V[0]), float64(q.V[1]), float64(q.V[2])
	n := w*w + x*x + y*y + z*z
	if d := n - 1; d < 3e-7 && d > -3e-7 {
		// within the precision of float32: unchanged, so that a resting pose stays bit for bit
		return q
	}
	if !(n > 0) || math.IsInf(n, 0) {
		return mgl32.QuatIdent()
	}
	k := 1 / math.Sqrt(n)
	return mgl32.Quat{W: float32(w * k), V: mgl32.Vec3{float32(x * k), float32(y * k), float32(z * k)}}
}

// Slerp turns from a to b along the shorter arc. It clamps t to 0..1. Both must have unit length.
func Slerp(a, b mgl32.Quat, t float32) mgl32.Quat {
	switch {
	case !(t > 0):
		return a
	case t >= 1:
		return b
	}
	return SlerpBeyond(shorter(a, b), b, t)
}

// TurnTowards is Slerp for repeated calls with the last result. It reaches b exactly.
func TurnTowards(a, b mgl32.Quat, t float32) mgl32.Quat {
	if d := a.W*b.W + a.V[0]*b.V[0] + a.V[1]*b.V[1] + a.V[2]*b.V[2]; d > 1-5e-7 || d < -1+5e-7 {
		return b // within a tenth of a degree
	}
	return Slerp(a, b, t)
}

// shorter returns a or -a, whichever lies nearer to b. Both are the same rotation.
func shorter(a, b mgl32.Quat) mgl32.Quat {
	if a.W*b.W+a.V[0]*b.V[0]+a.V[1]*b.V[1]+a.V[2]*b.V[2] < 0 {
		return mgl32.Quat{W: -a.W, V: a.V.Mul(-1)}
	}
	return a
}

// SlerpBeyond is the plain slerp formula, for any t, along the arc that the signs of a and b give.
func SlerpBeyond(a, b mgl32.Quat, t float32) mgl32.Quat {
	d := float64(a.W)*float64(b.W) + float64(a.V[0])*float64(b.V[0]) + float64(a.V[1])*float64(b.V[1]) + float64(a.V[2])*float64(b.V[2])
	wa, wb := 1-float64(t), float64(t)
	if d < 0.99999 { // otherwise the arc is under half a degree and a straight line is as good
		angle := math.Acos(max(d, -1))
		if s := math.Sin(angle); s > 1e-6 {
			wa, wb = math.Sin(wa*angle)/s, math.Sin(wb*angle)/s
		}
	}
	p, q := float32(wa), float32(wb)
	return Unit(mgl32.Quat{W: p*a.W + q*b.W, V: mgl32.Vec3{p*a.V[0] + q*b.V[0], p*a.V[1] + q*b.V[1], p*a.V[2] + q*b.V[2]}})
}

// Vector returns the axis of q times its angle, by the arc of at most half a turn.
func Vector(q mgl32.Quat) mgl32.Vec3 {
	w, x, y, z := float64(q.W), float64(q.V[0]), float64(q.V[1]), float64(q.V[2])
	if w < 0 {
		w, x, y, z = -w, -x, -y, -z
	}
	s := math.Sqrt(x*x + y*y + z*z)
	k := 2.0
	if s > 1e-7 {
		k = 2 * math.Atan2(s, w) / s
	}
	return mgl32.Vec3{float32(x * k), float32(y * k), float32(z * k)}
}

// Of returns the rotation by |v| radians about v.
func Of(v mgl32.Vec3) mgl32.Quat {
	angle := math.Sqrt(float64(v[0])*float64(v[0]) + float64(v[1])*float64(v[1]) + float64(v[2])*float64(v[2]))
	k := 0.5
	if angle > 1e-7 {
		k = math.Sin(angle/2) / angle
	}
	return Unit(mgl32.Quat{W: float32(math.Cos(angle / 2)), V: mgl32.Vec3{float32(float64(v[0]) * k), float32(float64(v[1]) * k), float32(float64(v[2]) * k)}})
}

// Spin turns q for dt seconds at an angular velocity given in the parent's frame.
func Spin(q mgl32.Quat, angular mgl32.Vec3, dt float32) mgl32.Quat {
	if angular == (mgl32.Vec3{}) || dt == 0 {
		return q
	}
	return Unit(Of(angular.Mul(dt)).Mul(q))
}
