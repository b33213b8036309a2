package interpolation_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"
	"unsafe"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"
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

// Every component of a linear value goes straight from where it was to where it is, from the first
// step on.
func TestInterpolationLinear(t *testing.T) {
	testLinear(t, func(x [4]float64) float32 { return float32(x[0]) }, func(v float32) []float64 { return []float64{float64(v)} })
	testLinear(t, func(x [4]float64) knob { return knob(x[0]) }, func(v knob) []float64 { return []float64{float64(v)} })
	wide := func(v []float32) (x []float64) {
		for _, c := range v {
			x = append(x, float64(c))
		}
		return x
	}
	testLinear(t, func(x [4]float64) mgl32.Vec2 { return mgl32.Vec2{float32(x[0]), float32(x[1])} }, func(v mgl32.Vec2) []float64 { return wide(v[:]) })
	testLinear(t, func(x [4]float64) tint { return tint{float32(x[0]), float32(x[1]), float32(x[2])} }, func(v tint) []float64 { return wide(v[:]) })
	testLinear(t, func(x [4]float64) mgl32.Vec4 {
		return mgl32.Vec4{float32(x[0]), float32(x[1]), float32(x[2]), float32(x[3])}
	},
		func(v mgl32.Vec4) []float64 { return wide(v[:]) })
	testLinear(t, func(x [4]float64) mgl64.Vec2 { return mgl64.Vec2{x[0], x[1]} }, func(v mgl64.Vec2) []float64 { return v[:] })
	testLinear(t, func(x [4]float64) mgl64.Vec3 { return mgl64.Vec3{x[0], x[1], x[2]} }, func(v mgl64.Vec3) []float64 { return v[:] })
	testLinear(t, func(x [4]float64) [4]float64 { return x }, func(v [4]float64) []float64 { return v[:] })
}

func testLinear[T interpolation.Linear](t *testing.T, of func(x [4]float64) T, numbers func(v T) []float64) {
	t.Run(fmt.Sprintf("%T", *new(T)), func(t *testing.T) {
		for _, every := range []int{1, 3} { // all in motion, or every third
			// Component c of value k moves at k+c+1 per second.
			at := func(k int, seconds float64) (x [4]float64) {
				for c := range x {
					x[c] = 100*float64(c) + float64(k+c+1)*seconds
				}
				return x
			}
			var start []T
			for k := range 7 {
				start = append(start, of(at(k, 0)))
			}
			s := newValueStage(t, 10, interpolation.NewLinear[T](), start)
			s.Fixed(func(now ecs.Time) {
				for k := 0; k < len(start); k += every {
					s.value(k).Set(of(at(k, Seconds(now.StepEnd))))
				}
			})
			s.Run(200, FPS(144, 1), func(now ecs.Time) {
				for k := range start {
					when := Seconds(now.Normal)
					if k%every != 0 {
						when = 0
					}
					want := at(k, when)
					for c, got := range numbers(s.drawn(k)) {
						s.Near(fmt.Sprintf("component %d of value %d", c, k), got, want[c], 1e-4)
					}
				}
			})
		}
	})
}

// joint is a value of a user's own, of arrays and with something that cannot be blended.
type joint struct {
	turn  [3]float32
	reach float64
	hands [2]uint8
}

// between blends two joints as nobody else does: not by lines, so that a wrong fraction shows.
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

// Whoever moves beside a value, and over whatever time it moves, it is drawn with the bits that its
// own samples and the time make: alone, in a column, on a list.
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

// So it is with workers.
func TestWorkersDrawTheSameValues(t *testing.T) {
	testWorkersDrawValues(t, withWorkers(interpolation.NewLinear[mgl32.Vec4](), 2), lineBetween[mgl32.Vec4], func(r *rand.Rand) mgl32.Vec4 {
		return mgl32.Vec4{r.Float32(), r.Float32(), r.Float32(), r.Float32()}
	})
	testWorkersDrawValues(t, withWorkers(interpolation.NewBatch(jointsInBatches), 2), func(from, to joint, t float32) (v joint) {
		v.between(&from, &to, t)
		return v
	}, func(r *rand.Rand) joint {
		return joint{[3]float32{r.Float32(), r.Float32(), r.Float32()}, r.Float64(), [2]uint8{uint8(r.Uint32())}}
	})
}

func testWorkersDrawValues[T any](t *testing.T, ip *interpolation.Interpolator[T], one func(from, to T, t float32) T, value func(r *rand.Rand) T) {
	const n = 20_000
	r := rand.New(rand.NewPCG(1, 2))
	s := newValueStage(t, 20, ip, make([]T, n))
	defer s.Close()
	s.Fixed(func(now ecs.Time) {
		for k := range s.entities {
			if now.Tick%2 == 0 || r.IntN(4) > 0 { // a column and a list by turns
				s.value(k).Set(value(r))
			}
		}
	})
	for frame := range 8 {
		s.Update(time.Duration(10+3*frame) * time.Millisecond)
		s.wantFromSamples(t, one)
	}
}

