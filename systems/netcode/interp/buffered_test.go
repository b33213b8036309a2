package interp

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"
	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/rotation"
)

const step = time.Second / 60

func quat64(q mgl32.Quat) mgl64.Quat {
	return mgl64.Quat{W: float64(q.W), V: mgl64.Vec3{float64(q.V[0]), float64(q.V[1]), float64(q.V[2])}}
}

// between returns the angle between two rotations in degrees.
func between(a, b mgl64.Quat) float64 {
	d := a.Conjugate().Mul(b)
	return 2 * math.Atan2(d.V.Len(), math.Abs(d.W)) * 180 / math.Pi
}

var anyAxis = rapid.Custom(func(t *rapid.T) mgl32.Vec3 {
	for {
		v := mgl32.Vec3{rapid.Float32Range(-1, 1).Draw(t, "x"), rapid.Float32Range(-1, 1).Draw(t, "y"), rapid.Float32Range(-1, 1).Draw(t, "z")}
		if v.Len() > 0.1 {
			return v.Normalize()
		}
	}
})

var anyRotation = rapid.Custom(func(t *rapid.T) mgl32.Quat {
	return rotation.Unit(mgl32.QuatRotate(rapid.Float32Range(-7, 7).Draw(t, "angle"), anyAxis.Draw(t, "axis")))
})

var delayedKinds = []Kind{Default, Linear, Hermite, GuardedHermite}

func TestNothingIsDrawnBeforeTheFirstSample(t *testing.T) {
	for _, k := range Kinds() {
		it := New(k, Config{})
		s, info := it.At(time.Second, time.Second)
		if !info.Empty || s.Position != (mgl32.Vec3{}) || s.Rotation != mgl32.QuatIdent() {
			t.Errorf("%v without samples: %+v, %+v", k, s, info)
		}
	}
}

// A body appears where it is, as a discontinuity, and before its first sample it does not exist.
func TestFirstState(t *testing.T) {
	for _, k := range Kinds() {
		it := New(k, Config{})
		s := at(time.Second)
		s.Position = mgl32.Vec3{100, 0, 0}
		s.Velocity, s.Has = mgl32.Vec3{6, 0, 0}, HasVelocity
		it.Push(0, s)
		st, info := it.At(0, 900*ms)
		if !info.Discontinuity {
			t.Errorf("%v: the first state must be a discontinuity", k)
		}
		if st.Position.Sub(s.Position).Len() > 1 {
			t.Errorf("%v flies in from %v", k, st.Position)
		}
		if it.Timing() == Delayed && (!info.Early || st.Position != s.Position) {
			t.Errorf("%v before the first sample: %v, early %v", k, st.Position, info.Early)
		}
	}
}

// Case 19: teleports of 50 m while running, with and without the packet that carries the flag, at
// every phase.
func TestTeleportIsNeverSmeared(t *testing.T) {
	kindsThatCut := []Kind{Default, Linear, Hermite, GuardedHermite, EventBuffer, Naive, Chase, RacerLinear, RacerSpline, ProjectiveBlend, OffsetDecay}
	for _, k := range kindsThatCut {
		for _, lost := range []int{0, 1, 3} {
			it := New(k, Config{})
			const interval = time.Second / 30
			jumps := 0
			for i := 0; i < 60; i++ {
				now := time.Duration(i) * interval
				s := at(now)
				s.Position = mgl32.Vec3{6 * seconds(now), 0, 0}
				s.Velocity, s.Has = mgl32.Vec3{6, 0, 0}, HasVelocity
				if i >= 30 {
					s.Position[2], s.Discontinuity = 50, 1
				}
				if i < 30 || i >= 30+lost {
					it.Push(now, s)
				}
				for f := range 2 {
					now := now + time.Duration(f)*step
					view := now
					if it.Timing() == Delayed {
						view -= 150 * ms
					}
					st, info := it.At(now, view)
					if z := st.Position[2]; z != 0 && z != 50 {
						t.Fatalf("%v with %d packets lost shows z = %v, on the way", k, lost, z)
					}
					if info.Discontinuity && i > 0 {
						jumps++
					}
				}
			}
			if jumps != 1 {
				t.Errorf("%v with %d packets lost reports %d jumps, want 1", k, lost, jumps)
			}
		}
	}
}

