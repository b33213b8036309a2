// Package physics shows a physics library at a low fixed rate: about a hundred bodies in a drum,
// stirred by a paddle wheel, at fifteen steps a second.
//
// The library is Chipmunk in its Go port, github.com/jakecoffman/cp. It works in the plane, so the
// poses are components.Transform2D, interpolated by interpolation.New2D. The left drum shows the
// simulated poses, the right drum the interpolated ones.
package physics

import (
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/jakecoffman/cp/v2"
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
		Name:     "physics",
		Title:    "Slow physics",
		Caption:  "One simulation, drawn twice. Left: the poses of its last step. Right: interpolated. The marks show where three of the bodies were drawn.",
		Rate:     15,
		Upright:  scene.Upright{Zoom: 0.84},
		Entities: 150, MinEntities: 3, MaxEntities: 3000,
	}
}

const (
	usualBodies = 150
	usualRadius = 4.2 // of the drum for usualBodies, in units

	gravity    = 12.0
	wheelTurns = 0.42 // per second of simulated time
	rimParts   = 40

	// The library's solver needs short steps. A fixed step is split so that no part is longer than
	// this. It is a sixtieth of a second rounded up, so that a step of 60 Hz is not split.
	longestSubstep = time.Second/60 + 1

	marked     = 3 // bodies with marks
	markEvery  = time.Second / 20
	marksShown = 900 * time.Millisecond
)

// Physics is the scene.
type Physics struct {
	engine *ecs.Engine
	poses  *interpolation.Interpolator[components.Pose2D]
	bodies scene.Bodies[components.Pose2D]
	space  *cp.Space
	radius float64 // of the drum

	wheel item
	items []item
	marks [2][marked]*scene.Trail // raw, interpolated

	colors [8]render.Color // of the bodies, by their accents
}

// item is a body of the library with its entity.
type item struct {
	body   *cp.Body
	entity arche.Entity
	round  bool
	size   float32 // diameter, or edge length
	accent int
}

// New returns the scene.
func New() scene.Scene { return &Physics{} }

// Setup fills the drum.
func (s *Physics) Setup(stage *scene.Stage) []scene.Followed {
	s.engine = stage.Engine
	s.poses = interpolation.New2D()
	stage.Engine.Install(s.poses)
	stage.Own = append(stage.Own, s.poses)
	s.bodies = scene.NewBodies[components.Pose2D](stage.Engine.World())
	s.radius = usualRadius * max(0.6, math.Sqrt(float64(stage.Entities)/usualBodies))

	s.space = cp.NewSpace()
	s.space.Iterations = 12
	s.space.SetGravity(cp.Vector{Y: -gravity})
	s.buildRim()
	s.buildWheel()
	s.fill(stage)
	for i := range s.marks {
		for k := range s.marks[i] {
			s.marks[i][k] = scene.NewTrail(markEvery, marksShown, 64)
		}
	}
	stage.Engine.Add(ecs.FixedUpdate, ecs.SystemFunc(s.step))
	stage.Engine.Add(ecs.NormalUpdate, ecs.SystemFunc(s.mark))

	first := s.items[0]
	place := func(pose func(arche.Entity) components.Pose2D) func() mgl32.Vec3 {
		return func() mgl32.Vec3 { return pose(first.entity).Position.Vec3(0) }
	}
	return []scene.Followed{
		{Name: "marked ball, left", Accent: 0, Position: place(s.bodies.Logical)},
		{Name: "right", Accent: 1, Position: place(s.bodies.Visual)},
	}
}

// buildRim makes the drum's wall of straight pieces.
func (s *Physics) buildRim() {
	const thick = 0.5
	at := func(i int) cp.Vector {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / rimParts)
		return cp.Vector{X: cos * (s.radius + thick), Y: sin * (s.radius + thick)}
	}
	for i := range rimParts {
		part := cp.NewSegment(s.space.StaticBody, at(i), at(i+1), thick)
		part.SetElasticity(0.8)
		part.SetFriction(0.5)
		s.space.AddShape(part)
	}
}

// buildWheel makes the paddle wheel: a cross that turns at a constant speed.
func (s *Physics) buildWheel() {
	body := cp.NewKinematicBody()
	body.SetPosition(cp.Vector{X: 0, Y: -s.radius * wheelDown})
	body.SetAngularVelocity(2 * math.Pi * wheelTurns)
	s.space.AddBody(body)
	arm := s.radius * wheelArm
	for _, end := range []cp.Vector{{X: arm}, {Y: arm}} {
		blade := cp.NewSegment(body, end.Neg(), end, wheelThick/2)
		blade.SetElasticity(0.5)
		blade.SetFriction(0.6)
		s.space.AddShape(blade)
	}
	s.wheel = item{body: body, entity: s.bodies.Spawn(poseOf(body))}
}

