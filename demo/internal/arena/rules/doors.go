package rules

import (
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/arena"
)

// doorWait is how long a door stays open after the last press.
const doorWait = 1500 * time.Millisecond

// stepDoors opens doors whose plates are pressed, and shuts them some time later, unless something
// stands in the way. Every change is announced, so that no client has predicted its tick yet.
func (m *Match) stepDoors() {
	now := m.server.Tick()
	for i, door := range m.rules.Doors {
		d, last := &m.rules.Level.Doors[i], m.rules.DoorAhead(i, now)
		if !m.hasDoor(i) {
			continue // its zone opens it
		}
		if last.Since.IsNewer(now) {
			continue // announced
		}
		if m.holds(d, last) {
			m.held[i] = now.Add(m.ticks(doorWait))
		}
		if open := m.held[i].IsNewer(now); open != last.Open {
			from := m.rules.Announce(last, now)
			door.Set(arena.Door{Open: open, Since: from}, from)
		}
	}
}

// holds reports whether a door opens, or stays open, for something near it.
func (m *Match) holds(d *arena.Doorway, last arena.Door) (holds bool) {
	m.server.Players(func(p *Player) {
		_, on := d.OnPlate(p.State.Pos)
		holds = holds || on || last.Open && d.Blocked(p.State.Pos, arena.Radius)
	})
	for _, e := range m.crates {
		holds = holds || last.Open && d.Blocked(m.boxes.Get(e).Pos, arena.CrateRadius)
	}
	return holds
}
