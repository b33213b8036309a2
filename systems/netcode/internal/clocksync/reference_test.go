package clocksync

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// pinged is a reference that pings a server over a link.
type pinged struct {
	virtualClock
	t         testing.TB
	up, down  *virtualPath
	interval  time.Duration
	ppm       float64       // of the client's clock
	lost      time.Duration // by the server's clock
	reference *Reference
	changes   []Change
	refused   int // duplicates and slow answers
	onSample  func()
}

func newPinged(t testing.TB, seed uint64) *pinged {
	p := &pinged{t: t, interval: 250 * ms, reference: NewReference()}
	p.up = newVirtualPath(&p.virtualClock, 2*seed, 100*ms, 10*ms, 0)
	p.down = newVirtualPath(&p.virtualClock, 2*seed+1, 100*ms, 10*ms, 0)
	return p
}

func (p *pinged) local(t time.Duration) time.Duration {
	return 9*time.Hour + t + time.Duration(float64(t)*p.ppm*1e-6)
}

func (p *pinged) server(t time.Duration) time.Duration { return t - p.lost }

// off returns the present error.
func (p *pinged) off() time.Duration {
	return p.reference.At(p.local(p.Now)) - p.server(p.Now)
}

func (p *pinged) start() {
	var next func()
	next = func() {
		p.After(p.interval, next)
		s := Sample{ClientSend: p.local(p.Now)}
		p.up.Send(func() {
			s := s
			s.ServerReceive = p.server(p.Now)
			p.After(2*ms, func() {
				s.ServerSend = p.server(p.Now)
				p.down.Send(func() {
					s := s
					s.ClientReceive = p.local(p.Now)
					change, err := p.reference.Add(s)
					if err != nil {
						p.refused++
					}
					if err != nil && err != ErrDuplicate && err != ErrSlow {
						p.t.Errorf("%+v: %v", s, err)
					}
					if change != (Change{}) {
						p.changes = append(p.changes, change)
					}
					if p.onSample != nil {
						p.onSample()
					}
				})
			})
		})
	}
	p.After(0, next)
}

func TestReferenceAccuracy(t *testing.T) {
	for _, test := range []struct {
		jitter time.Duration
		loss   float64
		ppm    float64
		worst  time.Duration // after ten seconds
		later  time.Duration // after a minute
	}{
		{0, 0, 0, 0, 0},
		{0, 0, 2000, 50 * time.Microsecond, time.Microsecond},
		{ms, 0, -500, 600 * time.Microsecond, 300 * time.Microsecond},
		{10 * ms, 0, 500, 6 * ms, 2500 * time.Microsecond},
		{10 * ms, 0, 2000, 6 * ms, 2500 * time.Microsecond},
		{10 * ms, 0, -2000, 6 * ms, 2500 * time.Microsecond},
		{10 * ms, 0.15, -2000, 8 * ms, 3500 * time.Microsecond},
		{50 * ms, 0, 0, 30 * ms, 15 * ms},
	} {
		var worst, later time.Duration
		for seed := uint64(1); seed <= 20; seed++ {
			p := newPinged(t, seed)
			p.up.Jitter, p.down.Jitter = test.jitter, test.jitter
			p.up.Loss, p.down.Loss = test.loss, test.loss
			p.ppm = test.ppm
			p.onSample = func() {
				off := p.off().Abs()
				if p.Now > 10*time.Second {
					worst = max(worst, off)
				}
				if p.Now > time.Minute {
					later = max(later, off)
				}
				if off > max(test.worst, time.Microsecond) && p.Now > 10*time.Second {
					t.Fatalf("%+v, seed %d: off by %v at %v", test, seed, p.off(), p.Now)
				}
			}
			p.start()
			p.Run(100 * time.Second)
			if len(p.changes) != 0 {
				t.Errorf("%+v, seed %d: changes where there are none: %v", test, seed, p.changes)
			}
			if want := -test.ppm * 1e-6; test.jitter <= 10*ms && math.Abs(p.reference.Drift()-want) > 150e-6 {
				t.Errorf("%+v, seed %d: a drift of %v, want %v", test, seed, p.reference.Drift(), want)
			}
		}
		t.Logf("jitter %v, loss %v, %+v ppm: worst %v after 10 s, %v after a minute", test.jitter, test.loss, test.ppm, worst, later)
		if later > max(test.later, time.Microsecond) {
			t.Errorf("%+v: off by %v after a minute", test, later)
		}
	}
}

