package snapshot

import (
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl32"
)

// pose writes the State into the record, as exactly as it can be sent.
func (q *quantizer) pose(r *record, s *State) {
	for k := range 3 {
		v := float64(s.Position[k])
		if math.IsNaN(v) {
			v = 0
		}
		r.position[k] = clampRound((v-q.min[k])/q.resolution, 0, q.most[k])
	}
	r.rotation, r.largest = q.packRotation(s.Rotation)
	r.scale = s.Scale
	r.rest = s.AtRest
	r.discontinuity = s.Discontinuity
	if s.AtRest {
		r.velocity, r.angular = [3]int16{}, [3]int16{}
		return
	}
	r.velocity = q.velocity.pack(s.Velocity)
	r.angular = q.angular.pack(s.Angular)
}

// state returns the State that the other end decodes from the record.
func (q *quantizer) state(r *record, age uint8) State {
	s := State{
		Rotation:      q.unpackRotation(r.rotation, r.largest),
		Velocity:      q.velocity.unpack(r.velocity),
		Angular:       q.angular.unpack(r.angular),
		Scale:         r.scale,
		AtRest:        r.rest,
		Discontinuity: r.discontinuity,
		Age:           time.Duration(float64(age) * q.ageUnit * float64(time.Second)),
	}
	for k := range 3 {
		// The conversion keeps the product from being fused with the sum.
		s.Position[k] = float32(q.min[k] + float64(float64(r.position[k])*q.resolution))
	}
	return s
}

func (q *quantizer) age(d time.Duration) uint8 {
	return uint8(clampRound(d.Seconds()/q.ageUnit, 0, math.MaxUint8))
}

// clampRound rounds to the nearest whole number within the bounds. NaN becomes the number nearest
// to zero.
func clampRound(v float64, low, high int32) int32 {
	switch {
	case v >= float64(high):
		return high
	case v > float64(low):
		return int32(math.Floor(v + 0.5))
	case v != v:
		return max(low, min(0, high))
	}
	return low
}

func (c *axis) pack(v mgl32.Vec3) (p [3]int16) {
	if c.most == 0 {
		return p
	}
	for k := range 3 {
		p[k] = int16(clampRound(float64(v[k])/c.resolution, -c.most, c.most))
	}
	return p
}

func (c *axis) unpack(p [3]int16) (v mgl32.Vec3) {
	for k := range 3 {
		v[k] = float32(float64(p[k]) * c.resolution)
	}
	return v
}

// packRotation returns the three smallest components of the unit quaternion, in the order W, X, Y,
// Z without the largest, and the index of the largest. The sign is chosen such that the largest is
// positive, so that it need not be sent (G. Fiedler, "Snapshot Compression"). Each of the others is
// at most 1/sqrt 2.
func (q *quantizer) packRotation(r mgl32.Quat) (p [3]int16, largest uint8) {
	v := [4]float64{float64(r.W), float64(r.V[0]), float64(r.V[1]), float64(r.V[2])}
	var sum float64
	for i, x := range v {
		sum += float64(x * x)
		if math.Abs(x) > math.Abs(v[largest]) {
			largest = uint8(i)
		}
	}
	if !(sum > 1e-30) || math.IsInf(sum, 0) {
		return p, 0
	}
	scale := math.Sqrt2 * float64(q.rotation.most) / math.Sqrt(sum)
	if v[largest] < 0 {
		scale = -scale
	}
	i := 0
	for k, x := range v {
		if k != int(largest) {
			p[i] = int16(clampRound(float64(x*scale), -q.rotation.most, q.rotation.most))
			i++
		}
	}
	return p, largest
}

// unpackRotation returns a unit quaternion for any input, including one that packRotation never
// returns.
func (q *quantizer) unpackRotation(p [3]int16, largest uint8) mgl32.Quat {
	scale := 1 / (math.Sqrt2 * float64(q.rotation.most))
	a, b, c := float64(p[0])*scale, float64(p[1])*scale, float64(p[2])*scale
	sum := float64(a*a) + float64(b*b) + float64(c*c)
	d := math.Sqrt(max(0, 1-sum))
	if sum > 1 {
		n := 1 / math.Sqrt(sum)
		a, b, c = a*n, b*n, c*n
	}
	v := [4]float64{a, b, c, 0}
	copy(v[largest+1:], v[largest:3])
	v[largest] = d
	return mgl32.Quat{W: float32(v[0]), V: mgl32.Vec3{float32(v[1]), float32(v[2]), float32(v[3])}}
}

// maxPredict is the age in ticks beyond which the velocity of a baseline predicts nothing.
const maxPredict = 128

// predictPosition returns the position of the baseline after the ticks at its own velocity.
// Predictions are made in whole numbers, so that both ends agree to the bit.
func (q *quantizer) predictPosition(base *record, ticks int32) [3]int32 {
	p := base.position
	if ticks > 0 && ticks <= maxPredict {
		for k := range 3 {
			ahead := (int64(base.velocity[k])*int64(ticks)*q.ahead + 1<<15) >> 16
			p[k] = int32(max(0, min(int64(q.most[k]), int64(p[k])+ahead)))
		}
	}
	return p
}

// predictVelocity returns the velocity at the end of the ticks if the acceleration was constant:
// twice the mean velocity less the one at the beginning.
func (q *quantizer) predictVelocity(base *record, position [3]int32, ticks int32) [3]int16 {
	v := base.velocity
	if ticks > 0 && ticks <= maxPredict {
		for k := range 3 {
			twice := 2 * int64(position[k]-base.position[k]) * q.back / int64(ticks) >> 16
			v[k] = int16(max(-int64(q.velocity.most), min(int64(q.velocity.most), twice-int64(base.velocity[k]))))
		}
	}
	return v
}
