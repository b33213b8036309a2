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

// ship flies from one stop to the next and around it, in a level above all bodies. Its speed
// through the world is always the same, whatever its parent does.
type ship struct {
	entity  arche.Entity
	scene   *Orbits
	stops   []stop
	leg     int          // legs begun
	at      mgl32.Vec3   // in world space
	heading float64      // in world space: radians about the y axis from the x axis
	path    *scene.Trail // of places where it was drawn
	raw     *scene.Trail // of logical ones
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

// newShip puts the ship at its first stop. A ship between two steps is drawn on a straight line in
// its parent's frame, and that frame on a curve: so the stops are the bodies whose way hardly bends
// within a step.
func newShip(s *Orbits, spawn func(arche.Entity, components.Pose3D) arche.Entity) ship {
	azure, violet := &s.bodies[1], &s.bodies[4]
	v := ship{
		scene: s,
		stops: []stop{{azure.entity, azure.name, 2.2}, {s.sun, "the sun", 3.6}, {violet.entity, violet.name, 2.4}},
		path:  scene.NewTrail(0, pathShown, pathMarks*2), raw: scene.NewTrail(0, pathShown, pathMarks*2),
	}
	home := v.parent()
	center := s.logical(home.entity).Position
	v.at, v.heading = mgl32.Vec3{center[0] + home.radius, level, center[2]}, math.Pi/2
	v.entity = spawn(home.entity, v.local())
	return v
}

// parent returns the stop that the ship is at, or bound for.
func (v *ship) parent() stop { return v.stops[v.leg%len(v.stops)] }

// center is where the parent is, in world space.
func (v *ship) center() mgl32.Vec3 { return v.scene.logical(v.parent().entity).Position }

// change makes the ship a child of the next stop when a leg is over. It is called at a fixed step's
// start, before anything moves: what is drawn of the step then lies wholly in the new parent's
// frame.
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

// fly is called when the parent stands where it does at the fixed step's end; center is where it
// stood at the step's start. Place and heading go on in world space, where a change of parent does
// not show.
func (v *ship) fly(now ecs.Time, center mgl32.Vec3) {
	dt := now.FixedDelta.Seconds()
	carried := v.center().Sub(center).Mul(float32(1 / dt))
	most := shipTurns * dt
	v.heading += min(max(math.Remainder(v.course(center, carried)-v.heading, 2*math.Pi), -most), most)
	v.at = v.at.Add(v.ahead().Mul(float32(cruise * dt)))
	v.scene.set(v.entity, v.local())
}

// ahead is the unit vector of the heading.
func (v *ship) ahead() mgl32.Vec3 {
	sin, cos := math.Sincos(v.heading)
	return mgl32.Vec3{float32(cos), 0, float32(-sin)}
}

// course is the heading along a vector field whose lines lead onto a circle about a centre that
// moves with the given velocity (E. W. Frew, D. A. Lawrence, S. Morris: Coordinated Standoff
// Tracking of Moving Targets Using Lyapunov Guidance Vector Fields, 2008).
func (v *ship) course(center, carried mgl32.Vec3) float64 {
	off, radius := v.at.Sub(center), v.parent().radius
	out, side := mgl32.Vec3{off[0], 0, off[2]}, mgl32.Vec3{off[2], 0, -off[0]}
	r2 := out.LenSqr()
	field := side.Mul(2 * radius).Sub(out.Mul((r2 - radius*radius) / max(out.Len(), 1e-3))).Mul(1 / (r2 + radius*radius))
	// So fast along the field that, with the centre's velocity, it is the ship's speed.
	along := carried.Dot(field)
	speed := float32(math.Sqrt(float64(along*along+cruise*cruise-carried.Dot(carried)))) - along
	way := carried.Add(field.Mul(speed))
	return math.Atan2(float64(-way[2]), float64(way[0]))
}

// local is the ship's pose in its parent's frame.
func (v *ship) local() components.Pose3D {
	return v.scene.logical(v.parent().entity).Inverse().Mul(components.Pose3D{
		Position: v.at,
		Rotation: mgl32.QuatBetweenVectors(mgl32.Vec3{0, 1, 0}, v.ahead()),
		Scale:    mgl32.Vec3{1, 1, 1},
	})
}

// Update runs once per frame, after the poses are there: the path is one of drawn places.
func (v *ship) Update(*arche.World) {
	now := v.scene.engine.Time()
	v.path.Add(now.Normal, now.NormalDelta, v.scene.visual(v.entity).Position)
	v.raw.Add(now.Normal, now.NormalDelta, v.scene.logical(v.entity).Position)
}

func (v *ship) Initialize(*arche.World) {}
func (v *ship) Finalize(*arche.World)   {}
func (v *ship) Name() string            { return "ship's path" }
