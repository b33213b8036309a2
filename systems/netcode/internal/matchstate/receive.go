package matchstate

import (
	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/prediction"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

// Received is the changes in a packet, on a client.
type Received[T comparable] struct {
	changes [Kept]arrived[T]
	n       int
	newest  packet.Number // the newest packet that was applied
}

type arrived[T comparable] struct {
	distance int32 // of its tick from that of the packet
	bits     int   // of its value on the wire
	value    T
}

// Read reads what Write wrote. The bits may come from anywhere: changes that are not in the order
// of their ticks, that are too far away or too many, and values that do not equal themselves, are
// errors of the reader. Nothing is applied.
func (r *Received[T]) Read(from *packet.Reader, codec snapshot.Codec[T]) {
	r.n = 0
	if !from.Bool() {
		return
	}
	for follows := true; follows; r.n++ {
		if r.n == Kept {
			from.Fail(packet.ErrMalformed)
			return
		}
		code := from.Bits(codeBits)
		if follows = code == another; follows {
			code = from.Bits(codeBits)
		}
		a := arrived[T]{distance: int32(code) + nearest}
		if code >= another {
			if a.distance = int32(from.Bits(farBits)); code == another || nearest <= a.distance && a.distance <= farthest {
				from.Fail(packet.ErrMalformed)
			}
		}
		before := from.Remaining()
		a.value = codec.Decode(from, nil)
		a.bits = before - from.Remaining()
		if !prediction.Comparable(a.value) || a.distance > 2*Ahead || a.distance < -2*Ahead || r.n > 0 && a.distance <= r.changes[r.n-1].distance {
			from.Fail(packet.ErrMalformed)
		}
		if from.Err() != nil {
			return
		}
		r.changes[r.n] = a
	}
}

// Apply puts the changes of packet n, which were read last, into a history. The packet's snapshot
// is the state at the tick after. Apply returns the first tick in which the history has another
// value than before, if there is one. A packet that arrives late has nothing that is needed; see
// due.
func (r *Received[T]) Apply(to *History[T], n packet.Number, after tick.Tick) (since tick.Tick, news bool) {
	if n <= r.newest {
		return 0, false
	}
	r.newest = n
	to.Trim(after)
	if r.n == 0 {
		return 0, false
	}
	before, began := *to, after.Add(int(r.changes[0].distance))
	// the changes are numbered, since a recording of the client writes them again
	number := to.latest()
	for _, a := range r.changes[:r.n] {
		number++
		to.put(change[T]{from: after.Add(int(a.distance)), value: a.value, number: number, bits: a.bits})
	}
	if to.same(&before) {
		*to = before // nor does a recording need what was known
		return 0, false
	}
	for _, h := range []*History[T]{&before, to} {
		for _, c := range h.changes[1:h.n] {
			if t := c.from; !began.IsNewer(t) && before.At(t) != to.At(t) && (!news || since.IsNewer(t)) {
				since, news = t, true
			}
		}
	}
	return since, news
}
