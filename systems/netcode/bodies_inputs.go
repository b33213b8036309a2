package netcode

import (
	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/prediction"
)

// sharedCodec packs a player's input for other players, as a difference from the input that they
// have.
type sharedCodec[I comparable] struct{ inputs InputCodec[I] }

func (sharedCodec[I]) Quantize(in I) I { return in }

func (c sharedCodec[I]) Encode(w *Writer, in I, base *I) {
	c.inputs.Write(w, in, known(base))
}

func (c sharedCodec[I]) Decode(r *Reader, base *I) I {
	in := c.inputs.Read(r, known(base))
	if !prediction.Comparable(in) {
		r.Fail(packet.ErrMalformed)
	}
	return in
}

func known[I any](base *I) (in I) {
	if base != nil {
		in = *base
	}
	return in
}
