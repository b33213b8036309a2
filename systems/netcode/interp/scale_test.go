package interp

import (
	"math"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
)

// scaled returns a sample of a body that stands at the origin with a scale.
func scaled(t time.Duration, scale mgl32.Vec3) Sample {
	s := at(t)
	s.Scale, s.Has = scale, HasScale|HasVelocity
	return s
}

// A body grows from 1 to 3 on one axis and shrinks from 1 through zero to a mirror on another, from
// the first to the third second. At 60 frames a second no kind draws a greater change than one
// snapshot brings. The delayed kinds with a path draw exactly the scale of their time, all end
// exactly at the last one, and only then is the body settled.
func TestScaleChangesOverTime(t *testing.T) {
	scale := func(at time.Duration) mgl32.Vec3 {
		x := min(max(seconds(at)-1, 0), 2) / 2
		return mgl32.Vec3{1 + 2*x, 1, 1 - 2*x}
	}
	const interval, delay, frame = 50 * ms, 100 * ms, time.Second / 60
	for _, k := range Kinds() {
		it := New(k, Config{Interval: interval})
		last, next := mgl32.Vec3{1, 1, 1}, time.Duration(0)
		for now := time.Duration(0); now < 4*time.Second; now += frame {
			for ; next <= now; next += interval {
				s := scaled(next, scale(next))
				s.AtRest = next > 3*time.Second
				it.Push(now, s)
			}
			view := now
			if it.Timing() == Delayed {
				view -= delay
			}
			got, info := it.At(now, view)
			if got.Has&HasScale == 0 {
				t.Fatalf("%v gives no scale", k)
			}
			if step := got.Scale.Sub(last).Len(); step > 1.01*math.Sqrt2*float32(interval.Seconds()) {
				t.Fatalf("%v: the scale goes from %v to %v in a frame", k, last, got.Scale)
			}
			want := scale(view)
			path := k == Default || k == Linear || k == Hermite || k == GuardedHermite
			if off := got.Scale.Sub(want).Len(); path && off > 1e-5 || off > 0.3 {
				t.Fatalf("%v: the scale at %v is %v, want %v", k, view, got.Scale, want)
			}
			if info.Settled && now > time.Second && got.Scale != (mgl32.Vec3{3, 1, -1}) {
				t.Fatalf("%v: settled at a scale of %v", k, got.Scale)
			}
			last = got.Scale
		}
		if last != (mgl32.Vec3{3, 1, -1}) {
			t.Errorf("%v: ends at a scale of %v, want 3, 1, -1", k, last)
		}
	}
}

// A scale that was not sent is 1, and one that was sent as zero is zero.
func TestScaleMayBeLeftOutOrZero(t *testing.T) {
	for _, k := range Kinds() {
		it := New(k, Config{})
		it.Push(0, at(0))
		if s, _ := it.At(0, 0); s.Scale != (mgl32.Vec3{1, 1, 1}) || s.Has != HasScale {
			t.Errorf("%v: a scale that was left out is %v", k, s.Scale)
		}
		it.Reset()
		it.Push(0, scaled(0, mgl32.Vec3{}))
		if s, _ := it.At(0, 0); s.Scale != (mgl32.Vec3{}) || s.Has != HasScale {
			t.Errorf("%v: a scale of zero is %v", k, s.Scale)
		}
		bad := scaled(ms, mgl32.Vec3{1, float32(math.NaN()), 1})
		if it.Push(0, bad); bad.Valid() {
			t.Error("a scale that is not a number is valid")
		}
	}
}

// Across a teleport a scale is not blended: no kind draws anything between the two.
func TestScaleIsNotBlendedAcrossJumps(t *testing.T) {
	for _, k := range Kinds() {
		it := New(k, Config{Interval: 100 * ms})
		jumped := false
		for now := time.Duration(0); now < time.Second; now += 10 * ms {
			if now%(100*ms) == 0 {
				s := scaled(now, mgl32.Vec3{1, 1, 1})
				if now >= 500*ms {
					s.Scale, s.Discontinuity = mgl32.Vec3{4, 4, 4}, 1
				}
				it.Push(now, s)
			}
			view := now
			if it.Timing() == Delayed {
				view -= 150 * ms
			}
			s, info := it.At(now, view)
			jumped = jumped || info.Discontinuity && now > 0
			if want := map[bool]float32{false: 1, true: 4}[jumped]; s.Scale[0] != want {
				t.Fatalf("%v: a scale of %v at %v, want %v", k, s.Scale, now, want)
			}
		}
		if !jumped {
			t.Errorf("%v has not jumped", k)
		}
	}
}

// A starved body keeps its last scale, and the way to its true scale takes some frames.
func TestScaleOfAStarvedBody(t *testing.T) {
	it := New(Default, Config{Interval: 50 * ms})
	push := func(at time.Duration) { it.Push(at, scaled(at, mgl32.Vec3{1 + seconds(at), 1, 1})) }
	last := float32(1)
	for now := time.Duration(0); now < 2*time.Second; now += 10 * ms {
		if now%(50*ms) == 0 && (now <= time.Second || now >= 1500*ms) {
			push(now)
		}
		s, info := it.At(now, now-100*ms)
		if held := info.Starved && now < 1500*ms; held && s.Scale[0] != 2 {
			t.Fatalf("at %v it has a scale of %v, want that of its last sample", now, s.Scale[0])
		}
		if step := s.Scale[0] - last; step < -1e-6 || step > 0.06 {
			t.Fatalf("at %v the scale goes from %v to %v", now, last, s.Scale[0])
		}
		last = s.Scale[0]
	}
	if last < 2.85 {
		t.Errorf("the scale is %v at the end, want about 2.9", last)
	}
}

// A body that has rested for a minute begins to grow when its next sample says so, and not before.
func TestScaleRestsBeforeItChanges(t *testing.T) {
	it := New(Default, Config{Interval: 50 * ms})
	s := scaled(0, mgl32.Vec3{1, 1, 1})
	s.AtRest = true
	it.Push(0, s)
	it.Push(0, scaled(time.Minute, mgl32.Vec3{2, 2, 2}))
	for view, want := range map[time.Duration]float32{time.Minute - 51*ms: 1, time.Minute - 25*ms: 1.5, time.Minute: 2} {
		it := *it.(*buffered)
		if got, _ := it.At(view, view); math.Abs(float64(got.Scale[1]-want)) > 0.01 {
			t.Errorf("at %v the scale is %v, want %v", view, got.Scale[1], want)
		}
	}
}
