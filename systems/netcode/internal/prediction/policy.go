package prediction

import (
	"cmp"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/bucket"
)

// Policy sets when a client that sends more than it may is removed. Excess inputs never run, so a
// policy protects the server's time, not the game. The zero value selects the documented default.
type Policy struct {
	// A client is removed when more than Excess excess inputs or packets arrive within about Ticks
	// ticks (a leaky bucket: counted excess is forgiven at the rate Excess/Ticks). 0 means 120 in
	// 600. A negative Excess means never.
	Excess, Ticks int
}

// meter counts excess by a policy.
type meter struct {
	policy Policy
	room   bucket.Bucket // in units of 1/Ticks of an input
	pardon int64         // ticks for which early inputs are not counted
	total  uint64
	kick   bool
}

func newMeter(p Policy) meter {
	p.Excess = cmp.Or(p.Excess, 120)
	if p.Ticks <= 0 {
		p.Ticks = 600
	}
	return meter{policy: p, room: bucket.Full(float64(max(p.Excess, 0)) * float64(p.Ticks))}
}

// leak forgives the excess that n ticks forgive.
func (m *meter) leak(n int64) {
	m.room.Grant(float64(n) * float64(max(m.policy.Excess, 0)))
	m.pardon = max(0, m.pardon-n)
}

// early counts n inputs or packets that are ahead of time. After the server has skipped ticks they
// are not the client's fault for a while, until its clock has followed. None of them runs, and the
// gate bounds their cost.
func (m *meter) early(n int) {
	if m.pardon > 0 {
		m.total += uint64(n)
		return
	}
	m.add(n)
}

const (
	// farAhead is how many ticks ahead of the server a packet must be to count as excess. The
	// inputs of an honest client are far enough ahead to arrive in time through the worst delays of
	// the path and both machines. If these stall for half a second again and again, its lead is
	// beyond Ahead. The clock of a client that sends too fast runs away, and is that far ahead
	// within seconds. A client between the two is tolerated, for whatever reason: none of its
	// inputs runs or is kept, the packets that the server reads for it are bounded by the gate, and
	// the feedback reports how early it is. Removing it would help no player, and would be hard on
	// a client that has stalled.
	farAhead = 4 * Ahead
	// arrivalBank is how many inputs of a client may arrive at once before inputs that find no room
	// count as excess. It covers the inputs that two stalling machines hold back between them. One
	// more may arrive per tick.
	arrivalBank = 120
)

// pardonTicks is how long clients need to follow a server that has skipped ticks, at 60 Hz with
// some room.
const pardonTicks = 180

// add counts n inputs or packets.
func (m *meter) add(n int) {
	m.total += uint64(n)
	if m.policy.Excess < 0 {
		return
	}
	m.room.Spend(float64(n) * float64(m.policy.Ticks))
	m.kick = m.kick || m.room.Tokens() < 0
}

const (
	// gateRate is how many packets of inputs a client may send per tick, on average: a client sends
	// one, and networks duplicate packets.
	gateRate = 2
	// gateBank is how many packets may arrive at once: a path can hold back packets for two seconds
	// and deliver them in one burst.
	gateBank = 128
)
