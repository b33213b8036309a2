package hierarchy_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	. "github.com/tandem-ecs/tandem/internal/coretest"
)

// A child that is reparented in a normal stage is drawn in that same frame. On any path through the
// world it does not jump, in this frame or in the next.
func TestReparentInANormalStageIsInvisible(t *testing.T) {
	for name, test := range map[string]struct {
		off  bool // interpolation
		step func(f *treeStage, now ecs.Time, parent, child arche.Entity)
	}{
		"on a turning parent": {step: func(f *treeStage, now ecs.Time, parent, _ arche.Entity) {
			f.Logical(parent).Set(Turned(At(0, 0, 0), TurnY(36*float64(now.Tick+1))))
		}},
		"on a parent that arrives in mid-step": {step: func(f *treeStage, now ecs.Time, parent, _ arche.Entity) {
			if now.Tick%2 == 0 {
				f.Logical(parent).SetOver(At(2*float64(now.Tick), 0, 0), 150*time.Millisecond)
			}
		}},
		"while its correction fades": {step: func(f *treeStage, now ecs.Time, _, child arche.Entity) {
			if now.Tick == 8 {
				f.Poses.Correct(child, At(4, 0, 0), At(4, 0, 0))
			}
		}},
		"on a long way": {step: func(f *treeStage, now ecs.Time, parent, child arche.Entity) {
			f.Logical(parent).Set(At(2*float64(now.Tick), 0, 0))
			if now.Tick == 2 {
				f.Logical(child).SetOver(At(13, 0, 0), time.Second)
			}
		}},
		"without interpolation": {off: true, step: func(f *treeStage, now ecs.Time, parent, _ arche.Entity) {
			f.Logical(parent).Set(At(2*float64(now.Tick), 0, 0))
		}},
	} {
		f := newTreeStage(t, 10)
		a, b := f.Spawn(At(0, 0, 0)), f.Spawn(Turned(At(50, 0, 0), TurnY(90)))
		child := f.child(a, At(3, 0, 0))
		f.Fixed(func(now ecs.Time) { test.step(f, now, a, child) })
		f.Poses.SetEnabled(!test.off)
		f.Run(85, FPS(100, 1), nil)
		for _, next := range []arche.Entity{b, a, {}, b, a, {}, a, b} {
			before := f.h.VisualWorld(child)
			f.reparent(child, next)
			if after := f.h.VisualWorld(child); !nearMat(after, before, 1e-4) {
				t.Errorf("%s, at %v: drawn at %v before, at %v after", name, f.Time().Normal, before.Col(3), after.Col(3))
			}
			f.Update(0)
			if after := f.h.VisualWorld(child); !nearMat(after, before, 1e-4) {
				t.Errorf("%s, at %v: drawn at %v before, at %v in the next frame", name, f.Time().Normal, before.Col(3), after.Col(3))
			}
			f.Update(11 * time.Millisecond)
		}
	}
}

// A child of a parent that was made at this moment, and was never drawn, keeps its place.
func TestReparentToASpawnedParent(t *testing.T) {
	for _, place := range []struct {
		stage ecs.Stage
		order ecs.Order
	}{{ecs.FixedUpdate, ecs.OrderUser}, {ecs.FixedEnd, ecs.OrderCapture + 1}, {ecs.NormalUpdate, ecs.OrderUser}} {
		f := newTreeStage(t, 10)
		child := f.Spawn(At(3, 0, 0))
		aboard := false
		f.AddAt(place.stage, place.order, ecs.SystemFunc(func(*arche.World) {
			if f.Time().Tick >= 5 && !aboard {
				aboard = true
				f.reparent(child, f.Spawn(Turned(At(10, 0, 0), TurnY(90))))
			}
		}))
		f.Add(ecs.Render, ecs.SystemFunc(func(*arche.World) {
			if m := f.h.VisualWorld(child); !nearMat(m, At(3, 0, 0).Mat4(), 1e-5) {
				t.Errorf("boarded in %v: at %v drawn at\n%v", place.stage, f.Time().Normal, m)
			}
		}))
		f.Run(50, FPS(50, 1), nil)
	}
}

// An entity that loses its parent while its own correction fades continues from the place where it
// is drawn.
func TestOrphanWhileItsCorrectionFades(t *testing.T) {
	for _, reparented := range []bool{false, true} {
		f := newTreeStage(t, 10, keepOrphans)
		parent := f.Spawn(At(10, 0, 0))
		child := f.child(parent, At(3, 0, 0))
		f.Fixed(func(now ecs.Time) {
			switch now.Tick {
			case 8:
				f.Poses.Correct(child, At(4, 0, 0), At(4, 0, 0))
			case 9:
				f.W.RemoveEntity(parent)
				if reparented {
					f.reparent(child, arche.Entity{})
				}
			}
		})
		var first time.Duration
		f.Run(300, FPS(100, 1), func(now ecs.Time) {
			if now.Tick < 9 {
				first = now.Real + now.RealDelta
				return
			}
			// In the frame in which the parent dies the picture is that of the frame before.
			want, was := 14-math.Exp2(-Seconds(now.Real-first)/0.1), 14-math.Exp2(-Seconds(now.Real-now.RealDelta-first)/0.1)
			if x := f.worldX(child); x > want+1e-3 || x < was-1e-3 {
				t.Fatalf("reparented %v: at %v drawn at %v, want %v", reparented, now.Normal, x, want)
			}
		})
		f.Near("at last", f.worldX(child), 14, 1e-5)
	}
}

