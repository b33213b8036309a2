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
		Caption: "Left: jumps use Teleport, Shift and new entities. Right: the same jumps use Set, a movement, so each smears over one fixed step. Orange shades show the poses drawn on the way.",
		Rate:    10,
		Upright: scene.Upright{Raise: 0.4, Zoom: 0.86},
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

	walker, spawned jumper
	runners         [runners]jumper
	smears          [3]smear // by row
}

// jumper is a body that jumps now and then.
type jumper struct {
	entity arche.Entity
	row    int
	jumps  int64 // so far

	// at returns the pose and the number of jumps at a time of the simulation, from the time alone.
	at func(t time.Duration) (pose components.Pose3D, jumps int64)
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
		g.walker = g.newJumper(rowPortal, g.walkerAt)
		for r := range g.runners {
			g.runners[r] = g.newJumper(rowWrap, func(t time.Duration) (components.Pose3D, int64) { return g.runnerAt(r, t) })
		}
		g.spawned = g.newJumper(rowSpawn, g.spawnedAt)
		s.groups[i] = g
		stage.Engine.Add(ecs.FixedUpdate, ecs.SystemFunc(g.step))
	}
	stage.Engine.Add(ecs.NormalUpdate, ecs.SystemFunc(s.mark))

	marked, unmarked := s.groups[0], s.groups[1]
	return []scene.Followed{
		{Name: "walker, not marked", Accent: accentUnmarked, Position: func() mgl32.Vec3 { return unmarked.bodies.Visual(unmarked.walker.entity).Position }},
		{Name: "walker, marked", Accent: accentMarked, Position: func() mgl32.Vec3 { return marked.bodies.Visual(marked.walker.entity).Position },
			Jump: func() uint { return uint(marked.walker.jumps) }},
	}
}

func (g *group) newJumper(row int, at func(time.Duration) (components.Pose3D, int64)) jumper {
	pose, jumps := at(0)
	return jumper{entity: g.bodies.Spawn(pose), row: row, jumps: jumps, at: at}
}

func lap(distance float64) (laps int64, rest float32) {
	n := math.Floor(distance / length)
	return int64(n), float32(distance - n*length)
}

func (g *group) walkerAt(t time.Duration) (components.Pose3D, int64) {
	laps, x := lap(walk * t.Seconds())
	return components.At3D(g.left+x, walkerHeight, rowZ(rowPortal)), laps
}

func (g *group) runnerAt(r int, t time.Duration) (components.Pose3D, int64) {
	laps, x := lap(walk*t.Seconds() + length*(float64(r)+0.5)/runners)
	return components.At3D(g.left+x, runnerHeight, rowZ(rowWrap)), laps
}

// spawnedAt returns the pose of the spawned body. It rises above the current pad and turns about
// itself.
func (g *group) spawnedAt(t time.Duration) (components.Pose3D, int64) {
	visit := int64(t / padLife)
	age := (t - time.Duration(visit)*padLife).Seconds()
	x := g.left + padX(padOrder[visit%pads])
	pose := components.At3D(x, spawnHeight+float32(riseSpeed*age), rowZ(rowSpawn))
	pose.Rotation = mgl32.QuatRotate(float32(2*age), mgl32.Vec3{0, 1, 0})
	return pose, visit
}

func padX(pad int) float32 { return length * (float32(pad) + 0.5) / pads }

// step runs one fixed step.
func (g *group) step(w *arche.World) {
	now := g.engine.Time()
	g.move(w, now, &g.walker)
	for r := range g.runners {
		g.move(w, now, &g.runners[r])
	}
	g.move(w, now, &g.spawned)
}

// move moves a body to its place at the end of the step. A jump that is not marked is written like
// any movement; on the pads the old entity is reused then, as from a pool.
func (g *group) move(w *arche.World, now ecs.Time, j *jumper) {
	pose, jumps := j.at(now.StepEnd)
	jumped := jumps - j.jumps
	j.jumps = jumps
	if jumped != 0 && !g.marked {
		m := &g.smears[j.row]
		m.entity, m.from, m.to = j.entity, now.StepStart, now.StepEnd
	}
	if jumped != 0 && g.marked {
		switch j.row {
		case rowPortal:
			g.bodies.Transform(j.entity).Teleport(pose)
			return
		case rowWrap:
			// Shift moves the body to the other end and keeps its motion.
			g.poses.Shift(func(p components.Pose3D) components.Pose3D {
				p.Position[0] -= float32(jumped) * length
				return p
			}, j.entity)
		case rowSpawn:
			w.RemoveEntity(j.entity)
			j.entity = g.bodies.Spawn(pose)
			return
		}
	}
	g.bodies.Transform(j.entity).Set(pose)
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
		add := func(name string, e arche.Entity) { row(name+suffix, g.bodies.Logical(e), g.bodies.Visual(e)) }
		add("walker", g.walker.entity)
		add("runner", g.runners[0].entity)
		add("spawned", g.spawned.entity)
	}
}

// Camera looks at both groups from the front.
func (s *Teleports) Camera(ecs.Time) render.Orbit {
	return render.Orbit{Target: mgl32.Vec3{0, 0.3, -rowPitch}, Pitch: 0.55, Distance: 23, MinDistance: 3, MaxDistance: 80, FOV: 0.5}
}
