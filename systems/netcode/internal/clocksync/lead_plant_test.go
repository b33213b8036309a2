package clocksync

import (
	"testing"
	"time"
)

// plant is a client that follows a lead perfectly but slowly, and a server that reports ages half a
// round trip later.
type plant struct {
	l     *Lead
	m     *AgeMeter
	rtt   time.Duration
	up    time.Duration // the way that the reports have to show
	slew  float64       // greatest speed of the simulation towards its target
	lead  time.Duration // of the simulation
	now   time.Duration
	k     int64
	queue []report
	every int // ticks, a report; 0 means 1
}

type report struct {
	at time.Duration
	Report
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
		p.l.Sent(g.Tick(p.k), p.now)
		if p.m.Arrived(g.Tick(p.k), p.now+p.up) && p.k%int64(max(1, p.every)) == 0 {
			p.queue = append(p.queue, report{p.now + p.rtt, p.m.Report()})
		}
	}
	for len(p.queue) > 0 && p.queue[0].at <= p.now {
		r := p.queue[0]
		p.queue = p.queue[1:]
		p.l.Report(p.now, r.Report, 0)
	}
}

// Adjustments that have no report yet are not made again. For every round trip and every speed of
// the simulation, the lead reaches its target and does not pass it.
func TestLeadDoesNotOversteer(t *testing.T) {
	for _, rtt := range []time.Duration{20 * ms, 200 * ms, 500 * ms, 1500 * ms} {
		for _, slew := range []float64{0.05, 1} {
			p := &plant{l: newLead(1), m: NewAgeMeter(Grid{}), rtt: rtt, up: rtt / 2, slew: slew}
			p.l.Follow(0, rtt/2, 0)
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
			if off := (after - before - 200*ms).Abs(); off > 5*ms {
				t.Errorf("rtt %v, slew %v: the lead rose by %v, want 200 ms", rtt, slew, after-before)
			}
			if over := highest - after; over > 5*ms {
				t.Errorf("rtt %v, slew %v: the lead overshot by %v", rtt, slew, over)
			}
			// Inputs are sent up to a frame after the edge of their tick. The target includes that
			// frame.
			if got, want := p.m.age, p.l.TargetAge(); got > want+2*ms || got < want-17*ms-2*ms || got < 0 {
				t.Errorf("rtt %v, slew %v: inputs are %v early, want %v less up to a frame", rtt, slew, got, want)
			}
		}
	}
}

// Negative control: a loop that integrates the reported age, without regard to adjustments under
// way, overshoots by far on the same plant.
func TestIntegratedAgeOversteers(t *testing.T) {
	g := Grid{}
	m := NewAgeMeter(Grid{})
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
			queue = append(queue, report{now + rtt, m.Report()})
		}
		for len(queue) > 0 && queue[0].at <= now {
			set -= time.Duration(0.1 * float64(queue[0].Age.Duration(g))) // the target is 0
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
