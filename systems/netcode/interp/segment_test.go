package interp

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	"pgregory.net/rapid"
)

// path is a body's exact position and velocity at a time in seconds.
type path func(t float64) (p, v [3]float64)

func (m path) sample(t time.Duration) Sample {
	p, v := m(t.Seconds())
	return Sample{
		Time: t, Rotation: mgl32.QuatIdent(), Has: HasVelocity,
		Position: mgl32.Vec3{float32(p[0]), float32(p[1]), float32(p[2])},
		Velocity: mgl32.Vec3{float32(v[0]), float32(v[1]), float32(v[2])},
	}
}

func (m path) miss(t time.Duration, got mgl32.Vec3) float64 {
	p, _ := m(t.Seconds())
	return math.Hypot(math.Hypot(float64(got[0])-p[0], float64(got[1])-p[1]), float64(got[2])-p[2])
}

// worst draws the whole of a path, known from samples at the given interval, and returns the
// greatest error.
func worst(k Kind, m path, interval, from, to time.Duration) float64 {
	it := New(k, Config{Interval: interval})
	for t := from - 3*interval; t <= to+3*interval; t += interval {
		it.Push(0, m.sample(t))
	}
	var most float64
	for t := from; t <= to; t += time.Millisecond {
		s, _ := it.At(t, t)
		most = max(most, m.miss(t, s.Position))
	}
	return most
}

// flip turns round at the given time.
func flip(when, speed float64) path {
	return func(t float64) (p, v [3]float64) {
		if t < when {
			return [3]float64{speed * (t - when), 1, 2}, [3]float64{speed, 0, 0}
		}
		return [3]float64{-speed * (t - when), 1, 2}, [3]float64{-speed, 0, 0}
	}
}

// Between 10 Hz snapshots a runner turns round at 6 m/s, at any phase.
func TestFlipsAtRandomPhases(t *testing.T) {
	var most [kinds]float64
	for phase := 0; phase < 100; phase++ {
		m := flip(1+float64(phase)/1000, 6)
		for _, k := range []Kind{Default, Linear, GuardedHermite, Hermite} {
			most[k] = max(most[k], worst(k, m, 100*ms, 800*ms, 1300*ms))
		}
	}
	if most[Default] > 0.001 {
		t.Errorf("the default errs by %.4f m; the end tangents meet at the flip exactly", most[Default])
	}
	// These are the negative controls. The test is valid only if they fail the bound of 5 cm by the
	// calculated amount.
	for _, c := range []struct {
		kind     Kind
		expected float64
	}{{Linear, 0.30}, {GuardedHermite, 0.30}, {Hermite, 0.178}} {
		if math.Abs(most[c.kind]-c.expected) > 0.01 {
			t.Errorf("%v errs by %.3f m, want about %.3f", c.kind, most[c.kind], c.expected)
		}
	}
}

// A body that follows one constant acceleration (gravity, or none) and changes its velocity
// abruptly at one instant is drawn exactly, for any two velocities, any instant and any interval.
func TestKinksAreExact(t *testing.T) {
	component := rapid.Float64Range(-12, 12)
	rapid.Check(t, func(t *rapid.T) {
		var v0, dv, g [3]float64
		for i := range 3 {
			v0[i], dv[i] = component.Draw(t, "v0"), component.Draw(t, "dv")
		}
		if rapid.Bool().Draw(t, "gravity") {
			g[1] = -9.81
		}
		interval := time.Duration(rapid.IntRange(33, 200).Draw(t, "interval")) * ms
		when := 1 + rapid.Float64Range(0, interval.Seconds()).Draw(t, "when")
		m := path(func(t float64) (p, v [3]float64) {
			x := t - when
			for i := range 3 {
				v[i] = v0[i] + g[i]*x
				p[i] = v0[i]*x + g[i]/2*x*x
				if x > 0 {
					p[i] += dv[i] * x
					v[i] += dv[i]
				}
			}
			return p, v
		})
		// A change of velocity that is too small to differ from a smooth one, or from the effect of
		// gravity in an interval, may be drawn as a cubic. The change bounds the error of the
		// cubic.
		change := math.Hypot(math.Hypot(dv[0], dv[1]), dv[2])
		bound := 2e-3
		if fast := math.Hypot(math.Hypot(v0[0], v0[1]), v0[2]) + change + 2; change < 2*kink*fast || g[1] != 0 && change < 3*9.81*interval.Seconds() {
			bound += change * interval.Seconds() * 4 / 27
		}
		// If gravity turns the velocity round within an interval, the segment looks like one with a
		// kink in a neighbour. Such cases are left out.
		if h := interval.Seconds(); g[1] != 0 && math.Hypot(math.Hypot(v0[0], v0[1]), v0[2])-change < 4*9.81*h {
			bound += 9.81 * h * h / 8 * 1.1
		}
		second := time.Second
		if got := worst(Default, m, interval, second-interval, second+2*interval); got > bound {
			t.Fatalf("errs by %.4f m, bound %.4f", got, bound)
		}
	})
}

