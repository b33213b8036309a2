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

// guard counts the packets of a client and their excess, by a policy.
type guard struct {
	policy  Policy
	gate    bucket.Bucket // of packets
	room    bucket.Bucket // for excess, in units of 1/Ticks of an input
	pardon  int64         // ticks for which early inputs are not counted
	refused uint64        // packets
	total   uint64        // excess
	kick    bool
}

func newGuard(p Policy) guard {
	p.Excess = cmp.Or(p.Excess, 120)
	if p.Ticks <= 0 {
		p.Ticks = 600
	}
	return guard{policy: p, gate: bucket.Full(gateBank), room: bucket.Full(float64(max(p.Excess, 0)) * float64(p.Ticks))}
}

// Admit reports whether a packet may be decoded. Two packets per step may, with 128 in reserve for
// bursts. Packets beyond that cost the server nothing more.
func (g *guard) Admit() bool {
	if g.gate.Take(1) {
		return true
	}
	g.refused++
	g.add()
	return false
}

// Kick reports whether the client has sent so much excess that the policy removes it.
func (g *guard) Kick() bool { return g.kick }

// Skip reports that the server let the time of n steps pass without running them, because it was
// overloaded or suspended. The client has continued meanwhile. Inputs for these steps, and inputs
// ahead of the server until the client's clock has followed, are no excess. None of them runs.
func (g *guard) Skip(n int64) {
	g.gate.Grant(gateRate * float64(n))
	g.pardon = pardonTicks
}

// forgive lets n steps pass.
func (g *guard) forgive(n int64) {
	g.gate.Grant(gateRate * float64(n))
	g.room.Grant(float64(n) * float64(max(g.policy.Excess, 0)))
	g.pardon = max(0, g.pardon-n)
}

// early counts an input or a packet that is ahead of time. After the server has skipped ticks these
// are not the client's fault for a while, until its clock has followed. None of them runs, and the
// gate bounds their cost.
func (g *guard) early() {
	if g.pardon > 0 {
		g.total++
		return
	}
	g.add()
}

// add counts an input or a packet as excess.
func (g *guard) add() {
	g.total++
	if g.policy.Excess < 0 {
		return
	}
	g.room.Spend(float64(g.policy.Ticks))
	g.kick = g.kick || g.room.Tokens() < 0
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

const (
	// gateRate is how many packets of inputs a client may send per tick, on average: a client sends
	// one, and networks duplicate packets.
	gateRate = 2
	// gateBank is how many packets may arrive at once: a path can hold back packets for two seconds
	// and deliver them in one burst.
	gateBank = 128
)