func TestCounterWrapsAndRepeats(t *testing.T) {
	it := New(Default, Config{})
	it.At(0, 0)
	for i := range 600 { // a teleport per sample, more than the counter holds
		s := at(time.Duration(i) * 100 * ms)
		s.Position[0], s.Discontinuity = float32(i)*50, uint8(i)
		it.Push(0, s)
		st, info := it.At(s.Time, s.Time)
		if !info.Discontinuity || st.Position != s.Position {
			t.Fatalf("teleport %d: shows %v, want %v", i, st.Position, s.Position)
		}
	}
}

// A starved body goes on for at most 75 ms' worth of motion, then holds, and turns for no longer
// either.
func TestStarvationIsBounded(t *testing.T) {
	for _, k := range delayedKinds {
		it := New(k, Config{})
		for i := range 4 {
			s := at(time.Duration(i) * 33 * ms)
			s.Position, s.Velocity, s.Has = mgl32.Vec3{6 * seconds(s.Time), 0, 0}, mgl32.Vec3{6, 0, 0}, HasVelocity|HasAngularVelocity
			s.Angular = mgl32.Vec3{0, 1, 0}
			it.Push(0, s)
		}
		const end = 99 * ms
		var last State
		for view := time.Duration(0); view < 2*time.Second; view += step {
			s, info := it.At(view, view)
			past := view - end
			switch {
			case past <= 0:
				if info.Starved || info.Extrapolated != 0 {
					t.Fatalf("%v starved at %v with samples on both sides", k, view)
				}
			case past <= 50*ms:
				if want := 6 * seconds(view); math.Abs(float64(s.Position[0]-want)) > 1e-3 {
					t.Fatalf("%v at %v: %v, want %v: half of the limit is at full speed", k, view, s.Position[0], want)
				}
				fallthrough
			default:
				if !info.Starved || info.Extrapolated != past || info.Held != (past >= 100*ms) {
					t.Fatalf("%v %v past the newest: %+v", k, past, info)
				}
			}
			if past >= 100*ms {
				if want := float32(6 * (0.099 + 0.075)); math.Abs(float64(s.Position[0]-want)) > 1e-3 {
					t.Fatalf("%v holds at %v, want %v", k, s.Position[0], want)
				}
				if d := between(quat64(s.Rotation), quat64(mgl32.QuatRotate(0.075, mgl32.Vec3{0, 1, 0}))); d > 0.1 {
					t.Fatalf("%v holds a rotation %v degrees off", k, d)
				}
				if s.Velocity != (mgl32.Vec3{}) {
					t.Fatalf("%v holds still at velocity %v", k, s.Velocity)
				}
			}
			if s.Position[0] < last.Position[0] {
				t.Fatalf("%v moves backwards at %v", k, view)
			}
			last = s
		}
	}
}

func TestExtrapolationCanBeSwitchedOff(t *testing.T) {
	it := New(Default, Config{Extrapolation: -1})
	for i := range 3 {
		s := at(time.Duration(i) * 33 * ms)
		s.Position, s.Velocity, s.Has = mgl32.Vec3{6 * seconds(s.Time), 0, 0}, mgl32.Vec3{6, 0, 0}, HasVelocity
		it.Push(0, s)
	}
	s, info := it.At(0, 80*ms)
	if s.Position[0] != 6*seconds(66*ms) || !info.Held {
		t.Errorf("shows %v, held %v; want the newest sample", s.Position[0], info.Held)
	}
	if limit := (Config{Extrapolation: time.Hour}).withDefaults().Extrapolation; limit != 100*ms {
		t.Errorf("extrapolation of an hour is taken as %v, want 100 ms", limit)
	}
}

