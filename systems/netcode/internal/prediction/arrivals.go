package prediction

import (
	"cmp"
	"slices"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/bucket"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/clocksync"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

// DefaultBank is the default input credit: the time that a silent player of [Arrivals] may save up.
// It is 6 inputs at 60 Hz.
const DefaultBank = 100 * time.Millisecond

// Unlimited as a bank selects the rule of Multiplayer Platformer Log #5 as
// published: silence is saved up without limit, and can be spent in one tick. It is there for
// comparison. Do not use it on the internet.
const Unlimited = -1

// ArrivalConfig configures [Arrivals]. The zero value selects the documented defaults.
type ArrivalConfig[I comparable] struct {
	Rules Rules[I]
	// Step is how much time one input simulates, up to 1 s; 0 means 1/60 s.
	Step time.Duration
	// Bank is the input credit: how many inputs may run at once after a silence. Jitter may delay
	// as many inputs before time is lost. As many postponed inputs may wait, and further ones are
	// dropped. 0 means as many as DefaultBank holds, at least 1. See Unlimited, and
	// [Arrivals.SetInterval], which raises it to the number of inputs between two network ticks.
	Bank int
	// Kick is the policy by which [Arrivals.Kick] reports that the client is to be removed.
	Kick Policy
}

// Arrivals runs the inputs of one client on arrival, each player on a clock of its own, as
// Multiplayer Platformer Log #5 does. Every input advances that clock by one Step. The clock never
// passes the next network tick: inputs beyond it are postponed, so that sending faster gains
// nothing. The clock never stays behind that tick by more than the bank, so that silence cannot be
// saved up and spent at once (as published it can: after 10 s of silence 306 inputs run in one
// tick). The player's state is as old as the clock is behind. Send this age with the state
// ([Arrivals.Delta]).
//
// Prefer [Buffer] where players touch each other: here they are simulated at different times.
// Create it with [NewArrivals].
//
// As inputs arrive, and in every server tick: [Arrivals.Admit], decode, [Arrivals.Receive] for each
// packet; [Arrivals.Advance]; then [Arrivals.Next] until there is none.
type Arrivals[I comparable] struct {
	config   ArrivalConfig[I]
	interval int          // between network ticks, in inputs
	queue    []waiting[I] // the oldest first
	low      int          // its least length since shedAt
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
	guard
	// one more than the inputs that may arrive before inputs that find no room count as excess
	credit bucket.Bucket
	stats  ArrivalStats
}

// waiting is a postponed input. If the inputs after it were dropped, the id is that of the newest
// of them.
type waiting[I comparable] struct {
	input I
	id    tick.Tick
}

// ArrivalStats counts the work of an [Arrivals].
type ArrivalStats struct {
	Run       uint64        // inputs run
	Dropped   uint64        // inputs that found the queue full, or waited at a Reset
	Shed      uint64        // inputs dropped from a standing queue
	Late      uint64        // inputs that arrived after a newer one; their presses ran
	Duplicate uint64        // inputs received before
	Invalid   uint64        // ids out of range of the last one
	Refused   uint64        // packets refused by Admit
	Forfeited time.Duration // time of silence beyond the bank
	// Refused, plus those Dropped while more than one input per step arrived over seconds
	Excess uint64
}

// NewArrivals returns an empty queue.
func NewArrivals[I comparable](c ArrivalConfig[I]) *Arrivals[I] {
	c.Step = cmp.Or(c.Step, time.Second/60)
	c.Bank = cmp.Or(c.Bank, max(1, int(DefaultBank/c.Step)))
	return &Arrivals[I]{config: c, guard: newGuard(c.Kick), credit: bucket.Full(arrivalBank + 1)}
}

// SetInterval sets how many inputs pass between two network ticks, 0 if that is not known. From now
// on the bank and the queue hold at least that many. With fewer, a player without any jitter would
// lose time: when a network tick has passed, the next one is an interval ahead of its clock.
func (a *Arrivals[I]) SetInterval(inputs int) { a.interval = min(max(0, inputs), MaxHistory) }

// Reset removes all inputs and their ids, for a client whose ids begin anew: on a new connection,
// or after a long sleep. The player's clock, the gate, the credit, the meter and the counters stay,
// so that a reset grants neither time nor packets.
func (a *Arrivals[I]) Reset() {
	a.stats.Dropped += uint64(len(a.queue))
	a.queue, a.low = a.queue[:0], 0
	clear(a.held[:])
	a.late.some, a.received = false, false
}

// Skip reports that the server let the time of n steps pass without running them, because it was
// overloaded or suspended. Inputs that the client sends meanwhile are no excess. They do not run
// beyond the bank.
func (a *Arrivals[I]) Skip(n int64) {
	a.guard.Skip(n)
	a.credit.Grant(float64(n))
}

// Receive adds the inputs of a packet, oldest first.
func (a *Arrivals[I]) Receive(p *Inputs[I]) {
	for i := p.Count - 1; i >= 0; i-- {
		a.Put(p.Newest.Add(-i), p.At(i))
	}
}

// Put adds a single input. Ids count up by one on the client. Gaps are losses. An id further than
// MaxHistory from the last is refused.
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
		a.stats.Duplicate++ // or too old to be told from a duplicate
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
	if a.config.Bank != Unlimited && len(a.queue) >= a.bank() {
		a.stats.Dropped++
		if a.credit.Tokens() < 1 {
			a.early()
		}
		a.late.add(in, &a.config.Rules)
		a.queue[len(a.queue)-1].id = id // when that input has run, this id counts as processed
		return
	}
	a.queue = append(a.queue, waiting[I]{in, id})
}

