package link_test

import (
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/custody"
)

// newClocks returns two zones whose clocks have other zeros and rates, on a path with 1 ms of delay
// and 0.5 ms of jitter.
func newClocks(t tester) *world {
	w := newWorld(t, near, process(1, 1), process(2, 1))
	w.fine = 100 * time.Microsecond
	a, b := w.zones[0], w.zones[1]
	a.offset, a.drift = 40*time.Hour, 40e-6
	b.offset, b.drift = -3*time.Second, -60e-6
	a.ticks, b.ticks = time.Hour, time.Hour+7*time.Millisecond
	return w
}

// wrong returns the greatest error of what the zones know of each other's common ticks.
func (w *world) wrong() (worst time.Duration) {
	w.t.Helper()
	for i, z := range w.zones {
		other := w.zones[1-i]
		ahead, ok := z.Ahead(other.config.Self.Zone, z.clock(w.now), w.now+z.ticks)
		if !ok {
			w.t.Fatal("no clock")
		}
		worst = max(worst, (ahead - (other.ticks - z.ticks)).Abs())
	}
	return worst
}

// In a network with 1 ms of delay and 0.5 ms of jitter both ends know the other's ticks within a
// millisecond after two seconds, and from then on, whatever the zeros and rates of their clocks.
func TestAheadIsWithinAMillisecond(t *testing.T) {
	w := newClocks(t)
	w.open()
	w.run(2*time.Second, nil)
	worst := time.Duration(0)
	w.run(40*time.Second, func() { worst = max(worst, w.wrong()) })
	if worst > time.Millisecond {
		t.Errorf("wrong by up to %v", worst)
	}
	t.Log("wrong by up to", worst)
}

// A zone that goes on after a rest sets its ticks. The others know it as soon as a packet of it has
// arrived.
func TestTicksThatJump(t *testing.T) {
	w := newClocks(t)
	w.open()
	w.run(2*time.Second, nil)
	for _, jump := range []time.Duration{20 * time.Second, -3 * time.Second, 50 * time.Millisecond} {
		w.zones[1].ticks += jump
		w.run(w.now+150*time.Millisecond, nil)
		if worst := w.wrong(); worst > time.Millisecond {
			t.Errorf("150 ms after a jump by %v the ticks are wrong by %v", jump, worst)
		}
	}
}

// A packet that was overtaken has old ticks, which do not count any more.
func TestTicksOfOvertakenPackets(t *testing.T) {
	w := newClocks(t)
	w.path = condition(t, "delay=1ms reorder=40%/70ms")
	w.zones[1].write = func(_ custody.Process, p *packet.Writer, _ packet.Number) int { p.Bits(1, 8); return 0 }
	w.open()
	w.run(3*time.Second, nil)
	for range 20 {
		const jump = 20 * time.Second
		before := w.zones[1].ticks
		w.zones[1].ticks += jump
		changes, was := 0, false
		w.run(w.now+time.Second/2, func() {
			ahead, ok := w.zones[0].Ahead(2, w.zones[0].clock(w.now), w.now+before)
			if is := ahead > jump/2; !ok || is != was {
				changes, was = changes+1, is
			}
		})
		if changes != 1 {
			t.Fatalf("the ticks changed %d times", changes)
		}
	}
}

// A zone that steers its ticks runs them faster or slower. The others follow within what the ticks
// change in the time between two packets of an idle link.
func TestTicksThatAreSteered(t *testing.T) {
	w := newClocks(t)
	w.open()
	w.run(2*time.Second, nil)
	const slower = 200 // half a per cent
	worst := time.Duration(0)
	w.run(12*time.Second, func() {
		w.zones[1].ticks += step / 2 / slower
		worst = max(worst, w.wrong())
	})
	if most := time.Millisecond + 700*time.Microsecond; worst > most {
		t.Errorf("wrong by up to %v, want %v", worst, most)
	}
	t.Log("wrong by up to", worst)
}

// A clock that nothing should adjust steps when its machine wakes up. The other end follows within
// a second.
func TestClockThatSteps(t *testing.T) {
	w := newClocks(t)
	w.open()
	w.run(4*time.Second, nil)
	b := w.zones[1]
	b.offset += 200 * time.Millisecond
	w.run(w.now+time.Second, nil)
	if worst := w.wrong(); worst > time.Millisecond {
		t.Errorf("wrong by %v a second after the step", worst)
	}
}

// Ahead is known soon after a link has opened, and not before.
func TestAheadIsKnownSoon(t *testing.T) {
	w := newClocks(t)
	w.open()
	if _, ok := w.zones[0].Ahead(2, w.zones[0].clock(w.now), 0); ok {
		t.Error("a clock without a sample")
	}
	w.run(w.now+500*time.Millisecond, nil)
	if worst := w.wrong(); worst > 2*time.Millisecond {
		t.Errorf("wrong by %v after half a second", worst)
	}
}
