package netcode

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/tandem-ecs/tandem/internal/pointerfree"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/matchstate"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/prediction"
)

// MatchState is a value of the whole match that [Game].Step may read beside its arguments: which
// doors are open, whether the round has begun. Make it with [NewMatchState]. The server sets it,
// and all clients have the same value in the same tick. Step, the Step of [Bodies] and the paths of
// scripted movers read it with [MatchState.At] for the tick that they are asked about, never for
// another one: a client calls them for past ticks, too.
//
// # Announce changes
//
// A client predicts its player about a round trip ahead of the newest values that it has. A change
// that the server sets for the next tick reaches clients when they have predicted its tick already.
// They predict those ticks again, and a player that ran through a door that was shut is drawn back.
// So Set changes for a tick that is a round trip and some loss ahead, such as half a second, if the
// game allows it: an alarm, then the door. Then no client has predicted that tick.
//
// The server's own rules apply to a player's press, too: what it sets is seen by that player a
// round trip later. An effect that must be there at once belongs in the player's state.
//
// # Doors that move
//
// A value such as "open since tick 812" makes a door move without poses on the wire: the path of a
// scripted mover takes the time since that tick. If the news arrives late, the drawn door glides to
// its path.
//
// # Limits
//
// Both ends keep the newest 64 changes, so that At is right for recent ticks. For older ones it
// returns the oldest value that is kept. A server may set another value in every tick: each change
// is then sent until the client has acknowledged it, a packet carries at most 128 bytes of them,
// and what finds no room is left out if a newer value has replaced it. Every change costs clients
// one replay, unless it was announced. In the mode [OnArrival] an input has no tick that both ends
// share, so a client may predict it with the value of another tick. The server's state corrects it.
//
// The values belong to one server or client, and are used by its engine's goroutine only. The zero
// value is not usable.
type MatchState[T comparable] struct {
	name     string
	codec    ComponentCodec[T]
	first    T
	values   matchstate.History[T]
	received matchstate.Received[T] // on a client
	tick     func() Tick            // of the server; nil: not installed, or on a client
	drawn    func() Tick            // of the newest step; nil: not installed
	scratch  [maxMatchBytes]byte
	writer   Writer // into scratch
}

// Limits of match states. maxMatchBytes bounds the values of all those of a protocol together, and
// maxMatchBits their changes in a packet.
const (
	maxMatchBytes = 64
	maxMatchBits  = 8 * 2 * maxMatchBytes
)

// NewMatchState adds a value to a protocol. It is first until the server sets another one, and on a
// client until its first snapshot. The codec packs changes, always without a base; nil means
// [StructComponent]. Both ends, and first, have the values that the codec quantises. Make all of
// them in the same order on both ends, before the protocol is in use. Without a change they cost a
// bit each in a snapshot, and a change six bits beside its value in each snapshot until it is
// acknowledged.
//
// A protocol with a MatchState serves one server or one client: make it once for each end, by the
// same function. A second use panics. NewMatchState panics for a name that is empty or taken, for a
// type with pointers, and if the values of all match states take more than 64 bytes: that is enough
// for 512 doors in an array of bits.
func NewMatchState[T comparable, S any, I comparable](p *Protocol[S, I], name string, c ComponentCodec[T], first T) *MatchState[T] {
	if c == nil {
		c = StructComponent[T]()
	}
	if p.used.Load() {
		panic(fmt.Sprintf("netcode: the match state %q is made after a server or client with its protocol; make it before them", name))
	}
	if name == "" || slices.ContainsFunc(p.matchStates, func(m matchState) bool { return m.called() == name }) {
		panic(fmt.Sprintf("netcode: a match state needs a name of its own, not %q", name))
	}
	if pointer := pointerfree.Pointer[T](); pointer != "" {
		panic(fmt.Sprintf("netcode: a MatchState of %T, which holds a pointer (%s); put an index or an array of fixed size in its place", first, pointer))
	}
	if p.matchBytes += int(reflect.TypeFor[T]().Size()); p.matchBytes > maxMatchBytes {
		panic(fmt.Sprintf("netcode: with %q the match states take %d bytes; %d are possible: keep bits and ticks, and put the rest into components", name, p.matchBytes, maxMatchBytes))
	}
	m := &MatchState[T]{name: name, codec: c, first: c.Quantize(first)}
	m.check(m.first)
	m.reset()
	p.schema.Agree(fmt.Sprintf("%q %s", name, layoutText(c)))
	p.matchStates = append(p.matchStates, m)
	return m
}

