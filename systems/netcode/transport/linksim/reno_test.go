package linksim

import (
	"math"
	"testing"
	"time"
)

// passed counts the packets that a flow gets through: the sent ones less the lost ones.
type passed struct {
	l       *Link
	waits   []time.Duration // of a datagram of one byte, each millisecond
	at      []time.Duration
	dropped int
}

// beside sends a byte each millisecond beside the events of the link's script.
func beside(t *testing.T, text string, until time.Duration) *passed {
	r := &passed{l: mustLink(t, text)}
	for _, p := range offer(r.l, 1, ms, until) {
		if p.Lost {
			r.dropped++
			continue
		}
		r.waits, r.at = append(r.waits, p.Left-p.Sent), append(r.at, p.Sent)
	}
	return r
}

// between returns the least, the mean and the greatest wait of datagrams sent from one time to
// another.
func (r *passed) between(from, to time.Duration) (least, mean, most time.Duration) {
	least = time.Hour
	n := 0
	for i, at := range r.at {
		if at >= from && at < to {
			least, most = min(least, r.waits[i]), max(most, r.waits[i])
			mean += r.waits[i]
			n++
		}
	}
	return least, mean / time.Duration(max(n, 1)), most
}

// A flow has a sawtooth: it fills the queue, loses a packet, halves its window, and climbs by a
// packet per round trip. If the queue holds more than the path, the line is never idle, and from
// one loss to the next W²·3/8 packets pass, where W is the window that fills the line and the
// queue.
func TestRenoSawtooth(t *testing.T) {
	const (
		rate  = 250_000 // 167 packets a second
		queue = 75_000  // 50 packets, 300 ms
	)
	r := beside(t, "rate=250000 queue=75000 delay=20ms reno=0s:1h", 3*time.Minute)
	least, _, most := r.between(time.Minute, 3*time.Minute)
	full := time.Duration(queue) * time.Second / rate
	if most < full-10*ms || most > full+ms {
		t.Errorf("a datagram waits at most %v, want the full queue of %v", most, full)
	}
	// After a loss the window is half of the packets that fill the line: (rtt+queue)/2. The wait is
	// that less the round trip.
	window := (0.040 + full.Seconds()) * rate / packetBytes
	if want := (full+40*ms)/2 - 40*ms; (least - want).Abs() > 20*ms {
		t.Errorf("it waits at least %v, want %v, what a halved window leaves", least, want)
	}
	// The teeth are falls of the wait by more than a third of the queue.
	teeth, top := 0, time.Duration(0)
	for i, at := range r.at {
		if at < time.Minute {
			continue
		}
		if top = max(top, r.waits[i]); r.waits[i] < top-full/3 {
			teeth++
			top = r.waits[i]
		}
	}
	period := window * window * 3 / 8 * packetBytes / rate
	if want := 120 / period; math.Abs(float64(teeth)-want) > 0.15*want {
		t.Errorf("%d teeth in two minutes, want %.1f, one in %.1f s", teeth, want, period)
	}
}

// With a short queue the flow gets little more than three quarters of the line. Its window climbs
// from half of the 105 packets that fill line and queue, and the line is full from 100 on.
func TestRenoWithAShortQueue(t *testing.T) {
	l := mustLink(t, "rate=500000 queue=5p delay=150ms reno=0s:1h") // 100 packets on the way
	l.advance(time.Minute)
	f := l.queue.flows[0]
	before := f.known
	l.advance(6 * time.Minute)
	const want = (47.5*(0.525+1)/2 + 5) / 52.5
	if share := float64(f.known-before) * packetBytes / (500_000 * 300); math.Abs(share-want) > 0.02 {
		t.Errorf("the flow gets %.3f of the line, want %.3f", share, want)
	}
}

