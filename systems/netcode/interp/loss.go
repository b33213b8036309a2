package interp

import (
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/clocksync"
)

// loss measures the share of snapshots that are lost or arrive too late, over half a minute and
// more.
type loss struct {
	begun   bool
	settled int64 // every number up to this one has been counted
	highest int64
	arrived uint64            // bit i: number highest-i has arrived
	noticed [64]time.Duration // by number mod 64: when a later arrival showed that it was missing

	clocksync.LossRate
}

// arrive takes the number of a snapshot and reports whether this is its first arrival.
func (l *loss) arrive(at time.Duration, number uint16) bool {
	if !l.begun {
		l.begun = true
		l.highest, l.settled, l.arrived = int64(number), int64(number), 1
		return true
	}
	n := l.highest + int64(int16(number-uint16(l.highest)))
	switch ahead := n - l.highest; {
	case ahead > 0:
		if ahead > 64 {
			// A gap of more than two seconds is an outage or a new stream. It has no information
			// about later losses.
			l.settled = n - 1
		}
		for m := max(l.highest+1, n-63); m < n; m++ {
			l.noticed[m&63] = at
		}
		l.arrived = l.arrived<<uint64(ahead) | 1 // a shift by 64 and more leaves nothing
		l.highest = n
		l.settled = max(l.settled, n-64)
		return true
	case ahead > -64:
		bit := uint64(1) << uint64(-ahead)
		fresh := l.arrived&bit == 0
		l.arrived |= bit
		return fresh
	}
	return false
}

// update counts the snapshots whose fate is certain at now. A number that is still missing at
// `patience` after the arrival of a later one is lost.
func (l *loss) update(now, patience time.Duration) {
	for l.begun && l.settled < l.highest {
		n := l.settled + 1
		here := l.arrived>>uint64(l.highest-n)&1 != 0
		if !here && now-l.noticed[n&63] < patience {
			break
		}
		l.settled = n
		l.Packet(!here)
	}
}