// Under heavy random loss nothing ever jumps: in each step the picture moves by what the body may
// move plus the bounded correction.
func TestReentryNeverJumps(t *testing.T) {
	for _, k := range delayedKinds {
		for seed := range uint64(20) {
			random := rand.New(rand.NewPCG(seed, 1))
			it := New(k, Config{})
			m := path(func(t float64) (p, v [3]float64) { // strafing
				const period = 0.507
				n := math.Floor(t / period)
				in := t - n*period
				if int(n)%2 == 0 {
					return [3]float64{6 * in}, [3]float64{6}
				}
				return [3]float64{6 * (period - in)}, [3]float64{-6}
			})
			sent := time.Duration(0)
			var last State
			for now := time.Duration(0); now < 20*time.Second; now += step {
				for ; sent <= now; sent += 33 * ms {
					if random.Float64() > 0.5 { // half of them lost
						it.Push(now, m.sample(sent))
					}
				}
				s, info := it.At(now, now-70*ms)
				if info.Empty || info.Discontinuity {
					last = s
					continue
				}
				moved := s.Position.Sub(last.Position).Len()
				limit := 6.0 / 60 * 1.05
				if k == Hermite {
					limit *= 2 // a cubic overshoots on top
				}
				if over := float64(moved) - limit; over > 0.05 {
					t.Fatalf("%v, seed %d: %.3f m beyond the body's own motion at %v", k, seed, over, now)
				}
				last = s
			}
		}
	}
}

// The offset disappears: some time after the last hiccup the picture is exactly on the path again,
// and a body that rests is exactly at its place.
func TestSettlesExactly(t *testing.T) {
	for _, k := range []Kind{Default, Linear, Hermite, GuardedHermite, EventBuffer, Chase, Naive, RacerLinear, RacerSpline, ProjectiveBlend, OffsetDecay} {
		t.Run(k.String(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				it := New(k, Config{})
				rest := at(time.Second)
				rest.Position = mgl32.Vec3{rapid.Float32Range(-1000, 1000).Draw(t, "x"), 1, 0}
				rest.Rotation = anyRotation.Draw(t, "rotation")
				rest.AtRest = true
				for i := range 30 {
					if rapid.IntRange(0, 2).Draw(t, "lost") == 0 {
						continue
					}
					s := at(time.Duration(i) * 33 * ms)
					v := mgl32.Vec3{6, 0, 0}
					s.Position = rest.Position.Sub(v.Mul(1 - seconds(s.Time)))
					s.Rotation = rotation.Spin(rest.Rotation, mgl32.Vec3{0, 2, 0}, 1-seconds(s.Time))
					s.Velocity, s.Has, s.Angular = v, HasVelocity|HasAngularVelocity, mgl32.Vec3{0, -2, 0}
					it.Push(s.Time, s)
					it.At(s.Time, s.Time-70*ms)
				}
				it.Push(time.Second, rest)
				now := time.Second
				var s State
				var info Info
				for ; now < 10*time.Second; now += step {
					s, info = it.At(now, now-70*ms)
				}
				if s.Position != rest.Position || !info.Settled || info.Offset != 0 || info.Starved {
					t.Fatalf("rests at %v instead of %v: %+v", s.Position, rest.Position, info)
				}
				if s.Rotation != rotation.Unit(rest.Rotation) {
					t.Fatalf("rests turned by %v instead of %v", s.Rotation, rest.Rotation)
				}
				if again, _ := it.At(now, now); again != s {
					t.Fatal("what rests must not change by a bit")
				}
			})
		})
	}
}

