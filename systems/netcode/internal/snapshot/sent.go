package snapshot

import (
	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

// sentPacket is the index of a packet's records.
type sentPacket struct {
	number packet.Number // 0: settled
	tick   tick.Tick
	from   uint64 // index of its first record
	n      int
}

// sentRecord is an entity in a packet: 12 bytes, since there are many and each is read once.
type sentRecord struct {
	revision uint32
	next     uint16 // how many packets later the next one with the entity was; 0: none yet
	num      uint16 // of the track's sentNum, the low bits; and removal
	epoch    uint16
	slot     uint16
}

// removal is the bit of sentRecord.num that says that the entity was removed.
const removal = 1 << 15

// The ring of records has room for those whose acknowledgements may still arrive, between these
// limits. They are powers of two, as all its sizes are. maxSent are two seconds of a full
// 256 kbit/s. Older ones count as lost.
const (
	leastSent = 256
	maxSent   = 8192
)

// record returns the record with an index, of which the lower bits suffice, or nil if it has been
// overwritten.
func (e *Encoder) record(index uint32) *sentRecord {
	if uint32(e.nextRec)-index > uint32(len(e.sent)) {
		return nil
	}
	return &e.sent[index&uint32(len(e.sent)-1)]
}

// reserve makes room for the records of packet n. Packets that lie further back from the newest
// acknowledged one than acknowledgements reach are settled.
func (e *Encoder) reserve(n packet.Number, records int) {
	oldest := max(e.acked, packet.AckBits+1) - packet.AckBits
	if n-oldest >= packet.Outstanding {
		oldest = n - packet.Outstanding + 1
	}
	need := e.nextRec + uint64(records)
	if oldest < n {
		need -= e.packets[oldest%packet.Outstanding].from
	} else {
		need = uint64(records)
	}
	size := uint64(len(e.sent))
	for size < min(need, maxSent) {
		size *= 2
	}
	if size == uint64(len(e.sent)) {
		return
	}
	larger := make([]sentRecord, size)
	for i := e.nextRec - min(e.nextRec, uint64(len(e.sent))); i < e.nextRec; i++ {
		larger[i%size] = e.sent[i%uint64(len(e.sent))]
	}
	e.sent = larger
}

// settle makes the records of delivered packets baselines. It waits for the next packet, since the
// tracks are cold when an acknowledgement arrives, and another goroutine may encode.
func (e *Encoder) settle() {
	for _, n := range e.delivered {
		p := &e.packets[n%packet.Outstanding]
		for i := p.from; i < p.from+uint64(p.n); i++ {
			r := e.record(uint32(i))
			if r == nil || e.places[r.slot] == 0 {
				continue
			}
			t := e.track(int(r.slot))
			switch {
			case r.epoch != t.epoch:
			case r.num&removal != 0:
				t.known, t.removing = 0, false
			case !t.hasBase || reached(n, t.baseAt+1):
				t.hasBase = true
				t.baseAt, t.baseRev, t.baseTick = uint32(n), r.revision, p.tick
				// no more than maxSent records can lie between the two
				t.baseNum = t.sentNum - (t.sentNum-uint32(r.num))%removal
				t.open, t.openAt = r.next != 0, t.baseAt+uint32(r.next)
			}
		}
	}
	e.delivered = e.delivered[:0]
}
