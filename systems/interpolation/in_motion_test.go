package interpolation_test

import (
	"math"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	. "github.com/tandem-ecs/tandem/internal/coretest"
	"github.com/tandem-ecs/tandem/systems/interpolation"
)

// schedules are frames of 4 to 91 ms: steady ones, slower and faster than the steps of 20 Hz, and
// random ones.
func schedules() []Schedule {
	return []Schedule{
		Constant(4 * time.Millisecond), FPS(144, 1), FPS(60, 1), Constant(33 * time.Millisecond), Constant(50 * time.Millisecond),
		Constant(91 * time.Millisecond), Between(4*time.Millisecond, 91*time.Millisecond, 1), Between(4*time.Millisecond, 20*time.Millisecond, 2),
	}
}

const (
	rocketRate  = 20   // steps a second
	rocketSpeed = 30.0 // metres a second
	muzzle      = 2.0
)

// rocket is a value on its way from the muzzle to a wall.
type rocket[T any] struct {
	entity    arche.Entity
	wall      float64
	fired     time.Duration // at the muzzle
	hit       time.Duration // at the wall
	old       bool          // of the negative control
	worst     float64       // distance from the true path
	seen      int           // frames
	lastPlace float64
}

// gunnery fires rockets in fixed steps.
type gunnery[T any] struct {
	engine *ecs.Engine
	both   generic.Map2[components.Logical[T], components.Visual[T]]
	at     func(x float64) T
	all    []*rocket[T]
}

func newGunnery[T any](t *testing.T, plugin *interpolation.Interpolator[T], at func(x float64) T) *gunnery[T] {
	r := &gunnery[T]{engine: MustEngine(rocketRate, plugin), at: at}
	t.Cleanup(r.engine.Close)
	r.both = generic.NewMap2[components.Logical[T], components.Visual[T]](r.engine.World())
	r.engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
		for _, o := range r.all {
			r.step(o)
		}
	}))
	return r
}

// fire makes a rocket in the present step, which leaves the muzzle a part of the step after its
// start.
func (r *gunnery[T]) fire(distance, part float64, old bool) {
	now := r.engine.Time()
	late := time.Duration(part * float64(now.FixedDelta))
	o := &rocket[T]{wall: muzzle + distance, fired: now.StepStart + late, old: old}
	o.hit = o.fired + time.Duration(distance/rocketSpeed*1e9)
	l, v := components.InMotion(r.at(o.x(now.StepStart)), r.at(o.x(now.StepEnd)))
	if old {
		l, v = components.NewLogical(r.at(muzzle)), components.Visual[T]{}
	}
	o.entity = r.both.NewWith(&l, &v)
	r.all = append(r.all, o)
	r.land(o)
}

// x is where the rocket truly is.
func (o *rocket[T]) x(t time.Duration) float64 { return muzzle + rocketSpeed*(t-o.fired).Seconds() }

// land ends the flight in the step of the hit.
func (r *gunnery[T]) land(o *rocket[T]) {
	now := r.engine.Time()
	switch left := o.hit - now.StepStart; {
	case o.hit > now.StepEnd || left < 0:
	case o.old:
		r.engine.Commands().Despawn(o.entity)
	default:
		l, _ := r.both.Get(o.entity)
		l.SetOver(r.at(o.wall), left)
		r.engine.Commands().DespawnAfter(o.entity, left)
	}
}

func (r *gunnery[T]) step(o *rocket[T]) {
	now := r.engine.Time()
	if !r.engine.World().Alive(o.entity) || o.hit < now.StepStart {
		return
	}
	l, _ := r.both.Get(o.entity)
	end := o.x(now.StepEnd)
	if o.old { // a step behind, as it stood in its first one
		end -= rocketSpeed * now.FixedDelta.Seconds()
	}
	l.Set(r.at(end))
	r.land(o)
}

