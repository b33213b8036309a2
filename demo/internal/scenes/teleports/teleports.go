// Package teleports shows why jumps need their own calls: a jump that is written as a movement
// smears.
//
// Two groups of bodies do the same. On the left every jump is marked as one: Teleport for a portal,
// Shift for a wrap-around, a new entity for a spawn. On the right Set writes the same poses. Set is
// a movement, so the bodies fly back across the track within one fixed step.
package teleports

import (
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"

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
		Title:   "Jumps, marked and not marked",
		Caption: "Left: jumps use Teleport, Shift and new entities. Right: the same jumps use Set, a movement, so each smears over one fixed step. Red shades show the poses drawn on the way.",
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
	engine *ecs.Engine
	groups [2]*group // marked, not marked
}

// New returns the scene.
func New() scene.Scene { return &Teleports{} }

// group is one of the two halves.
type group struct {
	engine *ecs.Engine
	poses  *interpolation.Interpolator[components.Pose3D]
	bodies scene.Bodies[components.Pose3D]
	marked bool
	left   float32 // x of the tracks' left ends

	walker, spawned arche.Entity
	runners         [runners]arche.Entity

	walkerLaps, padVisits int64
	runnerLaps            [runners]int64
	smears                [3]smear // by row
}

// smear is a movement that should have been a jump: the step over which it is drawn, and the poses
// drawn in it.
type smear struct {
	entity   arche.Entity
	from, to time.Duration
	shades   *scene.Trail
}

// Setup spawns both groups.
func (s *Teleports) Setup(stage *scene.Stage) []scene.Followed {
	s.engine = stage.Engine
	for i := range s.groups {
		g := &group{
			engine: stage.Engine, poses: stage.Poses, marked: i == 0,
			bodies: scene.NewBodies[components.Pose3D](stage.Engine.World()),
			left:   inner,
		}
		if g.marked {
			g.left = -inner - length
		}
		for row := range g.smears {
			g.smears[row].shades = scene.NewTrail(0, 1500*time.Millisecond, 256)
		}
		g.walker = g.bodies.Spawn(g.walkerAt(0))
		for r := range g.runners {
			pose, lap := g.runnerAt(r, 0)
			g.runners[r], g.runnerLaps[r] = g.bodies.Spawn(pose), lap
		}
		g.spawned = g.bodies.Spawn(g.spawnedAt(0))
		s.groups[i] = g
		stage.Engine.Add(ecs.FixedUpdate, ecs.SystemFunc(g.step))
	}
	stage.Engine.Add(ecs.NormalUpdate, ecs.SystemFunc(s.mark))

	marked, unmarked := s.groups[0], s.groups[1]
	return []scene.Followed{
		{Name: "walker, not marked", Accent: 0, Position: func() mgl32.Vec3 { return unmarked.bodies.Visual(unmarked.walker).Position }},
		{Name: "walker, marked", Accent: 3, Position: func() mgl32.Vec3 { return marked.bodies.Visual(marked.walker).Position },
			Jump: func() uint { return uint(marked.walkerLaps) }},
	}
}

// These functions return the place of everything at a time of the simulation, from the time alone.

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

// spawnedAt returns the pose of the spawned body. It rises above the current pad and turns about
// itself.
func (g *group) spawnedAt(t time.Duration) components.Pose3D {
	visit := padAt(t)
	age := (t - time.Duration(visit)*padLife).Seconds()
	x := g.left + padX(padOrder[visit%pads])
	pose := components.At3D(x, spawnHeight+float32(riseSpeed*age), rowZ(rowSpawn))
	pose.Rotation = mgl32.QuatRotate(float32(2*age), mgl32.Vec3{0, 1, 0})
	return pose
}

func padX(pad int) float32 { return length * (float32(pad) + 0.5) / pads }

// step runs one fixed step.
func (g *group) step(w *arche.World) {
	now := g.engine.Time()
	g.stepWalker(now)
	g.stepRunners(now)
	g.stepSpawned(w, now)
}

func (g *group) stepWalker(now ecs.Time) {
	logical := g.bodies.Transform(g.walker)
	pose := g.walkerAt(now.StepEnd)
	laps, _ := lap(walk * now.StepEnd.Seconds())
	switch {
	case laps == g.walkerLaps:
		logical.Set(pose)
	case g.marked:
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
			if g.marked {
				// Shift moves the body to the other end and keeps its motion.
				g.poses.Shift(func(p components.Pose3D) components.Pose3D {
					p.Position[0] -= around
					return p
				}, e)
			} else {
				g.smeared(rowWrap, e, now)
			}
		}
		g.runnerLaps[r] = laps
		logical := g.bodies.Transform(e)
		logical.Set(pose)
	}
}

func (g *group) stepSpawned(w *arche.World, now ecs.Time) {
	visit := padAt(now.StepEnd)
	pose := g.spawnedAt(now.StepEnd)
	switch {
	case visit == g.padVisits:
		logical := g.bodies.Transform(g.spawned)
		logical.Set(pose)
	case g.marked:
		w.RemoveEntity(g.spawned)
		g.spawned = g.bodies.Spawn(pose)
	default:
		// The old entity is reused, as from a pool.
		logical := g.bodies.Transform(g.spawned)
		logical.Set(pose)
		g.smeared(rowSpawn, g.spawned, now)
	}
	g.padVisits = visit
}

func (g *group) smeared(row int, e arche.Entity, now ecs.Time) {
	g.smears[row].entity, g.smears[row].from, g.smears[row].to = e, now.StepStart, now.StepEnd
}

// mark runs once per frame: it notes a shade of each body that is drawn in a smear.
func (s *Teleports) mark(*arche.World) {
	now := s.engine.Time()
	for _, g := range s.groups {
		for row := range g.smears {
			m := &g.smears[row]
			if now.Normal >= m.from && now.Normal < m.to && s.smearing() {
				m.shades.Add(now.Normal, now.NormalDelta, g.bodies.Visual(m.entity).Position)
			}
		}
	}
}

// smearing reports whether jumps smear. They do not without interpolation.
func (s *Teleports) smearing() bool { return s.groups[0].poses.Enabled() }

// Trace reports the walkers, the first runners and the spawned bodies.
func (s *Teleports) Trace(row func(name string, logical, visual components.Pose3D)) {
	for _, g := range s.groups {
		suffix := ""
		if !g.marked {
			suffix = "-smeared"
		}
		row("walker"+suffix, g.bodies.Logical(g.walker), g.bodies.Visual(g.walker))
		row("runner"+suffix, g.bodies.Logical(g.runners[0]), g.bodies.Visual(g.runners[0]))
		row("spawned"+suffix, g.bodies.Logical(g.spawned), g.bodies.Visual(g.spawned))
	}
}

// Camera looks at both groups from the front.
func (s *Teleports) Camera(ecs.Time) render.Orbit {
	return render.Orbit{Target: mgl32.Vec3{0, 0.3, -rowPitch}, Pitch: 0.55, Distance: 23, MinDistance: 3, MaxDistance: 80, FOV: 0.5}
}
