package zones_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/netcode/zones"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/custody"
)

// market is a world of crates that wander over the borders, and of a bank in each zone that pays
// coins to crates by saved events, while zones are killed, links are cut and NATS is away. It
// checks all ticks: no crate has two owners, none is lost, none goes back in time farther than it
// may, and the coins stay as many as they were.
type market struct {
	*world
	random *rand.Rand
	known  map[custody.Name]*crate
	coins  int
	pays   bool
	err    error
	kills  int
	// after a fault a crate may be as old as a checkpoint
	mayRewind time.Duration
	worst     time.Duration // how far the state of a crate went back
	gap       time.Duration // the longest time without an owner, when no zone was down
	down      bool          // a zone is, or was a moment ago
}

// crate is what the checker knows of one.
type crate struct {
	seen   time.Duration // when it had an owner
	fuel   float32
	bank   bool
	listed bool // in this frame
}

const (
	kindBank = 3
	burn     = 1.0 / 1024 // of a crate's fuel, in each step
)

// newMarket begins four zones with crates and a bank in each.
func newMarket(w *world, seed uint64, crates int) *market {
	m := &market{world: w, random: rand.New(rand.NewPCG(seed, 3)), known: map[custody.Name]*crate{}}
	w.receive = func(p *place, e arche.Entity, event []byte) {
		n, err := strconv.Atoi(string(event))
		if err != nil {
			m.fail("an event of %q", event)
			return
		}
		purse(p, e).N += int32(n)
	}
	for _, name := range all {
		w.begin(name, 0)
	}
	m.live(time.Second)
	for _, name := range all {
		m.fill(w.zones[name], crates)
	}
	m.live(3 * time.Second)
	found := map[custody.Name]*crate{}
	for range 30 { // some are under way in each moment
		m.live(time.Second / tickRate)
		for _, p := range w.zones {
			p.EachOwnedForTest(func(n custody.Name, e arche.Entity) {
				if found[n] == nil {
					m.coins += int(purse(p, e).N)
				}
				found[n] = &crate{seen: w.now, bank: !p.wander.Has(e), fuel: 200}
			})
		}
	}
	m.known = found
	if len(m.known) != 4*(crates+1) {
		m.fail("%d entities to begin with, want %d", len(m.known), 4*(crates+1))
	}
	m.pays = true
	return m
}

var all = []string{"nw", "ne", "sw", "se"}

func (m *market) fill(p *place, crates int) {
	w := p.engine.World()
	wanders, purses, residents := generic.NewMap1[wander](w), generic.NewMap1[coins](w), generic.NewMap1[zones.Resident](w)
	for range crates {
		e := p.spawn(kindCrate, p.somewhere())
		wanders.Assign(e, &wander{VX: m.speed(), VZ: m.speed(), Fuel: 100})
		purses.Assign(e, &coins{N: int32(m.random.IntN(1000))})
	}
	bank := p.spawn(kindBank, p.somewhere())
	purses.Assign(bank, &coins{N: 100000})
	residents.Assign(bank, &zones.Resident{})
}

// purse returns the coins of an entity.
func purse(p *place, e arche.Entity) *coins {
	purses := generic.NewMap[coins](p.engine.World())
	return purses.Get(e)
}

// speed returns the speed of a crate along one axis.
func (m *market) speed() float32 {
	v := 4 + m.random.Float32()*10
	if m.random.IntN(2) == 0 {
		return -v
	}
	return v
}

func (m *market) fail(format string, args ...any) {
	if m.err == nil {
		m.err = fmt.Errorf("at %v: "+format, append([]any{m.now}, args...)...)
	}
}

// live lets time pass by ticks.
func (m *market) live(d time.Duration) {
	const tick = time.Second / tickRate
	for end := m.now + d; m.now < end && m.err == nil; {
		m.pass(tick)
		m.frames++
		for _, name := range append(all, "new") {
			p := m.zones[name]
			if p == nil || p.conn.IsClosed() {
				continue
			}
			p.engine.Update(tick)
			if m.pays && m.frames%3 == 0 && p.Active() {
				m.pay(p)
			}
		}
		if m.settle > 0 && m.frames%m.settle == 0 {
			m.wait()
		}
		m.check()
	}
}

// pay lets the bank of a zone pay a coin to an entity that the zone knows, its own or a ghost.
func (m *market) pay(p *place) {
	w := p.engine.World()
	purses := generic.NewMap[coins](w)
	var bank arche.Entity
	var to []arche.Entity
	q := w.Query(arche.All(arche.ComponentID[coins](w), arche.ComponentID[components.Transform3D](w)))
	for q.Next() {
		switch {
		case w.Has(q.Entity(), arche.ComponentID[zones.Resident](w)):
			bank = q.Entity()
		case p.NameForTest(q.Entity()) != 0 && m.known[p.NameForTest(q.Entity())] != nil && !m.known[p.NameForTest(q.Entity())].bank:
			to = append(to, q.Entity())
		}
	}
	if bank.IsZero() || len(to) == 0 || p.Stats().Letters > 200 {
		return
	}
	if err := p.SendSaved(to[m.random.IntN(len(to))], []byte("1")); err != nil {
		m.fail("%v", err)
		return
	}
	purses.Get(bank).N--
}

