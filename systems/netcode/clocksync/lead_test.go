package clocksync

import (
	"math"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/tick"
	"pgregory.net/rapid"
)

func newLead(t testing.TB, config LeadConfig) *Lead {
	t.Helper()
	l, err := NewLead(config)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestRedundancy(t *testing.T) {
	for _, test := range []struct {
		loss float64
		want int
	}{{0, 1}, {-1, 1}, {math.NaN(), 1}, {0.001, 1}, {0.01, 2}, {0.05, 3}, {0.15, 4}, {0.25, 5}, {0.99, 32}, {1, 32}, {7, 32}} {
		if got := Redundancy(test.loss); got != test.want {
			t.Errorf("Redundancy(%v) = %d, want %d", test.loss, got, test.want)
		}
	}
}

func TestLeadTargetAge(t *testing.T) {
	g := Grid{}
	eighth := g.Step() / 8
	for _, test := range []struct {
		name   string
		config LeadConfig
		jitter time.Duration
		frame  time.Duration
		want   time.Duration
	}{
		{"nothing to fear", LeadConfig{Redundancy: 1}, 0, 0, eighth},
		{"jitter", LeadConfig{Redundancy: 1}, 10 * ms, 0, 20*ms + eighth},
		{"three packets", LeadConfig{}, 0, 0, 2*g.Step() + eighth},
		{"frames", LeadConfig{Redundancy: 1}, 0, 8 * ms, 8*ms + eighth},
		{"slow frames are slow packets", LeadConfig{Redundancy: 3}, 0, 125 * ms, 3*125*ms + eighth},
		{"as early as the server takes", LeadConfig{Redundancy: 3, MaxAge: 200 * ms}, 0, 125 * ms, 200 * ms},
		{"two inputs per packet", LeadConfig{Redundancy: 3, Batch: 2}, 0, 10 * ms, 5*g.Step() + 10*ms + eighth},
	} {
		l := newLead(t, test.config)
		for i := range 100 {
			now := time.Duration(i) * test.frame
			l.Frame(now)
			l.SetJitter(now, test.jitter)
		}
		if got := l.TargetAge(); got != test.want {
			t.Errorf("%s: TargetAge() = %v, want %v", test.name, got, test.want)
		}
		l.Assume(40 * ms)
		if got, want := l.Lead(), test.want+40*ms; got != want {
			t.Errorf("%s: Lead() = %v before any report, want %v", test.name, got, want)
		}
	}
	l := newLead(t, LeadConfig{})
	l.SetRedundancy(0)
	l.SetBatch(0)
	if got := l.TargetAge(); got != eighth {
		t.Errorf("with a redundancy and a batch below 1: %v, want %v", got, eighth)
	}
	l.SetRedundancy(99)
	l.SetBatch(99)
	if got, want := l.TargetAge(), time.Duration(31*64+63)*g.Step()+eighth; got != want {
		t.Errorf("with a redundancy and a batch beyond the limits: %v, want %v", got, want)
	}
}

func TestLeadJitterRisesFastAndFallsSlowly(t *testing.T) {
	l := newLead(t, LeadConfig{Redundancy: 1})
	after := func(from, to, seconds time.Duration) time.Duration {
		l.heard = false
		l.SetJitter(0, from)
		for now := time.Duration(0); now <= seconds*time.Second; now += 250 * ms {
			l.SetJitter(now, to)
		}
		return time.Duration(l.jitter)
	}
	if got := after(0, 100*ms, 3); got < 94*ms {
		t.Errorf("3 s after a rise to 100 ms: %v", got)
	}
	if got := after(100*ms, 0, 3); got < 70*ms || got > 78*ms {
		t.Errorf("3 s after a fall from 100 ms: %v, want 74 ms", got)
	}
}

// plant is a client that follows a lead perfectly but slowly, and a server that reports ages half a round trip later.
type plant struct {
	l     *Lead
	m     *AgeMeter
	rtt   time.Duration
	up    time.Duration // what reports have to find
	slew  float64       // of the simulation towards its target, at most
	lead  time.Duration // of the simulation
	now   time.Duration
	k     int64
	queue []report
}

type report struct {
	at  time.Duration
	t   tick.Tick
	age Age
}

func (p *plant) step() {
	g := Grid{}
	dt := g.Step()
	p.now += dt
	p.l.Frame(p.now)
	target := p.l.Lead()
	limit := time.Duration(p.slew * float64(dt))
	p.lead += min(max(target-p.lead, -limit), limit)
	// The reference clock equals local time here.
	for ; g.Edge(p.k) <= p.now+p.lead; p.k++ {
		p.l.Sent(g.Tick(p.k), p.now, 0)
		if p.m.Arrived(g.Tick(p.k), p.now+p.up) {
			p.queue = append(p.queue, report{p.now + p.rtt, p.m.Newest(), p.m.Age()})
		}
	}
	for len(p.queue) > 0 && p.queue[0].at <= p.now {
		r := p.queue[0]
		p.queue = p.queue[1:]
		p.l.Report(p.now, r.t, r.age, 0)
	}
}

// Adjustments in flight are not made again: whatever the round trip and however slowly the simulation follows, the lead goes to
// where it has to and not beyond.
func TestLeadDoesNotOversteer(t *testing.T) {
	for _, rtt := range []time.Duration{20 * ms, 200 * ms, 500 * ms, 1500 * ms} {
		for _, slew := range []float64{0.05, 1} {
			p := &plant{l: newLead(t, LeadConfig{Redundancy: 1, MaxLead: 3 * time.Second}), m: newAgeMeter(t), rtt: rtt, up: rtt / 2, slew: slew}
			p.l.Assume(rtt / 2)
			p.lead = p.l.Lead()
			for p.now < 5*time.Second {
				p.step()
			}
			before := p.l.Lead()
			p.up += 200 * ms
			highest := time.Duration(0)
			for p.now < 25*time.Second {
				p.step()
				highest = max(highest, p.l.Lead())
			}
			after := p.l.Lead()
			if off := magnitude(after - before - 200*ms); off > 5*ms {
				t.Errorf("rtt %v, slew %v: the lead rose by %v, want 200 ms", rtt, slew, after-before)
			}
			if over := highest - after; over > 5*ms {
				t.Errorf("rtt %v, slew %v: the lead overshot by %v", rtt, slew, over)
			}
			// Inputs are sent up to a frame after the edge of their tick; the target has room for that.
			if got, want := p.m.Mean(), p.l.TargetAge(); got > want+2*ms || got < want-17*ms-2*ms || got < 0 {
				t.Errorf("rtt %v, slew %v: inputs are %v early, want %v less up to a frame", rtt, slew, got, want)
			}
		}
	}
}

// Negative control: a loop that integrates the reported age (as if nothing were in flight) oversteers by far on the same plant.
func TestIntegratedAgeOversteers(t *testing.T) {
	g := Grid{}
	m := newAgeMeter(t)
	var queue []report
	lead, set, up, rtt := 100*ms, 100*ms, 100*ms, 500*ms
	var now, highest time.Duration
	k := int64(0)
	for now < 30*time.Second {
		now += g.Step()
		limit := time.Duration(0.05 * float64(g.Step()))
		lead += min(max(set-lead, -limit), limit)
		for ; g.Edge(k) <= now+lead; k++ {
			m.Arrived(g.Tick(k), now+up)
			queue = append(queue, report{now + rtt, m.Newest(), m.Age()})
		}
		for len(queue) > 0 && queue[0].at <= now {
			set -= time.Duration(0.1 * float64(queue[0].age.Duration(g))) // the target is 0
			queue = queue[1:]
		}
		if now > 5*time.Second {
			up = 300 * ms
			highest = max(highest, set)
		}
	}
	if highest < 600*ms {
		t.Errorf("the integrating loop reaches only %v for a step from 100 to 300 ms; it is expected to overshoot", highest)
	}
}

func TestLeadRefusesUselessReports(t *testing.T) {
	l := newLead(t, LeadConfig{})
	if l.Report(0, 0, 0, 0) {
		t.Error("a report counts before anything was sent")
	}
	for k := range tick.Tick(1000) {
		l.Sent(k, Grid{}.Edge(int64(k)), 0)
	}
	now := Grid{}.Edge(1000)
	for _, test := range []struct {
		name string
		t    tick.Tick
		age  Age
		want bool
	}{
		{"no age", 990, NoAge, false},
		{"not sent yet", 1000, 5, false},
		{"far in the future", 990 + leadRing, 5, false},
		{"too long ago", 400, 5, false},
		{"news", 990, 5, true},
		{"the same again", 990, 7, false},
		{"older news", 989, 7, false},
		{"more news", 991, 5, true},
	} {
		if got := l.Report(now, test.t, test.age, 0); got != test.want {
			t.Errorf("%s: Report() = %v, want %v", test.name, got, test.want)
		}
	}
	if got, want := l.Way(), -Age(5).Duration(Grid{}); got != want {
		t.Errorf("Way() = %v, want %v", got, want)
	}
	want := *l
	l.Sent(999, now, 0)
	l.Sent(5, now, 0)
	l.Sent(1003, now+time.Hour, 0) // absurdly late
	if *l != want {
		t.Error("repeated, older or absurd inputs are remembered")
	}
	l.Forget()
	l.Assume(33 * ms)
	if l.Report(now, 995, 5, 0) || l.Way() != 33*ms {
		t.Errorf("what was forgotten still counts: a way of %v", l.Way())
	}
	for k := range tick.Tick(4) {
		l.Sent(947+k, now+time.Duration(k)*5*ms, 0)
	}
	if !l.Report(now+20*ms, 950, 5, 0) {
		t.Error("a tick that was sent again after a jump back does not count")
	}
}

// A saturated age is a bound, and moves the way only if the way breaks it.
func TestLeadTakesSaturatedAgesForBounds(t *testing.T) {
	g := Grid{}
	bound := Age(127).Duration(g)
	for _, test := range []struct {
		age   Age
		early time.Duration // at which the inputs are sent
		want  time.Duration // the way, which is 100 ms before
	}{
		{127, 100*ms + bound + 200*ms, 100 * ms}, // the way is at most 300 ms: known
		{127, 100*ms + bound - 50*ms, 50 * ms},   // at most 50 ms
		{-127, 100*ms - bound - 50*ms, 100 * ms}, // at least 50 ms: known
		{-127, 100*ms - bound + 50*ms, 150 * ms}, // at least 150 ms
	} {
		for _, known := range []bool{false, true} {
			l := newLead(t, LeadConfig{TimeConstant: 10 * ms})
			l.Assume(100 * ms)
			l.known, l.way = known, 100*ms
			for k := range tick.Tick(200) {
				now := g.Edge(int64(k)) - test.early
				l.Sent(k, now, 0)
				if !l.Report(now+time.Hour, k, test.age, 0) && k >= ageAgain {
					t.Fatalf("%+v: report %d does not count", test, k)
				}
			}
			if got := l.Way(); magnitude(got-test.want) > ms {
				t.Errorf("%+v, known %v: a way of %v", test, known, got)
			}
		}
	}
}

// A frame that is far longer than the others moves the lead by little, a lasting change of the frame rate by all.
func TestLeadFrames(t *testing.T) {
	l := newLead(t, LeadConfig{Redundancy: 1})
	now := time.Duration(0)
	run := func(length time.Duration, n int) {
		for range n {
			now += length
			l.Frame(now)
		}
	}
	run(frame, 100)
	before := l.TargetAge()
	for _, hiccup := range []time.Duration{100 * ms, 240 * ms, time.Minute} {
		run(hiccup, 1)
		if rise := l.TargetAge() - before; rise < 0 || rise > 5*ms {
			t.Errorf("one frame of %v moves the target by %v", hiccup, rise)
		}
		run(frame, 200)
		if rest := l.TargetAge() - before; magnitude(rest) > 100*time.Microsecond {
			t.Errorf("one frame of %v moves the target by %v for good", hiccup, rest)
		}
	}
	run(125*ms, 300)
	if rise := l.TargetAge() - before; magnitude(rise-(125*ms-frame)) > ms {
		t.Errorf("125 ms frames move the target by %v", rise)
	}
}

func TestLeadIsBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, err := NewLead(LeadConfig{})
		if err != nil {
			t.Fatal(err)
		}
		duration := rapid.OneOf(rapid.Int64Range(-1<<59, 1<<59), rapid.Int64Range(-int64(time.Second), int64(time.Second)))
		for k := range rapid.IntRange(1, 50).Draw(t, "reports") {
			now := time.Duration(duration.Draw(t, "now"))
			l.Frame(now)
			l.Assume(time.Duration(duration.Draw(t, "assumed")))
			l.SetJitter(now, time.Duration(duration.Draw(t, "jitter")))
			l.Sent(tick.Tick(k), now, Grid{}.Edge(int64(k))-now+time.Duration(rapid.Int64Range(-int64(time.Second), int64(time.Second)).Draw(t, "early")))
			l.Report(now, tick.Tick(k), Age(rapid.Int8().Draw(t, "age")), time.Duration(duration.Draw(t, "offset")))
			if lead := l.Lead(); lead < 0 || lead > time.Second {
				t.Fatalf("a lead of %v", lead)
			}
		}
	})
}

func TestLeadAllocatesNothing(t *testing.T) {
	l := newLead(t, LeadConfig{})
	k := 0
	if n := testing.AllocsPerRun(1000, func() {
		now := Grid{}.Edge(int64(k))
		l.Frame(now)
		l.SetJitter(now, ms)
		l.Sent(tick.Tick(k), now, 0)
		l.Report(now, tick.Tick(k), 3, 0)
		k++
	}); n > 0 {
		t.Errorf("%v allocations per input", n)
	}
}