// An offset of a linear value fades, in every component.
func TestCorrectionOfALinearValue(t *testing.T) {
	s := newValueStage(t, 10, interpolation.NewLinear[mgl64.Vec3](), []mgl64.Vec3{{1, 2, 3}})
	s.values.HalfLife = 100 * time.Millisecond
	s.Fixed(func(now ecs.Time) {
		if now.Tick == 2 {
			s.value(0).Correct(mgl64.Vec3{9, 2, -1})
		}
	})
	s.Run(2, Constant(100*time.Millisecond), func(ecs.Time) {
		// the second of them shows the offset for the first time, whole
		s.Near("the distance from where it was", s.drawn(0).Sub(mgl64.Vec3{1, 2, 3}).Len(), 0, 1e-6)
	})
	for frame := range 10 {
		left := math.Exp2(-float64(frame) - 1)
		s.Update(100 * time.Millisecond)
		want := mgl64.Vec3{9 - 8*left, 2, -1 + 4*left}
		s.Near(fmt.Sprintf("the distance from %v", want), s.drawn(0).Sub(want).Len(), 0, 1e-6)
	}
}

// A gentle one shortens at a steady speed, by its Euclidean length.
func TestGentleCorrectionOfALinearValue(t *testing.T) {
	const slow, halfLife = 2.0, 0.1
	s := newValueStage(t, 20, interpolation.NewLinear[mgl32.Vec2](), make([]mgl32.Vec2, 1))
	s.Fixed(func(now ecs.Time) {
		if now.Tick == 8 {
			// an offset that is 1 long
			s.values.CorrectGently(s.entities[0], mgl32.Vec2{-0.6, -0.8}, mgl32.Vec2{-0.6, -0.8}, slow, slow)
		}
	})
	first := -1.0
	rest := slow * halfLife / math.Ln2
	s.Run(200, FPS(60, 1), func(now ecs.Time) {
		tm := Seconds(now.Normal)
		if now.Tick <= 8 {
			return
		}
		if first < 0 {
			first = tm
		}
		left, straight := 1-slow*(tm-first), (1-rest)/slow
		if tm-first > straight {
			left = rest * math.Exp2(-(tm-first-straight)/halfLife)
		}
		s.Near("x", float64(s.drawn(0)[0]), 0.6*(left-1), 1e-4)
		s.Near("y", float64(s.drawn(0)[1]), 0.8*(left-1), 1e-4)
	})
}

// A function that blends batches sees whole columns where all move, at least one value at a time,
// and nothing behind it; what does not move is not in it.
func TestBatchesAreOfWhatMoves(t *testing.T) {
	var batches []int
	s := newValueStage(t, 10, interpolation.NewBatch(func(dst, from, to []joint, t float32) {
		batches = append(batches, len(dst))
		jointsInBatches(dst, from, to, t)
	}), make([]joint, 9))
	moving := []int{0, 1, 2, 3, 4, 5, 6, 7, 8}
	s.Fixed(func(now ecs.Time) {
		for _, k := range moving {
			s.value(k).Set(joint{reach: float64(now.Tick + 1)})
		}
	})
	for _, test := range []struct{ moving, want []int }{
		{moving, []int{9}},
		{[]int{0, 4, 5, 6, 8}, []int{1, 3, 1}},
		{nil, nil},
	} {
		moving = test.moving
		s.Update(100 * time.Millisecond)
		batches = nil
		s.Update(0) // at the same time, nothing is drawn anew
		s.Update(50 * time.Millisecond)
		if fmt.Sprint(batches) != fmt.Sprint(test.want) {
			t.Errorf("of the moving %v batches of %v are drawn, want %v", test.moving, batches, test.want)
		}
		s.Update(50 * time.Millisecond)
	}
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

func TestBatchMisuse(t *testing.T) {
	MustSay(t, "no blend", func() { interpolation.NewBatch[float64](nil) }, "NewBatch needs a blend function", "every dst[k]")
	MustSay(t, "a pointer", func() { interpolation.NewBatch(func(_, _, _ []labelled, _ float32) {}) },
		"NewBatch of", "holds a pointer (Text string)", "an index or an array of fixed size")
	MustSay(t, "no size", func() { interpolation.NewBatch(func(_, _, _ []struct{}, _ float32) {}) }, "NewBatch of", "no size")
}

type labelled struct {
	X    float32
	Text string
}
