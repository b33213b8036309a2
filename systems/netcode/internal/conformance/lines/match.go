package lines

import (
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/conformance/rates"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/prediction"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// match records the events of a run of a case for the first player, and also for the second one if
// both share the same queues. It implements [rates.Watcher].
type match struct{ players []*recorder }

func newMatch(c *Case) *match {
	m := &match{players: []*recorder{{c: c}}}
	if c.shared {
		m.players = append(m.players, &recorder{c: c})
	}
	return m
}

// finish returns the worse of both players' values of each figure, and the figures of the shared
// line.
func (m *match) finish() Figures {
	f := m.players[0].finish()
	if len(m.players) > 1 {
		other := m.players[1].finish()
		a, b, use := f.Down, other.Down, f.HardUse+other.HardUse
		f.worst(&other)
		f.HardUse = use
		if a+b > 0 {
			f.Jain = (a + b) * (a + b) / (2 * (a*a + b*b))
		}
	}
	return f
}

func (m *match) measured(client int) bool { return client < len(m.players) }

// Dialled implements [rates.Watcher].
func (m *match) Dialled(client int, down, up *linksim.Link) {
	if m.measured(client) {
		m.players[client].dialled(down, up)
	}
}

// Sent implements [rates.Watcher].
func (m *match) Sent(client, connection int, datagram []byte, stamp time.Duration) {
	if m.measured(client) {
		m.players[client].sent(connection, datagram, stamp)
	}
}

// Turn implements [rates.Watcher].
func (m *match) Turn(client int, now time.Duration, inputs prediction.BufferStats) {
	if m.measured(client) {
		m.players[client].turn(now, inputs)
	}
}

// Step implements [rates.Watcher].
func (m *match) Step(client int, now, view time.Duration, playing bool) {
	if m.measured(client) {
		m.players[client].step(now, view, playing)
	}
}

// Frame implements [rates.Watcher].
func (m *match) Frame(client int, f *rates.Frame) {
	if m.measured(client) {
		m.players[client].frame(f)
	}
}
