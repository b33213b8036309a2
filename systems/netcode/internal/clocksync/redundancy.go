package clocksync

import "time"

// maxRedundancy is the greatest number of packets that carry an input.
const maxRedundancy = 32

func withinRedundancy(n int) int { return min(max(n, 1), maxRedundancy) }

// Redundancy returns how many packets have to carry each input for at most one input in a thousand
// to be lost. Packets are assumed to be lost independently with a probability of loss. The result
// is the least n with loss^n <= 0.001, from 1 to 32. At 15 % it is 4.
func Redundancy(loss float64) int {
	if !(loss > 0) {
		return 1
	}
	n, all := 1, loss
	for all > 0.001 && n < maxRedundancy {
		all *= loss
		n++
	}
	return n
}

// LossMeter finds how many packets have to carry each input: [Redundancy] of the measured loss,
// within bounds. Each packet that is not needed costs a tick of lead, which delays the player's
// actions for all others. The number rises at once, and falls by one after a smaller number has
// been enough for [RedundancyFor].
//
// The loss is a mean over about 1800 packets, 30 s at 60 Hz. At the beginning it is assumed to be 1
// %, with the weight of 60 packets. Create it with [NewLossMeter]. It never allocates.
type LossMeter struct {
	least, most int
	n           int
	lost, total float64
	enough      time.Duration // since when a smaller number is enough
	less        bool          // whether it is
}

// RedundancyFor is how long a smaller redundancy must be enough before it is used.
const RedundancyFor = 5 * time.Second

const (
	lossMemory      = 1800
	lossPrior       = 0.01
	lossPriorWeight = 60
)

// NewLossMeter returns a meter without packets, whose redundancy is within least and most. Both are
// clamped to 1 and 32.
func NewLossMeter(least, most int) LossMeter {
	least = withinRedundancy(least)
	most = max(withinRedundancy(most), least)
	m := LossMeter{least: least, most: most}
	m.n = m.wanted()
	return m
}

// Packet records whether a packet was lost. Packets may be in any order.
func (m *LossMeter) Packet(lost bool) {
	const keep = 1 - 1.0/lossMemory
	m.total = m.total*keep + 1
	m.lost *= keep
	if lost {
		m.lost++
	}
}

// Loss returns the share of lost packets, 0 to 1.
func (m *LossMeter) Loss() float64 {
	return (m.lost + lossPrior*lossPriorWeight) / (m.total + lossPriorWeight)
}

func (m *LossMeter) wanted() int { return min(max(Redundancy(m.Loss()), m.least), m.most) }

// Redundancy returns how many packets have to carry each input, as of a time that does not run
// backwards.
func (m *LossMeter) Redundancy(now time.Duration) int {
	want := m.wanted()
	switch {
	case want >= m.n:
		m.n, m.less = want, false
	case !m.less:
		m.less, m.enough = true, now
	case now-m.enough >= RedundancyFor:
		m.n, m.less = m.n-1, false
	}
	return m.n
}
