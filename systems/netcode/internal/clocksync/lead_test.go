package clocksync

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

func newLead(redundancy int) *Lead {
	l := NewLead(Grid{}, 5*time.Second, math.MaxInt64)
	l.SetRedundancy(redundancy)
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
		n      int // redundancy
		batch  int
		maxAge time.Duration
		jitter time.Duration
		frame  time.Duration
		want   time.Duration
	}{
		{"nothing to fear", 1, 1, time.Minute, 0, 0, eighth},
		{"jitter", 1, 1, time.Minute, 10 * ms, 0, 10*ms + jitterLeast + eighth},
		{"three packets", 3, 1, time.Minute, 0, 0, 2*g.Step() + eighth},
		{"frames", 1, 1, time.Minute, 0, 8 * ms, 8*ms + eighth},
		{"slow frames are slow packets", 3, 1, time.Minute, 0, 125 * ms, 3*125*ms + eighth},
		{"as early as the server takes", 3, 1, 200 * ms, 0, 125 * ms, 200 * ms},
		{"two inputs per packet", 3, 2, time.Minute, 0, 10 * ms, 5*g.Step() + 10*ms + eighth},
	} {
		l := newLead(test.n)
		l.SetBatch(test.batch)
		l.maxAge = test.maxAge
		for i := range 100 {
			now := time.Duration(i) * test.frame
			l.Frame(now)
		}
		for i := 0; i < 100 && test.jitter > 0; i++ {
			// a third of the inputs take longer by the jitter
			l.ways.add(way{took: time.Duration(i%3/2) * test.jitter})
			l.ways.measure(0, 0.97)
		}
		if got := l.TargetAge(); got != test.want {
			t.Errorf("%s: TargetAge() = %v, want %v", test.name, got, test.want)
		}
		if got, want := l.Lead(), test.want; got != want {
			t.Errorf("%s: Lead() = %v, want %v", test.name, got, want)
		}
		known := l.ways.jitter()
		l.ways = ways{}
		l.Follow(0, 40*ms, 0)
		if got, want := l.Lead(), test.want-known+40*ms; got != want {
			t.Errorf("%s: Lead() = %v before any report, want %v", test.name, got, want)
		}
	}
	l := newLead(3)
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

// A machine that loads something in one of its first frames does not seem to draw slow frames.
func TestLeadIgnoresAStallAtTheStart(t *testing.T) {
	for stall := range firstFrames {
		l := newLead(2)
		now := time.Duration(0)
		l.Frame(now)
		for i := range 30 {
			if now += 8 * ms; i == stall {
				now += 120 * ms
			}
			l.Frame(now)
			// the packet in reserve, a frame with a share of the stall, and the eighth
			if got, most := l.TargetAge(), 50*ms; i > 0 && got > most {
				t.Fatalf("with a stall in frame %d the inputs are to be %v early in frame %d, want at most %v", stall, got, i, most)
			}
		}
	}
}

// Until there are reports the margin for jitter and the age are bounded together.
func TestLeadBoundsTheMarginAndTheAge(t *testing.T) {
	for _, test := range []struct{ margin, want time.Duration }{{0, 370 * ms}, {100 * ms, 470 * ms}, {250 * ms, 540 * ms}, {time.Second, 540 * ms}} {
		l := NewLead(Grid{}, 5*time.Second, 500*ms)
		for i := range 10 { // 330 ms early, with the default redundancy
			l.Frame(time.Duration(i) * 110 * ms)
		}
		if l.Follow(0, 40*ms, test.margin); (l.Lead() - test.want).Abs() > 3*ms {
			t.Errorf("with a margin of %v the lead is %v, want %v", test.margin, l.Lead(), test.want)
		}
	}
}

// A machine that sometimes does not run for 60 ms delays its packets under way. It measures the
// length of these stalls, so they do not make the way longer, in its first reports or later.
func TestLeadCountsNothingThatThisMachineHeldUp(t *testing.T) {
	g := Grid{}
	for _, settled := range []int64{3, 300} {
		l := newLead(1)
		l.Follow(0, 20*ms, 0)
		now, newest := time.Duration(0), int64(0)
		frame := func(length time.Duration) {
			now += length
			newest = g.Index(now + 60*ms)
			l.Sent(g.Tick(newest), now)
			l.Frame(now)
		}
		for range settled {
			frame(g.Step())
		}
		for k := range 40 {
			// every sixth frame is long, and packets sent before it wait for its end
			held := time.Duration(k%6/5) * 60 * ms
			sent, tick := now, newest
			frame(g.Step() + held)
			l.Report(now+ms, Report{Newest: g.Tick(tick), Age: AgeOf(g.Edge(tick)-sent-20*ms-held, g)}, 0)
		}
		if way := l.Way(); way > 30*ms || l.ways.jitter() > 10*ms || l.Hurry() {
			t.Errorf("after %d frames the way is %v and the jitter %v", settled, way, l.ways.jitter())
		}
	}
}

