package interp

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/tandem-ecs/tandem/internal/coretest"
)

var predictiveKinds = []Kind{RacerLinear, RacerSpline, ProjectiveBlend, OffsetDecay}

// runPredictive feeds a path through a link with jitter and loss and calls each with the shown
// state at every step.
func runPredictive(k Kind, c Config, m path, seed uint64, loss float64, each func(now time.Duration, s State, info Info)) {
	random := rand.New(rand.NewPCG(seed, 3))
	it := New(k, c)
	type packet struct {
		at time.Duration
		s  Sample
	}
	var flying []packet
	sent := time.Duration(0)
	for now := time.Duration(0); now < 20*time.Second; now += step {
		for ; sent <= now; sent += 2 * step {
			if random.Float64() >= loss {
				flying = append(flying, packet{sent + 90*ms + time.Duration(random.Float64()*20e6), m.sample(sent)})
			}
		}
		for i := 0; i < len(flying); {
			if p := flying[i]; p.at <= now {
				it.Push(p.at, p.s)
				flying = append(flying[:i], flying[i+1:]...)
			} else {
				i++
			}
		}
		s, info := it.At(now, now)
		if now > time.Second {
			each(now, s, info)
		}
	}
}

func straight(t float64) (p, v [3]float64) { return [3]float64{6 * t, 0, 0}, [3]float64{6, 0, 0} }

// A body at constant velocity is predicted exactly by all of them, through loss and jitter. A
// falling body is predicted exactly by those that use acceleration.
func TestPredictionIsExactForSteadyMotion(t *testing.T) {
	fall := func(t float64) (p, v [3]float64) {
		return [3]float64{t, -4.905 * t * t, 0}, [3]float64{1, -9.81 * t, 0}
	}
	for _, k := range predictiveKinds {
		runPredictive(k, Config{}, straight, 1, 0.15, func(now time.Duration, s State, info Info) {
			if d := path(straight).miss(now, s.Position); d > 1e-3 {
				t.Fatalf("%v: %v m off at %v", k, d, now)
			}
			if info.Extrapolated < 80*ms || info.Time != now {
				t.Fatalf("%v: %+v", k, info)
			}
		})
		if k == RacerLinear {
			continue
		}
		runPredictive(k, Config{}, fall, 1, 0, func(now time.Duration, s State, _ Info) {
			if d := path(fall).miss(now, s.Position); d > 0.01 {
				t.Fatalf("%v: falling, %v m off at %v", k, d, now)
			}
		})
	}
}

// circle needs a correction at every packet.
func circle(t float64) (p, v [3]float64) {
	s, c := math.Sincos(t)
	return [3]float64{20 * c, 0, 20 * s}, [3]float64{-20 * s, 0, 20 * c}
}

// No packet makes the picture jump: with a blend of 100 ms the picture of the corrected kinds moves
// in each step by little more than the body. The article's Racer must fail here: see package
// articles.
func TestPacketsDoNotJump(t *testing.T) {
	jump := func(k Kind) float64 {
		var most float64
		for seed := range uint64(5) {
			var last *State
			runPredictive(k, Config{Blend: 100 * ms}, circle, seed, 0.15, func(_ time.Duration, s State, _ Info) {
				if last != nil {
					most = max(most, float64(s.Position.Sub(last.Position).Len())-20.0/60)
				}
				last = &s
			})
		}
		return most
	}
	for _, k := range predictiveKinds {
		if j := jump(k); j > 0.06 {
			t.Errorf("%v moves %.3f m further than the body in one step", k, j)
		}
	}
}

// The horizon bounds how far a body runs when the stream stops.
func TestHorizonIsBounded(t *testing.T) {
	for _, k := range predictiveKinds {
		it := New(k, Config{})
		for i := range 4 {
			s := at(time.Duration(i) * 33 * ms)
			s.Position, s.Velocity, s.Has = mgl32.Vec3{6 * seconds(s.Time), 0, 0}, mgl32.Vec3{6, 0, 0}, HasVelocity|HasAngularVelocity
			s.Angular = mgl32.Vec3{0, 1, 0}
			it.Push(s.Time, s)
			it.At(s.Time, s.Time)
		}
		var s State
		var info Info
		for now := 100 * ms; now < 3*time.Second; now += step {
			s, info = it.At(now, now)
		}
		want := 6 * (0.099 + 0.25 + 0.125)
		if math.Abs(float64(s.Position[0])-want) > 0.01 || !info.Held {
			t.Errorf("%v ends at %v m, held %v; want %v", k, s.Position[0], info.Held, want)
		}
		if d := coretest.AngleBetween(coretest.Quat64(s.Rotation), coretest.Quat64(mgl32.QuatRotate(0.1, mgl32.Vec3{0, 1, 0}))); d > 0.2 {
			t.Errorf("%v turned on for other than 100 ms: %v degrees off", k, d)
		}
	}
}

// The page: "use unclamped lerp from prev->last since we want prediction". With lost packets the
// article's turn continues at t > 1 and snaps back. The corrected form does not.
func TestRacerRotationIsClamped(t *testing.T) {
	turned := func(k Kind) float64 {
		it := New(k, Config{Interval: 100 * ms})
		for i := range 2 {
			s := at(time.Duration(i) * 100 * ms)
			s.Rotation = mgl32.QuatRotate(mgl32.DegToRad(float32(10*i)), mgl32.Vec3{0, 1, 0})
			it.Push(s.Time, s)
			it.At(s.Time, s.Time)
		}
		var most float64
		for now := 100 * ms; now <= 600*ms; now += step {
			s, _ := it.At(now, now)
			most = max(most, coretest.AngleBetween(mgl64.QuatIdent(), coretest.Quat64(s.Rotation)))
		}
		return most
	}
	for _, k := range predictiveKinds {
		if d := turned(k); d > 10.1 {
			t.Errorf("%v turns by %.1f degrees, want at most 10", k, d)
		}
	}
}

