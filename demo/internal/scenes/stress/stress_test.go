package stress

import (
	"errors"
	"image"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/demo/internal/scene"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/render"
	"github.com/tandem-ecs/tandem/render/offscreen"
	"github.com/tandem-ecs/tandem/systems/hierarchy"
	"github.com/tandem-ecs/tandem/systems/interpolation"
)

// sea is the scene on an engine of its own, with riders on some cubes.
type sea struct {
	engine *ecs.Engine
	poses  *interpolation.Interpolator[components.Pose3D]
	tree   *hierarchy.Hierarchy3D
	scene  *Stress
	cubes  []arche.Entity
	riders []arche.Entity
	batch  *render.Batch // of the riders
	brush  scene.Brush
	frame  *render.Frame
	jumps  []arche.Entity // these teleport in the next fixed step
}

func newSea(t *testing.T, n int, gpu bool) *sea {
	t.Helper()
	e, err := ecs.New(ecs.Config{FixedRate: 5})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	s := &sea{engine: e, poses: interpolation.New3D(), tree: hierarchy.New3D(), scene: &Stress{}, frame: render.NewFrame(render.Dusk())}
	e.Install(s.poses, s.tree)
	s.scene.Setup(&scene.Stage{Engine: e, Poses: s.poses, Hierarchy: s.tree, Random: rand.New(rand.NewPCG(1, 0)), Entities: n, GPU: gpu})
	s.batch = render.NewBatch(render.Sphere, render.Solid, s.frame.Theme.Accent(2))
	w := e.World()
	query := s.scene.cubes.Query(w)
	for query.Next() {
		s.cubes = append(s.cubes, query.Entity())
	}
	// Queries go by tables, and markers make tables.
	slices.SortFunc(s.cubes, func(a, b arche.Entity) int { return int(a.ID()) - int(b.ID()) })
	// A rider stands on a cube, which the processor blends for its sake.
	riders := generic.NewMap3[components.Transform3D, components.Visual3D, components.Parent](w)
	for k := 0; k < n; k += 7 {
		s.mark(s.cubes[k], false)
		l := components.NewLogical(components.At3D(0, 1, 0))
		s.riders = append(s.riders, riders.NewWith(&l, &components.Visual3D{}, &components.Parent{Entity: s.cubes[k]}))
		if gpu { // this changes nothing for a child
			s.mark(s.riders[len(s.riders)-1], true)
		}
	}
	// The waves write every cube in every step; these go up by half a unit before, by a jump.
	e.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
		for _, cube := range s.jumps {
			l, _ := s.scene.poses.Get(cube)
			p := l.Get()
			p.Position[1] += 1.5
			l.Teleport(p)
		}
		s.jumps = nil
		turned := mgl32.QuatRotate(float32(e.Time().Tick), mgl32.Vec3{0, 1, 0})
		for _, rider := range s.riders {
			if w.Alive(rider) {
				l, _ := s.scene.poses.Get(rider)
				p := components.At3D(0.3, 1, 0)
				p.Rotation = turned
				l.Set(p)
			}
		}
	}))
	return s
}

func (s *sea) mark(e arche.Entity, on bool) {
	w := s.engine.World()
	if id := arche.ComponentID[components.InterpolateOnGPU](w); w.Has(e, id) != on {
		if on {
			w.Add(e, id)
		} else {
			w.Remove(e, id)
		}
	}
}

