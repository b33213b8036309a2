// Package orbits shows a deep hierarchy: a sun, planets, moons, a moon of a moon, and a ship that keeps changing its parent.
//
// Only local poses are interpolated, and only rotations move: orbits stay round at five steps a second, because the world poses are composed of turning
// parents, not blended.
package orbits

import (
	"fmt"
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/demo/internal/scene"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/render"
	"github.com/tandem-ecs/tandem/systems"
)

// Info describes the scene.
func Info() scene.Info {
	return scene.Info{
		Name:    "orbits",
		Title:   "A hierarchy seven levels deep",
		Caption: "Arms turn about their parents; the picture is composed from interpolated local poses, so orbits stay round at any rate. The ship changes its parent every four seconds, and nothing jumps.",
		Dusk:    true,
		Splits:  true,
		Rate:    10,
	}
}

// celestial is a body on an arm that turns about another.
type celestial struct {
	name   string
	around string  // "" for the centre
	radius float32 // of the orbit, in units
	turns  float64 // of the arm, per second of simulated time
	start  float64 // of the arm, in turns: so that all are apart from the first second on
	size   float32
	accent int
	tilt   float32 // of the orbit, in radians about x
}

var celestials = []celestial{
	{name: "Jade", radius: 2.6, turns: 0.16, start: 0.55, size: 0.7, accent: 3},
	{name: "Azure", radius: 5, turns: 0.07, start: 0.6, size: 1.15, accent: 1, tilt: 0.06},
	{name: "moon", around: "Azure", radius: 1.6, turns: 0.3, start: 0.6, size: 0.45, accent: 6, tilt: 0.25},
	{name: "moonlet", around: "moon", radius: 0.6, turns: 0.8, size: 0.22, accent: 5},
	{name: "Violet", radius: 8, turns: 0.035, start: 0.1, size: 1.5, accent: 4, tilt: -0.04},
	{name: "Tick", around: "Violet", radius: 1.55, turns: 0.45, start: 0.3, size: 0.34, accent: 2, tilt: 0.4},
	{name: "Tock", around: "Violet", radius: 2.2, turns: 0.26, start: 0.75, size: 0.42, accent: 3, tilt: 0.4},
}

// Orbits is the scene.
type Orbits struct {
	engine    *ecs.Engine
	hierarchy *systems.Hierarchy
	poses     generic.Map2[components.Transform3D, components.Visual3D]

	sun    arche.Entity
	arms   []arm
	bodies []body
	ship   ship

	followed []scene.Followed
}

// New returns the scene.
func New() scene.Scene { return &Orbits{} }

// arm is what turns.
type arm struct {
	entity arche.Entity
	turns  float64
	start  float64
	tilt   mgl32.Quat
}

// turned is the arm's pose at a time of the simulation.
func (a *arm) turned(t time.Duration) components.Pose3D {
	turns := math.Mod(a.start+a.turns*t.Seconds(), 1)
	return components.Pose3D{
		Rotation: a.tilt.Mul(mgl32.QuatRotate(float32(2*math.Pi*turns), mgl32.Vec3{0, 1, 0})),
		Scale:    mgl32.Vec3{1, 1, 1},
	}
}

// body is what is seen at an arm's end.
type body struct {
	celestial
	entity, center arche.Entity
}

// Setup makes the hierarchy, from the root down.
func (s *Orbits) Setup(stage *scene.Stage) {
	s.engine, s.hierarchy = stage.Engine, stage.Hierarchy
	w := stage.Engine.World()
	s.poses = generic.NewMap2[components.Transform3D, components.Visual3D](w)
	parents := generic.NewMap1[components.Parent](w)
	spawn := func(parent arche.Entity, pose components.Pose3D) arche.Entity {
		logical := components.NewLogical(pose)
		e := s.poses.NewWith(&logical, &components.Visual3D{})
		if !parent.IsZero() {
			parents.Assign(e, &components.Parent{Entity: parent})
		}
		return e
	}
	s.sun = spawn(arche.Entity{}, components.Identity3D())
	byName := map[string]arche.Entity{"": s.sun}
	for _, c := range celestials {
		center := byName[c.around]
		a := arm{turns: c.turns, start: c.start, tilt: mgl32.QuatRotate(c.tilt, mgl32.Vec3{1, 0, 0})}
		a.entity = spawn(center, a.turned(0))
		s.arms = append(s.arms, a)
		e := spawn(a.entity, components.At3D(c.radius, 0, 0))
		byName[c.name] = e
		s.bodies = append(s.bodies, body{c, e, center})
	}
	s.ship = newShip(s, spawn)
	stage.Engine.Add(ecs.FixedUpdate, s)
	stage.Engine.Add(ecs.NormalUpdate, &s.ship)

	at := func(e arche.Entity) func() mgl32.Vec3 {
		return func() mgl32.Vec3 { return s.visual(e).Position }
	}
	s.followed = []scene.Followed{
		{Name: "moon of Azure", Accent: 6, Position: at(byName["moon"])},
		{Name: "Azure", Accent: 1, Position: at(byName["Azure"])},
	}
}

