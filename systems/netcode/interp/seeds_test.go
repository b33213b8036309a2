package interp

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"
)

var mgl64Ident = mgl64.QuatIdent()

// The article's buffer has eight slots and holds seven points, 198 ms at one per 33 ms, and looks
// back by 200: it must fail. Fed the same, the mended buffer never clamps.
func TestSeedRingIsTooSmall(t *testing.T) {
	clamped := func(k Kind, jitter time.Duration) (share, off float64) {
		random := rand.New(rand.NewPCG(5, 5))
		it := New(k, Config{})
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
		if share, _ := clamped(Linear, tt.jitter); share != 0 {
			t.Errorf("jitter %v: the mended buffer is off in %.1f %% of the frames", tt.jitter, 100*share)
		}
	}
}

// Repeated and reordered samples, which the article's transport never delivers, spoil its buffer;
// here they are the reason for the mended one.
func TestSeedRingTakesThingsAsTheyCome(t *testing.T) {
	most := func(k Kind) float64 {
		it := New(k, Config{})
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
	if d := most(Linear); d > 1e-4 {
		t.Errorf("the mended buffer is %v off", d)
	}
	if d := most(SeedLinear); d < 0.2 {
		t.Errorf("the seed's buffer is only %v off with samples out of order", d)
	}
}

func TestSeedRingSmearsTeleports(t *testing.T) {
	it := New(SeedLinear, Config{})
	a, b := at(0), at(100*ms)
	b.Position[0], b.Discontinuity = 50, 1
	it.Push(0, a)
	it.Push(0, b)
	if s, _ := it.At(0, 50*ms); s.Position[0] != 25 {
		t.Errorf("half way through a wall: %v, want 25", s.Position[0])
	}
}

// As written the chase steps over its target and back for ever; bounded it arrives.
func TestChase(t *testing.T) {
	settle := func(k Kind) (from, to float32) {
		it := New(k, Config{Speed: 6})
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
	if from, to := settle(Chase); from != 0.25 || to != 0.25 {
		t.Errorf("the bounded chase is at %v to %v, want exactly 0.25", from, to)
	}
	if from, to := settle(SeedChase); to-from < 0.05 {
		t.Errorf("the chase as written swings by %v m around its target, want a step of 0.1", to-from)
	}

	// A speed that is configured too low makes the written one fall behind without bound.
	behind := func(k Kind, after time.Duration) float64 {
		it := New(k, Config{Speed: 5})
		var off float64
		for now := time.Duration(0); now < after; now += step {
			if now%(2*step) == 0 {
				it.Push(now, path(straight).sample(now))
			}
			s, _ := it.At(now, now)
			off = 6*now.Seconds() - float64(s.Position[0])
		}
		return off
	}
	if d := behind(SeedChase, 60*time.Second); math.Abs(d-60) > 2 {
		t.Errorf("as written %v m behind after a minute at 5 instead of 6 m/s, want 60", d)
	}
	if d := behind(Chase, 60*time.Second); d > 1 {
		t.Errorf("bounded %v m behind after a minute", d)
	}
}

func TestChaseJumpsWhenItIsTooFar(t *testing.T) {
	it := New(Chase, Config{Speed: 6})
	s := at(0)
	it.Push(0, s)
	it.At(0, 0)
	s.Time, s.Position[0] = time.Second, 500
	it.Push(0, s)
	st, info := it.At(step, 0)
	if st.Position[0] != 500 || !info.Discontinuity {
		t.Errorf("500 m away: at %v, jump %v", st.Position[0], info.Discontinuity)
	}
}

// Commands that reach the server zero, one or two to a tick make the samples stutter; over three
// updates the speed is even.
func TestEventBufferEvensOutCommands(t *testing.T) {
	roughness := func(k Kind) float64 {
		it := New(k, Config{Interval: 50 * ms})
		var last, before float32
		var sum float64
		n := 0
		for i := range 200 {
			s := at(time.Duration(i) * 50 * ms)
			s.Position[0] = float32((i+i%2)/2*2) * 0.3 // two commands in one tick, none in the next
			it.Push(s.Time, s)
			for f := range 3 {
				now := s.Time + time.Duration(f)*50*ms/3
				st, _ := it.At(now, now-150*ms)
				if i > 10 {
					d := float64(st.Position[0] - 2*last + before)
					sum += d * d
					n++
				}
				before, last = last, st.Position[0]
			}
		}
		return math.Sqrt(sum / float64(n))
	}
	if e, l := roughness(EventBuffer), roughness(Linear); e > l/2 {
		t.Errorf("roughness %.4f with events, %.4f with the plain buffer: want less than half", e, l)
	}
}

// 20 updates are kept, as in the article.
func TestEventBufferIsBounded(t *testing.T) {
	e := New(EventBuffer, Config{}).(*events)
	for i := range 100 {
		s := at(time.Duration(i) * 33 * ms)
		s.Position = mgl32.Vec3{float32(i), 0, 0}
		e.Push(0, s)
	}
	if e.buf.Len() != 20 || e.buf.At(0).Position[0] != 80 {
		t.Errorf("keeps %d from %v on, want 20 from 80 on", e.buf.Len(), e.buf.At(0).Position[0])
	}
}
