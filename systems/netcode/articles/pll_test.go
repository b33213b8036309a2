package articles

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/clocksync"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

const ms = time.Millisecond

// virtualClock runs calls in the order of their times.
type virtualClock struct {
	Now   time.Duration
	calls []call
}

type call struct {
	at time.Duration
	do func()
}

func (v *virtualClock) At(t time.Duration, do func()) {
	i, _ := slices.BinarySearchFunc(v.calls, t+1, func(c call, t time.Duration) int { return cmp.Compare(c.at, t) })
	v.calls = slices.Insert(v.calls, i, call{t, do})
}

func (v *virtualClock) Every(start, interval time.Duration, do func()) {
	v.At(start, func() {
		v.Every(v.Now+interval, interval, do)
		do()
	})
}

func (v *virtualClock) Run(until time.Duration) {
	for len(v.calls) > 0 && v.calls[0].at <= until {
		next := v.calls[0]
		v.calls, v.Now = v.calls[1:], next.at
		next.do()
	}
	v.Now = until
}

// down is the way of the updates: their delay is uniform in Delay ± Jitter.
type down struct {
	Delay, Jitter   time.Duration
	Loss            float64
	Ordered         bool // no update overtakes an older one
	Held            bool // updates wait for release
	waiting         []func()
	last            time.Duration
	jitters, losses *rand.Rand
}

func (a *arrivals) send(deliver func()) {
	d := &a.down
	if d.losses.Float64() < d.Loss {
		return
	}
	at := a.Now + d.Delay + time.Duration((2*d.jitters.Float64()-1)*float64(d.Jitter))
	if d.Ordered {
		at = max(at, d.last)
		d.last = at
	}
	a.At(at, func() {
		if d.Held {
			d.waiting = append(d.waiting, deliver)
			return
		}
		deliver()
	})
}

// release ends Held: all waiting updates arrive at once.
func (a *arrivals) release() {
	a.down.Held = false
	for _, deliver := range a.down.waiting {
		deliver()
	}
}

// arrivals runs a client that uses a server's regular updates alone, as in Multiplayer Platformer
// Log #5.
type arrivals struct {
	virtualClock
	down     down
	interval time.Duration
	ppm      float64 // of the client's clock

	pll    *PLL
	mended *TickPLL
	newest time.Duration // the seed's label of the newest state
	oldest time.Duration
	sent   int // updates sent by the server

	frames, starved int
	onFrame         func()
	onUpdate        func()
}

func newArrivals(t *testing.T, seed uint64) *arrivals {
	a := &arrivals{interval: 100 * ms}
	a.down = down{Delay: 100 * ms, Jitter: 10 * ms, jitters: rand.New(rand.NewPCG(seed, 1)), losses: rand.New(rand.NewPCG(seed, 2))}
	var err error
	if a.mended, err = NewTickPLL(60); err != nil {
		t.Fatal(err)
	}
	return a
}

func (a *arrivals) local(t time.Duration) time.Duration {
	return 5*time.Hour + t + time.Duration(float64(t)*a.ppm*1e-6)
}

func (a *arrivals) start() {
	a.Every(0, a.interval, func() {
		n := a.sent
		a.sent++
		a.send(func() { a.arrive(n) })
	})
	a.Every(time.Second/120, time.Second/60, func() {
		if a.pll == nil {
			return
		}
		a.frames++
		if render := a.pll.TimeSinceStart(a.local(a.Now)) - 200*ms; render > a.newest || render < a.oldest {
			a.starved++
		}
		if a.onFrame != nil {
			a.onFrame()
		}
	})
}

// arrive is the client's half. The article's loop counts updates, and the corrected one reads the
// tick.
func (a *arrivals) arrive(n int) {
	now := a.local(a.Now)
	if a.pll == nil {
		a.pll = NewPLL(now)
	} else {
		a.pll.OnServerUpdate(now)
	}
	a.newest = a.pll.ServerDelta(0)
	if a.onUpdate != nil {
		a.onUpdate()
	}
	a.mended.Update(now, tick.Tick(1000+6*n)) // 100 ms are 6 ticks
}