// Three turns are in three long gaps, as after heavy loss. The outer two are alike, but must not be
// used as the acceleration of the middle one.
func TestTurnsOnBothSidesAreNoAcceleration(t *testing.T) {
	m := path(func(t float64) (p, v [3]float64) {
		const period = 0.507
		n := math.Floor(t / period)
		in := t - n*period
		if int(n)%2 == 0 {
			return [3]float64{6 * in}, [3]float64{6}
		}
		return [3]float64{6 * (period - in)}, [3]float64{-6}
	})
	for phase := time.Duration(0); phase < time.Second; phase += 10 * ms {
		it := New(Default, Config{Interval: 100 * ms})
		for i := range 12 {
			it.Push(0, m.sample(time.Second+phase+time.Duration(i)*400*ms))
		}
		var last mgl32.Vec3
		for view := 2 * time.Second; view < 4*time.Second; view += ms {
			s, _ := it.At(view, view)
			if moved := s.Position.Sub(last).Len(); view > 2*time.Second && moved > 0.0085 {
				t.Fatalf("phase %v: %.1f m/s at %v, of a body at 6", phase, moved*1000, view)
			}
			last = s.Position
		}
	}
}

func TestSmoothPathsAreDrawnAsCubics(t *testing.T) {
	circle := func(t float64) (p, v [3]float64) {
		s, c := math.Sincos(t)
		return [3]float64{20 * c, 0, 20 * s}, [3]float64{-20 * s, 0, 20 * c}
	}
	fall := func(t float64) (p, v [3]float64) {
		return [3]float64{3 * t, 5*t - 4.905*t*t, 0}, [3]float64{3, 5 - 9.81*t, 0}
	}
	swing := func(t float64) (p, v [3]float64) {
		return [3]float64{2 * math.Sin(3*t)}, [3]float64{6 * math.Cos(3*t)}
	}
	tests := []struct {
		name           string
		path           path
		interval       time.Duration
		linear, smooth float64
	}{
		{"circle of 20 m at 20 m/s, 10 Hz", circle, 100 * ms, 0.025, 0.0001},
		{"the same with two of three lost", circle, 300 * ms, 0.225, 0.003},
		{"free fall, 10 Hz", fall, 100 * ms, 0.0123, 0.0001},
		{"swing, 10 Hz", swing, 100 * ms, 0.0225, 0.001},
		{"circle, 30 Hz", circle, 33 * ms, 0.0028, 0.0001},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := worst(Default, tt.path, tt.interval, time.Second, 3*time.Second); got > tt.smooth {
				t.Errorf("default errs by %.5f m, bound %.5f", got, tt.smooth)
			}
			if got := worst(Linear, tt.path, tt.interval, time.Second, 3*time.Second); got < 0.8*tt.linear || got > 1.05*tt.linear {
				t.Errorf("linear errs by %.5f m, want the sagitta %.5f", got, tt.linear)
			}
		})
	}
}

