package interpolation_test

import (
	"math"
	"testing"
	"time"
	"unsafe"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	. "github.com/tandem-ecs/tandem/internal/coretest"
	"github.com/tandem-ecs/tandem/systems/interpolation"
)

// valueStage is an engine with entities that have a value each.
type valueStage[T any] struct {
	*Stage
	values   *interpolation.Interpolator[T]
	m        generic.Map2[components.Logical[T], components.Visual[T]]
	entities []arche.Entity
}

func newValueStage[T any](t testing.TB, rate int, ip *interpolation.Interpolator[T], start []T) *valueStage[T] {
	t.Helper()
	s := NewStage(t, rate, ip)
	v := &valueStage[T]{Stage: s, values: ip, m: generic.NewMap2[components.Logical[T], components.Visual[T]](s.W)}
	for _, value := range start {
		l := components.NewLogical(value)
		v.entities = append(v.entities, v.m.NewWith(&l, &components.Visual[T]{}))
	}
	return v
}

func (v *valueStage[T]) value(k int) *components.Logical[T] {
	l, _ := v.m.Get(v.entities[k])
	return l
}

func (v *valueStage[T]) drawn(k int) T {
	_, visual := v.m.Get(v.entities[k])
	return visual.Get()
}

// tint and knob are a user's own names of linear types.
type (
	tint [3]float32
	knob float64
)

// joint is a value of a user's own, of arrays and with something that cannot be blended.
type joint struct {
	turn  [3]float32
	reach float64
	hands [2]uint8
}

// between blends two joints in a nonlinear way of its own, so that a wrong fraction shows.
func (j *joint) between(from, to *joint, t float32) {
	*j = *from
	for k := range j.turn {
		j.turn[k] += float32(float32((to.turn[k]-from.turn[k])*t) * t)
	}
	j.reach += float64((to.reach - from.reach) * float64(t))
	if t > 0.5 {
		j.hands = to.hands
	}
}

func jointsInBatches(dst, from, to []joint, t float32) {
	for k := range dst {
		dst[k].between(&from[k], &to[k], t)
	}
}

// lineBetween is what NewLinear says that it draws.
func lineBetween[T ~[4]float32](from, to T, t float32) (v T) {
	if t == 0 {
		return from
	}
	for k := range len(v) {
		v[k] = from[k] + float32((to[k]-from[k])*t)
	}
	return v
}

// bitsOf is a value's memory, by which even a NaN is equal to itself. The sign and the rest of one
// that was calculated are the processor's own affair.
func bitsOf[T any](v T) string {
	if vec, ok := any(&v).(*mgl32.Vec4); ok {
		for k := range vec {
			if vec[k] != vec[k] {
				vec[k] = float32(math.NaN())
			}
		}
	}
	return string(unsafe.Slice((*byte)(unsafe.Pointer(&v)), unsafe.Sizeof(v)))
}

// wantFromSamples fails unless every value is drawn as its samples and the time say, to the bit.
func (v *valueStage[T]) wantFromSamples(t rapid.TB, one func(from, to T, t float32) T) {
	t.Helper()
	now := v.Time().Normal
	for k, e := range v.entities {
		both, ok := v.values.Samples(e)
		prev, cur, from, to := both.From, both.To, both.Start, both.End
		if !ok {
			t.Fatalf("value %d has no samples", k)
		}
		want := cur
		if now < to && bitsOf(prev) != bitsOf(cur) {
			want = one(prev, cur, min(float32(float64(max(now-from, 0))/float64(to-from)), 1-1.0/(1<<24)))
		}
		if got := v.drawn(k); bitsOf(got) != bitsOf(want) {
			t.Fatalf("value %d at %v, from %v at %v to %v at %v: %v, want %v", k, now, prev, from, cur, to, got, want)
		}
	}
}

