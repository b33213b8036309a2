package linksim

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"
	"time"
)

const ms = time.Millisecond

// mustLink returns a link in the condition that the text gives.
func mustLink(t testing.TB, text string) *Link {
	t.Helper()
	c, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	l, err := NewLink(c)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// arrival is a datagram that left a link.
type arrival struct {
	id   int
	sent time.Duration
	at   time.Duration
}

// stream pushes n datagrams at the interval and returns those that arrived, in their order. The
// clock runs until nothing is in flight.
func stream(l *Link, n int, interval time.Duration) []arrival {
	var out []arrival
	var datagram [8]byte
	pop := func(now time.Duration) {
		for {
			b, at, ok := l.Pop(now)
			if !ok {
				return
			}
			id := int(binary.LittleEndian.Uint64(b))
			out = append(out, arrival{id, time.Duration(id) * interval, at})
		}
	}
	for i := range n {
		now := time.Duration(i) * interval
		pop(now)
		binary.LittleEndian.PutUint64(datagram[:], uint64(i))
		l.Push(now, datagram[:])
	}
	for {
		at, ok := l.Next()
		if !ok {
			return out
		}
		pop(at)
	}
}

// within fails unless a count of n trials with probability p lies within five standard deviations.
// With a fixed seed the outcome is fixed, and one seed in 1.7 million would be an unlucky choice.
func within(t *testing.T, l *Link, what string, count, n int, p float64) {
	t.Helper()
	sigma := math.Sqrt(float64(n) * p * (1 - p))
	if d := math.Abs(float64(count) - float64(n)*p); d > 5*sigma {
		c := l.Condition()
		t.Errorf("%s: %d of %d, want %.0f +- %.0f (%s)", what, count, n, float64(n)*p, 5*sigma, c.String())
	}
}

func TestPerfectLinkDeliversAtOnceInOrder(t *testing.T) {
	out := stream(mustLink(t, ""), 1000, ms)
	for i, a := range out {
		if a.id != i || a.at != a.sent {
			t.Fatalf("arrival %d: %+v, want number %d at the time it was sent", i, a, i)
		}
	}
	if len(out) != 1000 {
		t.Errorf("%d of 1000 arrived", len(out))
	}
}

func TestDelayAndUniformJitter(t *testing.T) {
	const n = 100_000
	l := mustLink(t, "delay=100ms jitter=10ms seed=3")
	out := stream(l, n, 30*ms)
	var sum, squares float64
	lowest, highest := time.Hour, time.Duration(0)
	for _, a := range out {
		d := a.at - a.sent
		lowest, highest = min(lowest, d), max(highest, d)
		x := (d - 100*ms).Seconds() / 0.010 // uniform in [-1, 1): mean 0, variance 1/3
		sum += x
		squares += x * x
	}
	if lowest < 90*ms || lowest > 90*ms+10*time.Microsecond || highest > 110*ms || highest < 110*ms-10*time.Microsecond {
		t.Errorf("delays of %v to %v, want all of 90 ms to 110 ms", lowest, highest)
	}
	if mean := sum / n; math.Abs(mean) > 5*math.Sqrt(1.0/3/n) {
		t.Errorf("mean jitter is %.4f of its bound, want 0", mean)
	}
	if variance := squares / n; math.Abs(variance-1.0/3) > 5*math.Sqrt(4.0/45/n) {
		// Var(x^2) = 1/5 - 1/9
		t.Errorf("variance of the jitter is %.4f, want 1/3", variance)
	}
}

func TestJitterNeverDeliversBeforeSending(t *testing.T) {
	for _, a := range stream(mustLink(t, "delay=2ms jitter=10ms seed=1"), 1000, ms) {
		if a.at < a.sent {
			t.Fatalf("%+v arrived before it was sent", a)
		}
	}
}

func TestIndependentLoss(t *testing.T) {
	const n = 100_000
	l := mustLink(t, "loss=15% seed=7")
	out := stream(l, n, ms)
	lost := n - len(out)
	within(t, l, "lost", lost, n, 0.15)
	if got := l.Stats(); got.Lost != uint64(lost) || got.Delivered != uint64(len(out)) || got.Pushed != n {
		t.Errorf("statistics say %+v, want %d lost and %d delivered", got, lost, len(out))
	}
	// Losses are independent: after a loss the next datagram is lost as often as any other.
	pairs, arrived := 0, make([]bool, n)
	for _, a := range out {
		arrived[a.id] = true
	}
	for i := 1; i < n; i++ {
		if !arrived[i] && !arrived[i-1] {
			pairs++
		}
	}
	within(t, l, "lost after a lost one", pairs, lost, 0.15)
}

func TestGilbertElliottBursts(t *testing.T) {
	const n, enter, leave = 200_000, 0.02, 0.125
	l := mustLink(t, "burst=2%/12.5%:0%/100% seed=5")
	arrived := make([]bool, n)
	for _, a := range stream(l, n, ms) {
		arrived[a.id] = true
	}
	lost, bursts := 0, 0
	lengths := map[int]int{}
	for i, run := 0, 0; i < n; i++ {
		if !arrived[i] {
			lost++
			run++
		} else if run > 0 {
			bursts++
			lengths[run]++
			run = 0
		}
	}
	// The share of time in the bad state is enter/(enter+leave). Its count varies more than a
	// binomial one, by (1+r)/(1-r), where r = 1-enter-leave is the chain's correlation.
	p, r := enter/(enter+leave), 1-enter-leave
	sigma := math.Sqrt(n * p * (1 - p) * (1 + r) / (1 - r))
	if d := math.Abs(float64(lost) - n*p); d > 5*sigma {
		t.Errorf("lost %d, want %.0f +- %.0f", lost, n*p, 5*sigma)
	}
	// Lengths of bursts are geometric with mean 1/leave and variance (1-leave)/leave^2.
	mean := float64(lost) / float64(bursts)
	if d := math.Abs(mean - 1/leave); d > 5*math.Sqrt((1-leave)/(leave*leave)/float64(bursts)) {
		t.Errorf("mean burst of %.2f datagrams, want %.2f", mean, 1/leave)
	}
	within(t, l, "bursts of one datagram", lengths[1], bursts, leave)
}

func TestBurstLossInBothStates(t *testing.T) {
	const n = 100_000
	l := mustLink(t, "burst=50%/50%:10%/60% seed=11") // the state is a fair coin each time
	within(t, l, "lost", n-len(stream(l, n, ms)), n, 0.5*0.1+0.5*0.6)
}

func TestDuplicates(t *testing.T) {
	const n = 100_000
	l := mustLink(t, "delay=50ms jitter=10ms dup=30% seed=9")
	count, apart := make([]int, n), 0
	first := make([]time.Duration, n)
	for _, a := range stream(l, n, ms) {
		if count[a.id]++; count[a.id] == 2 && a.at != first[a.id] {
			apart++
		}
		first[a.id] = a.at
	}
	twice := 0
	for i, c := range count {
		if c < 1 || c > 2 {
			t.Fatalf("datagram %d arrived %d times", i, c)
		}
		twice += c - 1
	}
	within(t, l, "arrived twice", twice, n, 0.3)
	// A copy that would arrive before the first arrives with it: half of them.
	within(t, l, "copies at a time of their own", apart, twice, 0.5)
}

func TestReordering(t *testing.T) {
	const n = 100_000
	l := mustLink(t, "delay=20ms reorder=5%/35ms seed=2")
	held, overtaken, newest := 0, 0, -1
	for _, a := range stream(l, n, 10*ms) {
		switch a.at - a.sent {
		case 55 * ms:
			held++
		case 20 * ms:
		default:
			t.Fatalf("%+v took %v, want 20 ms or 55 ms", a, a.at-a.sent)
		}
		if a.id < newest {
			overtaken++
		}
		newest = max(newest, a.id)
	}
	within(t, l, "held back", held, n, 0.05)
	// It is overtaken unless all three that follow within 35 ms are delayed as well.
	within(t, l, "overtaken", overtaken, n, 0.05*(1-math.Pow(0.05, 3)))
}

// Switching one effect on must not change the draws of another: the same datagrams are lost, and
// each one that arrives takes as long.
func TestEffectsDoNotDisturbEachOther(t *testing.T) {
	const n, base = 5000, "delay=100ms jitter=10ms loss=15% seed=7"
	plain := map[int]time.Duration{}
	for _, a := range stream(mustLink(t, base), n, 10*ms) {
		plain[a.id] = a.at
	}
	for _, more := range []string{"dup=30%", "reorder=10%/25ms", "burst=2%/12.5%:0%/100%", "dup=10% reorder=50%/25ms"} {
		l := mustLink(t, base+" "+more)
		seen := map[int]bool{}
		same := 0
		for _, a := range stream(l, n, 10*ms) {
			at, ok := plain[a.id]
			if !ok {
				t.Fatalf("%s: number %d arrived, which independent loss takes", more, a.id)
			}
			if !seen[a.id] && at == a.at {
				same++
			}
			if d := a.at - at; !seen[a.id] && d != 0 && d != 25*ms && l.Condition().Duplicate == 0 {
				t.Fatalf("%s: number %d took %v longer", more, a.id, d)
			}
			seen[a.id] = true
		}
		if want := len(plain) - int(l.Stats().BurstLost); len(seen) != want {
			t.Errorf("%s: %d arrived, want %d", more, len(seen), want)
		}
		if same < len(seen)/4 {
			t.Errorf("%s: only %d of %d arrive at their old time", more, same, len(seen))
		}
	}
}

func TestEffectsAreIndependent(t *testing.T) {
	const n = 40_000
	l := mustLink(t, "delay=10ms dup=50% reorder=50%/500ms seed=8")
	held, twice := make([]bool, n), make([]int, n)
	for _, a := range stream(l, n, ms) {
		twice[a.id]++
		held[a.id] = held[a.id] || a.at-a.sent > 400*ms
	}
	both := 0
	for i := range n {
		if held[i] && twice[i] == 2 {
			both++
		}
	}
	within(t, l, "held back and doubled", both, n, 0.25)
}

func TestSeedsDiffer(t *testing.T) {
	a, b := stream(mustLink(t, "loss=50% seed=1"), 1000, ms), stream(mustLink(t, "loss=50% seed=2"), 1000, ms)
	if slices.Equal(a, b) {
		t.Error("two seeds lose the same datagrams")
	}
}

func TestConditionChangesLive(t *testing.T) {
	l := mustLink(t, "delay=100ms seed=1")
	l.Push(0, []byte{1})
	if err := l.SetCondition(Condition{Delay: 10 * ms}); err != nil {
		t.Fatal(err)
	}
	l.Push(0, []byte{2})
	for _, want := range []struct {
		b  byte
		at time.Duration
	}{{2, 10 * ms}, {1, 100 * ms}} {
		if b, at, ok := l.Pop(time.Second); !ok || b[0] != want.b || at != want.at {
			t.Errorf("got %v at %v, want %v at %v: what is in flight keeps its time", b, at, want.b, want.at)
		}
	}
	if err := l.SetCondition(Condition{Loss: 2}); err == nil || l.Condition().Delay != 10*ms {
		t.Errorf("a loss of 2 gave error %v and condition %v, want an error and no change", err, l.Condition())
	}
}