// An outage longer than ResumeAfter ends with a jump, as does one that leaves a body more than 2 m
// off; another one with a glide, of which more than half is over within 0.4 s.
func TestResume(t *testing.T) {
	for _, tt := range []struct {
		name         string
		config       Config
		outage       time.Duration
		speed        float32
		jump, glides bool
	}{
		{"half a second", Config{}, 500 * ms, 4, false, true},
		{"half a second and more than 2 m", Config{}, 500 * ms, 7, true, false},
		{"five seconds", Config{}, 5 * time.Second, 6, true, false},
		{"five seconds of hardly a move", Config{}, 5 * time.Second, 0.1, true, false},
		{"half a second, told to jump", Config{ResumeAfter: -1}, 500 * ms, 4, true, false},
		{"half a second, told to jump after a quarter", Config{ResumeAfter: 250 * ms}, 500 * ms, 4, true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			it := New(Default, tt.config)
			push := func(now time.Duration) {
				s := at(now)
				s.Position, s.Velocity, s.Has = mgl32.Vec3{tt.speed * seconds(now), 0, 0}, mgl32.Vec3{tt.speed, 0, 0}, HasVelocity
				it.Push(now, s)
			}
			now := time.Duration(0)
			for ; now < time.Second; now += 2 * step {
				push(now)
				it.At(now, now-100*ms)
			}
			for end := now + tt.outage; now < end; now += step {
				it.At(now, now-100*ms)
			}
			for i := range 6 {
				push(now - time.Duration(i)*2*step)
			}
			s, info := it.At(now, now-100*ms)
			if info.Discontinuity != tt.jump {
				t.Errorf("jump %v, want %v", info.Discontinuity, tt.jump)
			}
			right := tt.speed * seconds(now-100*ms)
			if off := right - s.Position[0]; (off > 0.5) != tt.glides || (info.Offset > 0.5) != tt.glides {
				t.Errorf("shown %v m behind, offset %v; glides: want %v", off, info.Offset, tt.glides)
			}
			before := info.Offset
			for end := now + 400*ms; now < end; {
				if now += step; now%(2*step) == 0 {
					push(now)
				}
				s, info = it.At(now, now-100*ms)
			}
			if off := tt.speed*seconds(now-100*ms) - s.Position[0]; off > before/2 {
				t.Errorf("0.4 s later shown %v m behind, %v at first", off, before)
			}
		})
	}
}

// Nobody looked for ten seconds (a tab in the background) while samples went on coming, more than
// are kept: the body is where it is, at once.
func TestLongAbsence(t *testing.T) {
	it := New(Default, Config{})
	var now time.Duration
	push := func() {
		s := at(now)
		s.Position, s.Velocity, s.Has = mgl32.Vec3{6 * seconds(now), 0, 0}, mgl32.Vec3{6, 0, 0}, HasVelocity
		it.Push(now, s)
	}
	for ; now < time.Second; now += 2 * step {
		push()
		it.At(now, now-100*ms)
	}
	for ; now < 11*time.Second; now += 2 * step {
		push()
	}
	s, info := it.At(now, now-100*ms)
	if want := 6 * seconds(now-100*ms); math.Abs(float64(s.Position[0]-want)) > 1e-3 || !info.Discontinuity || info.Offset != 0 {
		t.Errorf("shown at %v, want %v as a discontinuity: %+v", s.Position[0], want, info)
	}
}

// A view that is set ahead (the clock's doing) glides, too, but not far.
func TestViewSetAhead(t *testing.T) {
	for _, tt := range []struct {
		by     time.Duration
		glides bool
	}{{300 * ms, true}, {time.Second, false}} {
		it := New(Default, Config{})
		for i := range 100 {
			s := at(time.Duration(i) * 33 * ms)
			s.Position, s.Velocity, s.Has = mgl32.Vec3{6 * seconds(s.Time), 0, 0}, mgl32.Vec3{6, 0, 0}, HasVelocity
			it.Push(0, s)
		}
		last, _ := it.At(0, 100*ms)
		s, info := it.At(step, 100*ms+tt.by)
		if moved := s.Position[0] - last.Position[0]; tt.glides != (moved < 0.2) || tt.glides == info.Discontinuity || tt.glides != (info.Offset > 1.5) {
			t.Errorf("set ahead by %v it moved %v m, offset %v, jump %v; glides: want %v", tt.by, moved, info.Offset, info.Discontinuity, tt.glides)
		}
		now := step
		for view := 100*ms + tt.by; now < 420*ms; view += step {
			now += step
			s, info = it.At(now, view)
		}
		if info.Offset > 0.15 {
			t.Errorf("still %v m off after 0.4 s", info.Offset)
		}
	}
}

