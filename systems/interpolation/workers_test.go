package interpolation_test

import (
	"math/rand/v2"
	"runtime"
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
	"github.com/tandem-ecs/tandem/systems/motion"
)

// crowd is an engine with n movers; every so many of them move in a step.
func crowd(t testing.TB, n, every int, ip *interpolation.Interpolator[components.Pose3D]) (*ecs.Engine, func() []components.Pose3D) {
	t.Helper()
	e, err := ecs.New(ecs.Config{FixedRate: 20})
	if err != nil {
		t.Fatal(err)
	}
	e.Install(ip)
	w := e.World()
	m := generic.NewMap2[components.Transform3D, components.Visual3D](w)
	query := m.NewBatchQ(n)
	for i := 0; query.Next(); i++ {
		l, _ := query.Get()
		*l = components.NewLogical(At(float64(i), 0, 0))
	}
	filter := generic.NewFilter2[components.Transform3D, components.Visual3D]()
	e.Add(ecs.FixedUpdate, ecs.SystemFunc(func(w *arche.World) {
		k := int(e.Time().Tick)
		query := filter.Query(w)
		for i := 0; query.Next(); i++ {
			if l, _ := query.Get(); (i+k)%every == 0 {
				p := l.Get()
				p.Position[1] += 1
				p.Rotation = motion.Turn(p.Rotation, [3]float32{0, 1, 0}, 0.1)
				l.Set(p)
			}
		}
	}))
	return e, func() (all []components.Pose3D) {
		query := filter.Query(w)
		for query.Next() {
			_, v := query.Get()
			all = append(all, v.Get())
		}
		return all
	}
}

// The picture is the same with and without workers, to the bit, whether they are awake or not.
func TestWorkersDrawTheSamePicture(t *testing.T) {
	n, shares := 50_001, []int{1, 3, 5} // a column, and lists
	if testing.Short() {
		n, shares = 25_001, shares[:2] // the list is just long enough to be split
	}
	for _, every := range shares {
		alone, seenAlone := crowd(t, n, every, interpolation.New3D())
		shared, seenShared := crowd(t, n, every, withWorkers(interpolation.New3D(), 3))
		for frame := range 10 * Few(3) {
			if frame%10 == 9 { // long enough for workers to fall asleep
				for range 200 {
					runtime.Gosched()
				}
			}
			alone.Update(7 * time.Millisecond)
			shared.Update(7 * time.Millisecond)
			a, b := seenAlone(), seenShared()
			for i := range a {
				if a[i] != b[i] {
					t.Fatalf("frame %d, one in %d moving: entity %d is drawn at %v alone and at %v with workers", frame, every, i, a[i], b[i])
				}
			}
		}
		alone.Close()
		shared.Close()
	}
}

func TestWorkersEndWithTheirEngine(t *testing.T) {
	before := runtime.NumGoroutine()
	for k := range 6 {
		e, _ := crowd(t, 10_000, 1, withWorkers(interpolation.New3D(), 4))
		for range k { // one of the engines never runs
			e.Update(20 * time.Millisecond)
		}
		e.Close()
	}
	// Close waits for a worker's last word, after which the runtime still has to take its goroutine
	// away.
	for until := patience(t); runtime.NumGoroutine() > before && time.Now().Before(until); {
		runtime.Gosched()
	}
	if now := runtime.NumGoroutine(); now > before {
		t.Errorf("%d goroutines after Close, %d before", now, before)
	}
}

// workersAsleep counts the workers that wait in a channel. One that has not begun yet is not
// asleep.
func workersAsleep() (asleep int) {
	stacks := make([]byte, 1<<20)
	for _, stack := range strings.Split(string(stacks[:runtime.Stack(stacks, true)]), "\n\n") {
		if head, _, _ := strings.Cut(stack, "\n"); strings.Contains(stack, "draw.(*worker).run(") && strings.Contains(head, "[chan receive") {
			asleep++
		}
	}
	return asleep
}

// A worker that has nothing to do goes to sleep, whether frames go on with nothing or too little in
// motion or do not go on at all.
func TestIdleWorkersSleep(t *testing.T) {
	const workers = 2
	for _, test := range []struct {
		name string
		// of ten thousand entities one in so many moves; more than four fifths of them are shared
		// with workers
		every  int
		paused bool
		frame  time.Duration
	}{
		{"nothing in motion", 1, true, time.Millisecond},
		{"too little in motion", 2, false, time.Millisecond},
		{"no frames", 1, true, 0},
	} {
		e, _ := crowd(t, 10_000, test.every, withWorkers(interpolation.New3D(), workers))
		for range 5 {
			e.Update(20 * time.Millisecond)
		}
		if test.paused {
			if err := e.SetScale(0); err != nil {
				t.Fatal(err)
			}
		}
		// They are awake for tens of thousands of turns, however long these take, so it is of no
		// use to look at every one: that stops the whole program.
		for until, asleep := patience(t), 0; asleep < workers; {
			for turn := range 1 << 12 {
				if test.frame > 0 && turn%32 == 0 {
					e.Update(test.frame)
				}
				runtime.Gosched()
			}
			if asleep = workersAsleep(); asleep < workers && time.Now().After(until) {
				t.Fatalf("%s: %d of %d workers fall asleep", test.name, asleep, workers)
			}
		}
		e.Close()
	}
}

// patience returns the time until which a test waits for an event that must come, but late on a
// busy machine: half of the time that is left to the tests.
func patience(t *testing.T) time.Time {
	left := time.Hour
	if end, ok := t.Deadline(); ok {
		left = time.Until(end)
	}
	return time.Now().Add(left / 2)
}

func TestWorkersAllocateNothing(t *testing.T) {
	e, _ := crowd(t, 20_000, 1, withWorkers(interpolation.New3D(), 1))
	defer e.Close()
	for range 50 {
		e.Update(9 * time.Millisecond)
	}
	if n := testing.AllocsPerRun(50, func() { e.Update(9 * time.Millisecond) }); n > 0 {
		t.Errorf("%v allocations a frame", n)
	}
}

func TestWorkersMisuse(t *testing.T) {
	e, err := ecs.New(ecs.Config{})
	if err != nil {
		t.Fatal(err)
	}
	MustSay(t, "a negative number", func() { e.Install(withWorkers(interpolation.New3D(), -1)) }, "zero or more")
}

// withWorkers gives an interpolator workers.
func withWorkers[T any](ip *interpolation.Interpolator[T], n int) *interpolation.Interpolator[T] {
	ip.Workers = n
	return ip
}

func installed(t *testing.T) (*ecs.Engine, *interpolation.Interpolator[components.Pose3D]) {
	t.Helper()
	e, err := ecs.New(ecs.Config{})
	if err != nil {
		t.Fatal(err)
	}
	ip := interpolation.New3D()
	e.Install(ip)
	return e, ip
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
	n := 20_000
	if testing.Short() {
		n = 12_000 // of which three quarters are enough to be split
	}
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
