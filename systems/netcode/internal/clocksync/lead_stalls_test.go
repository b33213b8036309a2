package clocksync

import (
	"testing"
	"time"
)

// Inputs that a stall of the line has held up arrive late, but the way is as short as before then.
// The simulation must not jump ahead, since it would jump back as soon as the reports show that.
func TestLeadStaysAfterStallsOfTheLine(t *testing.T) {
	const way = 25 * ms
	g := Grid{}
	for _, test := range []struct {
		name   string
		stalls [][2]time.Duration
		each   time.Duration // the line carries a packet in this time
		more   time.Duration // that the way may seem to take; the simulation jumps for 250 ms
	}{
		{"stalls in a row", [][2]time.Duration{{5000 * ms, 5110 * ms}, {5140 * ms, 5250 * ms}, {5280 * ms, 5390 * ms}}, ms, g.Step()},
		{"an outage", [][2]time.Duration{{5000 * ms, 6500 * ms}}, ms, g.Step()},
		{"an outage whose queue drains", [][2]time.Duration{{5000 * ms, 6700 * ms}}, 4 * ms, outage},
		{"a long outage whose queue drains", [][2]time.Duration{{5000 * ms, 7700 * ms}}, 6 * ms, outage},
	} {
		l, m := newLead(1), NewAgeMeter(g)
		l.Follow(0, way, 0)
		var sent []sentInput // under way; at is when each arrives
		var reports []report
		last, k := time.Duration(0), int64(0)
		for step := int64(0); g.Edge(step) < 12*time.Second; step++ {
			now := g.Edge(step)
			l.Frame(now)
			for ; g.Edge(k) <= now+3*way; k++ {
				l.Sent(g.Tick(k), now)
				arrives := now + way
				for _, s := range test.stalls {
					if arrives > s[0] && arrives < s[1] {
						arrives = s[1]
					}
				}
				last = max(arrives, last+test.each)
				sent = append(sent, sentInput{at: last, tick: g.Tick(k)})
			}
			for ; len(sent) > 0 && sent[0].at <= now; sent = sent[1:] {
				m.Arrived(sent[0].tick, sent[0].at)
			}
			if step%2 == 0 {
				reports = append(reports, report{now + way, m.Report()})
			}
			for ; len(reports) > 0 && reports[0].at <= now; reports = reports[1:] {
				l.Report(now, reports[0].Report, 0)
				if l.Hurry() {
					t.Errorf("%s: hurries at %v", test.name, now)
				}
			}
			if got := l.Way(); got > way+test.more {
				t.Fatalf("%s: a way of %v at %v, want %v", test.name, got, now, way)
			}
		}
	}
}
