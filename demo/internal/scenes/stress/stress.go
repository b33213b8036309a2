// Package stress moves a sea of cubes, as many as the settings ask for. Position and rotation of
// each change in every fixed step.
package stress

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/demo/internal/scene"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/render"
	"github.com/tandem-ecs/tandem/render/instancing"
)

// Info describes the scene.
func Info() scene.Info {
	return scene.Info{
		Name:     "stress",
		Title:    "A sea of cubes",
		Caption:  "Every cube is an entity that moves and turns in every fixed step and is interpolated in every frame. The flag -entities takes up to a million.",
		Dusk:     true,
		Blends:   true,
		Splits:   true,
		Rate:     20,
		Upright:  scene.Upright{Raise: 0.3, Zoom: 0.9},
		Entities: 10000, MinEntities: 1, MaxEntities: settings.MaxEntities,
	}
}

const (
	pitch = 1.0 // from one cube to the next
	edge  = 0.62

	// Two waves cross: one along x, one along z.
	heightX, lengthX, periodX = 0.9, 17.0, 3.1 // units, units, seconds
	heightZ, lengthZ, periodZ = 0.6, 11.0, 2.3
)

// Stress is the scene.
type Stress struct {
	engine *ecs.Engine
	cubes  *generic.Filter3[components.Transform3D, components.Visual3D, cell]
	drawn  *generic.Filter2[components.Visual3D, cell] // by their visual poses
	poses  generic.Map2[components.Transform3D, components.Visual3D]
	first  arche.Entity
	count  int
	side   int
	along  []wave // by column
	across []wave // by row

	gpu     bool
	motion  *render.MotionBatch // blended by the GPU
	batcher *instancing.Batcher // nil without gpu
	shades  [shadeCount]render.Color

	batch  *render.Batch
	raw    *render.Batch // of logical poses
	ghosts *render.Batch
}

// cell is a cube's place in the sea.
type cell struct{ column, row uint16 }

// wave is the effect of one of the two waves on a column or row: a height, and sine and cosine of
// half the tilt, for the quaternion.
type wave struct{ height, sin, cos float32 }

// New returns the scene.
func New() scene.Scene { return &Stress{} }

// Setup lays the cubes out in a square.
func (s *Stress) Setup(stage *scene.Stage) []scene.Followed {
	s.engine, s.count = stage.Engine, stage.Entities
	s.gpu = stage.GPU
	s.side = int(math.Ceil(math.Sqrt(float64(s.count))))
	s.along, s.across = make([]wave, s.side), make([]wave, s.side)
	w := stage.Engine.World()
	s.cubes = generic.NewFilter3[components.Transform3D, components.Visual3D, cell]()
	s.drawn = generic.NewFilter2[components.Visual3D, cell]().Without(generic.T[instancing.Instance]())
	s.poses = generic.NewMap2[components.Transform3D, components.Visual3D](w)
	theme := render.Dusk()
	s.batch = render.NewBatch(render.Cube, render.Solid, render.Color{})
	s.raw = render.NewBatch(render.Cube, render.Solid, render.Color{})
	s.ghosts = render.NewBatch(render.Cube, render.Ghost, theme.Accent(2))
	s.shades = palette(theme.Accent(7), theme.Accent(1), theme.Accent(3).Mix(theme.Text, 0.55))
	s.roll(0)
	spawner := generic.NewMap3[components.Transform3D, components.Visual3D, cell](w)
	i := 0
	query := spawner.NewBatchQ(s.count)
	for query.Next() {
		logical, _, c := query.Get()
		*c = cell{uint16(i % s.side), uint16(i / s.side)}
		*logical = components.NewLogical(s.poseOf(*c))
		if i == 0 {
			s.first = query.Entity()
		}
		i++
	}
	if s.gpu { // all but the first, which the graph follows
		id := arche.ComponentID[components.InterpolateOnGPU](w)
		all := arche.All(arche.ComponentID[cell](w))
		w.Batch().Add(all, id)
		w.Remove(s.first, id)
		s.motion = render.NewMotionBatch(render.Cube, render.Solid, render.Color{})
		s.batcher = instancing.New(stage.Poses, func(arche.Entity) *render.MotionBatch { return s.motion })
		s.batcher.Paint = s.paint
		stage.Engine.Install(s.batcher)
	}
	stage.Engine.Add(ecs.FixedUpdate, ecs.SystemFunc(s.step))
	return []scene.Followed{{Name: "one cube", Accent: 3, Position: func() mgl32.Vec3 {
		_, v := s.poses.Get(s.first)
		return v.Get().Position
	}}}
}