// Queues lengthen one direction from time to time and never shorten it. The minimum filter has to
// remove their effect.
func TestReferenceSeesThroughQueues(t *testing.T) {
	var worst time.Duration
	for seed := uint64(1); seed <= 20; seed++ {
		p := newPinged(t, seed)
		p.up.Delay, p.up.Jitter, p.down.Jitter = 30*ms, ms, ms
		rng := rand.New(rand.NewPCG(seed, 5))
		p.Every(0, 100*ms, func() { p.down.Delay = 30*ms + time.Duration(rng.ExpFloat64()*float64(40*ms)) })
		p.onSample = func() {
			if p.Now > 20*time.Second {
				worst = max(worst, p.off().Abs())
			}
		}
		p.start()
		p.Run(3 * time.Minute)
	}
	t.Logf("a queue of 40 ms (exponential) in one direction puts the reference off by %v", worst)
	if worst > 15*ms {
		t.Errorf("off by %v, want at most 15 ms; the plain mean is off by 20 and more", worst)
	}
}

// A route change does not change the true offset. The reference neither steps nor follows the new
// path's error at once.
func TestReferenceRunsOnThroughRouteChanges(t *testing.T) {
	for _, test := range []struct{ up, down time.Duration }{
		{100 * ms, 100 * ms}, {100 * ms, 0}, {0, 100 * ms}, {50 * ms, 0},
		{-100 * ms, -100 * ms}, {-100 * ms, 0}, {0, -100 * ms}, {0, -50 * ms},
	} {
		for _, loss := range []float64{0, 0.15} {
			var worst, step time.Duration
			for seed := uint64(1); seed <= 20; seed++ {
				p := newPinged(t, seed)
				p.up.Delay, p.down.Delay = 150*ms, 150*ms
				p.up.Loss, p.down.Loss = loss, loss
				p.start()
				p.Run(60 * time.Second)
				before := p.off()
				p.onSample = func() {
					worst = max(worst, p.off().Abs())
					step = max(step, (p.off() - before).Abs())
					before = p.off()
				}
				p.up.Delay += test.up
				p.down.Delay += test.down
				p.Run(80 * time.Second)
				if len(p.changes) != 1 || p.changes[0].RTT == 0 || p.changes[0].Step != 0 {
					t.Errorf("%+v, loss %v, seed %d: %v, want one change of route", test, loss, seed, p.changes)
				} else if off := p.changes[0].RTT - test.up - test.down; off.Abs() > 30*ms {
					t.Errorf("%+v, loss %v, seed %d: the round trip changed by %v", test, loss, seed, p.changes[0].RTT)
				}
				if got, want := p.reference.MinRTT(), 300*ms+test.up+test.down; (got - want).Abs() > 28*ms {
					t.Errorf("%+v, loss %v, seed %d: the quickest round trip is %v, want about %v", test, loss, seed, got, want)
				}
			}
			t.Logf("%+v, loss %v: worst %v in 20 s, steps up to %v", test, loss, worst, step)
			// 20 s of bleeding are 10 ms; the noise of two estimates is another 5.
			if worst > 15*ms || step > 3*ms {
				t.Errorf("%+v, loss %v: off by %v, steps of %v; want 15 ms and 3 ms at most", test, loss, worst, step)
			}
		}
	}
}

// A route that changes every few seconds, each way independently, looks like clocks that step, and
// its changes look like jitter. Half of the difference of the two ways, 65 ms here, cannot be found
// by any exchange. The errors must not add up to more than twice that.
func TestReferenceSurvivesFlappingRoutes(t *testing.T) {
	var worst, step time.Duration
	for seed := uint64(1); seed <= 20; seed++ {
		p := newPinged(t, seed)
		rng := rand.New(rand.NewPCG(seed, 9))
		p.Every(15*time.Second, 15*time.Second, func() {
			p.up.Delay = 20*ms + time.Duration(rng.Int64N(int64(130*ms)))
			p.down.Delay = 20*ms + time.Duration(rng.Int64N(int64(130*ms)))
		})
		var last time.Duration
		p.onSample = func() {
			if p.Now > 5*time.Second {
				worst, step = max(worst, p.off().Abs()), max(step, (p.off()-last).Abs())
			}
			last = p.off()
		}
		p.start()
		p.Run(5 * time.Minute)
	}
	t.Logf("off by %v at most, steps of up to %v", worst, step)
	if worst > 130*ms || step > 130*ms {
		t.Errorf("off by %v, steps of %v; want at most 130 ms", worst, step)
	}
}

