package linksim

import (
	"errors"
	"fmt"
	"time"
)

// Condition is the state of one direction of a network path, with the seed of its randomness. The
// zero value is a perfect one: nothing is lost, and everything arrives at once. [Condition.String]
// and [Parse] turn it into one line of text and back.
type Condition struct {
	Delay time.Duration // one way, at least 0
	// every datagram takes Delay plus a uniform draw from [-Jitter, +Jitter], never less than 0;
	// datagrams may overtake each other
	Jitter time.Duration

	Loss  float64 // probability of 0..1 that a datagram is lost, independently of the others
	Burst Burst   // losses in bursts, on top of Loss

	// probability that a copy arrives as well: with a jitter draw of its own, but never before the
	// first
	Duplicate float64
	// probability that a datagram is held back by ReorderBy, so that later ones overtake it
	Reorder   float64
	ReorderBy time.Duration // 0 means 50 ms

	// The bottleneck, of which a direction has one at most: Rate, which events of kind Capacity
	// change, or Trace. What it cannot pass at once waits in a queue, first in, first out.
	Rate int // bytes per second that pass; 0 means no limit
	// moments at which 1500 bytes may pass, ascending; see [ParseTrace]. A condition keeps the
	// slice
	Trace []time.Duration
	// Queue and Packets bound the queue, with what is being sent; what does not fit is dropped
	// (drop-tail). Without either, 250 ms worth of the bottleneck wait, at least 4096 bytes, and
	// with CoDel 1000 packets.
	Queue   int // bytes, headers included; 0 means no such bound
	Packets int // likewise in packets
	// also drops what has waited too long: RFC 8289 with its target of 5 ms and its interval of 100
	// ms
	CoDel bool
	// bytes that a datagram has on the line beside its own: 28 with UDP and IPv4, 66 to 75 with
	// DTLS
	Header int

	// InOrder lets no datagram overtake another: it waits for those in front of it, as on a radio
	// link that delivers in sequence. What is lost stays lost.
	InOrder bool

	// Ordered makes the direction a reliable, ordered stream as over TCP: what would be lost is
	// sent again after a retransmission time-out of max(200 ms, 2*Delay), as often as needed, and
	// everything behind it waits. Duplicates and reordering do not show.
	Ordered bool

	// Script changes the path at given times. A condition keeps the slice; do not change its
	// elements afterwards.
	Script []Event

	Seed uint64 // of all random draws
}

// Burst is the Gilbert-Elliott model of bursty loss: a chain of two states, good and bad, that
// steps once per datagram. A mean burst lasts 1/Leave datagrams. The zero value never leaves the
// good state and loses nothing. (E. N. Gilbert, "Capacity of a Burst-Noise Channel", 1960; E. O.
// Elliott, "Estimates of Error Rates for Codes on Burst-Noise Channels", 1963.)
type Burst struct {
	Enter    float64 // probability per datagram of going from good to bad
	Leave    float64 // probability per datagram of going from bad to good
	GoodLoss float64 // probability of loss in the good state
	BadLoss  float64 // probability of loss in the bad state
}

// Kind is the effect of an [Event].
type Kind uint8

const (
	// Route adds By to the one-way delay from At on, for what is sent from then on; several add up.
	// A shorter route lets datagrams overtake earlier ones.
	Route Kind = iota
	// Stall holds back everything that would arrive in [At, At+By) until At+By, when it arrives in
	// one burst, as a scanning Wi-Fi card does.
	Stall
	// Cut loses everything that is sent in [At, At+By); in an ordered direction it is sent again
	// until that is over.
	Cut
	// Capacity changes the bottleneck's Rate to To from At on. At 0 nothing passes: what comes
	// waits in the queue until a later event, and then leaves it at the new rate.
	Capacity
	// Reno lets a download share the bottleneck's queue in [At, At+By): a TCP flow that always has
	// something to send, in packets of 1500 bytes with all headers.
	Reno
)

// Event is one scripted change.
type Event struct {
	Kind Kind
	At   time.Duration // on the clock that Push and Pop are given
	By   time.Duration // a change of delay for Route (may be negative), else a length
	To   int           // bytes per second, of Capacity
}

// maxTime bounds scripted times and maxDelay delays, so that sums of them do not overflow.
const (
	maxTime  = 100_000 * time.Hour
	maxDelay = time.Hour
)

// Validate returns an error that names every impossible value in the condition, or nil.
func (c Condition) Validate() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf("linksim: "+format, args...)) }
	for _, p := range []struct {
		name  string
		value float64
	}{
		{"loss", c.Loss}, {"burst enter", c.Burst.Enter}, {"burst leave", c.Burst.Leave}, {"burst loss in the good state", c.Burst.GoodLoss},
		{"burst loss in the bad state", c.Burst.BadLoss}, {"dup", c.Duplicate}, {"reorder", c.Reorder},
	} {
		if !(p.value >= 0 && p.value <= 1) { // also refuses NaN
			bad("%s is %v: give a probability from 0 to 1 (or 0%% to 100%%)", p.name, p.value)
		}
	}
	for _, d := range []struct {
		name  string
		value time.Duration
	}{{"delay", c.Delay}, {"jitter", c.Jitter}, {"the time of reorder", c.ReorderBy}} {
		if d.value < 0 || d.value > maxDelay {
			bad("%s is %v: give a duration from 0 to %v", d.name, d.value, maxDelay)
		}
	}
	c.validateBottleneck(bad)
	for _, e := range c.Script {
		switch {
		case e.Kind > Reno:
			bad("the script holds an event of unknown kind %d: use Route, Stall, Cut, Capacity or Reno", e.Kind)
		case e.At < 0 || e.At > maxTime:
			bad("a scripted event at %v: give a time from 0 to %v", e.At, maxTime)
		case e.Kind == Route && (e.By < -maxDelay || e.By > maxDelay):
			bad("a route change by %v: give at most %v either way", e.By, maxDelay)
		case e.Kind != Route && (e.By < 0 || e.By > maxTime):
			bad("a %v that lasts %v: give a duration from 0 to %v", e.Kind, e.By, maxTime)
		}
	}
	return errors.Join(errs...)
}

// reorderBy returns how long a reordered datagram is held back.
func (c *Condition) reorderBy() time.Duration {
	if c.ReorderBy > 0 {
		return c.ReorderBy
	}
	return 50 * time.Millisecond
}

// delayAt returns the one-way delay without jitter of what is sent at the time, and whether a cut
// loses it.
func (c *Condition) delayAt(at time.Duration) (delay time.Duration, cut bool) {
	delay = c.Delay
	for _, e := range c.Script {
		switch e.Kind {
		case Route:
			if at >= e.At {
				delay += e.By
			}
		case Cut:
			cut = cut || at >= e.At && at < e.At+e.By
		}
	}
	return max(delay, 0), cut
}

// stalled returns when that which would arrive at the time arrives really. Stalls may overlap or
// follow each other.
func (c *Condition) stalled(at time.Duration) time.Duration {
	for again := true; again; {
		again = false
		for _, e := range c.Script {
			if e.Kind == Stall && at >= e.At && at < e.At+e.By {
				at, again = e.At+e.By, true
			}
		}
	}
	return at
}
