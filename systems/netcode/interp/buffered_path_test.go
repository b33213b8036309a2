package interp

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/internal/coretest"
)

// An outage longer than ResumeAfter ends with a jump, and so does one that leaves a body more than
// 2 m off. Any other outage ends with a glide, of which more than half is over within 0.4 s.
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

// The body is not drawn for ten seconds (a tab in the background), while more samples arrive than
// are kept. Afterwards it must be at its place at once.
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

// After a jump of the view, caused by the clock, the body glides too, but not far.
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

// The pose drawn at a view does not depend on the number of earlier calls.
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
			d := coretest.AngleBetween(coretest.Quat64(a.Rotation), coretest.Quat64(s.Rotation))
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

func TestResetClears(t *testing.T) {
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
		s := at(0) // older than all earlier samples
		s.Position[0] = 7
		it.Push(time.Second, s)
		st, info := it.At(time.Second, 0)
		if st.Position[0] != 7 || !info.Discontinuity {
			t.Errorf("%v after Reset and a sample: %v, %+v", k, st.Position, info)
		}
	}
}
