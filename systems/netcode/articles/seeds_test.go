package articles

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/systems/netcode/interp"
)

// The article's buffer has eight slots and holds seven points, 198 ms at one per 33 ms, but is read
// 200 ms back, so it must fail. With the same samples, the corrected buffer never clamps.
func TestSeedRingIsTooSmall(t *testing.T) {
	clamped := func(k interp.Kind, jitter time.Duration) (share, off float64) {
		random := rand.New(rand.NewPCG(5, 5))
		it := New(k, interp.Config{})
		frames, bad := 0, 0
		next := time.Duration(0)
		type packet struct{ at, stamp time.Duration }
		var flying []packet
		for now := time.Duration(0); now < 120*time.Second; now += step {
			for ; next <= now+jitter; next += 33 * ms {
				flying = append(flying, packet{next + time.Duration((2*random.Float64()-1)*float64(jitter)), next})
			}
			slices.SortFunc(flying, func(a, b packet) int { return cmp.Compare(a.at, b.at) })
			for len(flying) > 0 && flying[0].at <= now {
				s := at(flying[0].stamp)
				s.Position[0] = 6 * seconds(s.Time)
				it.Push(now, s)
				flying = flying[1:]
			}
			view := now - 200*ms
			st, _ := it.At(now, view)
			if now < time.Second {
				continue
			}
			frames++
			if d := math.Abs(float64(st.Position[0]) - 6*view.Seconds()); d > 1e-3 {
				bad++
				off = max(off, d)
			}
		}
		return float64(bad) / float64(frames), off
	}
	for _, tt := range []struct {
		jitter        time.Duration
		from, to, off float64
	}{{0, 0.03, 0.10, 0.01}, {20 * ms, 0.10, 0.30, 0.10}, {50 * ms, 0.15, 0.40, 0.20}} {
		share, off := clamped(SeedLinear, tt.jitter)
		if share < tt.from || share > tt.to || off < tt.off {
			t.Errorf("jitter %v: clamped in %.1f %% of the frames by up to %.2f m, want %.0f to %.0f %%", tt.jitter, 100*share, off, 100*tt.from, 100*tt.to)
		}
		if share, _ := clamped(interp.Linear, tt.jitter); share != 0 {
			t.Errorf("jitter %v: the mended buffer is off in %.1f %% of the frames", tt.jitter, 100*share)
		}
	}
}

// Repeated and reordered samples break the article's buffer. The article's transport never delivers
// them, but here they are the reason for the corrected buffer.
func TestSeedRingKeepsTheArrivalOrder(t *testing.T) {
	most := func(k interp.Kind) float64 {
		it := New(k, interp.Config{})
		for _, i := range []int{0, 1, 3, 2, 4, 6, 5} {
			s := at(time.Duration(i) * 33 * ms)
			s.Position[0] = float32(i * i)
			it.Push(0, s)
		}
		var off float64
		for view := 33 * ms; view < 165*ms; view += ms {
			s, _ := it.At(0, view)
			i, f := math.Modf(view.Seconds() / 0.033)
			off = max(off, math.Abs(float64(s.Position[0])-(i*i+f*(2*i+1))))
		}
		return off
	}
	if d := most(interp.Linear); d > 1e-4 {
		t.Errorf("the mended buffer is %v off", d)
	}
	if d := most(SeedLinear); d < 0.2 {
		t.Errorf("the seed's buffer is only %v off with samples out of order", d)
	}
}

func TestSeedRingSmearsTeleports(t *testing.T) {
	it := New(SeedLinear, interp.Config{})
	a, b := at(0), at(100*ms)
	b.Position[0], b.Discontinuity = 50, 1
	it.Push(0, a)
	it.Push(0, b)
	if s, _ := it.At(0, 50*ms); s.Position[0] != 25 {
		t.Errorf("half way through a wall: %v, want 25", s.Position[0])
	}
}

