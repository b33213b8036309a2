package custody

import (
	"cmp"
	"fmt"
)

// Zone is the number of a zone, at most MaxZone. The operator gives it once and never again to
// another zone.
type Zone uint16

// MaxZone is the largest number of a zone.
const MaxZone Zone = 1<<zoneBits - 1

// Epoch counts the processes that have run a zone, from 1. The store of leases raises it by
// compare-and-set, so two processes never have the same zone and epoch.
type Epoch uint32

// MaxEpoch is the last epoch of a zone. A zone that restarts each second gets there after 12 days.
const MaxEpoch Epoch = 1<<epochBits - 2 // the one behind it says that the last one is gone

const (
	zoneBits  = 12
	epochBits = 20
	countBits = 32
)

// Process is one life of a zone.
type Process struct {
	Zone  Zone
	Epoch Epoch
}

// Name is the name of an entity in the whole world, for ever: the zone and epoch that made it, and
// a count. The epoch is part of it since a restored zone has forgotten how far it had counted.
type Name uint64

func newName(p Process, count uint32) Name {
	return Name(p.Zone)<<(epochBits+countBits) | Name(p.Epoch)<<countBits | Name(count)
}

// String returns the parts of a name: zone.epoch.count.
func (n Name) String() string {
	return fmt.Sprintf("%d.%d.%d", n>>(epochBits+countBits), n>>countBits&(1<<epochBits-1), uint32(n))
}

// hop counts the hand-overs of an entity. The copy with the highest hop is the right one.
type hop uint32

// leap is added to the hop of what a zone goes on with although another zone could not be asked.
// It is more than that zone can have counted in the seconds since the last checkpoint.
const leap hop = 1 << 10

// stamp numbers the hand-overs that a zone begins: by epoch, then by count. It grows over all
// processes of the zone, so "all below this stamp" is one number.
type stamp struct {
	epoch Epoch
	count uint32
}

func (s stamp) before(t stamp) bool {
	return cmp.Or(cmp.Compare(s.epoch, t.epoch), cmp.Compare(s.count, t.count)) < 0
}
