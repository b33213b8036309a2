// Package orbits shows a deep hierarchy: a sun, planets, moons, a moon of a moon, and a ship that
// changes its parent again and again.
//
// Only local poses are interpolated. Arms turn and carry bodies; the bodies turn back and so keep
// their axes. Orbits stay round at five steps a second, because world poses are composed from
// turning parents, not blended.
package orbits

import (
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/demo/internal/scene"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/render"
	"github.com/tandem-ecs/tandem/systems/hierarchy"
)

// Info describes the scene.
func Info() scene.Info {
	return scene.Info{
		Name:    "orbits",
		Title:   "A hierarchy seven levels deep",
		Caption: "Arms turn about their parents. World poses are composed from interpolated local poses, so orbits stay round at any rate. The ship changes its parent every four seconds without a jump.",
		Dusk:    true,
		Splits:  true,
		Split:   true,
		Rate:    5,
		Upright: scene.Upright{Raise: 0.35, Zoom: 0.74},
	}
}

// celestial is a body on an arm that turns about another.
type celestial struct {
	name   string
	around string  // "" for the centre
	radius float32 // of the orbit, in units
	turns  float64 // of the arm in its parent's frame, per second of simulated time
	start  float64 // of the arm, in turns, so that the bodies begin apart
	size   float32
	accent int
	tilt   float32 // of the orbit, in radians about x
}

// Everything returns to where it was after 28 seconds: all turns are whole then, and the ship is at
// its first stop again. So a clip of that length has no seam.
var celestials = []celestial{
	{name: "Jade", radius: 2.6, turns: 5.0 / 28, start: 0.55, size: 0.7, accent: 3},
	{name: "Azure", radius: 5, turns: 2.0 / 28, start: 0.6, size: 1.15, accent: 1, tilt: 0.06},
	{name: "moon", around: "Azure", radius: 1.6, turns: 8.0 / 28, start: 0.6, size: 0.45, accent: 2, tilt: 0.25},
	{name: "moonlet", around: "moon", radius: 0.6, turns: 22.0 / 28, size: 0.22, accent: 5},
	{name: "Violet", radius: 8, turns: 1.0 / 28, start: 0.1, size: 1.5, accent: 4, tilt: -0.04},
	{name: "Tick", around: "Violet", radius: 1.55, turns: 13.0 / 28, start: 0.3, size: 0.34, accent: 6, tilt: 0.4},
	{name: "Tock", around: "Violet", radius: 2.2, turns: 7.0 / 28, start: 0.75, size: 0.42, accent: 3, tilt: 0.4},
}

// Orbits is the scene.
type Orbits struct {
	engine    *ecs.Engine
	hierarchy *hierarchy.Hierarchy3D
	poses     scene.Bodies[components.Pose3D]

	sun    arche.Entity
	bodies []body
	ship   ship
}

// New returns the scene.
func New() scene.Scene { return &Orbits{} }

// plane returns the rotation of the plane of the orbit.
func (c *celestial) plane() mgl32.Quat { return mgl32.QuatRotate(c.tilt, mgl32.Vec3{1, 0, 0}) }

// turned returns the arm's pose at a time of the simulation.
func (c *celestial) turned(t time.Duration) components.Pose3D {
	turns := math.Mod(c.start+c.turns*t.Seconds(), 1)
	return components.Pose3D{
		Rotation: c.plane().Mul(mgl32.QuatRotate(float32(2*math.Pi*turns), mgl32.Vec3{0, 1, 0})),
		Scale:    mgl32.Vec3{1, 1, 1},
	}
}

// carried returns the body's pose on its arm. The body turns back by the arm's rotation, so its
// axes keep their directions, like those of a gyroscope.
func (c *celestial) carried(arm components.Pose3D) components.Pose3D {
	return components.Pose3D{Position: mgl32.Vec3{c.radius, 0, 0}, Rotation: arm.Rotation.Inverse(), Scale: mgl32.Vec3{1, 1, 1}}
}

// body is a celestial with its entities: the centre, the arm that turns about it, and the visible
// body at the arm's end.
type body struct {
	celestial
	center, arm, entity arche.Entity
}

// Setup makes the hierarchy, from the root down.
func (s *Orbits) Setup(stage *scene.Stage) []scene.Followed {
	s.engine, s.hierarchy = stage.Engine, stage.Hierarchy
	w := stage.Engine.World()
	s.poses = scene.NewBodies[components.Pose3D](w)
	parents := generic.NewMap1[components.Parent](w)
	spawn := func(parent arche.Entity, pose components.Pose3D) arche.Entity {
		e := s.poses.Spawn(pose)
		if !parent.IsZero() {
			parents.Assign(e, &components.Parent{Entity: parent})
		}
		return e
	}
	s.sun = spawn(arche.Entity{}, components.Identity3D())
	byName := map[string]arche.Entity{"": s.sun}
	for _, c := range celestials {
		b := body{celestial: c, center: byName[c.around]}
		b.arm = spawn(b.center, c.turned(0))
		b.entity = spawn(b.arm, c.carried(c.turned(0)))
		s.bodies = append(s.bodies, b)
		byName[c.name] = b.entity
	}
	s.ship = newShip(s, spawn)
	stage.Engine.Add(ecs.FixedUpdate, ecs.SystemFunc(s.step))
	stage.Engine.Add(ecs.NormalUpdate, ecs.SystemFunc(s.ship.mark))

	return []scene.Followed{
		{Name: "ship, raw", Accent: 2, Position: func() mgl32.Vec3 { return s.logical(s.ship.entity).Position }},
		{Name: "ship", Accent: 0, Position: func() mgl32.Vec3 { return s.visual(s.ship.entity).Position }},
	}
}

// step runs one fixed step. The ship may change its parent while everything stands where it is at
// the step's start. Then everything moves to where it is at the step's end.
func (s *Orbits) step(*arche.World) {
	now := s.engine.Time()
	s.ship.change(now)
	center := s.ship.center()
	for _, b := range s.bodies {
		turned := b.turned(now.StepEnd)
		s.set(b.arm, turned)
		s.set(b.entity, b.carried(turned))
	}
	s.ship.fly(now, center)
}

func (s *Orbits) set(e arche.Entity, pose components.Pose3D) {
	s.poses.Transform(e).Set(pose)
}

func (s *Orbits) visual(e arche.Entity) components.Pose3D {
	return scene.PoseOf(s.hierarchy.VisualWorld(e))
}

// shown returns an entity's pose in a picture.
func (s *Orbits) shown(p *scene.Picture, e arche.Entity) components.Pose3D {
	if p.Raw {
		return s.logical(e)
	}
	return s.visual(e)
}

func (s *Orbits) logical(e arche.Entity) components.Pose3D {
	return scene.PoseOf(s.hierarchy.LogicalWorld(e))
}

// Trace reports all bodies and the ship.
func (s *Orbits) Trace(row func(name string, logical, visual components.Pose3D)) {
	for _, b := range s.bodies {
		row(b.name, s.logical(b.entity), s.visual(b.entity))
	}
	row("ship", s.logical(s.ship.entity), s.visual(s.ship.entity))
}

// Camera looks at the scene from above.
func (s *Orbits) Camera(ecs.Time) render.Orbit {
	return render.Orbit{Target: mgl32.Vec3{0, -0.6, 0.9}, Yaw: 0.35, Pitch: 0.6, Distance: 24, MinDistance: 2, MaxDistance: 90, FOV: 0.6}
}
