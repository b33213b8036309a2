package zones_test

import (
	"flag"
	"testing"
	"time"
)

var (
	kills = flag.Int("kills", 8, "zones that TestCrashesLoseNothing kills")
	seeds = flag.Uint64("seed", 1, "of the tests with random faults")
)

// Zones are killed at random moments, one at a time, while crates cross the borders and banks pay
// coins to them. No crate and no coin is lost or doubled, and no state goes back farther than to
// the newest checkpoint.
func TestCrashesLoseNothing(t *testing.T) {
	t.Parallel()
	m := newMarket(newWorld(t, quadrants()), *seeds, 8)
	for m.kills < *kills && m.err == nil {
		m.calm()
		m.live(time.Duration(m.random.Int64N(int64(1200 * time.Millisecond))))
		m.crash()
	}
	m.calm()
	m.end()
	if m.err != nil {
		t.Errorf("seed %d, kill %d: %v", *seeds, m.kills, m.err)
	}
	t.Log(m.stat())
}

// crash kills a zone and begins it again a little later.
func (m *market) crash() {
	if m.err != nil {
		return
	}
	name := all[m.random.IntN(len(all))]
	p := m.zones[name]
	for range m.random.IntN(3) { // with the work of NATS in different states
		m.live(time.Second / tickRate)
	}
	if m.random.IntN(2) == 0 {
		p.kill()
	} else {
		p.vanish()
	}
	m.kills++
	m.down, m.mayRewind = true, 1300*time.Millisecond
	m.live([]time.Duration{0, 50 * time.Millisecond, time.Second, 5 * time.Second}[m.random.IntN(4)])
	if m.err != nil {
		return
	}
	p = m.begin(name, 0)
	for begun := m.now; !p.Active() && m.err == nil; {
		m.live(50 * time.Millisecond)
		if m.now-begun > 20*time.Second {
			m.fail("%s does not begin: %s", name, m.report())
		}
	}
	m.live(500 * time.Millisecond)
	m.down = false
}

// vanish ends the process of a zone without a goodbye to anything.
func (p *place) vanish() {
	if p.w.zones[p.name] == p && !p.conn.IsClosed() {
		p.VanishForTest()
		p.conn.Close()
		delete(p.w.listens, p.name)
		delete(p.w.listens, "link-"+p.name)
	}
}
