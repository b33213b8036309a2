package congestion_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/congestion"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

const s = time.Second

// queues runs a test for each queue in front of a line: drop-tail of so many packets, and CoDel.
func queues(t *testing.T, f func(t *testing.T, packets int)) {
	for _, packets := range []int{32, 256, 0} {
		name := fmt.Sprintf("q%d", packets)
		if packets == 0 {
			name = "codel"
		}
		t.Run(name, func(t *testing.T) { f(t, packets) })
	}
}

func TestAloneOnALineThatIsTooThin(t *testing.T) {
	queues(t, func(t *testing.T, packets int) {
		for _, kbit := range []float64{100, 200, 384, 500} {
			for _, rate := range []int{20, 30, 60} {
				l := newLine(kbit, packets)
				f := l.add(120000/rate, rate, 0)
				l.run(60*s, nil)
				wait, use := f.queueing(10*s, 60*s, 0.95), f.carried(10*s, 60*s)/(kbit*125)
				// At first packets are as large as possible.
				packet := time.Duration(1216 / (kbit * 125) * 1e9)
				if wait > 150*ms+packet || use < 0.85 {
					t.Errorf("%.0f kbit/s, %d Hz: packets wait for %v, and %.2f of the line is used", kbit, rate, wait, use)
				}
			}
		}
	})
}

func TestLineThatLosesItsCapacity(t *testing.T) {
	queues(t, func(t *testing.T, packets int) {
		for _, to := range []float64{100, 150, 250} {
			for _, need := range []int{800, 1200, 3000} {
				l := newLine(4000, packets, becomes(to, 20*s), becomes(4000, 50*s))
				f := l.add(need, 30, 0)
				l.run(70*s, nil)
				wait, use := f.queueing(25*s, 50*s, 0.95), f.carried(25*s, 50*s)/(to*125)
				before, after := f.carried(10*s, 20*s), f.carried(55*s, 70*s)
				if needed := before / (to * 125); wait > 150*ms || use < 0.85*min(1, needed) || after < 0.98*before {
					t.Errorf("%.0f kbit/s, %d bytes a snapshot: packets wait for %v, %.2f of the line is used; %.0f bytes/s before, %.0f after", to, need, wait, use, before, after)
				}
			}
		}
	})
}

func TestTwoShareALine(t *testing.T) {
	queues(t, func(t *testing.T, packets int) {
		for _, kbit := range []float64{200, 384, 600, 800} {
			for _, later := range []time.Duration{0, 3 * ms, 17 * ms, 100 * ms, 5 * s, 10 * s} {
				l := newLine(kbit, packets)
				a, b := l.add(3000, 30, 0), l.add(3000, 30, later)
				l.run(75*s, nil)
				x, y := a.carried(15*s, 75*s), b.carried(15*s, 75*s)
				jain := (x + y) * (x + y) / (2 * (x*x + y*y))
				if use := (x + y) / (kbit * 125); jain < 0.9 || use < 0.85 {
					t.Errorf("%.0f kbit/s, the second %v later: %.0f and %.0f bytes/s, Jain's index %.3f, use %.2f", kbit, later, x, y, jain, use)
				}
			}
		}
	})
}

// Beside a download the flow must keep at least half of a fair share. A flow that yields to every
// delay would get almost nothing.
func TestBesideADownload(t *testing.T) {
	queues(t, func(t *testing.T, packets int) {
		for _, kbit := range []float64{384, 1000, 2000, 4000, 16000} {
			for _, need := range []int{140, 800, 3000} {
				l := newLine(kbit, packets, linksim.Event{Kind: linksim.Reno, At: 10 * s, By: 80 * s})
				f := l.add(need, 30, 0)
				l.run(110*s, nil)
				full := f.carried(5*s, 10*s)
				fair := min(full, kbit*125/2)
				if got := f.carried(20*s, 90*s); got < fair/2 && !(kbit < 500 && packets == 256) {
					t.Errorf("%.0f kbit/s, %d bytes a snapshot: %.0f bytes/s of %.0f beside a download", kbit, need, got, fair)
				}
				if after := f.carried(100*s, 110*s); after < 0.85*min(full, kbit*125) {
					t.Errorf("%.0f kbit/s, %d bytes a snapshot: %.0f bytes/s when the download is over, and %.0f before", kbit, need, after, full)
				}
			}
		}
	})
}

