// Package motion integrates velocities into logical poses. It is the simplest system that moves
// something, for games without a physics engine.
package motion

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
)

// New3D returns a plugin that integrates [components.Velocity3D] into [components.Transform3D] in
// every FixedUpdate. Positions advance by explicit Euler steps, which are exact for a constant
// velocity up to rounding. Rotations advance by the exact rotation of the step. Entities at zero
// velocity are not written, so they rest.
func New3D() ecs.Plugin { return &motion3D{} }

type motion3D struct {
	filter *generic.Filter2[components.Transform3D, components.Velocity3D]
	time   generic.Resource[ecs.Time]
}

func (m *motion3D) Install(e *ecs.Engine) { e.Add(ecs.FixedUpdate, m) }

func (m *motion3D) Initialize(w *arche.World) {
	m.filter = generic.NewFilter2[components.Transform3D, components.Velocity3D]()
	m.time = generic.NewResource[ecs.Time](w)
}

func (m *motion3D) Update(w *arche.World) {
	dt := float32(m.time.Get().FixedDelta.Seconds())
	query := m.filter.Query(w)
	for query.Next() {
		transform, v := query.Get()
		if v.Linear == (mgl32.Vec3{}) && v.Angular == (mgl32.Vec3{}) {
			continue
		}
		pose := transform.Get()
		pose.Position = pose.Position.Add(v.Linear.Mul(dt))
		if v.Angular != (mgl32.Vec3{}) {
			pose.Rotation = Turn(pose.Rotation, v.Angular, dt)
		}
		transform.Set(pose)
	}
}

func (m *motion3D) Finalize(*arche.World) {}

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

// New2D returns a plugin that integrates [components.Velocity2D] into [components.Transform2D] in
// every FixedUpdate, in the same way. Angles are kept within half a turn of zero.
func New2D() ecs.Plugin { return &motion2D{} }

type motion2D struct {
	filter *generic.Filter2[components.Transform2D, components.Velocity2D]
	time   generic.Resource[ecs.Time]
}

func (m *motion2D) Install(e *ecs.Engine) { e.Add(ecs.FixedUpdate, m) }

func (m *motion2D) Initialize(w *arche.World) {
	m.filter = generic.NewFilter2[components.Transform2D, components.Velocity2D]()
	m.time = generic.NewResource[ecs.Time](w)
}

func (m *motion2D) Update(w *arche.World) {
	dt := float32(m.time.Get().FixedDelta.Seconds())
	query := m.filter.Query(w)
	for query.Next() {
		transform, v := query.Get()
		if v.Linear == (mgl32.Vec2{}) && v.Angular == 0 {
			continue
		}
		pose := transform.Get()
		pose.Position = pose.Position.Add(v.Linear.Mul(dt))
		// Kept within a turn, so that a spinning body does not lose precision with time.
		pose.Rotation = float32(math.Remainder(float64(pose.Rotation)+float64(v.Angular)*float64(dt), 2*math.Pi))
		transform.Set(pose)
	}
}

func (m *motion2D) Finalize(*arche.World) {}
