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

// LossRate is the share of packets that are lost: a mean over about 1800 packets, a minute at 30
// Hz. With half of that a loss of 15 % would be measured with an error of 1.2 points, and 17 %
// already needs one more interval of delay. At the beginning the loss is assumed to be 1 %, with
// the weight of 60 packets. The zero value has no packets. It never allocates.
type LossRate struct{ Lost, Total float64 }

// Packet records whether a packet was lost. Packets may be in any order.
func (r *LossRate) Packet(lost bool) {
	const keep = 1 - 1.0/1800
	r.Total = r.Total*keep + 1
	r.Lost *= keep
	if lost {
		r.Lost++
	}
}

// Loss returns the share of lost packets, 0 to 1.
func (r *LossRate) Loss() float64 {
	const prior, weight = 0.01, 60
	return (r.Lost + prior*weight) / (r.Total + weight)
}

// LossMeter finds how many packets have to carry each input: [Redundancy] of the measured loss,
// within bounds. Each packet that is not needed costs a tick of lead, which delays the player's
// actions for all others. The number rises at once, and falls by one after a smaller number has
// been enough for [RedundancyFor]. Create it with [NewLossMeter].
type LossMeter struct {
	LossRate
	least, most int
	n           int
	enough      time.Duration // since when a smaller number is enough
	less        bool          // whether it is
}

// RedundancyFor is how long a smaller redundancy must be enough before it is used.
const RedundancyFor = 5 * time.Second

// NewLossMeter returns a meter without packets, whose redundancy is within least and most. Both are
// clamped to 1 and 32.
func NewLossMeter(least, most int) LossMeter {
	least = withinRedundancy(least)
	most = max(withinRedundancy(most), least)
	m := LossMeter{least: least, most: most}
	m.n = m.wanted()
	return m
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
