package zones_test

import (
	"errors"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/zones"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/internal/land"
)

// done ends a test of a market.
func (m *market) done() {
	t := m.t
	t.Helper()
	m.calm()
	m.end()
	if m.err != nil {
		t.Errorf("seed %d: %v", *seeds, m.err)
	}
	t.Log(m.stat())
}

// A zone that is closed and begun again loses nothing, not even a tick of one entity, in whatever
// moment it is closed.
func TestCloseLosesNothing(t *testing.T) {
	t.Parallel()
	m := newMarket(newWorld(t, quadrants()), *seeds, 8)
	for range 8 {
		m.live(time.Duration(m.random.Int64N(int64(1200 * time.Millisecond))))
		name := all[m.random.IntN(len(all))]
		m.restart(m.zones[name])
	}
	m.done()
}

// restart closes a zone and begins it again.
func (m *market) restart(p *place) {
	if m.err != nil {
		return
	}
	p.engine.Close()
	p.Close()
	p.conn.Close()
	delete(m.listens, p.name)
	delete(m.listens, "link-"+p.name)
	m.down = true
	again := m.begin(p.name, 0)
	for begun := m.now; !again.Active() && m.err == nil; {
		m.live(50 * time.Millisecond)
		if m.now-begun > 20*time.Second {
			m.fail("%s does not begin: %s", p.name, m.report())
		}
	}
	m.live(200 * time.Millisecond)
	m.down = false
}

// While the link between two zones is cut, hand-overs wait, and nothing is lost.
func TestLinkIsCut(t *testing.T) {
	t.Parallel()
	m := newMarket(newWorld(t, quadrants()), *seeds, 8)
	for _, d := range []time.Duration{time.Second, 8 * time.Second} {
		m.live(time.Duration(m.random.Int64N(int64(time.Second))))
		m.down = true
		m.setCut("nw", "ne", true)
		m.live(d)
		if open := m.isOpen("nw", 2); open != (d < 3*time.Second) {
			t.Errorf("after %v the link is open: %v", d, open)
		}
		m.setCut("nw", "ne", false)
		m.live(3 * time.Second)
		m.down = false
		if !m.isOpen("nw", 2) {
			t.Errorf("the link does not open again: %s", m.report())
		}
	}
	m.done()
}

func (m *market) isOpen(name string, to int) (open bool) {
	for _, l := range m.zones[name].Stats().Links {
		if int(l.Zone) == to {
			open = l.Open
		}
	}
	return open
}

// While NATS is away the zones go on for as long as their leases hold, hand-overs too. Then they
// freeze. When NATS is back they save their last state and end. Begun again, they have lost
// nothing.
func TestNATSIsAway(t *testing.T) {
	t.Parallel()
	m := newMarket(newWorld(t, quadrants()), *seeds, 8)
	for _, name := range all { // their leases end at different times
		m.live(300 * time.Millisecond)
		m.restart(m.zones[name])
	}
	m.live(2 * time.Second)
	m.wait()
	m.nats.Stop()
	m.settle = 0
	var before, after uint64
	for _, p := range m.zones {
		before += p.Stats().Arrivals
	}
	m.live(9 * time.Second)
	for _, p := range m.zones {
		if after += p.Stats().Arrivals; !p.Active() {
			t.Errorf("%s is frozen after 9 s", p.name)
		}
	}
	if after < before+40 {
		t.Errorf("%d hand-overs while NATS was away", after-before)
	}
	m.down = true
	for frozen := map[string]bool{}; len(frozen) < 4 && m.err == nil; {
		m.live(50 * time.Millisecond)
		for _, p := range m.zones {
			if p.FrozenForTest() {
				frozen[p.name] = true
			}
		}
		if p := m.zones["nw"]; p.Stats().LeaseAge > 16*time.Second {
			m.fail("not all zones have frozen: %s", m.report())
		}
	}
	m.live(time.Second)
	if err := m.nats.Start(); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(60 * time.Second); m.err == nil; time.Sleep(10 * time.Millisecond) {
		m.live(time.Second / tickRate)
		ended := 0
		for _, p := range m.zones {
			if p.Err() != nil {
				ended++
			}
		}
		if ended == len(m.zones) {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("the zones do not end: %s", m.report())
		}
	}
	m.settle = 12
	for _, name := range all {
		p := m.zones[name]
		if !errors.Is(p.Err(), zones.ErrFrozen) {
			t.Errorf("%s has ended with %v", name, p.Err())
		}
		p.kill()
	}
	for _, name := range all {
		m.begin(name, 0)
	}
	m.live(3 * time.Second)
	m.down = false
	m.done()
}

// A zone that could not begin before its lease was over ends, too.
func TestFrozenBeforeItBegan(t *testing.T) {
	t.Parallel()
	w := newWorld(t, quadrants())
	w.begin("nw", 3)
	w.begin("ne", 3)
	w.run(2*time.Second, nil)
	w.zones["ne"].kill()
	w.zones["nw"].kill()
	p := w.begin("nw", 3) // it waits for the answer of the other one
	w.run(time.Second, nil)
	if p.Active() {
		t.Fatal("the zone has not asked the other one")
	}
	w.nats.Stop()
	w.settle = 1 << 30
	w.run(12*time.Second, nil)
	if !p.FrozenForTest() {
		t.Fatal("the zone has not frozen")
	}
	if err := w.nats.Start(); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(60 * time.Second); p.Err() == nil && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		w.run(frame, nil)
	}
	if !errors.Is(p.Err(), zones.ErrFrozen) {
		t.Errorf("it has ended with %v", p.Err())
	}
}

// A zone is split while crates cross: its new part begins to run and gets what lies there. Then the
// two are merged again, and all that the new zone has moves out.
func TestMapChanges(t *testing.T) {
	t.Parallel()
	m := newMarket(newWorld(t, quadrants()), *seeds, 10)
	split, err := quadrants().Split("se", "new", 'x', 8)
	if err != nil {
		t.Fatal(err)
	}
	m.putMap(split)
	m.live(time.Second) // what is there waits
	m.begin("new", 0)
	most := 0
	for range 40 {
		m.live(250 * time.Millisecond)
		most = max(most, m.zones["new"].Stats().Owned)
	}
	if most < 3 {
		t.Errorf("the new zone has had %d entities at most", most)
	}
	merged, err := split.Merge("new", "se")
	if err != nil {
		t.Fatal(err)
	}
	m.putMap(merged)
	m.live(3 * time.Second)
	if n := m.zones["new"].Stats().Owned; n != 0 {
		t.Errorf("the merged zone has %d entities left", n)
	}
	m.done()
}

// Zones that are killed while the map changes lose nothing.
func TestMapChangesAndZonesCrash(t *testing.T) {
	t.Parallel()
	m := newMarket(newWorld(t, quadrants()), *seeds, 10)
	maps := []*land.Map{quadrants()}
	for _, at := range []float32{10, -6} {
		split, err := maps[0].Split("sw", "se", 'x', -10)
		if at > 0 {
			split, err = maps[0].Split("ne", "se", 'z', -at)
		}
		if err != nil {
			t.Fatal(err)
		}
		maps = append(maps, split)
	}
	for i := 1; i < 6 && m.err == nil; i++ {
		m.calm()
		m.putMap(maps[i%len(maps)])
		m.live(time.Duration(m.random.Int64N(int64(400 * time.Millisecond))))
		m.crash()
	}
	m.done()
}