// Update is one fixed step: every arm points where it does at the step's end.
func (s *Orbits) Update(*arche.World) {
	now := s.engine.Time()
	for i := range s.arms {
		a := &s.arms[i]
		logical, _ := s.poses.Get(a.entity)
		logical.Set(a.turned(now.StepEnd))
	}
	s.ship.fly(s, now)
}

func (s *Orbits) Initialize(*arche.World) {}
func (s *Orbits) Finalize(*arche.World)   {}

// Name is what a panic calls it.
func (s *Orbits) Name() string { return "orbits" }

// SetInterpolation has nothing to switch: all poses are the stage's.
func (s *Orbits) SetInterpolation(bool) {}

func (s *Orbits) visual(e arche.Entity) components.Pose3D {
	return scene.PoseOf(s.hierarchy.VisualWorld(e))
}

// shown is a pose as a picture shows it.
func (s *Orbits) shown(p *scene.Picture, e arche.Entity) components.Pose3D {
	if p.Raw {
		return s.logical(e)
	}
	return s.visual(e)
}

func (s *Orbits) logical(e arche.Entity) components.Pose3D {
	return scene.PoseOf(s.hierarchy.LogicalWorld(e))
}

// Trace tells of all bodies and the ship.
func (s *Orbits) Trace(row func(name string, logical, visual components.Pose3D)) {
	for _, b := range s.bodies {
		row(b.name, s.logical(b.entity), s.visual(b.entity))
	}
	row("ship", s.logical(s.ship.entity), s.visual(s.ship.entity))
}

// Followed returns a planet, whose speed is even, and its moon.
func (s *Orbits) Followed() []scene.Followed { return s.followed }

// ship flies from one body to the next.
type ship struct {
	entity arche.Entity
	scene  *Orbits
	stops  []int        // bodies
	leg    int          // legs begun
	path   *scene.Trail // of places where it was drawn
	raw    *scene.Trail // of logical ones
}

const (
	legTime    = 4 * time.Second
	parking    = 0.62 // distance from a body's surface
	approach   = 1.1  // per second: how fast the ship comes down to the parking orbit
	cruise     = 3.2  // units per second, in the parent's frame
	shipTurns  = 2.4  // radians per second at most, about the parent
	pathMarks  = 240
	pathShown  = 3500 * time.Millisecond
	shipLength = 0.7
)

func newShip(s *Orbits, spawn func(arche.Entity, components.Pose3D) arche.Entity) ship {
	stops := []int{1, 2, 4, 6, 0}
	home := s.bodies[stops[0]]
	return ship{
		entity: spawn(home.entity, components.At3D(home.size/2+parking, 0, 0)),
		scene:  s, stops: stops, leg: 0,
		path: scene.NewTrail(0, pathShown, pathMarks*2), raw: scene.NewTrail(0, pathShown, pathMarks*2),
	}
}

// parent returns the body that the ship is at, or bound for.
func (v *ship) parent() body { return v.scene.bodies[v.stops[v.leg%len(v.stops)]] }

// fly is one fixed step. When a leg is over the ship becomes a child of the next body, where it stands; from then on it moves in that one's frame.
func (v *ship) fly(s *Orbits, now ecs.Time) {
	if leg := int(now.StepStart / legTime); leg != v.leg {
		v.leg = leg
		if err := s.hierarchy.Reparent(v.entity, v.parent().entity); err != nil {
			panic(fmt.Sprintf("orbits: %v", err)) // the hierarchy made above has no cycle
		}
	}
	dt := now.FixedDelta.Seconds()
	logical, _ := s.poses.Get(v.entity)
	pose := logical.Get()
	before := pose.Position
	// Polar coordinates about the parent: down to the parking orbit, round it, into its plane.
	x, y, z := float64(before[0]), float64(before[1]), float64(before[2])
	r, angle := math.Hypot(x, z), math.Atan2(-z, x)
	target := float64(v.parent().size/2 + parking)
	left := math.Exp(-approach * dt)
	r = target + (r-target)*left
	angle += min(shipTurns, cruise/r) * dt
	sin, cos := math.Sincos(angle)
	pose.Position = mgl32.Vec3{float32(r * cos), float32(y * left), float32(-r * sin)}
	if way := pose.Position.Sub(before); way.Len() > 1e-6 {
		pose.Rotation = mgl32.QuatBetweenVectors(mgl32.Vec3{0, 1, 0}, way.Normalize())
	}
	logical.Set(pose)
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

// Camera looks at the whole from above.
func (s *Orbits) Camera(ecs.Time) render.Orbit {
	return render.Orbit{Target: mgl32.Vec3{0, -0.6, 0.9}, Yaw: 0.35, Pitch: 0.6, Distance: 24, MinDistance: 2, MaxDistance: 90, FOV: 0.6}
}