// roll computes both waves for a time in seconds.
func (s *Stress) roll(t float64) {
	fill := func(waves []wave, height, length, period float64) {
		for i := range waves {
			phase := 2 * math.Pi * (float64(i)*pitch/length - t/period)
			sin, cos := math.Sincos(phase)
			// A cube lies on the wave's slope.
			slope := math.Atan(height * 2 * math.Pi / length * cos)
			half, whole := math.Sincos(slope / 2)
			waves[i] = wave{float32(height * sin), float32(half), float32(whole)}
		}
	}
	fill(s.along, heightX, lengthX, periodX)
	fill(s.across, heightZ, lengthZ, periodZ)
}

// poseOf returns a cube's pose on both waves. The wave along x tilts it about z, the wave along z
// about x.
func (s *Stress) poseOf(c cell) components.Pose3D {
	a, b := s.along[c.column], s.across[c.row]
	half := float32(s.side-1) / 2
	// The product of the quaternions (cos, 0, 0, sin) and (cos', -sin', 0, 0).
	return components.Pose3D{
		Position: mgl32.Vec3{(float32(c.column) - half) * pitch, a.height + b.height, (float32(c.row) - half) * pitch},
		Rotation: mgl32.Quat{W: a.cos * b.cos, V: mgl32.Vec3{-a.cos * b.sin, -a.sin * b.sin, a.sin * b.cos}},
		Scale:    mgl32.Vec3{edge, edge, edge},
	}
}

// step runs one fixed step.
func (s *Stress) step(w *arche.World) {
	s.roll(s.engine.Time().StepEnd.Seconds())
	query := s.cubes.Query(w)
	for query.Next() {
		logical, _, c := query.Get()
		logical.Set(s.poseOf(*c))
	}
}

// Trace reports the first cube.
func (s *Stress) Trace(row func(name string, logical, visual components.Pose3D)) {
	l, v := s.poses.Get(s.first)
	row("cube", l.Get(), v.Get())
}

// Camera looks at the sea. A small sea fills the picture, and a large one reaches the horizon.
func (s *Stress) Camera(ecs.Time) render.Orbit {
	span := float32(s.side) * pitch
	distance := max(9, 0.62*span)
	return render.Orbit{Target: mgl32.Vec3{0, -0.05 * span, 0.16 * span}, Yaw: 0.6, Pitch: 0.42, Distance: distance, MinDistance: 3, MaxDistance: 4 * distance, FOV: 0.75}
}

// paint colours the cubes blended by the GPU by their height at the end of the step, so that it
// runs once per step.
func (s *Stress) paint(colors []render.Color, _ []arche.Entity, to []components.Pose3D) {
	for k := range to {
		colors[k] = s.shades[shade(to[k].Position[1])]
	}
}

// Draw copies the visual poses into one batch, or lets the GPU blend them.
func (s *Stress) Draw(p *scene.Picture) {
	p.View.Ground.Hidden = true
	if p.Raw {
		s.raw.Reset()
		query := s.cubes.Query(s.engine.World())
		for query.Next() {
			logical, _, _ := query.Get()
			pose := logical.Get()
			s.raw.AppendColor(pose, s.shades[shade(pose.Position[1])])
		}
		p.View.Add(s.raw)
		return
	}
	s.batch.Reset()
	s.ghosts.Reset()
	if s.gpu {
		s.batcher.Update()
		p.View.AddMotion(s.motion)
	}
	visuals := s.drawn.Query(s.engine.World())
	for visuals.Next() {
		visual, _ := visuals.Get()
		pose := visual.Get()
		s.batch.AppendColor(pose, s.shades[shade(pose.Position[1])])
	}
	p.View.Add(s.batch)
	if p.Ghosts {
		query := s.cubes.Query(s.engine.World())
		for query.Next() {
			logical, _, _ := query.Get()
			s.ghosts.Append(logical.Get())
		}
		p.View.Add(s.ghosts)
	}
}

const shadeCount = 64

// palette returns colours from low to high.
func palette(low, middle, high render.Color) (shades [shadeCount]render.Color) {
	for i := range shades {
		if t := 2 * float32(i) / (shadeCount - 1); t < 1 {
			shades[i] = low.Mix(middle, t)
		} else {
			shades[i] = middle.Mix(high, t-1)
		}
	}
	return shades
}

// shade returns the index of the colour for a height.
func shade(y float32) int {
	const top = heightX + heightZ
	return min(max(int((y/top+1)/2*shadeCount), 0), shadeCount-1)
}
