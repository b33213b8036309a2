package linksim

import (
	"errors"
	"fmt"
	"time"
)

// Condition is the state of one direction of a network path, with the seed of its randomness. The
// zero value is a perfect path: nothing is lost, and everything arrives at once. [Condition.String]
// and [Parse] turn it into one line of text and back.
type Condition struct {
	Delay time.Duration // one way, at least 0
	// Jitter adds to Delay, for every datagram, a uniform draw from [-Jitter, +Jitter]. The sum is
	// never less than 0. Datagrams may overtake each other.
	Jitter time.Duration

	Loss  float64 // probability of 0..1 that a datagram is lost, independently of the others
	Burst Burst   // losses in bursts, on top of Loss

	// Duplicate is the probability that a copy arrives as well. The copy has a jitter draw of its
	// own, but never arrives before the first one.
	Duplicate float64
	// Reorder is the probability that a datagram is delayed by ReorderBy, so that later ones
	// overtake it.
	Reorder   float64
	ReorderBy time.Duration // 0 means 50 ms

	// A direction has at most one bottleneck: Rate, which events of kind Capacity change, or Trace.
	// Datagrams that cannot pass at once wait in a queue, first in, first out.
	Rate int // bytes per second that pass; 0 means no limit
	// Trace lists the moments at which 1500 bytes may pass, ascending; see [ParseTrace]. A
	// condition keeps the slice.
	Trace []time.Duration
	// Queue and Packets bound the queue, including the packet that is being sent. Packets that do
	// not fit are dropped (drop-tail). Without either, the bound is 250 ms of the bottleneck's
	// bytes, at least 4096, and with CoDel 1000 packets.
	Queue   int // bytes, headers included; 0 means no such bound
	Packets int // the same in packets
	// CoDel also drops packets that have waited too long: RFC 8289 with its target of 5 ms and its
	// interval of 100 ms.
	CoDel bool
	// Header is the number of bytes on the line in addition to each datagram: 28 with UDP and IPv4,
	// 66 to 75 with DTLS.
	Header int

	// InOrder lets no datagram overtake another. A datagram waits for those in front of it, as on a
	// radio link that delivers in sequence. Lost datagrams stay lost.
	InOrder bool

	// Ordered makes the direction a reliable, ordered stream like TCP. A lost datagram is sent
	// again after a retransmission time-out of max(200 ms, 2*Delay), as often as needed, and
	// everything behind it waits. Duplicates and reordering have no effect.
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
	Enter    float64 // probability per datagram of a change from good to bad
	Leave    float64 // probability per datagram of a change from bad to good
	GoodLoss float64 // probability of loss in the good state
	BadLoss  float64 // probability of loss in the bad state
}

// Kind is the effect of an [Event].
type Kind uint8

const (
	// Route adds By to the one-way delay of datagrams that are sent from At on. Several events add
	// up. A shorter route lets datagrams overtake earlier ones.
	Route Kind = iota
	// Stall delays everything that would arrive in [At, At+By) until At+By, when it arrives in one
	// burst, as with a Wi-Fi card that scans.
	Stall
	// Cut loses everything that is sent in [At, At+By). In an ordered direction it is sent again
	// until the cut is over.
	Cut
	// Capacity changes the bottleneck's Rate to To from At on. At rate 0 nothing passes: datagrams
	// wait in the queue until a later event, and then leave it at the new rate.
	Capacity
	// Reno lets a download share the bottleneck's queue in [At, At+By): a TCP flow that always has
	// something to send, in packets of 1500 bytes with all headers.
	Reno
)

// Event is one scripted change.
type Event struct {
	Kind Kind
	At   time.Duration // on the clock of the times given to Push and Pop
	By   time.Duration // a change of delay for Route (may be negative), otherwise a length
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

// delayAt returns the one-way delay without jitter of a datagram sent at the time, and whether a
// cut loses it.
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

// stalled returns the actual time of arrival of a datagram that would arrive at the time. Stalls
// may overlap or follow each other.
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
