package prediction

import (
	"math"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/clocksync"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

// Feedback is what a server tells a client about its inputs, with every snapshot. The zero value
// says that none have arrived.
type Feedback struct {
	// Heard reports whether any input has arrived; the other fields have a meaning only then.
	Heard bool
	// Ack is the newest tick up to which all inputs have arrived, or are too old to be of use: for
	// [Pending.Acknowledge].
	Ack tick.Tick
	// Report is for the client's lead.
	clocksync.Report
	// Starved is for how many ticks, ending with the last, the server had no input and repeated the
	// last one or none; at most MaxStarved.
	Starved int
}

// MaxStarved is the largest number in Feedback.Starved, which stands for itself and more.
const MaxStarved = 15

// ackSpan is how far Ack may lie from Newest on the wire; what an honest server sends lies far
// within it.
const ackSpan = 1 << 10

// shortAge is the greatest age that is packed into 8 bits instead of 16: 16 ticks.
const shortAge = math.MaxInt8

// Write packs the feedback: one bit if nothing was heard, else 58, 8 more if the age is far from 0,
// and 27 if inputs were held up.
func (f Feedback) Write(w *packet.Writer) {
	w.Bool(f.Heard)
	if !f.Heard {
		return
	}
	w.Bits(uint64(f.Newest), 32)
	w.Int(int64(min(max(f.Newest.Sub(f.Ack), -ackSpan), ackSpan-1)), 11)
	writeAge(w, f.Age)
	held := f.Held > 0
	w.Bool(held)
	if held {
		w.Bits(uint64(min(f.Held, clocksync.MaxHeld)), 10)
		writeAge(w, f.HeldAge)
	}
	w.Bits(uint64(min(max(f.Starved, 0), MaxStarved)), 4)
}

// ReadFeedback reads what [Feedback.Write] wrote. Errors are the reader's; the result is then
// without meaning.
func ReadFeedback(r *packet.Reader) Feedback {
	if !r.Bool() {
		return Feedback{}
	}
	f := Feedback{Heard: true, Report: clocksync.Report{Newest: tick.Tick(r.Bits(32))}}
	f.Ack = f.Newest.Add(-int(r.Int(11)))
	f.Age = readAge(r)
	if r.Bool() {
		if f.Held = int(r.Bits(10)); f.Held == 0 {
			r.Fail(packet.ErrMalformed)
		}
		f.HeldAge = readAge(r)
	}
	f.Starved = int(r.Bits(4))
	return f
}

// writeAge packs an age into 9 bits, or 17 if it is far from 0.
func writeAge(w *packet.Writer, age clocksync.Age) {
	switch {
	case age == clocksync.NoAge:
		w.Bool(false)
		w.Int(math.MinInt8, 8)
	case age < -shortAge || age > shortAge:
		w.Bool(true)
		w.Int(int64(age), 16)
	default:
		w.Bool(false)
		w.Int(int64(age), 8)
	}
}

// readAge reads what writeAge wrote, and nothing else: each age has one form.
func readAge(r *packet.Reader) clocksync.Age {
	if r.Bool() {
		age := clocksync.Age(r.Int(16))
		if age == clocksync.NoAge || age >= -shortAge && age <= shortAge {
			r.Fail(packet.ErrMalformed)
		}
		return age
	}
	if age := clocksync.Age(r.Int(8)); age != math.MinInt8 {
		return age
	}
	return clocksync.NoAge
}