// layoutText describes what StructComponent writes for a type. Other codecs have their names only.
func layoutText[T comparable](c ComponentCodec[T]) (text string) {
	if s, ok := c.(structComponent[T]); ok {
		for _, n := range s.layout {
			text += fmt.Sprintf("%v %d %d %d,", n.kind, n.bits, n.min, n.max)
		}
	}
	return text
}

// At returns the value that holds in tick t. On a server this is final for the present tick and all
// before it. On a client it is the newest that it has received for that tick. Later ticks have the
// changes that are announced so far.
func (m *MatchState[T]) At(t Tick) T { return m.values.At(t) }

// Now returns the value as it is drawn now: on a client in the tick that the newest step has
// simulated ([Client.Tick]), in which the own player and the scripted movers are drawn, in a replay
// in the tick that is shown, and on a server in [Server.Tick]. Before the clocks of a connection
// run it is the newest value that the client has received, and before all that the first one. It is
// for what is drawn and heard: a lamp, a score, a countdown. Step takes At. For what belongs to
// others in the picture, use At with [Client.ViewTick].
func (m *MatchState[T]) Now() T {
	if m.drawn == nil {
		return m.first
	}
	return m.At(m.drawn())
}

// Set makes v the value from a tick on, on the server. It replaces the changes that were announced
// for that tick and later ones, so that a Set of the present value takes an announcement back. A
// tick that is not after [Server.Tick] counts as the next one. At most 64 changes can be announced
// at a time: one more takes the place of the newest. A Set that changes nothing costs nothing. Set
// panics on a client, and before the server is installed on an engine.
func (m *MatchState[T]) Set(v T, from Tick) {
	if m.tick == nil {
		panic(fmt.Sprintf("netcode: Set of the match state %q without its server; call it on the server's own, after Install, and give the first value to NewMatchState", m.name))
	}
	v = m.codec.Quantize(v)
	bits, now := m.check(v), m.tick()
	if from.Sub(now) >= matchstate.Ahead {
		panic(fmt.Sprintf("netcode: Set of the match state %q for tick %d, in tick %d; announce it less than %d ticks ahead", m.name, from, now, matchstate.Ahead))
	}
	m.values.Set(v, bits, from, now)
}

// check returns how many bits a value takes on the wire. It panics for one that cannot be sent.
func (m *MatchState[T]) check(v T) (bits int) {
	w := &m.writer
	*w = NewWriter(m.scratch[:])
	m.codec.Encode(w, v, nil)
	if w.Err() != nil || !prediction.Comparable(v) {
		panic(fmt.Sprintf("netcode: the codec of the match state %q makes of a value one that takes more than %d bytes or holds a NaN; bound it in Quantize", m.name, maxMatchBytes))
	}
	return w.Len()
}

// matchState is a MatchState without its type parameter.
type matchState interface {
	called() string
	// serve lets a server set the value, by its tick.
	serve(tick func() Tick)
	// draw sets the tick of Now.
	draw(tick func() Tick)
	// reset makes the first value that of all ticks.
	reset()
	// follow makes the next packet one of another server. The values stay until it tells others.
	follow()
	// trim forgets what is older than ticks can tell.
	trim(now Tick)
	write(w *Writer, to *matchstate.Sent, n packet.Number, after Tick, limit matchstate.Limits)
	// read reads the changes in a packet, and apply applies them; see matchstate.Received.
	read(r *Reader)
	apply(n packet.Number, after Tick) (since Tick, news bool)
}

func (m *MatchState[T]) called() string         { return m.name }
func (m *MatchState[T]) serve(tick func() Tick) { m.tick, m.drawn = tick, tick }
func (m *MatchState[T]) draw(tick func() Tick)  { m.drawn = tick }
func (m *MatchState[T]) trim(now Tick)          { m.values.Trim(now) }
func (m *MatchState[T]) read(r *Reader)         { m.received.Read(r, m.codec) }

func (m *MatchState[T]) reset() {
	m.values, m.received = matchstate.New(m.first), matchstate.Received[T]{}
}

func (m *MatchState[T]) follow() { m.received = matchstate.Received[T]{} }

func (m *MatchState[T]) write(w *Writer, to *matchstate.Sent, n packet.Number, after Tick, limit matchstate.Limits) {
	m.values.Write(w, m.codec, to, n, after, limit)
}

func (m *MatchState[T]) apply(n packet.Number, after Tick) (since Tick, news bool) {
	return m.received.Apply(&m.values, n, after)
}

// claim is called by each server and client that uses the protocol.
func (p *Protocol[S, I]) claim() {
	if p.used.Swap(true) && len(p.matchStates) > 0 {
		panic(fmt.Sprintf("netcode: a second use of a protocol with the match state %q, which holds the values of one end; make the protocol once for each server and client, by the same function", p.matchStates[0].called()))
	}
}
