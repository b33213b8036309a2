package prediction

import (
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/clocksync"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

const (
	// Window is how many ticks behind the server's tick a press still counts.
	Window = 32
	// Ahead is how many ticks ahead of the server's tick an input is accepted. It covers a client
	// that runs ahead by a queue that has just drained.
	Ahead = 128
	// bufferRing has room for Window and Ahead together, and divides the ticks of 32 bits.
	bufferRing = 256
	// MaxRepeats is for how many ticks in a row a missing input is replaced by the last one. After
	// them the input is neutral.
	MaxRepeats = 12
)

// BufferConfig configures a [Buffer]. The zero value selects the documented defaults.
type BufferConfig[I comparable] struct {
	Rules Rules[I]
	// Grid has the server's ticks.
	Grid clocksync.Grid
	// Kick is the policy by which [Buffer.Kick] reports that the client is to be removed.
	Kick Policy
}

// Source is the origin of a tick's input.
type Source uint8

const (
	Received Source = iota // from the client, in time
	Repeated               // the last one again
	Idle                   // the neutral input: no input for long, or ever
)

// Buffer holds the inputs of one client until their ticks, on the server. Exactly one runs per
// tick. A client that sends more inputs, or sends them faster, is not faster than the others, and
// no time can be saved up. Its size is fixed. Create it with [NewBuffer].
//
// In each tick: for every packet that arrived [Buffer.Admit], decode, [Buffer.Receive]; then
// [Buffer.Next].
type Buffer[I comparable] struct {
	config   BufferConfig[I]
	next     tick.Tick       // the tick that runs next: the server's tick plus one
	ring     [bufferRing]I   // the inputs of next-Window to next+Ahead-1
	held     [bufferRing]tag // which of them are present
	ack      tick.Tick
	last     I
	received bool
	first    tick.Tick // the oldest input that has arrived; no tick before it counts as missed
	starve   int       // ticks without an input, up to now
	late     presses[I]
	age      *clocksync.AgeMeter
	guard
	stats BufferStats
}

// tag marks a slot of the ring as holding the input of a tick.
type tag struct {
	tick tick.Tick
	set  bool
}

// BufferStats counts the work of a [Buffer]. Ticks before the first input of the client are not
// counted.
type BufferStats struct {
	Ticks    uint64 // run since the first input
	Received uint64 // of them with the client's input
	Repeated uint64 // of them with the last input again
	Idle     uint64 // of them with the neutral input
	Presses  uint64 // late inputs whose presses were passed on

	Accepted  uint64 // inputs that wait for their tick, or did
	Duplicate uint64 // inputs received before
	Late      uint64 // inputs whose tick had run without them; their presses ran later
	Early     uint64 // inputs Ahead or more ticks ahead; dropped
	Expired   uint64 // inputs too old to be told from a duplicate; dropped
	Refused   uint64 // packets refused by Admit
	// packets refused, and packets whose newest input was four times Ahead or more ahead
	Excess uint64
}

// Missed returns the share of ticks without the client's input, 0 to 1.
func (s BufferStats) Missed() float64 {
	if s.Ticks == 0 {
		return 0
	}
	return float64(s.Repeated+s.Idle) / float64(s.Ticks)
}

// NewBuffer returns an empty buffer whose next tick is given.
func NewBuffer[I comparable](next tick.Tick, c BufferConfig[I]) *Buffer[I] {
	b := &Buffer[I]{config: c, guard: newGuard(c.Kick)}
	b.Reset(next)
	return b
}

// Reset removes all inputs and continues at the tick, for a player that returns on a new
// connection: no input of the old connection can run. The gate, the meter and the counters stay, so
// that a reset grants no packets.
func (b *Buffer[I]) Reset(next tick.Tick) {
	b.age = clocksync.NewAgeMeter(b.config.Grid)
	b.next, b.ack = next, next.Add(-1)
	clear(b.held[:])
	b.late.some, b.received, b.starve, b.last = false, false, 0, b.config.Rules.Neutral
}

// Tick returns the tick whose input runs next.
func (b *Buffer[I]) Tick() tick.Tick { return b.next }

// Receive adds the inputs of a packet that arrived at a time of the server's clock, whose zero is
// the edge of tick 0.
func (b *Buffer[I]) Receive(p *Inputs[I], now time.Duration) {
	if p.Count == 0 {
		return
	}
	b.age.Arrived(p.Newest, now)
	// A server that has stalled catches up: the time of this input may have passed although its
	// tick has not run yet.
	if p.Newest.Sub(later(b.next, b.config.Grid.Tick(b.config.Grid.Index(now)))) >= farAhead {
		b.early()
	}
	for i := p.Count - 1; i >= 0; i-- { // oldest first, the order in which presses happened
		b.Put(p.Newest.Add(-i), p.At(i))
	}
}

// Put adds a single input. Of two inputs for one tick the first counts.
func (b *Buffer[I]) Put(t tick.Tick, in I) {
	ahead := t.Sub(b.next)
	if ahead >= Ahead {
		b.stats.Early++
		return
	}
	if ahead < -Window {
		b.stats.Expired++
		return
	}
	i := t % bufferRing
	if b.held[i] == (tag{t, true}) {
		b.stats.Duplicate++
		return
	}
	b.ring[i], b.held[i] = in, tag{t, true}
	if !b.received || b.first.IsNewer(t) && b.first.IsNewer(b.next) {
		b.received, b.first = true, t
	}
	if ahead >= 0 {
		b.stats.Accepted++
		return
	}
	b.stats.Late++
	if b.late.add(in, &b.config.Rules) {
		b.stats.Presses++
	}
}

// InTime reports whether the input of the last tick was there.
func (b *Buffer[I]) InTime() bool { return b.received && b.first.Sub(b.next) < 0 && b.starve == 0 }

// Join adds what another buffer of the same client has received for the next tick and later ones,
// and measures ages where that one left off.
func (b *Buffer[I]) Join(other *Buffer[I]) {
	for ahead := range Ahead {
		t := b.next.Add(ahead)
		if i := t % bufferRing; other.held[i] == (tag{t, true}) {
			b.Put(t, other.ring[i])
		}
	}
	b.age = other.age
}

// Next returns the input of the tick that runs now, and its source. Call it once per tick of the
// server.
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
	case b.starve < MaxRepeats:
		in, source = b.config.Rules.repeat(b.last), Repeated
		b.starve++
		b.stats.Repeated++
	default:
		in, source = b.config.Rules.Neutral, Idle
		b.starve = min(b.starve+1, MaxStarved)
		b.stats.Idle++
	}
	b.stats.Ticks++
	b.advance()
	return b.late.take(in, &b.config.Rules), source
}

// advance ends a tick.
func (b *Buffer[I]) advance() {
	b.next++
	b.ack = later(b.ack, b.next.Add(-Window-1)) // older inputs cannot arrive any more
	b.forgive(1)
}

// Feedback returns the feedback for the client, to be sent once per snapshot.
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

// Stats returns the counters.
func (b *Buffer[I]) Stats() BufferStats {
	s := b.stats
	s.Refused, s.Excess = b.refused, b.total
	return s
}