func (s *sea) picture(t *testing.T, on render.Surface) *image.RGBA {
	t.Helper()
	s.frame.Begin(on.Size())
	look := s.scene.Camera(s.engine.Time())
	view := s.frame.View(look.Camera())
	s.brush.Reset()
	s.scene.Draw(&scene.Picture{View: view, Overlay: &s.frame.Overlay, Theme: &s.frame.Theme, Brush: &s.brush, Now: s.engine.Time()})
	s.batch.Reset()
	for _, rider := range s.riders {
		if s.engine.World().Alive(rider) {
			p := scene.PoseOf(s.tree.VisualWorld(rider))
			p.Scale = mgl32.Vec3{0.4, 0.4, 0.4}
			s.batch.Append(p)
		}
	}
	view.Add(s.batch)
	if err := on.Draw(s.frame); err != nil {
		t.Fatal(err)
	}
	img, err := on.Capture(nil)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// different returns the share of pixels with a channel that is off by more than the limit.
func different(a, b *image.RGBA, limit int) float64 {
	n := 0
	for i := 0; i < len(a.Pix); i += 4 {
		for c := range 3 {
			if d := int(a.Pix[i+c]) - int(b.Pix[i+c]); d > limit || d < -limit {
				n++
				break
			}
		}
	}
	return float64(n) / float64(len(a.Pix)/4)
}

// The sea looks the same blended on the CPU and on the GPU: in motion, with cubes that jump,
// appear, vanish and change sides, with riders, paused, in slow motion, at another rate, without
// interpolation. Frames are of uneven length, some with several steps.
func TestBothWaysOfBlendingDrawTheSamePicture(t *testing.T) {
	surface, err := offscreen.New(offscreen.Config{Width: 256, Height: 144, Quality: render.QualityFast})
	if errors.Is(err, offscreen.ErrUnavailable) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer surface.Close()
	const n = 150
	sides := [2]*sea{newSea(t, n, false), newSea(t, n, true)}
	// Colours go by the height that is drawn on one side and by that of the newest sample on the
	// other, so there is one colour while there is interpolation.
	shades := sides[0].scene.shades
	for _, s := range sides {
		for k := range s.scene.shades {
			s.scene.shades[k] = shades[shadeCount/2]
		}
	}
	flat := sides[0].scene.shades
	each := func(f func(s *sea)) {
		for _, s := range sides {
			f(s)
		}
	}
	clock := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	frames := func(lengths ...int) {
		for _, ms := range lengths {
			each(func(s *sea) {
				s.engine.Update(time.Duration(ms) * time.Millisecond)
				if s.scene.batcher != nil {
					s.scene.batcher.Update() // as Draw does; most frames are not looked at
				}
			})
		}
	}
	spawn := func(s *sea) {
		cubes := generic.NewMap3[components.Transform3D, components.Visual3D, cell](s.engine.World())
		for k := range 8 {
			l := components.NewLogical(components.At3D(0, 0, 0))
			e := cubes.NewWith(&l, &components.Visual3D{}, &cell{uint16(k), uint16(s.scene.side / 2)})
			s.cubes = append(s.cubes, e)
			if s.scene.gpu && k%2 == 0 {
				s.mark(e, true)
			}
		}
	}
	var before *image.RGBA
	for _, moment := range []struct {
		name string
		do   func()
		same bool // as the moment before
	}{
		{"early in the first step", func() { frames(17) }, false},
		{"in motion", func() { frames(90, 16, 17, 133) }, false},
		{"after a stall of three steps", func() { frames(240, 240, 130) }, false},
		{"jumps", func() { each(func(s *sea) { s.jumps = s.cubes[10:60] }); frames(150, 60) }, false},
		{"back from the jumps", func() { frames(120) }, false},
		{"births", func() { each(spawn); frames(10, 70) }, false},
		{"deaths", func() {
			each(func(s *sea) {
				for k := 3; k < 60; k += 5 {
					if k%7 != 0 { // not a movement base
						s.engine.World().RemoveEntity(s.cubes[k])
					}
				}
			})
			frames(60)
		}, false},
		{"a parent dies with its rider", func() {
			each(func(s *sea) { s.engine.World().RemoveEntity(s.cubes[70]) })
			frames(110)
		}, false},
		{"paused", func() { each(func(s *sea) { clock(s.engine.SetScale(0)) }); frames(40) }, true},
		{"marked and unmarked in the pause", func() {
			for k := 71; k < n; k++ {
				if e := sides[1].cubes[k]; k%7 != 0 && sides[1].engine.World().Alive(e) {
					sides[1].mark(e, k%2 == 0)
				}
			}
			frames(30)
		}, true},
		{"a step in the pause", func() { each(func(s *sea) { clock(s.engine.RequestStep()) }); frames(16) }, false},
		{"in slow motion", func() { each(func(s *sea) { clock(s.engine.SetScale(0.1)) }); frames(200, 200, 200) }, false},
		{"marked and unmarked in motion", func() {
			each(func(s *sea) { clock(s.engine.SetScale(1)) })
			frames(70)
			for k := 71; k < n; k++ {
				if e := sides[1].cubes[k]; k%7 != 0 && sides[1].engine.World().Alive(e) {
					sides[1].mark(e, k%3 == 0)
				}
			}
			frames(17)
		}, false},
		{"at another rate", func() { each(func(s *sea) { clock(s.engine.SetRate(20)) }); frames(230, 120, 31) }, false},
		{"without interpolation, in colours", func() {
			each(func(s *sea) {
				s.scene.shades = shades
				s.poses.SetEnabled(false)
			})
			frames(12)
		}, false},
		{"still without", func() { frames(61, 70) }, false},
		{"with interpolation again", func() { each(func(s *sea) { s.scene.shades = flat; s.poses.SetEnabled(true) }); frames(9, 9) }, false},
	} {
		moment.do()
		want, got := sides[0].picture(t, surface), sides[1].picture(t, surface)
		if share := different(got, want, 10); share > 0.002 {
			t.Errorf("%s: %.2f %% of the pixels differ between the two ways of blending", moment.name, 100*share)
		}
		// The compared pictures move, so the test detects one that is a frame or a step late.
		if before != nil && (different(want, before, 10) < 0.02) != moment.same {
			t.Errorf("%s: %.2f %% of the pixels differ from the moment before", moment.name, 100*different(want, before, 10))
		}
		before = want
	}
	// In the end the batcher draws every third cube of the upper half, and all living cubes of the
	// lower half without a child.
	batcher := sides[1].scene.batcher
	if batcher.Len() < 40 || batcher.Len() > 120 {
		t.Errorf("%d cubes are blended by the graphics processor", batcher.Len())
	}
	if sides[0].scene.batcher != nil {
		t.Error("both sides have a batcher")
	}
}
