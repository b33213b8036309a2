package prediction

import (
	"cmp"
	"fmt"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/bucket"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/clocksync"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

const (
	// Window is how many ticks behind the server's a press still counts.
	Window = 32
	// Ahead is how many ticks ahead of the server's an input is taken. A client that runs ahead by
	// a queue that has just drained is not missed for that.
	Ahead = 128
	// bufferRing has room for both, and divides the ticks of 32 bits.
	bufferRing = 256
	// DefaultRepeats is how often a missing input is replaced by the last one.
	DefaultRepeats = 12
)

// BufferConfig configures a [Buffer]. The zero value means the documented defaults.
type BufferConfig[I comparable] struct {
	Rules Rules[I]
	// Rate is the server's tick rate in steps per second, 1 to 1000; 0 means
	// [clocksync.DefaultRate].
	Rate int
	// Repeats is for how many ticks in a row a missing input is replaced by the last one, before
	// the neutral input is taken; 0 means DefaultRepeats, a negative number none.
	Repeats int
	// Kick is when [Buffer.Kick] says so.
	Kick Policy
}

// Verdict is what became of an input on its arrival.
type Verdict uint8

const (
	Accepted  Verdict = iota // waits for its tick
	Duplicate                // was there already
	Late                     // its tick has run without it; its presses will run
	Early                    // lies Ahead or more ahead, and was dropped
	Expired                  // so old that it cannot be known whether it was there already; dropped
)

// Source is where the input of a tick came from.
type Source uint8

const (
	Received Source = iota // from the client, in time
	Repeated               // the last one again
	Idle                   // the neutral input: nothing came for long, or ever
)

// Buffer holds the inputs of one client until their ticks, on the server. Exactly one runs per
// tick, so that a client who sends more, or sends it faster, is not faster than the others, and
// there is nothing to save up. Its size is fixed. Create it with [NewBuffer].
//
// Each tick: for every packet that arrived [Buffer.Admit], decode, [Buffer.Receive]; then
// [Buffer.Next].
type Buffer[I comparable] struct {
	config   BufferConfig[I]
	grid     clocksync.Grid
	next     tick.Tick       // runs next: the server's tick plus one
	ring     [bufferRing]I   // the inputs of next-Window to next+Ahead-1
	held     [bufferRing]tag // whether they are there
	ack      tick.Tick
	last     I
	received bool
	first    tick.Tick // the oldest input that has arrived; nothing is missed before it
	starve   int       // ticks without an input, up to now
	late     presses[I]
	age      *clocksync.AgeMeter
	gate     bucket.Bucket // of packets
	excess   meter
	stats    BufferStats
}

// tag marks a slot of the ring as holding the input of a tick.
type tag struct {
	tick tick.Tick
	set  bool
}

// BufferStats counts what a [Buffer] did. Ticks before the first input of the client count nowhere.
type BufferStats struct {
	Ticks    uint64 // run since the first input
	Received uint64 // of them with the client's input
	Repeated uint64 // of them with the last input again
	Idle     uint64 // of them with the neutral input
	Presses  uint64 // late inputs whose presses were handed on

	Accepted, Duplicate, Late, Early, Expired uint64 // verdicts on what arrived
	Refused                                   uint64 // packets that Admit refused
	// packets refused, and packets whose newest input was four times as early as may be
	Excess uint64
}

// Missed returns the share of ticks without the client's input, 0 to 1.
func (s BufferStats) Missed() float64 {
	if s.Ticks == 0 {
		return 0
	}
	return float64(s.Repeated+s.Idle) / float64(s.Ticks)
}

// NewBuffer returns an empty buffer whose next tick is given, or an error for a rate out of range.
func NewBuffer[I comparable](next tick.Tick, c BufferConfig[I]) (*Buffer[I], error) {
	c.Repeats = cmp.Or(c.Repeats, DefaultRepeats)
	b := &Buffer[I]{config: c, gate: bucket.Full(gateBank), excess: newMeter(c.Kick)}
	if err := b.Reset(next); err != nil {
		return nil, err
	}
	return b, nil
}

// Reset forgets all inputs and goes on at the tick: for a player that comes back on a new
// connection, so that nothing from the old one can run. The gate, the meter and the counters stay,
// so that a reset gives no packets.
func (b *Buffer[I]) Reset(next tick.Tick) error {
	age, err := clocksync.NewAgeMeter(b.config.Rate)
	if err != nil {
		return fmt.Errorf("prediction: BufferConfig.Rate: %w", err)
	}
	if b.grid, err = clocksync.NewGrid(b.config.Rate); err != nil {
		return fmt.Errorf("prediction: BufferConfig.Rate: %w", err)
	}
	b.age = age
	b.next, b.ack = next, next.Add(-1)
	clear(b.held[:])
	b.late.some, b.received, b.starve, b.last = false, false, 0, b.config.Rules.Neutral
	return nil
}

// Tick returns the tick whose input runs next.
func (b *Buffer[I]) Tick() tick.Tick { return b.next }

// Admit reports whether a packet may be decoded: two per tick may, with 128 in reserve for bursts.
// What is beyond costs the server nothing more.
func (b *Buffer[I]) Admit() bool {
	if b.gate.Take(1) {
		return true
	}
	b.stats.Refused++
	b.excess.add(1)
	return false
}

// Skip says that the server has let the time of n ticks pass without running them, because it was
// overloaded or suspended. The client has gone on meanwhile, so what it sends for them, and ahead
// of the server until its clock has followed, is no excess. None of it runs.
func (b *Buffer[I]) Skip(n int64) {
	b.gate.Grant(gateRate * float64(n))
	b.excess.pardon = pardonTicks
}

// Receive takes the inputs of a packet that arrived at a time of the server's clock, whose zero is
// the edge of tick 0.
func (b *Buffer[I]) Receive(p *Inputs[I], now time.Duration) {
	if p.Count == 0 {
		return
	}
	b.age.Arrived(p.Newest, now)
	// A server that has stalled catches up: it has this already, though its time has come before
	// the next tick has.
	if p.Newest.Sub(later(b.next, b.grid.Tick(b.grid.Index(now)))) >= farAhead {
		b.excess.early(1)
	}
	for i := p.Count - 1; i >= 0; i-- { // oldest first, the order in which presses happened
		b.Put(p.Newest.Add(-i), p.At(i))
	}
}

// Put takes a single input. Of two for one tick the first counts.
func (b *Buffer[I]) Put(t tick.Tick, in I) Verdict {
	ahead := t.Sub(b.next)
	if ahead >= Ahead {
		b.stats.Early++
		return Early
	}
	if ahead < -Window {
		b.stats.Expired++
		return Expired
	}
	i := t % bufferRing
	if b.held[i] == (tag{t, true}) {
		b.stats.Duplicate++
		return Duplicate
	}
	b.ring[i], b.held[i] = in, tag{t, true}
	if !b.received || b.first.IsNewer(t) && b.first.IsNewer(b.next) {
		b.received, b.first = true, t
	}
	if ahead >= 0 {
		b.stats.Accepted++
		return Accepted
	}
	b.stats.Late++
	if b.late.add(in, &b.config.Rules) {
		b.stats.Presses++
	}
	return Late
}

// Next returns the input of the tick that runs now, and where it came from. Call it once per tick
// of the server.
func (b *Buffer[I]) Next() (in I, source Source) {
	i := b.next % bufferRing
	switch {
	case b.held[i] == tag{b.next, true}:
		in = b.ring[i]
		b.last, b.starve = in, 0
		b.stats.Received++
	case !b.received || b.first.IsNewer(b.next):
		b.advance()
		return b.config.Rules.Neutral, Idle
	case b.starve < b.config.Repeats:
		in, source = b.config.Rules.repeat(b.last), Repeated
		b.starve++
		b.stats.Repeated++
	default:
		in, source = b.config.Rules.Neutral, Idle
		b.starve = min(b.starve+1, max(b.config.Repeats, MaxStarved)+1)
		b.stats.Idle++
	}
	b.stats.Ticks++
	b.advance()
	return b.late.take(in, &b.config.Rules), source
}

// advance ends a tick.
func (b *Buffer[I]) advance() {
	b.next++
	b.ack = later(b.ack, b.next.Add(-Window-1)) // what is older cannot arrive any more
	b.gate.Grant(gateRate)
	b.excess.leak(1)
}

// Feedback returns what to tell the client, once per snapshot.
func (b *Buffer[I]) Feedback() Feedback {
	if !b.received {
		return Feedback{}
	}
	for {
		t := b.ack.Add(1)
		if b.held[t%bufferRing] != (tag{t, true}) {
			break
		}
		b.ack = t
	}
	return Feedback{Heard: true, Ack: b.ack, Report: b.age.Report(), Starved: min(b.starve, MaxStarved)}
}

// Kick reports whether the client has sent so much too much that the policy says to remove it.
func (b *Buffer[I]) Kick() bool { return b.excess.kick }

// Stats returns the counters.
func (b *Buffer[I]) Stats() BufferStats {
	s := b.stats
	s.Excess = b.excess.total
	return s
}