// The chase as printed steps over its target and back forever. The bounded one reaches it.
func TestChase(t *testing.T) {
	settle := func(k interp.Kind) (from, to float32) {
		it := New(k, interp.Config{Speed: 6})
		s := at(0)
		it.Push(0, s)
		it.At(0, 0)
		s.Time, s.Position[0] = 33*ms, 0.25
		it.Push(0, s)
		from, to = 1e9, -1e9
		for i := range 300 {
			st, _ := it.At(time.Duration(i)*step, 0)
			if i > 60 {
				from, to = min(from, st.Position[0]), max(to, st.Position[0])
			}
		}
		return from, to
	}
	if from, to := settle(interp.Chase); from != 0.25 || to != 0.25 {
		t.Errorf("the bounded chase is at %v to %v, want exactly 0.25", from, to)
	}
	if from, to := settle(SeedChase); to-from < 0.05 {
		t.Errorf("the chase as written swings by %v m around its target, want a step of 0.1", to-from)
	}

	// With a configured speed that is too low, the printed chase falls behind without bound.
	behind := func(k interp.Kind, after time.Duration) float64 {
		it := New(k, interp.Config{Speed: 5})
		var off float64
		for now := time.Duration(0); now < after; now += step {
			if now%(2*step) == 0 {
				it.Push(now, straight(now))
			}
			s, _ := it.At(now, now)
			off = 6*now.Seconds() - float64(s.Position[0])
		}
		return off
	}
	if d := behind(SeedChase, 60*time.Second); math.Abs(d-60) > 2 {
		t.Errorf("as written %v m behind after a minute at 5 instead of 6 m/s, want 60", d)
	}
	if d := behind(interp.Chase, 60*time.Second); d > 1 {
		t.Errorf("bounded %v m behind after a minute", d)
	}
}

// A body at constant velocity is predicted exactly.
func TestSeedRacerIsExactForSteadyMotion(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 3))
	it := New(SeedRacer, interp.Config{})
	type packet struct {
		at time.Duration
		s  interp.Sample
	}
	var flying []packet
	sent := time.Duration(0)
	for now := time.Duration(0); now < 20*time.Second; now += step {
		for ; sent <= now; sent += 2 * step {
			if random.Float64() >= 0.15 {
				flying = append(flying, packet{sent + 90*ms + time.Duration(random.Float64()*20e6), straight(sent)})
			}
		}
		flying = slices.DeleteFunc(flying, func(p packet) bool {
			if p.at <= now {
				it.Push(p.at, p.s)
			}
			return p.at <= now
		})
		s, info := it.At(now, now)
		if now <= time.Second {
			continue
		}
		if d := math.Abs(float64(s.Position[0]) - 6*now.Seconds()); d > 1e-3 {
			t.Fatalf("%v m off at %v", d, now)
		}
		if info.Extrapolated < 80*ms || info.Time != now {
			t.Fatalf("%+v", info)
		}
	}
}

// The blend restarts from the packets' paths and not from the picture, so packets make the picture
// jump.
func TestSeedRacerJumps(t *testing.T) {
	// With packets of 30 Hz and a blend of 100 ms as in the article's 10 Hz example, no blend is
	// ever complete.
	it := New(SeedRacer, interp.Config{Interval: 100 * ms})
	var most, last float32
	for now := time.Duration(0); now < 5*time.Second; now += step {
		if now%(2*step) == 0 {
			it.Push(now, circle(now-100*ms))
		}
		s, _ := it.At(now, now)
		if now > time.Second {
			most = max(most, s.Position.Sub(mgl32.Vec3{}).Len()-20, last)
		}
	}
	if most < 0.05 {
		t.Errorf("the negative control stays within %.3f m of the circle: this test could not fail", most)
	}
}

func TestSeedRacerRunsAwayWithoutLimit(t *testing.T) {
	// The negative control runs away without limit.
	it := New(SeedRacer, interp.Config{})
	s := at(0)
	s.Velocity, s.Has = mgl32.Vec3{6, 0, 0}, interp.HasVelocity
	it.Push(0, s)
	st, _ := it.At(10*time.Second, 10*time.Second)
	if st.Position[0] != 60 {
		t.Errorf("the seed's Racer is at %v m after 10 s without a packet, want 60", st.Position[0])
	}
}

// The page: "use unclamped lerp from prev->last since we want prediction". With lost packets the
// turn continues at t > 1 and snaps back.
func TestSeedRacerRotationIsNotClamped(t *testing.T) {
	it := New(SeedRacer, interp.Config{Interval: 100 * ms})
	for i := range 2 {
		s := at(time.Duration(i) * 100 * ms)
		s.Rotation = mgl32.QuatRotate(mgl32.DegToRad(float32(10*i)), mgl32.Vec3{0, 1, 0})
		it.Push(s.Time, s)
		it.At(s.Time, s.Time)
	}
	var d float64
	for now := 100 * ms; now <= 600*ms; now += step {
		s, _ := it.At(now, now)
		d = max(d, 2*math.Acos(min(math.Abs(float64(s.Rotation.W)), 1))*180/math.Pi)
	}
	if math.Abs(d-50) > 2 {
		t.Errorf("as written, 10 degrees per packet become %.1f after four lost packets, want about 50", d)
	}
}