// bank returns the bank in inputs, unless it is Unlimited.
func (a *Arrivals[I]) bank() int { return max(a.config.Bank, a.interval) }

func (a *Arrivals[I]) pop() waiting[I] {
	w := a.queue[0]
	a.queue = slices.Delete(a.queue, 0, 1)
	a.low = min(a.low, len(a.queue))
	return w
}

// Advance sets the server's time and the time of the next network tick, at or after it: the instant
// whose states are sent next. The player's clock starts with the first Advance after the player's
// first input.
func (a *Arrivals[I]) Advance(now, horizon time.Duration) {
	steps := int64(max(0, now-a.now) / a.config.Step)
	a.now += time.Duration(steps) * a.config.Step
	if !a.started {
		a.now = now
	}
	a.horizon = max(now, horizon)
	a.forgive(steps)
	a.credit.Grant(float64(steps))
	if !a.started {
		if !a.received {
			return
		}
		a.started, a.clock, a.shedAt = true, now, now
	}
	if a.config.Bank != Unlimited {
		if floor := a.horizon - time.Duration(a.bank())*a.config.Step; a.clock < floor {
			a.stats.Forfeited += floor - a.clock
			a.clock = floor
		}
	}
	a.shed(now)
}

// shedFor is the period over which the queue's least length is measured.
const shedFor = time.Second

// shed drops the inputs that have stood in the queue for all of a period. Otherwise one burst would
// delay all inputs after it for ever (a standing queue; Nichols and Jacobson, "Controlling Queue
// Delay", 2012).
func (a *Arrivals[I]) shed(now time.Duration) {
	if now-a.shedAt < shedFor {
		return
	}
	for range min(a.low, len(a.queue)) {
		w := a.pop()
		a.late.add(w.input, &a.config.Rules)
		a.last = w.id
		a.stats.Shed++
	}
	a.shedAt, a.low = now, len(a.queue)
}

// Next returns the next input that may run now, if there is one.
func (a *Arrivals[I]) Next() (in I, ok bool) {
	if !a.started || len(a.queue) == 0 || a.clock+a.config.Step > a.horizon {
		return in, false
	}
	w := a.pop()
	a.clock += a.config.Step
	a.last = w.id
	a.stats.Run++
	return a.late.take(w.input, &a.config.Rules), true
}

// Last returns the id of the newest input that has run, or was dropped before it. This is the last
// id of Log #3: the client drops its own inputs up to that id. Before the first input, also after a
// Reset, Last returns false.
func (a *Arrivals[I]) Last() (id tick.Tick, ok bool) { return a.last, a.started && a.received }

// Feedback returns the feedback for the client, to be sent once per snapshot. It contains only the
// newest input that has run.
func (a *Arrivals[I]) Feedback() Feedback {
	last, ok := a.Last()
	return Feedback{Heard: ok, Ack: last, Report: clocksync.Report{Newest: last}}
}

// Delta returns how old the player's state is at a time, normally that of the network tick that
// carries it: "had this position 30 ms ago". It is negative for a clock that is ahead of the time.
func (a *Arrivals[I]) Delta(at time.Duration) time.Duration {
	if !a.started {
		return 0
	}
	return at - a.clock
}

// Waiting returns how many inputs are postponed.
func (a *Arrivals[I]) Waiting() int { return len(a.queue) }

// Stats returns the counters.
func (a *Arrivals[I]) Stats() ArrivalStats {
	s := a.stats
	s.Refused, s.Excess = a.refused, a.total
	return s
}