// Every delayed kind that draws segments is exact for constant velocity, with and without sent
// velocities, through lost and reordered samples.
func TestConstantVelocityIsExact(t *testing.T) {
	for _, k := range []Kind{Default, Linear, Hermite, GuardedHermite} {
		t.Run(k.String(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				v := mgl32.Vec3{rapid.Float32Range(-20, 20).Draw(t, "vx"), rapid.Float32Range(-20, 20).Draw(t, "vy"), 1}
				sent := rapid.Bool().Draw(t, "velocity sent")
				it := New(k, Config{})
				order := rapid.Permutation([]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}).Draw(t, "order")
				for _, i := range order {
					if i != 0 && i != 9 && rapid.IntRange(0, 3).Draw(t, "lost") == 0 {
						continue
					}
					s := at(time.Duration(i) * 33 * ms)
					s.Position = v.Mul(seconds(s.Time))
					if sent {
						s.Velocity, s.Has = v, HasVelocity
					}
					it.Push(0, s)
				}
				for view := time.Duration(0); view <= 9*33*ms; view += 3 * ms {
					s, info := it.At(view, view)
					if d := s.Position.Sub(v.Mul(seconds(view))).Len(); d > 1e-4 {
						t.Fatalf("at %v off by %v", view, d)
					}
					if info.Starved || s.Velocity.Sub(v).Len() > 1e-2 && view != 9*33*ms {
						t.Fatalf("at %v velocity %v, want %v; starved %v", view, s.Velocity, v, info.Starved)
					}
				}
			})
		})
	}
}

// A start from rest and a stop at rest are drawn correctly between snapshots that left the resting
// body out.
func TestRestIsLeftAndReachedWhenItWas(t *testing.T) {
	const starts, stops = 2.053, 3.021
	m := path(func(t float64) (p, v [3]float64) {
		switch {
		case t < starts:
			return
		case t < stops:
			return [3]float64{6 * (t - starts)}, [3]float64{6}
		}
		return [3]float64{6 * (stops - starts)}, [3]float64{}
	})
	for _, tt := range []struct {
		kind     Kind
		velocity bool
		bound    float64
	}{
		{Default, true, 1e-4},
		// without velocities the start can be at any time within the interval
		{Default, false, 6 * 0.06},
		{Linear, true, 6 * 0.06},
		{GuardedHermite, true, 6 * 0.06},
		{Hermite, true, 6 * 0.1},
		{EventBuffer, true, 6 * 0.1},
	} {
		t.Run(fmt.Sprintf("%v, velocity sent %v", tt.kind, tt.velocity), func(t *testing.T) {
			it := New(tt.kind, Config{Interval: 100 * ms})
			push := func(at time.Duration) {
				s := m.sample(at)
				s.AtRest = s.Velocity == mgl32.Vec3{}
				if !tt.velocity {
					s.Has = 0
				}
				it.Push(0, s)
			}
			push(0)
			for at := 2100 * ms; at <= 3100*ms; at += 100 * ms {
				push(at)
			}
			for view := time.Duration(0); view < 4*time.Second; view += ms {
				s, info := it.At(view, view)
				if d := m.miss(view, s.Position); d > tt.bound {
					t.Fatalf("at %v off by %v", view, d)
				}
				if view < 2*time.Second && (s.Position != mgl32.Vec3{} || s.Velocity != mgl32.Vec3{}) {
					t.Fatalf("at %v it creeps: %+v", view, s)
				}
				if info.Starved {
					t.Fatalf("at %v starved; silence of a body at rest is none", view)
				}
				if view >= 3300*ms && (!info.Settled || s.Position != m.sample(view).Position) {
					t.Fatalf("at %v not settled exactly: %v", view, s.Position)
				}
			}
		})
	}
}

// The path between two samples is continuous and stays near them, for any velocities.
func TestSegmentsAreContinuousAndBounded(t *testing.T) {
	v := rapid.Custom(func(t *rapid.T) mgl32.Vec3 {
		return mgl32.Vec3{rapid.Float32Range(-10, 10).Draw(t, "x"), rapid.Float32Range(-10, 10).Draw(t, "y"), rapid.Float32Range(-10, 10).Draw(t, "z")}
	})
	for _, k := range []Kind{Default, GuardedHermite, Linear} {
		t.Run(k.String(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				it := New(k, Config{})
				var prev mgl32.Vec3
				for i := range 5 {
					s := at(time.Duration(i) * 100 * ms)
					s.Position, s.Velocity, s.Has = prev, v.Draw(t, "velocity"), HasVelocity
					s.AtRest = rapid.IntRange(0, 5).Draw(t, "rest") == 0
					prev = prev.Add(v.Draw(t, "step").Mul(0.1))
					it.Push(0, s)
				}
				last, _ := it.At(0, 0)
				for view := ms; view <= 400*ms; view += ms {
					s, _ := it.At(view, view)
					if d := s.Position.Sub(last.Position).Len(); d > 0.1 {
						t.Fatalf("moved %v m in a millisecond at %v", d, view)
					}
					last = s
				}
			})
		})
	}
}
