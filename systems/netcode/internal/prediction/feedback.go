package prediction

import (
	"math"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/clocksync"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

// Feedback is a server's report to a client about its inputs, sent with every snapshot. The zero
// value reports that none have arrived.
type Feedback struct {
	// Heard reports whether any input has arrived; the other fields have a meaning only then.
	Heard bool
	// Ack is the newest tick up to which all inputs have arrived, or are too old to be of use. Pass
	// it to [Pending.Acknowledge].
	Ack tick.Tick
	// Report is for the client's lead.
	clocksync.Report
	// Starved is the number of ticks, up to the last one, without an input: the server repeated the
	// last input or used the neutral one. At most MaxStarved.
	Starved int
}

// MaxStarved is the largest value of Feedback.Starved. It means that number or more.
const MaxStarved = 15

// ackSpan is how far Ack may lie from Newest on the wire. The values of an honest server lie far
// within it.
const ackSpan = 1 << 10

// shortAge is the greatest age that is packed into 8 bits instead of 16: 16 ticks.
const shortAge = math.MaxInt8

// Write packs the feedback: one bit if no input has arrived, else 58 bits, 8 more if the age is far
// from 0, and 27 if inputs were held up.
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

// ReadFeedback reads the form that [Feedback.Write] writes. Errors are the reader's; after one, the
// result has no meaning.
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

// readAge reads the form that writeAge writes. Each age has exactly one form; others are malformed.
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