func TestRenoBeginsAndEnds(t *testing.T) {
	r := beside(t, "rate=250000 queue=75000 delay=20ms reno=10s:20s reno=60s:5s", 90*time.Second)
	for _, test := range []struct {
		from, to time.Duration
		busy     bool
	}{{0, 10, false}, {15, 30, true}, {31, 60, false}, {61, 65, true}, {66, 90, false}} {
		least, _, most := r.between(test.from*time.Second, test.to*time.Second)
		if test.busy && least < 50*ms || !test.busy && most > ms {
			t.Errorf("from %d to %d s datagrams wait for %v to %v", test.from, test.to, least, most)
		}
	}
}

// Two flows that begin at different times end up sharing the line.
func TestRenoFlowsShare(t *testing.T) {
	l := mustLink(t, "rate=500000 queue=40p delay=20ms reno=0s:1h reno=30s:1h")
	l.advance(3 * time.Minute)
	var before [2]uint64
	for i, f := range l.queue.flows {
		before[i] = f.known
	}
	l.advance(13 * time.Minute)
	a, b := float64(l.queue.flows[0].known-before[0]), float64(l.queue.flows[1].known-before[1])
	if ratio := a / b; ratio < 0.7 || ratio > 1.4 {
		t.Errorf("the flows share as %.0f to %.0f packets", a, b)
	}
	if used := (a + b) * packetBytes / (500_000 * 600); used < 0.95 || used > 1.01 {
		t.Errorf("both use %.3f of the line", used)
	}
}

// CoDel keeps the wait near its target beside a flow that fills any other queue.
func TestRenoBehindCoDel(t *testing.T) {
	r := beside(t, "rate=500000 codel delay=20ms reno=0s:1h", 2*time.Minute)
	if _, mean, most := r.between(10*time.Second, 2*time.Minute); mean < 3*ms || mean > 20*ms || most > 80*ms {
		t.Errorf("the wait is %v on average and at most %v", mean, most)
	}
}

// An outage that is longer than the time-out makes the flow begin anew, and does not end it.
func TestRenoSurvivesAnOutage(t *testing.T) {
	for _, text := range []string{"", "codel ", "queue=10p "} {
		l := mustLink(t, "rate=250000 delay=20ms "+text+"rate=10s:0 rate=25s:250000 reno=0s:1h")
		l.advance(25 * time.Second)
		before := l.queue.flows[0].known
		l.advance(85 * time.Second)
		if share := float64(l.queue.flows[0].known-before) * packetBytes / (250_000 * 60); share < 0.7 {
			t.Errorf("%q: in the minute after an outage the flow gets %.2f of the line", text, share)
		}
	}
}

func TestQueueIsRepeatableAndAllocatesNothing(t *testing.T) {
	const text = "trace=3ms*40,70ms,0s*9,6ms*33 delay=30ms jitter=5ms loss=2% dup=2% header=66 reno=1s:1000h reno=5s:1000h seed=3 "
	for _, text := range []string{text + "codel", text + "queue=100p", "rate=250000 queue=75000 delay=20ms rate=10s:0 rate=12s:250000 rate=50s:12500 reno=0s:1000h seed=1"} {
		run := func() (*Link, func(), *[]Passage) {
			l := mustLink(t, text)
			var all []Passage
			l.Observe(func(p Passage) { all = append(all, p) })
			now, datagram := time.Duration(0), make([]byte, 300)
			return l, func() {
				now += 16 * ms
				l.Push(now, datagram)
				for {
					if _, _, ok := l.Pop(now); !ok {
						return
					}
				}
			}, &all
		}
		la, a, alla := run()
		lb, b, allb := run()
		for range 10_000 {
			a()
			b()
		}
		if la.Stats() != lb.Stats() || len(*alla) != len(*allb) {
			t.Fatalf("%s: %+v and %+v", text, la.Stats(), lb.Stats())
		}
		for i, p := range *alla {
			if p != (*allb)[i] {
				t.Fatalf("%s: passage %d is %+v and %+v", text, i, p, (*allb)[i])
			}
		}
		la.Observe(nil)
		if allocs := testing.AllocsPerRun(5000, a); allocs != 0 {
			t.Errorf("%s: %v allocations per step", text, allocs)
		}
	}
}
