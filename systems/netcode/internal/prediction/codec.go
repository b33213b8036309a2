package prediction

import (
	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

// MaxRedundancy is the most inputs in a packet.
const MaxRedundancy = 32

// DefaultInputBytes is the most bytes that inputs take of a packet if [Redundancy] says 0.
const DefaultInputBytes = 120

// Codec packs inputs. Both methods get the input one tick newer for reference (the zero input for
// the newest), since most inputs differ from their neighbours in little; equal neighbours are not
// even written.
type Codec[I comparable] interface {
	// Write packs the input.
	Write(w *packet.Writer, in, newer I)
	// Read is the inverse. The bits may come from anyone: it must not panic, and what it cannot
	// take for an input it reports with r.Fail. What it returns must be fit for the step function:
	// infinite numbers are Read's to refuse. Inputs that hold a NaN, which are equal to nothing,
	// are refused anyway.
	Read(r *packet.Reader, newer I) I
}

// Redundancy bounds what [Pending.Write] puts into a packet. The zero value means the documented
// defaults.
type Redundancy struct {
	Inputs int // at most this many, the newest; 0 means MaxRedundancy, which is also the most
	Bytes  int // at most this many bytes, but always the newest input; 0 means DefaultInputBytes
}

// Write writes the inputs that the server has not acknowledged: the newest, and before it as many
// as the bounds and the writer's room allow. It returns how many they were. Without any it writes
// nothing and returns 0. If not even the newest fits, the writer has its error.
//
// The form is the newest tick (32 bits), then runs of equal inputs from the newest to the oldest:
// length less one (5 bits), the input, and a bit that says whether another run follows.
func (p *Pending[I]) Write(w *packet.Writer, codec Codec[I], limit Redundancy) int {
	inputs, bytes := limit.Inputs, limit.Bytes
	if inputs <= 0 || inputs > MaxRedundancy {
		inputs = MaxRedundancy
	}
	if bytes <= 0 {
		bytes = DefaultInputBytes
	}
	inputs = min(inputs, p.Unacknowledged())
	if inputs == 0 {
		return 0
	}
	end := w.Len() + 8*bytes
	id := p.next.Add(-1)
	w.Bits(uint64(id), 32)
	var newer I
	written := 0
	for {
		in := *p.slot(id.Add(-written))
		run := 1
		for written+run < inputs && *p.slot(id.Add(-written - run)) == in {
			run++
		}
		before := *w
		if written > 0 {
			w.Bool(true)
		}
		w.Bits(uint64(run-1), 5)
		codec.Write(w, in, newer)
		if written > 0 && (w.Len() >= end || w.Room() == 0) { // the closing bit needs room, too
			*w = before
			break
		}
		written += run
		newer = in
		if written == inputs {
			break
		}
	}
	w.Bool(false)
	return written
}

// Inputs are those of one packet. The zero value is an empty one, to be filled by Read again and
// again.
type Inputs[I comparable] struct {
	Newest tick.Tick
	Count  int // 1 to MaxRedundancy
	input  [MaxRedundancy]I
}

// At returns the input of the tick Newest-i, for i from 0 to Count-1.
func (p *Inputs[I]) At(i int) I { return p.input[:p.Count][i] }

// Read reads what [Pending.Write] wrote, from bits that may come from anyone: it takes at most
// MaxRedundancy inputs and allocates nothing. Errors are the reader's; after one, Count is 0. What
// follows in the packet remains for the caller.
func (p *Inputs[I]) Read(r *packet.Reader, codec Codec[I]) error {
	p.Count = 0
	newest := tick.Tick(r.Bits(32))
	var newer I
	count := 0
	for more := true; more && r.Err() == nil; more = r.Bool() {
		run := int(r.Bits(5)) + 1
		in := codec.Read(r, newer)
		if count+run > MaxRedundancy || count > 0 && in == newer || !Comparable(in) {
			// the same input is never written twice
			r.Fail(packet.ErrMalformed)
		}
		if r.Err() != nil {
			break
		}
		for range run {
			p.input[count] = in
			count++
		}
		newer = in
	}
	if r.Err() != nil {
		return r.Err()
	}
	p.Newest, p.Count = newest, count
	return nil
}

// Comparable reports whether an input is equal to itself, which nothing is that holds a NaN: it
// would be news for ever.
func Comparable[I comparable](in I) bool { return in == in }