// The jitter is that of the way up alone, from its median to its quantile. It rises when one in
// twenty inputs takes longer, and stays until these are forgotten. A single slow input does not
// count.
func TestLeadJitterIsAQuantileOfTheWayUp(t *testing.T) {
	l := newLead(1)
	g := Grid{}
	k := int64(0)
	run := func(d time.Duration, took func(k int64) time.Duration) {
		for end := g.Edge(k) + d; g.Edge(k) < end; k++ {
			now := g.Edge(k)
			l.Sent(g.Tick(k), now-200*ms)
			l.Report(now, Report{Newest: g.Tick(k), Age: AgeOf(200*ms-took(k), g)}, 0)
		}
	}
	near := func(what string, want time.Duration) {
		t.Helper()
		if got := l.ways.jitter(); (got - want).Abs() > 3*ms {
			t.Errorf("%s: a jitter of %v, want %v", what, got, want)
		}
	}
	run(10*time.Second, func(int64) time.Duration { return 30 * ms })
	near("none", 0)
	run(time.Second/60, func(int64) time.Duration { return 130 * ms })
	near("one input of 600", 0)
	run(10*time.Second, func(k int64) time.Duration { return 30*ms + time.Duration(k%10/9)*50*ms })
	near("every tenth", 50*ms)
	run(10*time.Second, func(int64) time.Duration { return 30 * ms })
	near("10 s later", 50*ms)
	run(50*time.Second, func(int64) time.Duration { return 30 * ms })
	near("a minute later", 0)
	run(10*time.Second, func(k int64) time.Duration { return 30*ms + 10*time.Second*time.Duration(k%600/599) })
	near("outages", 0)
}

// When the way becomes longer the lead follows as soon as inputs have been late for 200 ms.
func TestLeadHurriesWhenInputsAreLate(t *testing.T) {
	for _, rate := range []int{60, 30, 10} { // reports a second
		p := &plant{l: newLead(1), m: NewAgeMeter(Grid{}), rtt: 100 * ms, up: 50 * ms, slew: 0.05, every: 60 / rate}
		p.l.Follow(0, 50*ms, 0)
		p.lead = p.l.Lead()
		for p.now < 10*time.Second {
			p.step()
		}
		if p.l.Hurry() {
			t.Errorf("%d Hz: hurries on a steady path", rate)
		}
		p.up += 150 * ms
		began := p.now
		for !p.l.Hurry() && p.now < 20*time.Second {
			p.step()
		}
		limit := 100*ms + lateFor + 2*time.Second/time.Duration(rate)
		if took := p.now - began; took > limit {
			t.Errorf("%d Hz: hurries after %v, want at most %v", rate, took, limit)
		}
		if way := p.l.Way() + p.l.ways.jitter(); way < 200*ms || way > 300*ms {
			t.Errorf("%d Hz: allows for a way of %v, want 200 to 300 ms", rate, way)
		}
	}
}

func TestLeadRefusesUselessReports(t *testing.T) {
	l := newLead(3)
	if l.Report(0, Report{Newest: 0, Age: 0}, 0) {
		t.Error("a report counts before anything was sent")
	}
	for k := range tick.Tick(1000) {
		l.Sent(k, Grid{}.Edge(int64(k)))
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
		{"too long ago", 0xffffffff - leadRing, 5, false},
		{"news", 990, 5, true},
		{"the same again", 990, 7, false},
		{"older news", 989, 7, false},
		{"more news", 991, 5, true},
	} {
		if got := l.Report(now, Report{Newest: test.t, Age: test.age}, 0); got != test.want {
			t.Errorf("%s: Report() = %v, want %v", test.name, got, test.want)
		}
	}
	for k := tick.Tick(992); k < 996; k++ {
		l.Report(now, Report{Newest: k, Age: 5}, 0)
	}
	if got, want := l.Way(), -Age(5).Duration(Grid{}); got != want {
		t.Errorf("Way() = %v, want %v", got, want)
	}
	want := *l
	l.Sent(999, now)
	l.Sent(5, now)
	if *l != want {
		t.Error("repeated or older inputs are remembered")
	}
	l.Forget()
	l.Follow(0, 33*ms, 0)
	if l.Report(now, Report{Newest: 995, Age: 5}, 0) || l.Way() != 33*ms {
		t.Errorf("what was forgotten still counts: a way of %v", l.Way())
	}
	l.Sent(950, now)
	if !l.Report(now+20*ms, Report{Newest: 950, Age: 5}, 0) {
		t.Error("a tick that was sent again after a jump back does not count")
	}
}

