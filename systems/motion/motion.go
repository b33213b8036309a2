// Package motion integrates velocities into logical poses. It is the simplest system that moves
// something, for games without a physics engine.
package motion

import (
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/internal/plugin"
)

// New3D returns a plugin that integrates [components.Velocity3D] into [components.Transform3D] in
// every FixedUpdate. Positions advance by explicit Euler steps, which are exact for a constant
// velocity up to rounding. Rotations advance by the exact rotation of the step. Entities at zero
// velocity are not written, so they rest.
//
// It runs at [ecs.OrderUser], in the sequence of Install and Add. Install it before you add systems
// that fire and hit. A system that runs before it sees the poses of the step's start, and its
// writes are moved on: a body made there by [components.InMotion] makes two steps' way in its first
// step, and the arrival of a SetOver is lost.
func New3D() ecs.Plugin {
	return &integrator[components.Pose3D, components.Velocity3D]{advance: advance3D}
}

// New2D returns a plugin that integrates [components.Velocity2D] into [components.Transform2D] in
// every FixedUpdate, in the same way. Angles are kept within half a turn of zero.
func New2D() ecs.Plugin {
	return &integrator[components.Pose2D, components.Velocity2D]{advance: advance2D}
}

// integrator moves poses P by velocities V.
type integrator[P any, V comparable] struct {
	advance func(pose P, v *V, dt float32) P
	filter  *generic.Filter2[components.Logical[P], V]
	time    generic.Resource[ecs.Time]

	installed plugin.Serving[V, P] // a resource of the world
}

func (m *integrator[P, V]) Install(e *ecs.Engine) {
	plugin.Put(e.World(), &m.installed)
	e.Add(ecs.FixedUpdate, m)
}

func (m *integrator[P, V]) Initialize(w *arche.World) {
	m.filter = generic.NewFilter2[components.Logical[P], V]()
	m.time = generic.NewResource[ecs.Time](w)
}

func (m *integrator[P, V]) Update(w *arche.World) {
	dt := float32(m.time.Get().FixedDelta.Seconds())
	query := m.filter.Query(w)
	for query.Next() {
		transform, v := query.Get()
		if *v != *new(V) {
			transform.Set(m.advance(transform.Get(), v, dt))
		}
	}
}

func (m *integrator[P, V]) Finalize(w *arche.World) { plugin.Take(w, &m.installed) }

// Name names the system in panics.
func (m *integrator[P, V]) Name() string { return fmt.Sprintf("motion by %T", *new(V)) }

func advance3D(pose components.Pose3D, v *components.Velocity3D, dt float32) components.Pose3D {
	pose.Position = pose.Position.Add(v.Linear.Mul(dt))
	if v.Angular != (mgl32.Vec3{}) {
		pose.Rotation = Turn(pose.Rotation, v.Angular, dt)
	}
	return pose
}

func advance2D(pose components.Pose2D, v *components.Velocity2D, dt float32) components.Pose2D {
	pose.Position = pose.Position.Add(v.Linear.Mul(dt))
	// Kept within a turn, so that a spinning body does not lose precision with time.
	pose.Rotation = float32(math.Remainder(float64(pose.Rotation)+float64(v.Angular)*float64(dt), 2*math.Pi))
	return pose
}

// Turn returns a rotation after turning for dt seconds at a constant angular velocity, in radians
// per second in the parent's frame. The result has unit length. A rotation or a velocity without a
// direction (infinite, or not a number) gives the identity. With a velocity of zero the rotation
// stays.
func Turn(rotation mgl32.Quat, angular mgl32.Vec3, dt float32) mgl32.Quat {
	x, y, z := float64(angular[0]), float64(angular[1]), float64(angular[2])
	speed := math.Sqrt(x*x + y*y + z*z)
	if speed == 0 {
		return components.NormalizeQuat(rotation)
	}
	sin, cos := math.Sincos(speed * float64(dt) / 2)
	sin /= speed
	turn := mgl32.Quat{W: float32(cos), V: mgl32.Vec3{float32(x * sin), float32(y * sin), float32(z * sin)}}
	return components.NormalizeQuat(turn.Mul(rotation))
}