// A value is drawn with the bits that its own samples and the time give, with any other values in
// motion and over any interval: alone, in a column, on a list.
func TestValuesAreDrawnFromTheirSamplesAlone(t *testing.T) {
	t.Run("linear", func(t *testing.T) {
		awkward := []float32{0, float32(math.Copysign(0, -1)), 1, -1, 1e30, -1e30, 1e-40, math.MaxFloat32, -math.MaxFloat32, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN())}
		number := rapid.OneOf(rapid.Float32Range(-10, 10), rapid.SampledFrom(awkward))
		testDrawnFromSamples(t, func() *interpolation.Interpolator[mgl32.Vec4] { return interpolation.NewLinear[mgl32.Vec4]() }, lineBetween[mgl32.Vec4],
			rapid.Custom(func(t *rapid.T) (v mgl32.Vec4) {
				for k := range v {
					v[k] = number.Draw(t, "number")
				}
				return v
			}))
	})
	one := func(from, to joint, t float32) (v joint) {
		v.between(&from, &to, t)
		return v
	}
	joints := rapid.Custom(func(t *rapid.T) (v joint) {
		for k := range v.turn {
			v.turn[k] = rapid.Float32Range(-3, 3).Draw(t, "turn")
		}
		v.reach, v.hands[0], v.hands[1] = rapid.Float64Range(0, 100).Draw(t, "reach"), rapid.Uint8().Draw(t, "left"), rapid.Uint8().Draw(t, "right")
		return v
	})
	t.Run("in batches", func(t *testing.T) {
		testDrawnFromSamples(t, func() *interpolation.Interpolator[joint] { return interpolation.NewBatch(jointsInBatches) }, one, joints)
	})
	t.Run("by value", func(t *testing.T) {
		testDrawnFromSamples(t, func() *interpolation.Interpolator[joint] { return interpolation.New(one) }, one, joints)
	})
}

func testDrawnFromSamples[T any](t *testing.T, ip func() *interpolation.Interpolator[T], one func(from, to T, t float32) T, value *rapid.Generator[T]) {
	rapid.Check(t, func(rt *rapid.T) {
		start := rapid.SliceOfN(value, 1, 12).Draw(rt, "values")
		s := newValueStage(t, 10, ip(), start)
		defer s.Close()
		type write struct {
			how  int
			to   T
			over time.Duration
		}
		writes := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) write {
			return write{rapid.IntRange(0, 5).Draw(t, "how"), value.Draw(t, "to"), time.Duration(rapid.IntRange(0, 350).Draw(t, "over")) * time.Millisecond}
		}), len(start), len(start))
		var plan []write // of the next steps
		s.Fixed(func(ecs.Time) {
			for k := range s.entities {
				switch w := plan[k]; w.how {
				case 0, 1:
					s.value(k).Set(w.to)
				case 2:
					s.value(k).SetOver(w.to, w.over)
				case 3:
					s.value(k).Teleport(w.to)
				}
			}
		})
		for range 12 {
			plan = writes.Draw(rt, "writes")
			if rapid.Bool().Draw(rt, "everybody moves") {
				for k := range plan {
					plan[k].how = 0
				}
			}
			s.Update(time.Duration(rapid.IntRange(0, 4).Draw(rt, "frame")) * 25 * time.Millisecond)
			s.wantFromSamples(rt, one)
		}
	})
}

// Values cost no allocation in steady state: not in columns, on lists, over times of their own, or
// while they are corrected.
func TestValuesAllocateNothing(t *testing.T) {
	linear := newValueStage(t, 60, interpolation.NewLinear[mgl32.Vec4](), make([]mgl32.Vec4, 2000))
	batches := newValueStage(t, 60, interpolation.NewBatch(jointsInBatches), make([]joint, 2000))
	linear.Fixed(func(now ecs.Time) {
		for k := range linear.entities {
			switch to := (mgl32.Vec4{float32(k), float32(now.Tick)}); {
			case now.Tick%3 == 0 || k%3 == 0:
				linear.value(k).Set(to)
			case k%3 == 1 && now.Tick%4 == 0:
				linear.value(k).SetOver(to, 70*time.Millisecond)
			case k < 50:
				linear.value(k).Correct(to)
			}
		}
	})
	batches.Fixed(func(now ecs.Time) {
		for k := range batches.entities {
			switch to := (joint{reach: float64(now.Tick) + float64(k)}); {
			case now.Tick%3 == 0 || k%3 == 0:
				batches.value(k).Set(to)
			case k%3 == 1 && now.Tick%4 == 0:
				batches.value(k).SetOver(to, 70*time.Millisecond)
			}
		}
	})
	for name, s := range map[string]*Stage{"linear": linear.Stage, "in batches": batches.Stage} {
		s.Run(60, FPS(60, 1), nil)
		for _, frame := range []time.Duration{0, time.Millisecond, 16_666_667, 33_333_334} {
			if n := testing.AllocsPerRun(12, func() { s.Update(frame) }); n != 0 {
				t.Errorf("%s: a frame of %v allocates %v times", name, frame, n)
			}
		}
	}
}

type labelled struct {
	X    float32
	Text string
}
