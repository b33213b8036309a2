package interpolation_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"strings"
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

// Random programs write poses, some of which are not finite, by every kind of write. The picture
// holds finite poses only, and the log has each entity with another one once.
func TestPicturesAreFinite(t *testing.T) {
	for seed := range Few(uint64(24)) {
		finiteAtRandom(t, seed, interpolation.New3D(), func(r *rand.Rand) components.Pose3D {
			p := components.At3D(r.Float32()*9, r.Float32(), r.Float32())
			p.Rotation = mgl32.QuatRotate(r.Float32(), mgl32.Vec3{0, 1, 0}).Scale(1 + r.Float32())
			return p
		}, func(p *components.Pose3D, k int, v float32) {
			switch {
			case k < 3:
				p.Position[k] = v
			case k == 3:
				p.Rotation.W = v
			case k < 7:
				p.Rotation.V[k-4] = v
			default:
				p.Scale[k-7] = v
			}
		}, 10, components.Pose3D.IsFinite)
		finiteAtRandom(t, seed, interpolation.New2D(), func(r *rand.Rand) components.Pose2D {
			p := components.At2D(r.Float32()*9, r.Float32())
			p.Rotation = r.Float32()
			return p
		}, func(p *components.Pose2D, k int, v float32) {
			switch {
			case k < 2:
				p.Position[k] = v
			case k == 2:
				p.Rotation = v
			default:
				p.Scale[k-3] = v
			}
		}, 5, components.Pose2D.IsFinite)
	}
}

func finiteAtRandom[P comparable](t *testing.T, seed uint64, i *interpolation.Interpolator[P], pose func(*rand.Rand) P,
	spoil func(p *P, k int, v float32), numbers int, finite func(P) bool) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 31))
	var log bytes.Buffer
	i.Log = slog.New(slog.NewTextHandler(&log, nil))
	engine := MustEngine(20, i)
	w := engine.World()
	both := generic.NewMap2[components.Logical[P], components.Visual[P]](w)
	any := func() P {
		p := pose(r)
		if r.IntN(4) == 0 {
			spoil(&p, r.IntN(numbers), []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))}[r.IntN(3)])
		}
		return p
	}
	var all []arche.Entity
	spawn := func() {
		logical, visual := components.NewLogical(any()), components.Visual[P]{}
		if r.IntN(3) == 0 {
			logical, visual = components.InMotion(any(), any())
		}
		all = append(all, both.NewWith(&logical, &visual))
	}
	for range 40 {
		spawn()
	}
	bad := map[arche.Entity]bool{}
	engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
		if r.IntN(3) == 0 {
			spawn()
		}
		for _, e := range all {
			logical, _ := both.Get(e)
			switch p := any(); r.IntN(8) {
			case 0:
				logical.Teleport(p)
			case 1:
				logical.SetOver(p, time.Duration(r.Int64N(int64(200*time.Millisecond))))
			case 2:
				logical.Correct(p)
			case 3:
				i.Correct(e, any(), p)
			case 4:
				*logical = components.NewLogical(p)
			case 5: // it rests
			default:
				logical.Set(p)
			}
		}
	}))
	engine.AddAt(ecs.FixedEnd, ecs.OrderCapture-1, ecs.SystemFunc(func(*arche.World) {
		for _, e := range all {
			logical, _ := both.Get(e)
			bad[e] = bad[e] || !finite(logical.Get())
		}
	}))
	for range 40 {
		engine.Update(time.Duration(r.Int64N(int64(70 * time.Millisecond))))
		for _, e := range all {
			if _, visual := both.Get(e); i.HasSamples(e) && !finite(visual.Get()) {
				t.Fatalf("seed %d: %v is drawn at %v", seed, e, visual.Get())
			}
		}
	}
	for _, e := range all {
		name := fmt.Sprintf("entity=\"{id:%d gen:%d}\"", e.ID(), e.Generation())
		if n := strings.Count(log.String(), name); bad[e] && n != 1 || n > 1 {
			t.Fatalf("seed %d: %v is %d times in the log, not finite: %v\n%s", seed, e, n, bad[e], log.String())
		}
	}
}

// An entity that is Set to NaN in every step rests where it was last, and glides on from there when
// its pose is finite again.
func TestTheLastGoodPoseStays(t *testing.T) {
	for _, others := range []int{0, 40} { // rows that are captured one by one, and eight at a time
		f := NewStage(t, 20)
		e := f.Spawn(At(0, 0, 0))
		crowd := make([]arche.Entity, others)
		for k := range crowd {
			crowd[k] = f.Spawn(At(0, 0, 0))
		}
		f.Fixed(func(now ecs.Time) {
			x := float64(now.Tick)
			for _, c := range crowd {
				f.Logical(c).Set(At(x, 0, 0))
			}
			if now.Tick >= 5 && now.Tick < 10 {
				x = math.NaN()
			}
			f.Logical(e).Set(At(x, 0, 0))
		})
		f.Run(30, Constant(25*time.Millisecond), func(now ecs.Time) {
			at := Seconds(now.Normal)*20 - 1 // what an ordinary motion shows
			want := at
			switch {
			case at < 9:
				want = min(max(at, 0), 4)
			case at < 10:
				want = 4 + 6*(at-9)
			}
			f.Near("x", f.X(e), want, 1e-4)
			for _, c := range crowd {
				f.Near("the others' x", f.X(c), max(at, 0), 1e-4)
			}
		})
	}
}

// ecs.Check names the entities whose poses are not finite.
func TestCheckNamesPosesThatAreNotFinite(t *testing.T) {
	f := NewStage(t, 20)
	var broken []arche.Entity
	for k := range 12 {
		e := f.Spawn(At(float64(k), 0, 0))
		if k >= 2 {
			f.Logical(e).Set(At(math.Inf(1), 0, 0))
			broken = append(broken, e)
		}
	}
	mistakes := ecs.Check(f.W)
	if len(mistakes) != 9 || !strings.Contains(mistakes[0], "2 entities have a components.Pose3D that is not finite, too") {
		t.Fatalf("%d mistakes: %q", len(mistakes), mistakes)
	}
	for _, e := range broken[:8] {
		if !strings.Contains(strings.Join(mistakes, "\n"), fmt.Sprintf("entity %v has", e)) {
			t.Errorf("%v is not named in %q", e, mistakes)
		}
	}
}
