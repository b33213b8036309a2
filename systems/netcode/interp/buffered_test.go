package interp

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/internal/coretest"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/rotation"
)

const step = time.Second / 60

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

// A body appears at its place, as a discontinuity, and does not exist before its first sample.
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

// A starved body continues for at most 75 ms of motion and then holds. It turns for no longer
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
				if d := coretest.AngleBetween(coretest.Quat64(s.Rotation), coretest.Quat64(mgl32.QuatRotate(0.075, mgl32.Vec3{0, 1, 0}))); d > 0.1 {
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

// Under heavy random loss nothing ever jumps: in each step the picture moves at most by the body's
// greatest motion plus the bounded correction.
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
					if random.Float64() > 0.5 { // half of them are lost
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
					limit *= 2 // a cubic overshoots in addition
				}
				if over := float64(moved) - limit; over > 0.05 {
					t.Fatalf("%v, seed %d: %.3f m beyond the body's own motion at %v", k, seed, over, now)
				}
				last = s
			}
		}
	}
}

// The offset ends: some time after the last gap the picture is exactly on the path again, and a
// body that rests is exactly at its place.
func TestSettlesExactly(t *testing.T) {
	for _, k := range []Kind{Default, Linear, Hermite, GuardedHermite, EventBuffer, Chase, Naive, RacerLinear, RacerSpline, ProjectiveBlend, OffsetDecay} {
		t.Run(k.String(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				it := New(k, Config{})
				rest := at(time.Second)
				rest.Position = mgl32.Vec3{rapid.Float32Range(-1000, 1000).Draw(t, "x"), 1, 0}
				rest.Rotation = coretest.AnyRotation(t)
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
