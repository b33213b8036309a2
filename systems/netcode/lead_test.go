package netcode_test

import (
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// The lead depends on the measured loss. On a line without loss it is two ticks less than for three
// packets, and it grows as soon as packets are lost. The server misses at most one input in a
// thousand (case 24).
func TestLeadFollowsTheLoss(t *testing.T) {
	lan := linksim.Symmetric(linksim.Condition{Delay: time.Millisecond, Seed: 1})
	m := newMatch(t, nil)
	fixed := func(c *netcode.ClientConfig[runner, input]) { c.Redundancy = netcode.Bounds[int]{Min: 3, Max: 3} }
	a, b := m.join(lan, nil), m.join(lan, fixed)
	for _, p := range m.clients {
		p.input = func(at netcode.Tick) input { return input{X: int8(at/20%3) - 1} }
	}
	m.run(30*time.Second, nil)
	m.mustPlay()
	const step = time.Second / tickRate
	sa, sb := a.client.Stats(), b.client.Stats()
	if gain := sb.Lead - sa.Lead; sa.Redundancy != 1 || sb.Redundancy != 3 || gain < 2*step-5*time.Millisecond || gain > 2*step+5*time.Millisecond {
		t.Errorf("without loss: a redundancy of %d and %d, leads of %v and %v; want 1, 3, and two ticks less", sa.Redundancy, sb.Redundancy, sa.Lead, sb.Lead)
	}
	if s := m.of(a).InputStats(); s.Missed() > 0.001 {
		t.Errorf("without loss %.2f %% of the inputs were missed", 100*s.Missed())
	}
	if err := a.Conn.SetPath(linksim.Symmetric(linksim.Condition{Delay: time.Millisecond, Loss: 0.15, Seed: 1})); err != nil {
		t.Fatal(err)
	}
	m.run(15*time.Second, nil)
	if n := a.client.Stats().Redundancy; n < 3 {
		t.Errorf("15 s of 15 %% loss: a redundancy of %d, want 3 or more", n)
	}
	m.run(20*time.Second, nil)
	before := m.of(a).InputStats()
	m.run(60*time.Second, nil)
	after := m.of(a).InputStats()
	after.Ticks, after.Repeated, after.Idle = after.Ticks-before.Ticks, after.Repeated-before.Repeated, after.Idle-before.Idle
	if n := a.client.Stats().Redundancy; n != 4 || after.Missed() > 0.001 {
		t.Errorf("at 15 %% loss: a redundancy of %d, and %.2f %% of the inputs were missed; want 4, and 0.1 %%", n, 100*after.Missed())
	}
}

// The delay of the others' view can be bounded and fixed, on any line.
func TestViewDelayIsBounded(t *testing.T) {
	const ms = time.Millisecond
	m := newMatch(t, nil)
	path := linksim.Symmetric(linksim.Condition{Delay: 30 * ms, Jitter: 5 * ms, Seed: 1})
	type bounds = netcode.Bounds[time.Duration]
	join := func(b bounds) *player {
		return m.join(path, func(c *netcode.ClientConfig[runner, input]) { c.Delay = b })
	}
	free, long, short, fixed := join(bounds{}), join(bounds{Min: 300 * ms}), join(bounds{Max: 40 * ms}), join(bounds{Min: 150 * ms, Max: 150 * ms})
	m.run(12*time.Second, nil)
	m.mustPlay()
	lag := func(p *player) time.Duration { return p.client.Stats().Delay }
	base := lag(fixed) - 150*ms // the one-way delay, and the step that both ends run ahead
	if base < 10*ms || base > 60*ms {
		t.Errorf("fixed at 150 ms others are shown %v in the past", lag(fixed))
	}
	if got := lag(free) - base; got < 33*ms || got > 60*ms {
		t.Errorf("without bounds the delay is %v, want an interval of 33 ms and the jitter", got)
	}
	for _, test := range []struct {
		name      string
		got, want time.Duration
	}{{"at least 300 ms", lag(long) - base, 300 * ms}, {"at most 40 ms", lag(short) - base, 40 * ms}} {
		if off := test.got - test.want; off < -15*ms || off > 15*ms {
			t.Errorf("%s: the delay is %v", test.name, test.got)
		}
	}
}

func TestBoundsAreChecked(t *testing.T) {
	for _, change := range []func(c *netcode.ClientConfig[runner, input]){
		func(c *netcode.ClientConfig[runner, input]) { c.Redundancy.Min = -1 },
		func(c *netcode.ClientConfig[runner, input]) { c.Redundancy = netcode.Bounds[int]{Min: 4, Max: 3} },
		func(c *netcode.ClientConfig[runner, input]) { c.Redundancy.Max = 33 },
		func(c *netcode.ClientConfig[runner, input]) { c.Delay.Min = -1 },
		func(c *netcode.ClientConfig[runner, input]) { c.Delay.Min, c.Delay.Max = 2, 1 },
	} {
		c := netcode.ClientConfig[runner, input]{
			Dial: func() (transport.Conn, error) { return nil, nil }, Input: func(netcode.Tick) input { return input{} }, Log: quiet(),
		}
		change(&c)
		if _, err := netcode.NewClient(newProtocolFor(t, netcode.Config{}, runnerGame()), c); err == nil {
			t.Errorf("no error for a Redundancy of %+v and a Delay of %+v", c.Redundancy, c.Delay)
		}
	}
}