// What is drawn at a view does not depend on how often it was asked for before.
func TestPathDoesNotDependOnTheFrameRate(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	var samples []Sample
	for i := range 20 {
		s := at(time.Duration(i) * 50 * ms)
		s.Position = mgl32.Vec3{random.Float32(), random.Float32(), random.Float32()}
		s.Velocity, s.Has = mgl32.Vec3{random.Float32() * 5, 0, 0}, HasVelocity
		samples = append(samples, s)
	}
	for _, k := range delayedKinds {
		var first []State
		for run, every := range []time.Duration{ms, 7 * ms, 35 * ms} {
			it := New(k, Config{})
			for _, s := range samples {
				it.Push(0, s)
			}
			n := 0
			for view := time.Duration(0); view <= 900*ms; view += every {
				s, _ := it.At(view, view)
				if view%(35*ms) != 0 {
					continue
				}
				if run == 0 {
					first = append(first, s)
				} else if s != first[n] {
					t.Fatalf("%v at %v: %v when asked every %v, %v every ms", k, view, s, every, first[n])
				}
				n++
			}
		}
	}
}

func TestRotationTakesTheShortestArcBetweenSamples(t *testing.T) {
	for _, k := range []Kind{Default, Linear, EventBuffer} {
		it := New(k, Config{Interval: 100 * ms})
		a, b := at(0), at(100*ms)
		a.Rotation = mgl32.QuatRotate(mgl32.DegToRad(170), mgl32.Vec3{0, 1, 0})
		// 20 degrees further
		b.Rotation = mgl32.QuatRotate(mgl32.DegToRad(-170), mgl32.Vec3{0, 1, 0})
		it.Push(0, a)
		it.Push(0, b)
		for view := time.Duration(0); view <= 300*ms; view += 5 * ms {
			s, _ := it.At(view, view)
			d := between(quat64(a.Rotation), quat64(s.Rotation))
			if d > 20.01 {
				t.Fatalf("%v at %v turned by %v degrees", k, view, d)
			}
			if want := math.Min(view.Seconds()/0.1, 1) * 20; math.Abs(d-want) > 1 {
				t.Fatalf("%v at %v turned by %v degrees, want %v", k, view, d, want)
			}
		}
	}
}

func TestSpring(t *testing.T) {
	x, v := mgl32.Vec3{2, 0, 0}, mgl32.Vec3{}
	once, _ := spring(x, v, 5, 0.3)
	want := 2 * (1 + 5*0.3) * math.Exp(-5*0.3)
	if math.Abs(float64(once[0])-want) > 1e-5 {
		t.Errorf("after 0.3 s %v, want %v", once[0], want)
	}
	for range 300 {
		y, u := spring(x, v, 5, 0.001)
		if y[0] > x[0] {
			t.Fatal("grows")
		}
		x, v = y, u
	}
	if math.Abs(float64(x[0])-want) > 1e-3 {
		t.Errorf("after 300 steps %v, want %v: the frame rate must not matter", x[0], want)
	}
}

func TestResetForgets(t *testing.T) {
	for _, k := range Kinds() {
		it := New(k, Config{})
		for i := range 5 {
			s := at(time.Duration(i) * 33 * ms)
			s.Position[0] = float32(i)
			it.Push(s.Time, s)
			it.At(s.Time, s.Time)
		}
		it.Reset()
		if _, info := it.At(time.Second, time.Second); !info.Empty {
			t.Errorf("%v after Reset: %+v", k, info)
		}
		s := at(0) // older than all before
		s.Position[0] = 7
		it.Push(time.Second, s)
		st, info := it.At(time.Second, 0)
		if st.Position[0] != 7 || !info.Discontinuity {
			t.Errorf("%v after Reset and a sample: %v, %+v", k, st.Position, info)
		}
	}
}
