package prediction

import (
	"cmp"
	"fmt"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/bucket"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/clocksync"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

// DefaultBank is how much time a silent player of [Arrivals] may save up: 6 inputs at 60 Hz.
const DefaultBank = 100 * time.Millisecond

// Unlimited as a bank, or as a queue, is the rule of Multiplayer Platformer Log #5 as published:
// silence is saved up for ever, and then spent in one tick. It is there to be compared with, not to
// be used on the internet.
const Unlimited = -1

// ArrivalConfig configures [Arrivals]. The zero value means the documented defaults.
type ArrivalConfig[I comparable] struct {
	Rules Rules[I]
	// Step is how much time one input simulates; 0 means 1/60 s. At most 1 s.
	Step time.Duration
	// Bank is how many inputs may run at once after a silence. Jitter may hold back as many before
	// time is lost. 0 means as many as DefaultBank holds, at least 1. See Unlimited, and
	// [Arrivals.SetInterval], which raises it to what passes between two network ticks.
	Bank int
	// Queue is how many inputs may wait, postponed, beyond which they are dropped; 0 means as many
	// as the bank. See Unlimited. SetInterval raises it as it raises the bank.
	Queue int
	// Shed is how long the queue may have a length that it never falls below, before that many are
	// dropped: else one burst would delay all inputs after it for ever (a standing queue; Nichols
	// and Jacobson, "Controlling Queue Delay", 2012). 0 means 1 s, a negative time never.
	Shed time.Duration
	// Kick is when [Arrivals.Kick] says so.
	Kick Policy
}

// Arrivals runs the inputs of one client on arrival, each player on a clock of his own, as
// Multiplayer Platformer Log #5 does. Every input moves that clock by one Step. It never passes the
// next network tick: inputs beyond it are postponed, so that sending faster gains nothing. And it
// never stays behind that tick by more than the bank, so that silence cannot be saved up and spent
// at once (as published it can: after 10 s of silence 306 inputs run in one tick). The player's
// state is as old as his clock is behind, which is to be sent with it ([Arrivals.Delta]).
//
// Prefer [Buffer] where players touch each other: here they are simulated at different times.
// Create it with [NewArrivals].
//
// As inputs arrive, and in every server tick: [Arrivals.Admit], decode, [Arrivals.Receive] for each
// packet; [Arrivals.Advance]; then [Arrivals.Next] until there is none.
type Arrivals[I comparable] struct {
	config   ArrivalConfig[I]
	interval int          // between network ticks, in inputs
	queue    []waiting[I] // a ring
	head     int
	count    int
	low      int // the least count since shedAt
	shedAt   time.Duration
	started  bool
	clock    time.Duration // the player's
	now      time.Duration
	horizon  time.Duration // the next network tick
	received bool          // has newest and last
	newest   tick.Tick     // id of the newest input received
	last     tick.Tick     // id of the newest input run, or dropped before it
	held     [2 * Window]tag
	late     presses[I]
	gate     bucket.Bucket // of packets
	// one more than the inputs that may come before those without room are too many
	credit bucket.Bucket
	excess meter
	stats  ArrivalStats
}

// waiting is a postponed input. The id may be newer than the input's own, when the ones after it
// were dropped.
type waiting[I comparable] struct {
	input I
	id    tick.Tick
}

// ArrivalStats counts what [Arrivals] did.
type ArrivalStats struct {
	Run       uint64        // inputs run
	Dropped   uint64        // inputs that found the queue full, or waited at a Reset
	Shed      uint64        // inputs dropped from a standing queue
	Late      uint64        // inputs that newer ones had overtaken; their presses ran
	Duplicate uint64        // inputs that were there already
	Invalid   uint64        // ids too far from the last to be true
	Refused   uint64        // packets that Admit refused
	Forfeited time.Duration // time of silence beyond the bank
	// Refused, and Dropped as far as more than one per step have come, over seconds
	Excess uint64
}

// NewArrivals returns an empty queue, or an error for a configuration that makes no sense.
func NewArrivals[I comparable](c ArrivalConfig[I]) (*Arrivals[I], error) {
	c.Step = cmp.Or(c.Step, time.Second/60)
	if c.Step < 0 || c.Step > time.Second {
		return nil, fmt.Errorf("prediction: ArrivalConfig.Step is %v: use more than 0, up to 1 s", c.Step)
	}
	c.Bank = cmp.Or(c.Bank, min(max(1, int(DefaultBank/c.Step)), MaxHistory))
	c.Queue = cmp.Or(c.Queue, c.Bank)
	c.Shed = cmp.Or(c.Shed, time.Second)
	switch {
	case c.Bank < Unlimited || c.Bank > MaxHistory:
		return nil, fmt.Errorf("prediction: ArrivalConfig.Bank is %d: use 1 to %d inputs", c.Bank, MaxHistory)
	case c.Queue < Unlimited || c.Queue > MaxHistory:
		return nil, fmt.Errorf("prediction: ArrivalConfig.Queue is %d: use 1 to %d inputs", c.Queue, MaxHistory)
	}
	return &Arrivals[I]{config: c, gate: bucket.Full(gateBank), credit: bucket.Full(arrivalBank + 1), excess: newMeter(c.Kick)}, nil
}

// SetInterval says how many inputs pass between two network ticks, 0 if that is not known. The bank
// and the queue hold at least so many from now on. With fewer a player without any jitter would
// lose time: when a network tick has passed, the next one is an interval ahead of its clock.
func (a *Arrivals[I]) SetInterval(inputs int) { a.interval = min(max(0, inputs), MaxHistory) }

// Reset forgets all inputs and their ids, for a client whose ids begin anew: on a new connection,
// or after a long sleep. The player's clock, the gate, the credit, the meter and the counters stay,
// so that a reset gives neither time nor packets.
func (a *Arrivals[I]) Reset() {
	a.stats.Dropped += uint64(a.count)
	a.head, a.count, a.low = 0, 0, 0
	clear(a.held[:])
	a.late.some, a.received = false, false
}

// Admit reports whether a packet may be decoded: two per Step may, with 128 in reserve for bursts.
func (a *Arrivals[I]) Admit() bool {
	if a.gate.Take(1) {
		return true
	}
	a.stats.Refused++
	a.excess.add(1)
	return false
}

// Skip says that the server has let the time of n steps pass without running them, because it was
// overloaded or suspended: what the client sends meanwhile is no excess. None of it runs beyond the
// bank.
func (a *Arrivals[I]) Skip(n int64) {
	a.gate.Grant(gateRate * float64(n))
	a.credit.Grant(float64(n))
	a.excess.pardon = pardonTicks
}

// Receive takes the inputs of a packet, oldest first.
func (a *Arrivals[I]) Receive(p *Inputs[I]) {
	for i := p.Count - 1; i >= 0; i-- {
		a.Put(p.Newest.Add(-i), p.At(i))
	}
}

// Put takes a single input. Ids count up by one on the client; gaps are losses, and an id further
// than MaxHistory from the last is refused.
func (a *Arrivals[I]) Put(id tick.Tick, in I) {
	if !a.received {
		a.received, a.newest, a.last = true, id.Add(-1), id.Add(-1)
	}
	ahead := id.Sub(a.newest)
	if ahead > MaxHistory || ahead < -MaxHistory {
		a.stats.Invalid++
		return
	}
	seen := &a.held[id%(2*Window)]
	if ahead <= -2*Window || *seen == (tag{id, true}) {
		a.stats.Duplicate++ // or so old that it may be one
		return
	}
	*seen = tag{id, true}
	if ahead <= 0 {
		a.stats.Late++
		a.late.add(in, &a.config.Rules)
		return
	}
	a.newest = id
	a.credit.Take(1)
	if limit := a.config.Queue; limit != Unlimited && a.count >= max(limit, a.interval) {
		a.stats.Dropped++
		if a.credit.Tokens() < 1 {
			a.excess.early(1)
		}
		a.late.add(in, &a.config.Rules)
		a.at(a.count - 1).id = id // when that one has run, this one is done with, too
		return
	}
	a.push(waiting[I]{in, id})
}

// at returns the i-th that waits.
func (a *Arrivals[I]) at(i int) *waiting[I] { return &a.queue[(a.head+i)%len(a.queue)] }

func (a *Arrivals[I]) push(w waiting[I]) {
	if a.count == len(a.queue) {
		queue := make([]waiting[I], max(8, 2*len(a.queue)))
		for i := range a.count {
			queue[i] = *a.at(i)
		}
		a.queue, a.head = queue, 0
	}
	a.count++
	*a.at(a.count - 1) = w
}

func (a *Arrivals[I]) pop() waiting[I] {
	w := *a.at(0)
	a.head = (a.head + 1) % len(a.queue)
	a.count--
	return w
}

// Advance tells the server's time, and when the next network tick is, at or after it: the instant
// whose states will be sent next. The player's clock starts with the first Advance after his first
// input.
func (a *Arrivals[I]) Advance(now, horizon time.Duration) {
	steps := int64(max(0, now-a.now) / a.config.Step)
	a.now += time.Duration(steps) * a.config.Step
	if !a.started {
		a.now = now
	}
	a.horizon = max(now, horizon)
	a.gate.Grant(gateRate * float64(steps))
	a.credit.Grant(float64(steps))
	a.excess.leak(steps)
	if !a.started {
		if !a.received {
			return
		}
		a.started, a.clock, a.shedAt = true, now, now
	}
	if a.config.Bank != Unlimited {
		bank := time.Duration(max(a.config.Bank, a.interval)) * a.config.Step
		if floor := a.horizon - bank; a.clock < floor {
			a.stats.Forfeited += floor - a.clock
			a.clock = floor
		}
	}
	a.shed(now)
}

// shed drops what has stood in the queue all the time.
func (a *Arrivals[I]) shed(now time.Duration) {
	if a.config.Shed < 0 || now-a.shedAt < a.config.Shed {
		return
	}
	for range min(a.low, a.count) {
		w := a.pop()
		a.late.add(w.input, &a.config.Rules)
		a.last = w.id
		a.stats.Shed++
	}
	a.shedAt, a.low = now, a.count
}

// Next returns the next input that may run now, if there is one.
func (a *Arrivals[I]) Next() (in I, ok bool) {
	if !a.started || a.count == 0 || a.clock+a.config.Step > a.horizon {
		a.low = min(a.low, a.count)
		return in, false
	}
	w := a.pop()
	a.low = min(a.low, a.count)
	a.clock += a.config.Step
	a.last = w.id
	a.stats.Run++
	return a.late.take(w.input, &a.config.Rules), true
}

// Last returns the id of the newest input that has run, or was dropped before it: the last id of
// Log #3, up to which the client drops its own. Before the first, also after a Reset, it returns
// false.
func (a *Arrivals[I]) Last() (id tick.Tick, ok bool) { return a.last, a.started && a.received }

// Feedback returns what to send to the client, once per snapshot. Only the newest input that has
// run is known of it.
func (a *Arrivals[I]) Feedback() Feedback {
	last, ok := a.Last()
	return Feedback{Heard: ok, Ack: last, Report: clocksync.Report{Newest: last}}
}

// Delta returns how old the player's state is at a time, normally that of the network tick at which
// it is sent: "had this position 30 ms ago". It is negative for a clock that is ahead of the time.
func (a *Arrivals[I]) Delta(at time.Duration) time.Duration {
	if !a.started {
		return 0
	}
	return at - a.clock
}

// Waiting returns how many inputs are postponed.
func (a *Arrivals[I]) Waiting() int { return a.count }

// Kick reports whether the client has sent so much too much that the policy says to remove it.
func (a *Arrivals[I]) Kick() bool { return a.excess.kick }

// Stats returns the counters.
func (a *Arrivals[I]) Stats() ArrivalStats {
	s := a.stats
	s.Excess = a.excess.total
	return s
}
