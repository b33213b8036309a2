package prediction

import (
	"github.com/tandem-ecs/tandem/systems/netcode/clocksync"
	"github.com/tandem-ecs/tandem/systems/netcode/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/tick"
)

// Feedback is what a server tells a client about its inputs, with every snapshot. The zero value says that none have arrived.
type Feedback struct {
	// Heard reports whether any input has arrived; the other fields have a meaning only then.
	Heard bool
	// Ack is the newest tick up to which all inputs have arrived, or are too old to be of use: for [Pending.Acknowledge].
	Ack tick.Tick
	// Newest is the newest tick that Age includes: for the client's lead.
	Newest tick.Tick
	// Age is how early inputs come, on average: for the client's lead.
	Age clocksync.Age
	// Starved is for how many ticks, ending with the last, the server had no input and repeated the last one or none; at most MaxStarved.
	Starved int
}

// MaxStarved is the largest number in Feedback.Starved, which stands for itself and more.
const MaxStarved = 15

// ackSpan is how far Ack may lie from Newest on the wire; what an honest server sends lies far within it.
const ackSpan = 1 << 10

// Write packs the feedback: one bit if nothing was heard, else 56.
func (f Feedback) Write(w *packet.Writer) {
	w.Bool(f.Heard)
	if !f.Heard {
		return
	}
	w.Bits(uint64(f.Newest), 32)
	w.Int(int64(min(max(f.Newest.Sub(f.Ack), -ackSpan), ackSpan-1)), 11)
	w.Int(int64(f.Age), 8)
	w.Bits(uint64(min(max(f.Starved, 0), MaxStarved)), 4)
}

// ReadFeedback reads what [Feedback.Write] wrote. Errors are the reader's; the result is then without meaning.
func ReadFeedback(r *packet.Reader) Feedback {
	if !r.Bool() {
		return Feedback{}
	}
	f := Feedback{Heard: true, Newest: tick.Tick(r.Bits(32))}
	f.Ack = f.Newest.Add(-int(r.Int(11)))
	f.Age = clocksync.Age(r.Int(8))
	f.Starved = int(r.Bits(4))
	return f
}
