package mail

import (
	"encoding/binary"
	"slices"

	"github.com/tandem-ecs/tandem/systems/netcode/zones/custody"
)

// MaxReceipts is the most receipts of one entity. A letter beyond it waits for the floors of the
// senders, which rise with each of their checkpoints.
const MaxReceipts = 256

// Receipts are the letters that an entity has received and that may be sent again. They are part of
// the entity's state. The zero value has none.
type Receipts struct{ ids []ID }

// Has reports whether the entity has received a letter.
func (r *Receipts) Has(id ID) bool { return slices.Contains(r.ids, id) }

// Take notes a letter and reports whether it is new, and there is room: then it is delivered.
func (r *Receipts) Take(id ID) bool {
	if r.Has(id) || len(r.ids) >= MaxReceipts {
		return false
	}
	r.ids = append(r.ids, id)
	return true
}

// Prune forgets the receipts of a sender below its floor.
func (r *Receipts) Prune(zone custody.Zone, floor Stamp) {
	r.ids = slices.DeleteFunc(r.ids, func(id ID) bool { return id.Zone == zone && id.Stamp < floor })
}

// Len returns how many receipts there are.
func (r *Receipts) Len() int { return len(r.ids) }

// All calls yield for each receipt.
func (r *Receipts) All(yield func(ID) bool) {
	for _, id := range r.ids {
		if !yield(id) {
			return
		}
	}
}

// Append appends the bytes of the receipts.
func (r *Receipts) Append(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(len(r.ids)))
	for _, id := range r.ids {
		b = binary.AppendUvarint(b, uint64(id.Zone))
		b = binary.AppendUvarint(b, uint64(id.Stamp))
	}
	return b
}

// ReadReceipts reads what Append has written and returns the bytes behind it.
func ReadReceipts(b []byte) (r Receipts, rest []byte, err error) {
	n, b, ok := number(b)
	if !ok || n > MaxReceipts {
		return Receipts{}, nil, errMalformed
	}
	for range n {
		var zone, stamp uint64
		if zone, b, ok = number(b); !ok || zone > uint64(custody.MaxZone) {
			return Receipts{}, nil, errMalformed
		}
		if stamp, b, ok = number(b); !ok || !r.Take(ID{custody.Zone(zone), Stamp(stamp)}) {
			return Receipts{}, nil, errMalformed
		}
	}
	return r, b, nil
}
