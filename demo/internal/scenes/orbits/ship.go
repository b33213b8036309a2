package orbits

import (
	"fmt"
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/demo/internal/scene"
	"github.com/tandem-ecs/tandem/ecs"
)

// ship flies from one stop to the next and around it, in a level above all bodies. Its speed in the
// world is constant, whatever its parent does.
type ship struct {
	entity  arche.Entity
	scene   *Orbits
	stops   []stop
	leg     int          // legs begun
	at      mgl32.Vec3   // in world space
	heading float64      // in world space: radians about the y axis from the x axis
	path    *scene.Trail // of drawn places
	raw     *scene.Trail // of logical places
}

// stop is a body that the ship makes its parent and circles.
type stop struct {
	entity arche.Entity
	name   string
	radius float32 // of the circle, in units
}

const (
	legTime    = 4 * time.Second
	level      = 1.5 // y in world space
	cruise     = 4.5 // units per second in world space; every stop is slower
	shipTurns  = 1.8 // radians per second at most
	pathMarks  = 240
	pathShown  = 3500 * time.Millisecond
	shipLength = 0.7
)

// newShip puts the ship at its first stop. Between two steps the ship is drawn on a straight line
// in its parent's frame, and that frame moves on a curve. So the stops are bodies whose path hardly
// bends within a step.
func newShip(s *Orbits, spawn func(arche.Entity, components.Pose3D) arche.Entity) ship {
	azure, violet, sun := stop{s.bodies[1].entity, s.bodies[1].name, 2.2}, stop{s.bodies[4].entity, s.bodies[4].name, 2.4}, stop{s.sun, "the sun", 3.6}
	v := ship{
		scene: s,
		stops: []stop{azure, sun, violet, azure, sun, violet, sun},
		path:  scene.NewTrail(0, pathShown, pathMarks*2), raw: scene.NewTrail(0, pathShown, pathMarks*2),
	}
	home := v.parent()
	center := s.logical(home.entity).Position
	v.at, v.heading = mgl32.Vec3{center[0] + home.radius, level, center[2]}, math.Pi/2
	v.entity = spawn(home.entity, v.local())
	return v
}

// parent returns the stop that the ship circles or flies to.
func (v *ship) parent() stop { return v.stops[v.leg%len(v.stops)] }

// center returns the parent's position in world space.
func (v *ship) center() mgl32.Vec3 { return v.scene.logical(v.parent().entity).Position }

// change makes the ship a child of the next stop when a leg is over. It is called at a fixed step's
// start, before anything moves. So the whole step is drawn in the new parent's frame.
func (v *ship) change(now ecs.Time) {
	leg := int(now.StepStart / legTime)
	if leg == v.leg {
		return
	}
	v.leg = leg
	if err := v.scene.hierarchy.Reparent(v.entity, v.parent().entity); err != nil {
		panic(fmt.Sprintf("orbits: %v", err)) // the hierarchy made above has no cycle
	}
}

// fly moves the ship. The parent must stand where it is at the fixed step's end; center is its
// position at the step's start. Position and heading are kept in world space, where a change of
// parent has no effect.
func (v *ship) fly(now ecs.Time, center mgl32.Vec3) {
	dt := now.FixedDelta.Seconds()
	carried := v.center().Sub(center).Mul(float32(1 / dt))
	most := shipTurns * dt
	v.heading += min(max(math.Remainder(v.course(center, carried)-v.heading, 2*math.Pi), -most), most)
	v.at = v.at.Add(v.ahead().Mul(float32(cruise * dt)))
	v.scene.set(v.entity, v.local())
}

// ahead returns the unit vector of the heading.
func (v *ship) ahead() mgl32.Vec3 {
	sin, cos := math.Sincos(v.heading)
	return mgl32.Vec3{float32(cos), 0, float32(-sin)}
}

// course returns the heading along a vector field whose lines lead onto a circle about a centre
// that moves with the given velocity (E. W. Frew, D. A. Lawrence, S. Morris: Coordinated Standoff
// Tracking of Moving Targets Using Lyapunov Guidance Vector Fields, 2008).
func (v *ship) course(center, carried mgl32.Vec3) float64 {
	off, radius := v.at.Sub(center), v.parent().radius
	out, side := mgl32.Vec3{off[0], 0, off[2]}, mgl32.Vec3{off[2], 0, -off[0]}
	r2 := out.LenSqr()
	field := side.Mul(2 * radius).Sub(out.Mul((r2 - radius*radius) / max(out.Len(), 1e-3))).Mul(1 / (r2 + radius*radius))
	// The speed along the field that adds up with the centre's velocity to the ship's speed.
	along := carried.Dot(field)
	speed := float32(math.Sqrt(float64(along*along+cruise*cruise-carried.Dot(carried)))) - along
	way := carried.Add(field.Mul(speed))
	return math.Atan2(float64(-way[2]), float64(way[0]))
}

// local returns the ship's pose in its parent's frame.
func (v *ship) local() components.Pose3D {
	return v.scene.logical(v.parent().entity).Inverse().Mul(components.Pose3D{
		Position: v.at,
		Rotation: mgl32.QuatBetweenVectors(mgl32.Vec3{0, 1, 0}, v.ahead()),
		Scale:    mgl32.Vec3{1, 1, 1},
	})
}

// mark runs once per frame, after the visual poses are written: the path consists of drawn places.
func (v *ship) mark(*arche.World) {
	now := v.scene.engine.Time()
	v.path.Add(now.Normal, now.NormalDelta, v.scene.visual(v.entity).Position)
	v.raw.Add(now.Normal, now.NormalDelta, v.scene.logical(v.entity).Position)
}
