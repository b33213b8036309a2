package prediction

import (
	"cmp"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/bucket"
)

// Policy is when a client that sends more than it may is to be removed. Excess inputs never run, so
// a policy protects the server's time, not the game. The zero value means the documented default.
type Policy struct {
	// A client is to be kicked when more than Excess inputs or packets too many come within about
	// Ticks ticks (a leaky bucket: what was counted is forgiven at the rate Excess/Ticks). 0 means
	// 120 in 600. A negative Excess means never.
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

// leak forgives what n ticks forgive.
func (m *meter) leak(n int64) {
	m.room.Grant(float64(n) * float64(max(m.policy.Excess, 0)))
	m.pardon = max(0, m.pardon-n)
}

// early counts n inputs or packets that are ahead of time. After the server has skipped ticks they
// are not the client's fault: for a while, until its clock has followed. None of them runs, and the
// gate bounds what they cost.
func (m *meter) early(n int) {
	if m.pardon > 0 {
		m.total += uint64(n)
		return
	}
	m.add(n)
}

const (
	// farAhead is from how many ticks ahead of the server on a packet counts as one too many. An
	// honest client is so far ahead that its inputs come in time through the worst that the path
	// and both machines do: where these stall for half a second again and again that is beyond
	// Ahead. The clock of one who sends too fast runs away, and is that far ahead in seconds. Who
	// stays between the two, for whatever reason, is let be: none of what he sends runs or is kept,
	// one packet more or less is read for it, which the gate bounds, and he is told how early he
	// is. To remove him would be of use to nobody, and hard on who has stalled.
	farAhead = 4 * Ahead
	// arrivalBank is how many inputs of a client may come at once before those that find no room
	// are too many: what two machines that stall hold back between them. One more may come per
	// tick.
	arrivalBank = 120
)

// pardonTicks is how long it takes clients to follow a server that has skipped ticks, at 60 Hz with
// some room.
const pardonTicks = 180

// add counts n.
func (m *meter) add(n int) {
	m.total += uint64(n)
	if m.policy.Excess < 0 {
		return
	}
	m.room.Spend(float64(n) * float64(m.policy.Ticks))
	m.kick = m.kick || m.room.Tokens() < 0
}

const (
	// gateRate is how many packets of inputs a client may send per tick, on average: one is sent,
	// and networks duplicate.
	gateRate = 2
	// gateBank is how many may come at once: what a path holds back in two seconds and then
	// delivers in one burst.
	gateBank = 128
)