// This is an example worked by hand. From (0,0) at 2 m/s along x, a packet has (1,0) at 4 m/s along
// y. Half an interval of 0.2 s later the velocity is blended half way to (1, 2), so the old path is
// at (0.1, 0.2), the new one at (1, 0.4), and the picture half way between.
func TestProjectiveFormula(t *testing.T) {
	it := New(ProjectiveBlend, Config{Interval: 200 * ms})
	a := at(0)
	a.Velocity, a.Has = mgl32.Vec3{2, 0, 0}, HasVelocity
	it.Push(0, a)
	it.At(0, 0)
	b := at(ms) // so near that the acceleration would be absurd, since two samples give none
	b.Position, b.Velocity, b.Has = mgl32.Vec3{1, 0, 0}, mgl32.Vec3{0, 4, 0}, HasVelocity
	it.Push(0, b)
	s, _ := it.At(100*ms, 100*ms)
	want := mgl32.Vec3{(0.1 + 1) / 2, (0.2 + 0.396) / 2, 0}
	if d := s.Position.Sub(want).Len(); d > 1e-4 {
		t.Errorf("at %v, want %v", s.Position, want)
	}
	s, info := it.At(200*ms, 200*ms)
	if want := (mgl32.Vec3{1, 4 * 0.199, 0}); s.Position.Sub(want).Len() > 1e-4 || info.Offset > 1e-4 {
		t.Errorf("after the interval at %v, want %v", s.Position, want)
	}
}

// The factors of the article are per frame at 60 Hz: 0.95 for small errors, 0.85 for large ones.
func TestOffsetDecayRates(t *testing.T) {
	for _, tt := range []struct {
		start, perFrame float64
	}{{0.2, 0.95}, {0.01, 0.95}, {1000, 0.85}} {
		v := mgl32.Vec3{float32(tt.start), 0, 0}
		v = shrink(v, decayNear, decayFar, 1.0/60)
		if got := float64(v[0]) / tt.start; math.Abs(got-tt.perFrame) > 1e-4 {
			t.Errorf("%v m shrinks by %.5f in a frame, want %v", tt.start, got, tt.perFrame)
		}
	}
	// The factors apply over time, not per frame: 60 steps of a 60th are a second.
	a, b := mgl32.Vec3{0.2, 0, 0}, mgl32.Vec3{0.2, 0, 0}
	for range 60 {
		a = shrink(a, decayNear, decayFar, 1.0/60)
	}
	b = shrink(b, decayNear, decayFar, 1)
	if math.Abs(float64(a[0]-b[0])) > 1e-5 {
		t.Errorf("a second in 60 steps leaves %v, in one %v", a[0], b[0])
	}
}

// Old packets change nothing.
func TestPredictionIgnoresOldPackets(t *testing.T) {
	for _, k := range append(predictiveKinds, Naive, Chase) {
		x, y := New(k, Config{}), New(k, Config{})
		for i := range 30 {
			now := time.Duration(i) * 33 * ms
			s := path(circle).sample(now)
			x.Push(now, s)
			y.Push(now, s)
			if i > 3 {
				y.Push(now, s)                                // a duplicate
				y.Push(now, path(circle).sample(now-70*ms))   // an older one
				y.Push(now, path(circle).sample(now-33*4*ms)) // and a duplicate of an older one
			}
			a, ia := x.At(now, now)
			b, ib := y.At(now, now)
			if a != b || ia != ib {
				t.Fatalf("%v: old packets changed the picture at %v", k, now)
			}
		}
	}
}

// Between two packets the spline is the cubic from the shown position to the position predicted for
// an interval later, with the velocities of both.
func TestSplineIsTheCubicBetweenTwoPredictions(t *testing.T) {
	it := New(RacerSpline, Config{Interval: 100 * ms})
	push := func(at time.Duration, p, v mgl32.Vec3) {
		it.Push(at, Sample{Time: at, Position: p, Velocity: v, Has: HasVelocity, Rotation: mgl32.QuatIdent()})
	}
	push(0, mgl32.Vec3{0, 0, 0}, mgl32.Vec3{10, 0, 0})
	for now := time.Duration(0); now < 100*ms; now += 10 * ms {
		it.At(now, now)
	}
	it.At(100*ms-1, 100*ms-1)
	push(100*ms, mgl32.Vec3{1, 0, 0}, mgl32.Vec3{0, 0, 10}) // round a corner
	for _, want := range []struct {
		after time.Duration
		p, v  mgl32.Vec3
	}{
		{0, mgl32.Vec3{1, 0, 0}, mgl32.Vec3{10, 0, 0}},
		{50 * ms, mgl32.Vec3{1.125, 0, 0.375}, mgl32.Vec3{-2.5, 0, 12.5}},
		{100 * ms, mgl32.Vec3{1, 0, 1}, mgl32.Vec3{0, 0, 10}},
		{120 * ms, mgl32.Vec3{1, 0, 1.2}, mgl32.Vec3{0, 0, 10}},
	} {
		at := 100*ms + want.after
		s, _ := it.At(at, at)
		if s.Position.Sub(want.p).Len() > 1e-4 || s.Velocity.Sub(want.v).Len() > 1e-3 {
			t.Errorf("%v after the corner at %v with %v, want %v with %v", want.after, s.Position, s.Velocity, want.p, want.v)
		}
	}
}