// look compares a frame with the true paths.
func (r *gunnery[T]) look(t *testing.T, x func(T) float64) {
	t.Helper()
	now := r.engine.Time()
	for _, o := range r.all {
		alive := r.engine.World().Alive(o.entity)
		if alive != (now.Normal < o.hit) && !o.old {
			t.Fatalf("at %v a rocket is there: %v; it hits at %v", now.Normal, alive, o.hit)
		}
		if !alive {
			continue
		}
		_, v := r.both.Get(o.entity)
		got := x(v.Get())
		o.worst = max(o.worst, math.Abs(got-o.x(now.Normal)))
		o.lastPlace = got
		o.seen++
		if want := o.x(now.Normal); !o.old && !(math.Abs(got-want) <= 1e-5*math.Abs(want)) {
			t.Fatalf("at %v a rocket is drawn at %v, want %v", now.Normal, got, want)
		}
	}
}

// play fires at several walls, at the starts of steps and within them. One wall is hit in the step
// of the shot.
func play[T any](t *testing.T, plugin func() *interpolation.Interpolator[T], at func(x float64) T, x func(T) float64) {
	t.Helper()
	for k, frames := range schedules() {
		r := newGunnery(t, plugin(), at)
		r.engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
			switch r.engine.Time().Tick {
			case 3:
				r.fire(40, 0, false)
				r.fire(0.9, 0, false)
			case 4:
				r.fire(33.3, 0.7, false)
				r.fire(37.5, 0, false) // hits at the end of a step
			}
		}))
		for i := range 700 {
			r.engine.Update(frames(i))
			r.look(t, x)
		}
		for _, o := range r.all {
			if want := int((o.hit - o.fired) / (100 * time.Millisecond)); o.seen < want {
				t.Errorf("schedule %d: a rocket was seen in %d frames", k, o.seen)
			}
		}
	}
}

// A rocket from the muzzle to a wall is drawn on its true path in every frame, and is gone in the
// first frame after its arrival.
func TestRocketsAreDrawnOnTheirTruePath(t *testing.T) {
	play(t, interpolation.New3D, func(x float64) components.Pose3D { return At(x, 1, 2) }, func(p components.Pose3D) float64 { return float64(p.Position[0]) })
}

func TestRocketsInThePlane(t *testing.T) {
	play(t, interpolation.New2D, func(x float64) components.Pose2D { return components.At2D(float32(x), 1) },
		func(p components.Pose2D) float64 { return float64(p.Position[0]) })
}

// The same for users' types, blended one by one, as numbers, and in batches.
func TestRocketsOfUsersTypes(t *testing.T) {
	red := func(x float64) colour { return colour{R: float32(x), B: 1} }
	ofRed := func(c colour) float64 { return float64(c.R) }
	blend := func(a, b colour, f float32) colour {
		return colour{a.R + (b.R-a.R)*f, a.G + (b.G-a.G)*f, a.B + (b.B-a.B)*f}
	}
	play(t, func() *interpolation.Interpolator[colour] { return interpolation.New(blend) }, red, ofRed)
	play(t, func() *interpolation.Interpolator[colour] {
		return interpolation.NewBatch(func(dst, from, to []colour, f float32) {
			for k := range dst {
				dst[k] = blend(from[k], to[k], f)
			}
		})
	}, red, ofRed)
	play(t, interpolation.NewLinear[mgl32.Vec4], func(x float64) mgl32.Vec4 { return mgl32.Vec4{1, float32(x)} },
		func(v mgl32.Vec4) float64 { return float64(v[1]) })
}

// Negative control: a fresh Logical at the muzzle stands for a step and trails by it. A despawn in
// the step of the hit takes it away before its picture arrives.
func TestRocketsFiredTheOldWayTrail(t *testing.T) {
	for k, frames := range schedules() {
		r := newGunnery(t, interpolation.New3D(), func(x float64) components.Pose3D { return At(x, 0, 0) })
		r.engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
			if r.engine.Time().Tick == 3 {
				r.fire(40, 0, true)
			}
		}))
		for i := range 700 {
			r.engine.Update(frames(i))
			r.look(t, func(p components.Pose3D) float64 { return float64(p.Position[0]) })
		}
		o := r.all[0]
		if math.Abs(o.worst-1.5) > 0.001 {
			t.Errorf("schedule %d: off by %v m, want 1.5", k, o.worst)
		}
		if before := o.wall - o.lastPlace; before < 1.4 {
			t.Errorf("schedule %d: last seen %v m before the wall", k, before)
		}
	}
}

