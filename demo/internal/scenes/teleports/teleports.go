// Package teleports shows what happens when something jumps and the picture is not told: it smears.
//
// Two groups of bodies do the same. On the left every jump is made as a jump: Teleport for a
// portal, Shift for a wrap-around, a new entity for a spawn. On the right the same places are
// written with Set, which is a movement, so that the bodies fly back through everything in one
// fixed step.
package teleports

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
	"github.com/tandem-ecs/tandem/systems/interpolation"
)

// Info describes the scene.
func Info() scene.Info {
	return scene.Info{
		Name:    "teleports",
		Title:   "Jumps, told and not told",
		Caption: "Left: jumps are made with Teleport, Shift and new entities. Right: the same with Set, a movement, which the picture smears over one fixed step. Red shades are what was drawn on the way.",
		Rate:    10,
	}
}

const (
	length   = 7.0 // of a track, in units
	inner    = 0.8 // distance of the tracks' inner ends from the middle
	walk     = 3.0 // units per second of simulated time
	rowPitch = 3.1

	runners = 3

	pads      = 5
	padLife   = 900 * time.Millisecond
	riseSpeed = 0.75 // units per second

	walkerHeight = 0.5
	runnerHeight = 0.35
	spawnHeight  = 0.4
)

// The rows, from the back.
const (
	rowPortal = iota
	rowWrap
	rowSpawn
)

func rowZ(row int) float32 { return rowPitch * float32(row-2) }

// padOrder is the order in which bodies appear on the pads: neighbours never follow each other.
var padOrder = [pads]int{0, 3, 1, 4, 2}

// Teleports is the scene.
type Teleports struct {
	engine   *ecs.Engine
	groups   [2]*group // told, not told
	followed []scene.Followed
}

// New returns the scene.
func New() scene.Scene { return &Teleports{} }

// group is one of the two halves.
type group struct {
	engine *ecs.Engine
	poses  *interpolation.Interpolator[components.Pose3D]
	bodies generic.Map2[components.Transform3D, components.Visual3D]
	told   bool
	left   float32 // x of the tracks' left ends

	walker, spawned arche.Entity
	runners         [runners]arche.Entity

	walkerLaps, padVisits int64
	runnerLaps            [runners]int64
	smears                [3]smear // by row
}

// smear is a movement that should have been a jump: the step over which it is drawn, and what was
// drawn in it.
type smear struct {
	entity   arche.Entity
	from, to time.Duration
	shades   *scene.Trail
}

// Setup spawns both groups.
func (s *Teleports) Setup(stage *scene.Stage) {
	s.engine = stage.Engine
	for i := range s.groups {
		g := &group{
			engine: stage.Engine, poses: stage.Poses, told: i == 0,
			bodies: generic.NewMap2[components.Transform3D, components.Visual3D](stage.Engine.World()),
			left:   inner,
		}
		if g.told {
			g.left = -inner - length
		}
		for row := range g.smears {
			g.smears[row].shades = scene.NewTrail(0, 1500*time.Millisecond, 256)
		}
		g.walker = g.spawn(g.walkerAt(0))
		for r := range g.runners {
			pose, lap := g.runnerAt(r, 0)
			g.runners[r], g.runnerLaps[r] = g.spawn(pose), lap
		}
		g.spawned = g.spawn(g.spawnedAt(0))
		s.groups[i] = g
		stage.Engine.Add(ecs.FixedUpdate, g)
	}
	stage.Engine.Add(ecs.NormalUpdate, s)

	told, untold := s.groups[0], s.groups[1]
	s.followed = []scene.Followed{
		{Name: "walker, not told", Accent: 0, Position: func() mgl32.Vec3 { return untold.visual(untold.walker).Position }},
		{Name: "walker, told", Accent: 3, Position: func() mgl32.Vec3 { return told.visual(told.walker).Position },
			Jump: func() uint { return uint(told.walkerLaps) }},
	}
}

func (g *group) spawn(pose components.Pose3D) arche.Entity {
	logical := components.NewLogical(pose)
	return g.bodies.NewWith(&logical, &components.Visual3D{})
}

// Where everything is at a time of the simulation, as functions of the time alone.

func lap(distance float64) (laps int64, rest float32) {
	n := math.Floor(distance / length)
	return int64(n), float32(distance - n*length)
}

func (g *group) walkerAt(t time.Duration) components.Pose3D {
	_, x := lap(walk * t.Seconds())
	return components.At3D(g.left+x, walkerHeight, rowZ(rowPortal))
}

func (g *group) runnerAt(r int, t time.Duration) (components.Pose3D, int64) {
	laps, x := lap(walk*t.Seconds() + length*(float64(r)+0.5)/runners)
	return components.At3D(g.left+x, runnerHeight, rowZ(rowWrap)), laps
}

func padAt(t time.Duration) int64 { return int64(t / padLife) }

