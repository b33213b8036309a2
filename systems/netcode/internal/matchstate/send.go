package matchstate

import (
	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

// A packet says in one bit whether it has changes. Each change is a code and the value. The code is
// the distance of the change's tick from that of the packet, if it is near. The last two codes say
// that the distance follows in 32 bits, and that another change follows this one, whose own code
// comes next. So a single change, which is the ordinary case, takes six bits beside its value. The
// near distances cover changes that were announced two thirds of a second ahead, at 60 Hz, and
// those that are a third of a second old.
const (
	codeBits = 6
	far      = 1<<codeBits - 1
	another  = 1<<codeBits - 2
	nearest  = -21 // the distance of code 0
	farthest = nearest + another - 1
	farBits  = 32
)

// Sent is what a server knows of one client. The zero value is that of a new client.
type Sent struct {
	known  uint64              // the client needs no change up to this number any more
	newest uint64              // the newest change that was sent
	first  [Kept]packet.Number // the packets that changes were first sent in, by their numbers
}

// Delivered records that the client has accepted packet n.
//
// That packet had all changes that were first sent in it or before it, and that the client needed
// then; see due. Places of Sent.first are shared by changes whose numbers are Kept apart, and name
// the newer of them. So the older one may count as known too late, but not too early.
func (s *Sent) Delivered(n packet.Number) {
	for s.known < s.newest && s.first[(s.known+1)%Kept] <= n {
		s.known++
	}
}

// Limits bound what a packet carries.
type Limits struct {
	Bits int // of the values of all changes, unless there is only one
	Past int // ticks for which a client may still need a value that another one has replaced
}

// due returns the range of the changes that the next packet carries, when its tick is after: what
// the client does not have, without those that it does not need any more. Of more than the limit
// it carries the change that holds at present and those before and after it, as far as they fit.
//
// From packet to packet neither end of the range moves back, apart from changes that a Set has
// replaced. So of two packets the later one has all that the client still needs of the earlier one,
// or has it from a packet that is acknowledged. That is why the client leaves out packets that
// arrive late, and why changes need no numbers on the wire.
func (h *History[T]) due(known uint64, after tick.Tick, limit Limits) (begin, end int) {
	begin = h.n
	for begin > 0 && h.changes[begin-1].number > known {
		begin--
	}
	begin = max(begin, h.holding(after.Add(-limit.Past)))
	bits, end := 0, begin
	for present := h.holding(after); end <= present && end < h.n; end++ {
		for bits += h.changes[end].bits; bits > limit.Bits && begin < end; begin++ {
			bits -= h.changes[begin].bits
		}
	}
	for end < h.n && (end == begin || bits+h.changes[end].bits <= limit.Bits) {
		bits += h.changes[end].bits
		end++
	}
	return begin, end
}

// Write writes into packet n, whose snapshot is the state at the tick after, the changes that the
// client does not have.
func (h *History[T]) Write(w *packet.Writer, codec snapshot.Codec[T], to *Sent, n packet.Number, after tick.Tick, limit Limits) {
	begin, end := h.due(to.known, after, limit)
	w.Bool(begin < end)
	if begin == end {
		return
	}
	to.known = max(to.known, h.changes[begin].number-1)
	for i := begin; i < end; i++ {
		c := &h.changes[i]
		if i+1 < end {
			w.Bits(another, codeBits)
		}
		if d := c.from.Sub(after); nearest <= d && d <= farthest {
			w.Bits(uint64(d-nearest), codeBits)
		} else {
			w.Bits(far, codeBits)
			w.Bits(uint64(uint32(d)), farBits)
		}
		codec.Encode(w, c.value, nil)
		if c.number > to.newest {
			to.newest, to.first[c.number%Kept] = c.number, n
		}
	}
}