// Random trees in steady motion are corrected and reparented in every stage. No entity moves
// farther in a frame than in the frame before or after it.
func TestReparentIsInvisible(t *testing.T) {
	for seed := range Few(uint64(16)) {
		for _, rate := range []int{7, 20} {
			newWanderers(t, seed, rate).walk(t)
		}
	}
}

// wanderers are a hierarchy that a random program moves about and reparents.
type wanderers struct {
	*treeStage
	*rand.Rand
	members   [6]arche.Entity
	reparents int
	log       []string
}

func newWanderers(t *testing.T, seed uint64, rate int) *wanderers {
	w := &wanderers{treeStage: newTreeStage(t, rate), Rand: rand.New(rand.NewPCG(seed, uint64(rate)))}
	for k := range w.members {
		w.members[k] = w.child(arche.Entity{}, At(float64(k), 0, 0))
	}
	// Not everything is in every program.
	slow, corrected, inSteps, inFrames := seed&1 == 0, seed&2 == 0, seed&12 != 0, seed&12 != 4
	w.Fixed(func(now ecs.Time) {
		dt := float32(now.FixedDelta.Seconds())
		for range 4 {
			e := w.anyEntity()
			switch k := w.IntN(5); {
			case k == 0 && slow:
				over := float32(0.02 + 0.3*w.Float64())
				w.Logical(e).SetOver(w.moved(e, over), time.Duration(over*1e9))
				w.note("%v over %v s", e, over)
			case k == 1 && corrected:
				w.Logical(e).Correct(w.moved(e, 0.5))
				w.note("%v corrected", e)
			case k == 2 && corrected:
				w.Poses.Correct(e, w.moved(e, 0.5), w.moved(e, 0.5))
				w.note("%v corrected from its start", e)
			case k == 3 && inSteps:
				w.exchange("in FixedUpdate")
			default:
				w.Logical(e).Set(w.moved(e, dt))
			}
		}
	})
	for _, place := range []struct {
		stage ecs.Stage
		order ecs.Order
		there bool
		oneIn int
	}{
		{ecs.FixedEnd, ecs.OrderUser, inSteps, 3},
		{ecs.FixedEnd, ecs.OrderCapture + 1, inSteps, 3},
		{ecs.NormalUpdate, ecs.OrderUser, inFrames, 300},
	} {
		w.AddAt(place.stage, place.order, ecs.SystemFunc(func(*arche.World) {
			if place.there && w.IntN(place.oneIn) == 0 {
				w.exchange(place.stage.String())
			}
		}))
	}
	return w
}

func (w *wanderers) anyEntity() arche.Entity { return w.members[w.IntN(len(w.members))] }

func (w *wanderers) note(format string, values ...any) {
	w.log = append(w.log, fmt.Sprintf("%v ", w.Time().Normal)+fmt.Sprintf(format, values...))
	w.log = w.log[max(0, len(w.log)-30):]
}

// moved returns an entity's pose after a random movement.
func (w *wanderers) moved(e arche.Entity, by float32) components.Pose3D {
	p := w.Logical(e).Get()
	p.Position = p.Position.Add(mgl32.Vec3{w.Float32() - 0.5, w.Float32() - 0.5, w.Float32() - 0.5}.Mul(by))
	p.Rotation = mgl32.QuatRotate((w.Float32()-0.5)*by, mgl32.Vec3{w.Float32(), 1, w.Float32()}.Normalize()).Mul(p.Rotation)
	return p
}

// exchange gives an entity another parent, or none.
func (w *wanderers) exchange(where string) {
	child, parent := w.anyEntity(), w.anyEntity()
	if w.IntN(5) == 0 {
		parent = arche.Entity{}
	}
	if w.h.Reparent(child, parent) == nil { // else it would be a cycle
		w.reparents++
		w.note("%s: %v to %v", where, child, parent)
	}
}

func (w *wanderers) walk(t *testing.T) {
	var last [6]mgl32.Vec3
	var moved [6][2]float64 // in the two frames before
	w.Update(0)
	for n := 0; w.Time().Normal < 1200*time.Millisecond; n++ {
		w.Update(200 * time.Microsecond)
		for k, e := range w.members {
			p := w.h.VisualWorld(e).Col(3).Vec3()
			step := float64(p.Sub(last[k]).Len())
			if leap := moved[k][1] - max(moved[k][0], step); n > 3 && leap > 0.003 {
				t.Fatalf("before %v %v leaps by %.4f\n%s", w.Time().Normal, e, leap, strings.Join(w.log, "\n"))
			}
			last[k], moved[k] = p, [2]float64{moved[k][1], step}
		}
	}
	if w.reparents < 5 {
		t.Fatalf("%d changes of parents show nothing", w.reparents)
	}
}
