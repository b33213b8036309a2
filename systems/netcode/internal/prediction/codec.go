package prediction

import (
	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

// MaxRedundancy is the most inputs in a packet.
const MaxRedundancy = 32

// DefaultInputBytes is the most bytes of a packet that inputs take if [Redundancy] says 0.
const DefaultInputBytes = 120

// Codec packs inputs. Both methods receive the input one tick newer as a reference (the zero input
// for the newest), since most inputs differ little from their neighbours. Equal neighbours are not
// written again.
type Codec[I comparable] interface {
	// Write packs the input.
	Write(w *packet.Writer, in, newer I)
	// Read is the inverse. The bits may come from anyone: Read must not panic, and reports invalid
	// inputs with r.Fail. Its result must be fit for the step function, so Read must refuse
	// infinite numbers. Inputs that hold a NaN, which are equal to nothing, are always refused.
	Read(r *packet.Reader, newer I) I
}

// Redundancy bounds the inputs that [Pending.Write] puts into a packet. The zero value selects the
// documented defaults.
type Redundancy struct {
	Inputs int // at most this many, the newest; 0 means MaxRedundancy, which is also the most
	Bytes  int // at most this many bytes, but always the newest input; 0 means DefaultInputBytes
}

// Write writes the inputs that the server has not acknowledged: the newest, and before it as many
// as the bounds and the writer's room allow. It returns their number. Without any it writes nothing
// and returns 0. If not even the newest fits, the writer has an error.
//
// The form is the newest tick (32 bits), then runs of equal inputs from the newest to the oldest:
// length less one (5 bits), the input, and a bit that reports whether another run follows.
func (p *Pending[I]) Write(w *packet.Writer, codec Codec[I], limit Redundancy) int {
	return p.WriteSince(w, codec, limit, p.unacked)
}

// WriteSince is Write for another server, which has acknowledged the inputs before the id since.
func (p *Pending[I]) WriteSince(w *packet.Writer, codec Codec[I], limit Redundancy, since tick.Tick) int {
	inputs, bytes := limit.Inputs, limit.Bytes
	if inputs <= 0 || inputs > MaxRedundancy {
		inputs = MaxRedundancy
	}
	if bytes <= 0 {
		bytes = DefaultInputBytes
	}
	inputs = min(inputs, p.HeldSince(since))
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

// Inputs are the inputs of one packet. The zero value is empty. Read can fill it any number of
// times.
type Inputs[I comparable] struct {
	Newest tick.Tick
	Count  int // 1 to MaxRedundancy
	input  [MaxRedundancy]I
}

// At returns the input of the tick Newest-i, for i from 0 to Count-1.
func (p *Inputs[I]) At(i int) I { return p.input[:p.Count][i] }

// Read reads the form that [Pending.Write] writes, from bits that may come from anyone. It accepts
// at most MaxRedundancy inputs and allocates nothing. Errors are the reader's; after one, Count is
// 0. The rest of the packet remains for the caller.
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

// Comparable reports whether an input is equal to itself. An input that holds a NaN is not, and
// would always count as changed.
func Comparable[I comparable](in I) bool { return in == in }