// Later writes in the step that makes an entity.
func TestWritesToAnEntityThatAppearsInMotion(t *testing.T) {
	const step = 100 * time.Millisecond
	for name, test := range map[string]struct {
		write func(l *components.Transform3D)
		at    func(share float64) float64 // of the step
	}{
		"none":           {func(*components.Transform3D) {}, func(f float64) float64 { return 10 + 10*f }},
		"Set":            {func(l *components.Transform3D) { l.Set(At(14, 0, 0)) }, func(f float64) float64 { return 10 + 4*f }},
		"Set twice":      {func(l *components.Transform3D) { l.Set(At(1, 0, 0)); l.Set(At(14, 0, 0)) }, func(f float64) float64 { return 10 + 4*f }},
		"Correct":        {func(l *components.Transform3D) { l.Correct(At(14, 0, 0)) }, func(f float64) float64 { return 10 + 4*f }},
		"Teleport":       {func(l *components.Transform3D) { l.Teleport(At(14, 0, 0)) }, func(float64) float64 { return 14 }},
		"Teleport, Set":  {func(l *components.Transform3D) { l.Teleport(At(1, 0, 0)); l.Set(At(14, 0, 0)) }, func(float64) float64 { return 14 }},
		"SetOver":        {func(l *components.Transform3D) { l.SetOver(At(14, 0, 0), step/4) }, func(f float64) float64 { return 10 + 4*min(1, 4*f) }},
		"a long SetOver": {func(l *components.Transform3D) { l.SetOver(At(14, 0, 0), 8*step) }, func(f float64) float64 { return 10 + 4*min(1, f/8) }},
		"SetOver, Set": {func(l *components.Transform3D) { l.SetOver(At(1, 0, 0), step/4); l.Set(At(14, 0, 0)) },
			func(f float64) float64 { return 10 + 4*f }},
		"SetOver at once": {func(l *components.Transform3D) { l.SetOver(At(14, 0, 0), 0) }, func(float64) float64 { return 14 }},
	} {
		t.Run(name, func(t *testing.T) {
			s := NewStage(t, 10)
			both := generic.NewMap2[components.Transform3D, components.Visual3D](s.W)
			var e arche.Entity
			var born time.Duration
			s.Fixed(func(now ecs.Time) {
				if now.Tick == 2 {
					l, v := components.InMotion(At(10, 0, 0), At(20, 0, 0))
					e, born = both.NewWith(&l, &v), now.StepStart
					test.write(s.Logical(e))
				}
			})
			s.Run(100, FPS(60, 1), func(now ecs.Time) {
				if !e.IsZero() {
					share := float64(now.Normal-born) / float64(step)
					if name != "a long SetOver" {
						share = min(share, 1)
					}
					s.Near("drawn", s.X(e), test.at(share), 1e-5)
				}
			})
		})
	}
}

// An entity that is made in a normal stage, or between Updates, rests at the start until the next
// step begins. Then it moves.
func TestInMotionFromNormalStages(t *testing.T) {
	for _, stage := range []ecs.Stage{ecs.VisualSync, ecs.NormalUpdate, ecs.Render} {
		for _, frames := range schedules() {
			s := NewStage(t, 20)
			both := generic.NewMap2[components.Transform3D, components.Visual3D](s.W)
			var e arche.Entity
			var begins time.Duration
			s.Add(stage, ecs.SystemFunc(func(*arche.World) {
				if now := s.Time(); now.Frame == 5 {
					// the rotation need not have unit length
					l, v := components.InMotion(Turned(At(10, 0, 0), mgl32.Quat{W: 3}), At(20, 0, 0))
					e, begins = both.NewWith(&l, &v), now.Fixed
				}
			}))
			s.Run(40, frames, func(now ecs.Time) {
				if e.IsZero() {
					return
				}
				share := min(max(0, float64(now.Normal-begins)/float64(50*time.Millisecond)), 1)
				s.Near("drawn", s.X(e), 10+10*share, 1e-5)
				if q := s.Visual(e).Rotation; q != mgl32.QuatIdent() && now.Frame > 6 {
					t.Fatalf("turned to %v", q)
				}
			})
		}
	}
}

