package snapshot_test

import (
	"math"
	"math/rand/v2"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
)

// cubes is a stand-in for the scene of G. Fiedler's articles on networked physics: a player's cube
// rolls through a field of 900 small ones and throws them about. It has no solver, only the motions
// that make the numbers on the wire similar: gravity, bounces, friction, tumbling that turns into
// rolling, and rest. Cubes do not collide with each other. It is deterministic.
type cubes struct {
	bodies []cube
	ticks  int
	r      *rand.Rand
	storm  bool // cubes at rest are thrown again, so that all of them move all the time
}

type cube struct {
	p, v vec
	q    quat
	w    vec
	half float64
	rest bool
	slow int // ticks without much motion
}

type (
	vec  [3]float64
	quat [4]float64 // W X Y Z
)

const cubeStep = 1.0 / 60

func newCubes(storm bool) *cubes {
	s := &cubes{r: rand.New(rand.NewPCG(901, 1)), storm: storm}
	s.bodies = append(s.bodies, cube{q: quat{1}, half: 0.75})
	for i := range 900 {
		s.bodies = append(s.bodies, cube{
			p: vec{float64(i%30)*0.8 - 11.6, 0.2, float64(i/30)*0.8 - 11.6}, q: quat{1}, half: 0.2, rest: true})
	}
	s.movePlayer()
	return s
}

func (s *cubes) movePlayer() {
	t := float64(s.ticks) * cubeStep
	b, old := &s.bodies[0], s.bodies[0].p
	b.p = vec{8 * math.Sin(t*0.5), b.half, 8 * math.Sin(t*0.37+1)}
	for k := range 3 {
		b.v[k] = (b.p[k] - old[k]) / cubeStep
	}
	b.w = vec{b.v[2] / b.half, 0, -b.v[0] / b.half}
	b.q = b.q.turned(b.w)
}

// throw gives a cube a kick along the direction and a random spin.
func (s *cubes) throw(b *cube, x, z, up float64) {
	b.v = vec{x, up, z}
	b.w = vec{s.r.NormFloat64() * 2, s.r.NormFloat64() * 2, s.r.NormFloat64() * 2}
	b.rest, b.slow = false, 0
}

// stop makes everything but the player's cube lie still for ever.
func (s *cubes) stop() {
	s.storm = false
	for i := range s.bodies {
		s.bodies[i].v, s.bodies[i].w, s.bodies[i].rest = vec{}, vec{}, true
	}
}

func (s *cubes) step() {
	s.ticks++
	s.movePlayer()
	player := &s.bodies[0]
	for i := 1; i < len(s.bodies); i++ {
		b := &s.bodies[i]
		dx, dz := b.p[0]-player.p[0], b.p[2]-player.p[2]
		if d := math.Hypot(dx, dz); d < 1 && b.p[1] < 1.5 {
			speed := math.Hypot(player.v[0], player.v[2]) * (0.8 + 0.4*s.r.Float64())
			s.throw(b, dx/d*speed, dz/d*speed, 1.5+1.5*s.r.Float64())
		}
		if !b.rest {
			b.step()
		}
		if b.rest && s.storm {
			angle, speed := s.r.Float64()*2*math.Pi, 0.5+2.5*s.r.Float64()
			s.throw(b, math.Cos(angle)*speed, math.Sin(angle)*speed, 1.5+2*s.r.Float64())
		}
	}
}

func (b *cube) step() {
	b.v[1] -= 9.8 * cubeStep
	for k := range 3 {
		b.p[k] += b.v[k] * cubeStep
	}
	if b.p[1] <= b.half {
		b.p[1] = b.half
		b.ground()
	}
	b.q = b.q.turned(b.w)
}

// ground bounces a fast cube and rolls a slow one.
func (b *cube) ground() {
	if b.v[1] < -0.6 {
		b.v = vec{b.v[0] * 0.7, -b.v[1] * 0.35, b.v[2] * 0.7}
		b.w = vec{b.w[0] * 0.6, b.w[1] * 0.6, b.w[2] * 0.6}
		return
	}
	b.v[1] = 0
	speed := math.Hypot(b.v[0], b.v[2])
	slower := math.Max(0, speed-3*cubeStep)
	if speed > 0 {
		b.v[0], b.v[2] = b.v[0]*slower/speed, b.v[2]*slower/speed
	}
	for k, roll := range (vec{b.v[2] / b.half, 0, -b.v[0] / b.half}) {
		b.w[k] += (roll - b.w[k]) * 0.2
	}
	if b.slow++; slower > 0.02 {
		b.slow = 0
	}
	if b.slow > 6 {
		b.rest, b.v, b.w = true, vec{}, vec{}
	}
}

// turned returns the rotation a step later at the angular velocity.
func (q quat) turned(w vec) quat {
	speed := math.Sqrt(w[0]*w[0] + w[1]*w[1] + w[2]*w[2])
	if speed == 0 {
		return q
	}
	sin, cos := math.Sincos(speed * cubeStep / 2)
	x, y, z := w[0]/speed*sin, w[1]/speed*sin, w[2]/speed*sin
	r := quat{
		cos*q[0] - x*q[1] - y*q[2] - z*q[3],
		cos*q[1] + x*q[0] + y*q[3] - z*q[2],
		cos*q[2] - x*q[3] + y*q[0] + z*q[1],
		cos*q[3] + x*q[2] - y*q[1] + z*q[0],
	}
	n := math.Sqrt(r[0]*r[0] + r[1]*r[1] + r[2]*r[2] + r[3]*r[3])
	for k := range r {
		r[k] /= n
	}
	return r
}

func (v vec) f32() mgl32.Vec3 { return mgl32.Vec3{float32(v[0]), float32(v[1]), float32(v[2])} }

func (b *cube) state() snapshot.State {
	return snapshot.State{
		Position: b.p.f32(),
		Rotation: mgl32.Quat{W: float32(b.q[0]), V: mgl32.Vec3{float32(b.q[1]), float32(b.q[2]), float32(b.q[3])}},
		Velocity: b.v.f32(),
		Angular:  b.w.f32(),
		AtRest:   b.rest,
	}
}

// cubeField is the smallest grid that holds the scene: 17, 12 and 17 bits at 1/512.
var cubeField = snapshot.Grid{Min: mgl32.Vec3{-100, 0, -100}, Max: mgl32.Vec3{100, 7.9, 100}, Resolution: 1.0 / 512}