// check checks the zones after a frame.
func (m *market) check() {
	if len(m.known) == 0 {
		return
	}
	for _, c := range m.known {
		c.listed = false
	}
	for _, p := range m.zones {
		if p.conn.IsClosed() || !p.Active() {
			continue
		}
		p.EachOwnedForTest(func(n custody.Name, e arche.Entity) {
			c := m.known[n]
			switch {
			case c == nil:
				m.fail("zone %s has %v, which never was", p.name, n)
				return
			case c.listed:
				m.fail("%v has two owners, one of them is %s", n, p.name)
				return
			}
			c.listed = true
			if !m.down {
				m.gap = max(m.gap, m.now-c.seen)
			}
			c.seen = m.now
			if c.bank {
				return
			}
			if !p.wander.Has(e) {
				m.fail("%v has come to %s without what it carries", n, p.name)
				return
			}
			fuel := p.wander.Get(e).Fuel
			if back := time.Duration((fuel - c.fuel) / burn * float32(time.Second) / tickRate); back > 0 && c.fuel < 150 {
				if m.worst = max(m.worst, back); back > m.mayRewind {
					m.fail("%v goes back by %v at %s", n, back, p.name)
				}
			}
			c.fuel = fuel
		})
		if m.frames%7 == 0 {
			if err := p.CheckForTest(); err != nil {
				m.fail("%s: %v", p.name, err)
			}
		}
	}
}

// calm waits until all zones have begun a checkpoint and written it since now, so that the next
// fault is one by itself, and checks that no crate is lost.
func (m *market) calm() {
	begun, least := m.now, map[string]uint64{}
	for name, p := range m.zones {
		least[name] = p.Stats().Checkpoints + 2
	}
	for saved := false; !saved && m.err == nil; {
		m.live(100 * time.Millisecond)
		saved = true
		for name, p := range m.zones {
			saved = saved && p.Stats().Checkpoints >= least[name]
		}
		if m.now-begun > 30*time.Second {
			m.fail("the zones do not save: %s", m.report())
		}
	}
	m.mayRewind = 0
	for n, c := range m.known {
		if m.now-c.seen > time.Second {
			m.fail("%v has no owner since %v: %s", n, c.seen, m.report())
		}
	}
}

// end lets the letters come, and counts the coins.
func (m *market) end() {
	m.pays = false
	letters := 0
	for begun := m.now; m.err == nil; {
		m.live(500 * time.Millisecond)
		letters = 0
		for _, p := range m.zones {
			letters += p.Stats().Letters
		}
		if letters == 0 {
			break
		}
		if m.now-begun > 60*time.Second {
			m.fail("%d letters wait for ever: %s", letters, m.report())
		}
	}
	// Stop the crates, also those that are under way in a moment.
	for range 60 {
		m.live(time.Second / tickRate)
		for _, p := range m.zones {
			p.EachOwnedForTest(func(_ custody.Name, e arche.Entity) {
				if p.wander.Has(e) {
					*p.wander.Get(e) = wander{Fuel: p.wander.Get(e).Fuel}
				}
			})
		}
	}
	m.live(4 * time.Second)
	sum, n := 0, 0
	for _, p := range m.zones {
		p.EachOwnedForTest(func(_ custody.Name, e arche.Entity) {
			sum += int(purse(p, e).N)
			n++
		})
		if s := p.Stats(); s.Known > 0 && m.err == nil {
			m.fail("%s remembers %d entities that are elsewhere, after 4 s of calm", p.name, s.Known)
		}
	}
	if m.err == nil && (sum != m.coins || n != len(m.known)) {
		m.fail("%d coins in %d entities, want %d in %d", sum, n, m.coins, len(m.known))
	}
}

func (m *market) report() (text string) {
	for name, p := range m.zones {
		s := p.Stats()
		text += fmt.Sprintf("\n%s: active %v, epoch %d, owned %d, ghosts %d, known %d, letters %d, checkpoints %d, malformed %d, unsent %d, error %v",
			name, p.Active(), s.Epoch, s.Owned, s.Ghosts, s.Known, s.Letters, s.Checkpoints, s.Malformed, s.Unsent, p.Err())
	}
	return text
}

// stat returns figures for a test's log.
func (m *market) stat() string {
	var handOvers uint64
	for _, p := range m.zones {
		handOvers += p.Stats().HandOvers
	}
	return fmt.Sprintf("%d kills, %v, %d hand-overs of the last processes, state at most %v old, without an owner at most %v in calm times",
		m.kills, m.now, handOvers, m.worst, m.gap)
}