// spawnedAt rises above the pad whose turn it is, and turns about itself.
func (g *group) spawnedAt(t time.Duration) components.Pose3D {
	visit := padAt(t)
	age := (t - time.Duration(visit)*padLife).Seconds()
	x := g.left + padX(padOrder[visit%pads])
	pose := components.At3D(x, spawnHeight+float32(riseSpeed*age), rowZ(rowSpawn))
	pose.Rotation = mgl32.QuatRotate(float32(2*age), mgl32.Vec3{0, 1, 0})
	return pose
}

func padX(pad int) float32 { return length * (float32(pad) + 0.5) / pads }

// Update is one fixed step.
func (g *group) Update(w *arche.World) {
	now := g.engine.Time()
	g.stepWalker(now)
	g.stepRunners(now)
	g.stepSpawned(w, now)
}

func (g *group) stepWalker(now ecs.Time) {
	logical, _ := g.bodies.Get(g.walker)
	pose := g.walkerAt(now.StepEnd)
	laps, _ := lap(walk * now.StepEnd.Seconds())
	switch {
	case laps == g.walkerLaps:
		logical.Set(pose)
	case g.told:
		logical.Teleport(pose)
	default:
		logical.Set(pose)
		g.smeared(rowPortal, g.walker, now)
	}
	g.walkerLaps = laps
}

func (g *group) stepRunners(now ecs.Time) {
	for r, e := range g.runners {
		pose, laps := g.runnerAt(r, now.StepEnd)
		if around := float32(laps-g.runnerLaps[r]) * length; around != 0 {
			if g.told {
				// To the other end without losing the motion: what comes in there goes on as it
				// went out here.
				g.poses.Shift(func(p components.Pose3D) components.Pose3D {
					p.Position[0] -= around
					return p
				}, e)
			} else {
				g.smeared(rowWrap, e, now)
			}
		}
		g.runnerLaps[r] = laps
		logical, _ := g.bodies.Get(e)
		logical.Set(pose)
	}
}

func (g *group) stepSpawned(w *arche.World, now ecs.Time) {
	visit := padAt(now.StepEnd)
	pose := g.spawnedAt(now.StepEnd)
	switch {
	case visit == g.padVisits:
		logical, _ := g.bodies.Get(g.spawned)
		logical.Set(pose)
	case g.told:
		w.RemoveEntity(g.spawned)
		g.spawned = g.spawn(pose)
	default:
		// As from a pool: the old one is used again.
		logical, _ := g.bodies.Get(g.spawned)
		logical.Set(pose)
		g.smeared(rowSpawn, g.spawned, now)
	}
	g.padVisits = visit
}

func (g *group) smeared(row int, e arche.Entity, now ecs.Time) {
	g.smears[row].entity, g.smears[row].from, g.smears[row].to = e, now.StepStart, now.StepEnd
}

func (g *group) Initialize(*arche.World) {}
func (g *group) Finalize(*arche.World)   {}
func (g *group) Name() string            { return "jumping bodies" }

func (g *group) visual(e arche.Entity) components.Pose3D {
	_, v := g.bodies.Get(e)
	return v.Get()
}

func (g *group) logical(e arche.Entity) components.Pose3D {
	v, _ := g.bodies.Get(e)
	return v.Get()
}

// Update runs once per frame: shades of what is drawn while a smear lasts.
func (s *Teleports) Update(*arche.World) {
	now := s.engine.Time()
	for _, g := range s.groups {
		for row := range g.smears {
			m := &g.smears[row]
			if now.Normal >= m.from && now.Normal < m.to && s.smearing() {
				m.shades.Add(now.Normal, now.NormalDelta, g.visual(m.entity).Position)
			}
		}
	}
}

// smearing reports whether there are smears at all: without interpolation nothing is drawn on the
// way.
func (s *Teleports) smearing() bool { return s.groups[0].poses.Enabled() }

func (s *Teleports) Initialize(*arche.World) {}
func (s *Teleports) Finalize(*arche.World)   {}

// Name is what a panic calls it.
func (s *Teleports) Name() string { return "teleports" }

// SetInterpolation has nothing to switch: all poses are the stage's.
func (s *Teleports) SetInterpolation(bool) {}

// Trace tells of the walkers, the first runners and the spawned bodies.
func (s *Teleports) Trace(row func(name string, logical, visual components.Pose3D)) {
	for _, g := range s.groups {
		suffix := ""
		if !g.told {
			suffix = "-smeared"
		}
		row("walker"+suffix, g.logical(g.walker), g.visual(g.walker))
		row("runner"+suffix, g.logical(g.runners[0]), g.visual(g.runners[0]))
		row("spawned"+suffix, g.logical(g.spawned), g.visual(g.spawned))
	}
}

// Followed returns both walkers.
func (s *Teleports) Followed() []scene.Followed { return s.followed }

// Camera looks at both groups from the front.
func (s *Teleports) Camera(ecs.Time) render.Orbit {
	return render.Orbit{Target: mgl32.Vec3{0, 0.3, -rowPitch}, Pitch: 0.55, Distance: 23, MinDistance: 3, MaxDistance: 80, FOV: 0.5}
}
