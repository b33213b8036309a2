package snapshot

import (
	"github.com/tandem-ecs/tandem/systems/netcode/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/tick"
)

// MaxInputs is the most inputs in one packet.
const MaxInputs = 32

// WriteInputs writes a client's inputs of consecutive ticks: inputs[0] is for the newest, inputs[1] for the tick before it, and so on. A client sends
// all that the server has not acknowledged, so that a lost packet loses no input. One that equals the next newer takes two bits; the others are given
// that one as their base. At most MaxInputs are written, and as many as take no more than maxBits; it returns how many.
func WriteInputs[T comparable](w *packet.Writer, c Codec[T], newest tick.Tick, inputs []T, maxBits int) int {
	start := w.Len()
	w.Bits(uint64(newest), 32)
	n := 0
	var last *T
	for i := range min(len(inputs), MaxInputs) {
		before := *w
		in := c.Quantize(inputs[i])
		w.Bool(true)
		if last == nil || !flag(w, in == *last) {
			c.Encode(w, in, last)
		}
		if w.Err() != nil || w.Len()-start >= maxBits || w.Room() == 0 {
			*w = before
			break
		}
		inputs[i] = in
		last = &inputs[i]
		n++
	}
	w.Bool(false)
	return n
}

// ReadInputs reads what [WriteInputs] wrote into dst, the newest first, and returns the tick of dst[0] and how many there are. More than fit into
// dst, or than MaxInputs, are malformed. Errors are the Reader's, and nothing of dst must be used then.
func ReadInputs[T comparable](r *packet.Reader, c Codec[T], dst []T) (newest tick.Tick, n int) {
	newest = tick.Tick(r.Bits(32))
	var last *T
	for r.Bool() {
		if n == min(len(dst), MaxInputs) {
			r.Fail(packet.ErrMalformed)
			break
		}
		if last != nil && r.Bool() {
			dst[n] = *last
		} else {
			dst[n] = c.Decode(r, last)
		}
		last = &dst[n]
		n++
	}
	if r.Err() != nil {
		return 0, 0
	}
	return newest, n
}