// In the end the reference follows the new path, which it assumes to be symmetric.
func TestReferenceBleedsToTheNewPath(t *testing.T) {
	p := newPinged(t, 1)
	p.start()
	p.Run(60 * time.Second)
	p.down.Delay += 100 * ms
	p.Run(260 * time.Second)
	if off := p.off() + 50*ms; off.Abs() > 5*ms {
		t.Errorf("off by %v after 200 s, want -50 ms: half of what the way down gained", p.off())
	}
}

// Changes too small to be recognised are absorbed by the window.
func TestReferenceAbsorbsSmallChanges(t *testing.T) {
	for _, by := range []time.Duration{4 * ms, -4 * ms} {
		p := newPinged(t, 3)
		p.up.Jitter, p.down.Jitter = ms, ms
		p.start()
		p.Run(60 * time.Second)
		p.up.Delay += by
		p.down.Delay += by
		p.Run(200 * time.Second)
		if off := p.off().Abs(); off > ms {
			t.Errorf("%v both ways: off by %v", by, off)
		}
	}
}

// Conformance case 30, first half: a server that loses time has a clock that steps back.
func TestReferenceFollowsASteppingClock(t *testing.T) {
	for _, lost := range []time.Duration{2 * time.Second, -2 * time.Second, 60 * time.Second, 250 * ms, time.Hour} {
		var slowest time.Duration
		for seed := uint64(1); seed <= 20; seed++ {
			p := newPinged(t, seed)
			p.start()
			p.Run(30 * time.Second)
			p.lost = lost
			var found time.Duration
			p.onSample = func() {
				if found == 0 && p.off().Abs() < 12*ms {
					found = p.Now - 30*time.Second
				}
				if found != 0 && p.off().Abs() > 15*ms {
					t.Errorf("lost %v, seed %d: off by %v at %v", lost, seed, p.off(), p.Now)
				}
			}
			p.Run(60 * time.Second)
			if len(p.changes) != 1 || p.changes[0].RTT != 0 || (p.changes[0].Step+lost).Abs() > 20*ms {
				t.Errorf("lost %v, seed %d: %v", lost, seed, p.changes)
			}
			slowest = max(slowest, found)
		}
		t.Logf("a step of %v is followed within %v", -lost, slowest)
		if slowest == 0 || slowest > 1300*ms {
			t.Errorf("a step of %v was followed within %v, want 1.3 s at most", -lost, slowest)
		}
	}
}

// A server that was paused answers many pings at once, all of them late. That is a stall and not a
// route change.
func TestReferenceTakesAStallForNoRoute(t *testing.T) {
	p := newPinged(t, 5)
	p.start()
	p.Run(30 * time.Second)
	p.up.Held = true
	p.Run(33 * time.Second)
	p.up.Release()
	p.Run(60 * time.Second)
	if len(p.changes) != 0 {
		t.Errorf("a stall of 3 s: %v", p.changes)
	}
	if off := p.off().Abs(); off > 5*ms {
		t.Errorf("off by %v", off)
	}
}

// Without answers the reference continues by extrapolation. After two minutes it has dropped all
// samples and kept only the drift.
func TestReferenceRunsOnWithoutSamples(t *testing.T) {
	p := newPinged(t, 6)
	p.up.Jitter, p.down.Jitter = ms, ms
	p.ppm = 1000
	p.start()
	p.Run(60 * time.Second)
	p.up.Loss = 1
	p.Run(180 * time.Second)
	if off := p.off().Abs(); off > 5*ms {
		t.Errorf("off by %v after two minutes without answers at 1000 ppm", off)
	}
	p.up.Loss = 0
	p.Run(181 * time.Second)
	if off := p.off().Abs(); off > 3*ms || len(p.changes) != 0 {
		t.Errorf("off by %v a second after the answers came back, changes %v", off, p.changes)
	}
	if math.Abs(p.reference.Drift()+0.001) > 100e-6 {
		t.Errorf("a drift of %v, want -0.001", p.reference.Drift())
	}
}