// phase returns how late a state is drawn after the stamp that the seed gives it, less the value at
// the beginning. It should stay 0.
func (a *arrivals) phase() time.Duration {
	return a.pll.TimeSinceStart(a.local(a.Now)) - a.Now
}

// mendedError returns the error of the corrected loop relative to the server's time less a delay.
func (a *arrivals) mendedError(delay time.Duration) time.Duration {
	grid := clocksync.Grid{}
	return a.mended.Now(a.local(a.Now)) - (grid.Edge(1000) + a.Now - delay)
}

// Conformance case 5, negative control: a loop that counts updates instead of reading their ticks
// fails after a single lost packet.
func TestPLLStarvesOnLostPackets(t *testing.T) {
	for _, test := range []struct {
		loss float64
		want float64 // least share of starved frames
	}{{0.01, 0.70}, {0.15, 0.95}} {
		least, sum := 1.0, 0.0
		for seed := uint64(1); seed <= 20; seed++ {
			a := newArrivals(t, seed)
			a.down.Loss = test.loss
			a.start()
			a.Run(120 * time.Second)
			share := float64(a.starved) / float64(a.frames)
			least, sum = min(least, share), sum+share/20
			if e := a.mendedError(100 * ms).Abs(); e > 10*ms {
				t.Errorf("seed %d, %v %% loss: the mended loop is off by %v", seed, test.loss*100, e)
			}
		}
		t.Logf("%v %% loss: %.1f %% of the frames starve on the average, %.1f %% at least", test.loss*100, sum*100, least*100)
		if sum < test.want {
			t.Errorf("%v %% loss: only %.1f %% starve; the article's loop is expected to fail here", test.loss*100, sum*100)
		}
	}
}

func TestPLLWithoutLossIsFine(t *testing.T) {
	a := newArrivals(t, 1)
	a.start()
	a.Run(120 * time.Second)
	if share := float64(a.starved) / float64(a.frames); share > 0.01 {
		t.Errorf("%.1f %% of the frames starve on a perfect stream", share*100)
	}
}

// Conformance case 13, negative control: the loop changes by at most 0.1 ms per update.
func TestPLLNeedsMinutesForARouteChange(t *testing.T) {
	for _, test := range []struct {
		step        time.Duration
		least, most time.Duration // until the residual stays below 10 ms
	}{
		{100 * ms, 85 * time.Second, 95 * time.Second},
		{300 * ms, 285 * time.Second, 295 * time.Second},
	} {
		a := newArrivals(t, 1)
		a.down.Jitter = 0
		a.start()
		a.Run(30 * time.Second)
		begin, settled, mended := a.Now, time.Duration(0), time.Duration(0)
		before := a.phase()
		a.onFrame = func() {
			if (a.phase() - before + test.step).Abs() > 10*ms {
				settled = a.Now - begin
			}
			if a.mendedError(100*ms+test.step).Abs() > 10*ms {
				mended = a.Now - begin
			}
		}
		a.down.Delay += test.step
		a.Run(begin + 350*time.Second)
		t.Logf("%+v: the article's loop needs %v, the mended one %v", test.step, settled, mended)
		if settled < test.least || settled > test.most {
			t.Errorf("%v: absorbed within %v, want %v to %v", test.step, settled, test.least, test.most)
		}
		// 5 % are 20 ms of time per ms of error, and the last 25 ms decay exponentially.
		if limit := 20*test.step + 500*ms; mended > limit {
			t.Errorf("%v: the mended loop needs %v, want at most %v", test.step, mended, limit)
		}
	}
}

// The article names this case itself: a client that lags at the arrival of the first update.
func TestPLLKeepsALateStart(t *testing.T) {
	a := newArrivals(t, 1)
	a.down.Jitter, a.down.Ordered = 0, true // a stream, as in the article
	a.down.Delay += 300 * ms
	a.At(50*ms, func() { a.down.Delay -= 300 * ms })
	a.start()
	a.Run(120 * time.Second)
	// Its time began with the first update, 400 ms after the server's. The other updates arrive
	// after 100 ms.
	late := -a.phase() - 100*ms
	t.Logf("300 ms late at first: the article's loop is %v late after 120 s, the mended one %v", late, -a.mendedError(100*ms))
	if late < 150*ms || late > 200*ms {
		t.Errorf("still %v late after 120 s, want about 180 ms", late)
	}
	if e := a.mendedError(100 * ms).Abs(); e > ms {
		t.Errorf("the mended loop is off by %v", e)
	}
}