// The first reports correct any error of the lead, in either direction.
func TestLeadReachesAnyDistance(t *testing.T) {
	for _, off := range []time.Duration{-15 * time.Second, -3 * time.Second, 3 * time.Second, 15 * time.Second} {
		l, m := newLead(1), NewAgeMeter(Grid{})
		g := Grid{}
		const up, offset = 70 * ms, time.Hour
		for k := int64(3600 * 60); k < 3600*60+10; k++ {
			sent := g.Edge(k) - offset + off // by the local clock
			l.Sent(g.Tick(k), sent)
			m.Arrived(g.Tick(k), sent+offset+up)
			if !l.Report(sent+100*ms, m.Report(), offset) {
				t.Fatalf("off by %v: report %d does not count", off, k)
			}
		}
		if got := l.Way(); (got - up).Abs() > g.Step()/ageSteps+ms {
			t.Errorf("inputs sent %v late: a way of %v, want %v", off, got, up)
		}
	}
}

// A way of seconds is followed when it has lasted for two seconds, since a queue that drains must
// not be followed.
func TestLeadFollowsALongWayThatLasts(t *testing.T) {
	p := &plant{l: newLead(1), m: NewAgeMeter(Grid{}), rtt: 100 * ms, up: 50 * ms, slew: 1}
	run := func(d time.Duration) {
		for end := p.now + d; p.now < end; {
			p.step()
		}
	}
	run(5 * time.Second)
	p.up, p.rtt = 3*time.Second, 3050*ms
	run(4500 * ms) // the first report arrives after three seconds
	if lead := p.l.Lead(); lead != time.Second {
		t.Errorf("after 1.5 s of a way of 3 s: a lead of %v, want a second", lead)
	}
	run(6 * time.Second)
	if off := p.l.Lead() - p.l.TargetAge() - p.up; off.Abs() > 5*ms {
		t.Errorf("after 7.5 s: a lead of %v", p.l.Lead())
	}
	p.up, p.rtt = 50*ms, 100*ms
	run(5 * time.Second)
	if lead := p.l.Lead(); lead > 150*ms {
		t.Errorf("5 s after its end: a lead of %v", lead)
	}
}

// A single frame that is far longer than the others moves the lead by little. A lasting change of
// the frame rate has its full effect.
func TestLeadFrames(t *testing.T) {
	l := newLead(1)
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
		if rest := l.TargetAge() - before; rest.Abs() > 100*time.Microsecond {
			t.Errorf("one frame of %v moves the target by %v for good", hiccup, rest)
		}
	}
	run(125*ms, 300)
	if rise := l.TargetAge() - before; (rise - (125*ms - frame)).Abs() > ms {
		t.Errorf("125 ms frames move the target by %v", rise)
	}
}

func TestLeadIsBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := newLead(3)
		duration := rapid.OneOf(rapid.Int64Range(-1<<59, 1<<59), rapid.Int64Range(-int64(time.Second), int64(time.Second)))
		for k := range rapid.IntRange(1, 50).Draw(t, "reports") {
			now := time.Duration(duration.Draw(t, "now"))
			l.Frame(now)
			l.Follow(0, time.Duration(duration.Draw(t, "assumed")), 0)
			l.Sent(tick.Tick(k), now)
			l.Report(now, Report{
				Newest: tick.Tick(k), Age: Age(rapid.Int16().Draw(t, "age")), Held: rapid.IntRange(-1, MaxHeld+1).Draw(t, "held"), HeldAge: Age(rapid.Int16().Draw(t, "held age")),
			}, time.Duration(duration.Draw(t, "offset")))
			if lead := l.Lead(); lead < -5*time.Second || lead > 5*time.Second {
				t.Fatalf("a lead of %v", lead)
			}
		}
	})
}

func TestLeadAllocatesNothing(t *testing.T) {
	l := newLead(3)
	k := 0
	if n := testing.AllocsPerRun(1000, func() {
		now := Grid{}.Edge(int64(k))
		l.Frame(now)
		l.Sent(tick.Tick(k), now)
		l.Report(now, Report{Newest: tick.Tick(k), Age: 3}, 0)
		k++
	}); n > 0 {
		t.Errorf("%v allocations per input", n)
	}
}