const (
	wheelDown  = 0.44 // depth of the hub below the drum's middle, as a share of the drum's radius
	wheelArm   = 0.5  // likewise
	wheelThick = 0.22
	cellSize   = 0.5 // space of one body at the beginning
)

// fill lays out the bodies in rows around the wheel, from the top. Small random offsets keep them
// from falling as towers.
func (s *Physics) fill(stage *scene.Stage) {
	cells := s.freeCells()
	for i := range stage.Entities {
		// An overfull drum begins with several bodies in one place; the solver separates them.
		place := cells[i%len(cells)]
		place.X += 0.1 * (stage.Random.Float64() - 0.5)
		size := 0.3 + 0.14*stage.Random.Float64()
		round := i < marked || stage.Random.IntN(2) == 0
		if i < marked {
			size = 0.5
		}
		s.items = append(s.items, s.makeItem(i, place, size, round))
	}
}

// freeCells returns the places of a square grid that lie within the drum and out of the wheel's
// reach.
func (s *Physics) freeCells() (cells []cp.Vector) {
	hub := cp.Vector{Y: -s.radius * wheelDown}
	n := int(s.radius / cellSize)
	for row := n; row >= -n; row-- {
		for column := -n; column <= n; column++ {
			place := cp.Vector{X: float64(column) * cellSize, Y: float64(row) * cellSize}
			if place.Length() < s.radius-cellSize/2 && place.Distance(hub) > s.radius*wheelArm+cellSize/2 {
				cells = append(cells, place)
			}
		}
	}
	return cells
}

func (s *Physics) makeItem(i int, place cp.Vector, size float64, round bool) item {
	mass := size * size
	var body *cp.Body
	var shape *cp.Shape
	if round {
		body = cp.NewBody(mass, cp.MomentForCircle(mass, 0, size/2, cp.Vector{}))
		shape = cp.NewCircle(body, size/2, cp.Vector{})
	} else {
		body = cp.NewBody(mass, cp.MomentForBox(mass, size, size))
		shape = cp.NewBox(body, size, size, 0)
	}
	body.SetPosition(place)
	shape.SetElasticity(0.78)
	shape.SetFriction(0.4)
	s.space.AddBody(body)
	s.space.AddShape(shape)
	accent := 1 + i%7
	if i < marked {
		accent = 0
	}
	return item{body: body, entity: s.bodies.Spawn(poseOf(body)), round: round, size: float32(size), accent: accent}
}

func poseOf(body *cp.Body) components.Pose2D {
	pose := components.At2D(float32(body.Position().X), float32(body.Position().Y))
	pose.Rotation = float32(math.Remainder(body.Angle(), 2*math.Pi))
	return pose
}

// step runs one fixed step: the library's, then every body's pose.
func (s *Physics) step(*arche.World) {
	step := s.engine.Time().FixedDelta
	n := substeps(step)
	for range n {
		s.space.Step(step.Seconds() / float64(n))
	}
	s.bodies.Transform(s.wheel.entity).Set(poseOf(s.wheel.body))
	for _, it := range s.items {
		s.bodies.Transform(it.entity).Set(poseOf(it.body))
	}
}

func substeps(step time.Duration) int { return int((step + longestSubstep - 1) / longestSubstep) }

// mark notes once per frame where the marked bodies are drawn.
func (s *Physics) mark(*arche.World) {
	now := s.engine.Time()
	for k := range min(marked, len(s.items)) {
		e := s.items[k].entity
		s.marks[0][k].Add(now.Normal, now.NormalDelta, s.bodies.Logical(e).Position.Vec3(0))
		s.marks[1][k].Add(now.Normal, now.NormalDelta, s.bodies.Visual(e).Position.Vec3(0))
	}
}

// Trace reports the wheel and the marked balls.
func (s *Physics) Trace(row func(name string, logical, visual components.Pose3D)) {
	add := func(name string, e arche.Entity) {
		row(name, upright(s.bodies.Logical(e)), upright(s.bodies.Visual(e)))
	}
	add("wheel", s.wheel.entity)
	for k, name := range [marked]string{"ball-1", "ball-2", "ball-3"} {
		add(name, s.items[k].entity)
	}
}

// upright returns a pose of the plane in space, at z = 0.
func upright(p components.Pose2D) components.Pose3D {
	return components.Pose3D{
		Position: p.Position.Vec3(0),
		Rotation: mgl32.QuatRotate(p.Rotation, mgl32.Vec3{0, 0, 1}),
		Scale:    p.Scale.Vec3(1),
	}
}

// Camera looks at both drums from the front.
func (s *Physics) Camera(ecs.Time) render.Orbit {
	r := float32(s.radius)
	return render.Orbit{Target: mgl32.Vec3{0, -0.15 * r, 0}, Pitch: 0.12, Distance: r * 7, MinDistance: 2, MaxDistance: r * 20, FOV: 0.5}
}