// Without interpolation the picture is at the end of the motion. Where only that is switched off
// for a while, the picture is as if it had been on.
func TestInMotionWithoutInterpolation(t *testing.T) {
	s := NewStage(t, 10)
	still := generic.NewMap3[components.Transform3D, components.Visual3D, components.NoInterpolation](s.W)
	both := generic.NewMap2[components.Transform3D, components.Visual3D](s.W)
	spawn := func(marked bool) arche.Entity {
		l, v := components.InMotion(At(10, 0, 0), At(20, 0, 0))
		if marked {
			return still.NewWith(&l, &v, &components.NoInterpolation{})
		}
		return both.NewWith(&l, &v)
	}
	var inStep, marked arche.Entity
	s.Fixed(func(now ecs.Time) {
		if now.Tick == 1 {
			inStep, marked = spawn(false), spawn(true)
		}
	})
	s.Poses.SetEnabled(false)
	s.Update(0)
	normal, markedNormal := spawn(false), spawn(true)
	s.Update(50 * time.Millisecond)
	s.Near("marked, made in a normal stage", s.X(markedNormal), 20, 0)
	s.Near("made in a normal stage, before it moves", s.X(normal), 10, 0)
	s.Update(50 * time.Millisecond)
	for _, e := range []arche.Entity{inStep, marked, normal, markedNormal} {
		s.Near("without interpolation", s.X(e), 20, 0)
	}
	s.Poses.SetEnabled(true)
	s.Update(50 * time.Millisecond)
	for _, e := range []arche.Entity{inStep, normal} {
		s.Near("switched on again", s.X(e), 15, 1e-5)
	}
	for _, e := range []arche.Entity{marked, markedNormal} {
		s.Near("marked", s.X(e), 20, 0)
	}
}

// A shift of the origin keeps the motion, before it has begun and in it.
func TestInMotionWhileTheOriginShifts(t *testing.T) {
	s := NewStage(t, 10)
	l, v := components.InMotion(At(10, 0, 0), At(20, 0, 0))
	both := generic.NewMap2[components.Transform3D, components.Visual3D](s.W)
	s.Update(0)
	e := both.NewWith(&l, &v)
	s.Poses.Shift(MoveX(100))
	s.Update(60 * time.Millisecond)
	s.Near("at rest", s.X(e), 110, 0)
	s.Update(80 * time.Millisecond)
	s.Near("on its way", s.X(e), 114, 1e-5)
	s.Poses.Shift(MoveX(-50))
	s.Near("shifted on its way", s.X(e), 64, 1e-5)
	s.Update(60 * time.Millisecond)
	s.Near("arrived", s.X(e), 70, 0)
}

// Both components written over those of an entity that has samples are a jump, as every overwritten
// Logical is.
func TestInMotionOverALivingEntityJumps(t *testing.T) {
	s := NewStage(t, 10)
	e := s.Spawn(At(1, 0, 0))
	s.Fixed(func(now ecs.Time) {
		if now.Tick == 2 {
			*s.Logical(e), *s.Visuals.Get(e) = components.InMotion(At(10, 0, 0), At(20, 0, 0))
		}
	})
	s.Run(60, FPS(60, 1), func(now ecs.Time) {
		want := 1.0
		if now.Tick > 2 {
			want = 20
		}
		s.Near("drawn", s.X(e), want, 0)
	})
}
