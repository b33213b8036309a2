package clocksync

import "time"

// maxRedundancy is the most packets that carry an input.
const maxRedundancy = 32

func withinRedundancy(n int) int { return min(max(n, 1), maxRedundancy) }

// Redundancy returns how many packets have to carry each input for at most one in a thousand to be
// missed, if packets are lost independently with a probability of loss: the least n with loss^n <=
// 0.001, from 1 to 32. At 15 % it is 4.
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
// within bounds. Each packet that is not needed costs a tick of lead, which all other players wait
// for. The number rises at once, and falls by one after [RedundancyFor] in which less would have
// done.
//
// The loss is a mean over about 1800 packets, 30 s at 60 Hz. Before there are many it is taken to
// be 1 %, with the weight of 60 packets. Create it with [NewLossMeter]. It never allocates.
type LossMeter struct {
	least, most int
	n           int
	lost, total float64
	enough      time.Duration // since when less would do
	less        bool          // would
}

// RedundancyFor is how long less redundancy must be enough before there is less.
const RedundancyFor = 5 * time.Second

const (
	lossMemory      = 1800
	lossPrior       = 0.01
	lossPriorWeight = 60
)

// NewLossMeter returns a meter that has seen nothing, with a redundancy within least and most,
// which count as within 1 and 32.
func NewLossMeter(least, most int) LossMeter {
	least = withinRedundancy(least)
	most = max(withinRedundancy(most), least)
	m := LossMeter{least: least, most: most}
	m.n = m.wanted()
	return m
}

// Packet takes whether a packet was lost. Any order will do.
func (m *LossMeter) Packet(lost bool) {
	const keep = 1 - 1.0/lossMemory
	m.total = m.total*keep + 1
	m.lost *= keep
	if lost {
		m.lost++
	}
}

// Loss returns the share of the packets that is lost, 0 to 1.
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