func TestCleanLineIsNotThinned(t *testing.T) {
	for _, need := range []int{140, 800, 3000} {
		for _, delay := range []time.Duration{5 * ms, 100 * ms} {
			for _, jitter := range []time.Duration{0, delay / 10, delay / 2} {
				for _, loss := range []float64{0, 0.01, 0.15} {
					l := makeLine(linksim.Condition{
						Rate: 12000 * 125, Packets: 256, Header: overhead, Delay: delay, Jitter: jitter, Loss: loss,
					})
					f := l.add(need, 30, 0)
					least := math.Inf(1)
					l.run(60*s, func() { least = min(least, f.control.Rate(l.now)) })
					if least < ceiling {
						t.Errorf("%d bytes a snapshot, %v ± %v, loss %.2f: the rate fell to %.0f", need, delay, jitter, loss, least)
					}
				}
			}
		}
	}
}

// A longer path must not count as a queue: no rate ends that wait.
func TestLongerWayIsNoQueue(t *testing.T) {
	l := newLine(12000, 256, linksim.Event{Kind: linksim.Route, At: 20 * s, By: 80 * ms})
	f := l.add(800, 30, 0)
	l.run(40*s, nil)
	before, after := f.carried(10*s, 20*s), f.carried(25*s, 40*s)
	if after < 0.95*before {
		t.Errorf("%.0f bytes/s before and %.0f after", before, after)
	}
}

// Packets sent into a stalled line wait there, and are of no use when they arrive. The controller
// must send few of them.
func TestLineThatStands(t *testing.T) {
	l := newLine(4000, 1000, becomes(0, 20*s), becomes(4000, 23*s))
	f := l.add(3000, 30, 0)
	l.run(22*s+900*ms, nil)
	_, sent := f.link.Waiting()
	if cause := f.control.Stats(l.now).Cause; sent > 50000 || cause != congestion.Silence {
		t.Errorf("%d bytes were sent into it, and the cause is %v", sent, cause)
	}
	l.run(40*s, nil)
	if before, after := f.carried(10*s, 20*s), f.carried(28*s, 40*s); after < 0.95*before {
		t.Errorf("%.0f bytes/s before and %.0f after", before, after)
	}
}

// For any stamps, orders and sizes the rate must stay within its bounds.
func TestNothingBreaksTheBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := congestion.New(70000)
		var sent []congestion.Packet
		now := time.Duration(0)
		for range rapid.IntRange(1, 400).Draw(t, "steps") {
			now += time.Duration(rapid.IntRange(0, 300).Draw(t, "ms")) * ms
			sent = append(sent, c.Sent(now, rapid.IntRange(0, 1300).Draw(t, "bytes")))
			p := &sent[rapid.IntRange(0, len(sent)-1).Draw(t, "packet")]
			switch rapid.IntRange(0, 9).Draw(t, "what") {
			case 0:
				c.Lost(p)
			case 1:
				c.Reset()
			default:
				c.Delivered(now, p)
				c.Arrived(now, p, rapid.Uint16().Draw(t, "stamp"))
			}
			if r := c.Rate(now); !(r >= 4000 && r <= 70000) {
				t.Fatalf("a rate of %v", r)
			}
		}
	})
}

func TestControllerAllocatesNothing(t *testing.T) {
	c := congestion.New(64 << 10)
	now := time.Duration(0)
	if n := testing.AllocsPerRun(1000, func() {
		now += 16 * ms
		p := c.Sent(now, 1000)
		c.Delivered(now, &p)
		c.Arrived(now, &p, uint16(now/ms+now/(50*ms)))
		_ = c.Stats(now)
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