// Conformance cases 11 and 12, negative control: the article's loop can follow at most 1000 ppm.
func TestPLLLosesDriftingClocks(t *testing.T) {
	for _, test := range []struct {
		ppm         float64
		least, most time.Duration // of the error after 120 s
	}{
		{500, 400 * time.Microsecond, 600 * time.Microsecond},
		{-500, 400 * time.Microsecond, 600 * time.Microsecond},
		{2000, 115 * ms, 125 * ms},
		{-2000, 115 * ms, 125 * ms},
	} {
		a := newArrivals(t, 1)
		a.down.Jitter = 0
		a.ppm = test.ppm
		a.start()
		a.Run(120 * time.Second)
		off := (a.phase() + 100*ms).Abs()
		t.Logf("%+v ppm: %v off after 120 s, the mended loop %v", test.ppm, off, a.mendedError(100*ms))
		if off < test.least || off > test.most {
			t.Errorf("%v ppm: %v off after 120 s, want %v to %v", test.ppm, off, test.least, test.most)
		}
		if e := a.mendedError(100 * ms).Abs(); e > 500*time.Microsecond {
			t.Errorf("%v ppm: the mended loop is off by %v", test.ppm, e)
		}
	}
}

// After a stall of 2 s and the burst that follows it the article's integrator holds the output at
// its limit for ten seconds.
func TestPLLWindsUp(t *testing.T) {
	a := newArrivals(t, 1)
	a.down.Jitter = 0
	a.start()
	a.Run(30 * time.Second)
	lowest, saturated := 0.0, 0
	a.onUpdate = func() {
		lowest = min(lowest, a.pll.Integrator())
		if math.Abs(a.pll.Integrator()) > 10 {
			saturated++
		}
	}
	a.down.Held = true
	a.Run(32 * time.Second)
	a.release()
	a.Run(32*time.Second + 300*ms)
	if e := a.mendedError(100 * ms).Abs(); e > ms {
		t.Errorf("the mended loop is off by %v after the burst", e)
	}
	a.Run(60 * time.Second)
	t.Logf("the integrator reaches %.0f; the output is at its limit for %d updates", lowest, saturated)
	if lowest > -8500 || lowest < -9300 || saturated < 90 || saturated > 130 {
		t.Errorf("integrator %.0f, at the limit for %d updates; want about -8900 and 103 to 123", lowest, saturated)
	}
}

// Conformance case 28, negative control: all steps of a minute in the background run in one frame,
// and a step of 33 ms is not a thirtieth of a second.
func TestPLLReplaysEveryMissedStep(t *testing.T) {
	p := NewPLL(0)
	steps := 0
	for p.MoveSimulation(60 * time.Second) {
		steps++
	}
	if steps != 1818 {
		t.Errorf("%d steps in one frame after 60 s, want 1818", steps)
	}
}

func TestPLLRestartKeepsItsConstants(t *testing.T) {
	p := NewPLL(0)
	p.ServerStep, p.Step = 1000.0/30, 1000.0/60
	p.OnServerUpdate(5 * ms)
	p.Restart(time.Second)
	if got := p.TimeSinceStart(time.Second); got != 0 {
		t.Errorf("TimeSinceStart() = %v at the restart, want 0", got)
	}
	if got := p.ServerDelta(30 * ms); got != -30*ms {
		t.Errorf("ServerDelta(30ms) = %v before any update, want -30ms", got)
	}
	p.OnServerUpdate(1033 * ms)
	if got, want := p.ServerDelta(0), 33333333*time.Nanosecond; got != want {
		t.Errorf("ServerDelta(0) = %v after an update, want %v", got, want)
	}
	if got := p.Now(time.Second); (got - time.Second).Abs() > ms {
		t.Errorf("Now(1s) = %v", got)
	}
}
