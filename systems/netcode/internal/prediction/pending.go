package prediction

import (
	"cmp"
	"fmt"
	"math/bits"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

// DefaultHistory is how many inputs and predicted states a client keeps if its configuration says
// 0. 64 are about a second at 60 Hz.
const DefaultHistory = 64

// MaxHistory is the largest history that a configuration may ask for, in ticks.
const MaxHistory = 1024

// Pending holds a client's own inputs in a bounded ring. Inputs that the server has not applied yet
// are kept for the replay, and inputs that it has not received yet are kept to be sent again. Ids
// are ticks and count up by one. When the ring is full the oldest input is removed. A [Predictor]
// contains one.
type Pending[I comparable] struct {
	ring    []I // length is a power of two
	first   tick.Tick
	replay  tick.Tick // the oldest that the server has not applied
	unacked tick.Tick // the oldest that the server has not received
	next    tick.Tick
}

// NewPending returns an empty ring for the given number of inputs, rounded up to a power of two. 0
// means DefaultHistory.
func NewPending[I comparable](history int) *Pending[I] {
	return &Pending[I]{ring: make([]I, ringSize(history))}
}

func ringSize(history int) int {
	return 1 << bits.Len(uint(cmp.Or(history, DefaultHistory)-1))
}

// slot returns the place of an input.
func (p *Pending[I]) slot(id tick.Tick) *I { return &p.ring[int(id)&(len(p.ring)-1)] }

// restart removes all inputs and continues at the id.
func (p *Pending[I]) restart(id tick.Tick) { p.first, p.replay, p.unacked, p.next = id, id, id, id }

// Push adds the input of the id, which must be one after the last (any, if there is none). Any
// other id panics.
func (p *Pending[I]) Push(id tick.Tick, in I) {
	if p.first == p.next {
		p.restart(id)
	} else if id != p.next {
		panic(fmt.Sprintf("prediction: pushed input %d after %d: ids count up by one; fill a gap with repeated inputs", id, p.next.Add(-1)))
	}
	*p.slot(id) = in
	p.next = id.Add(1)
	if oldest := p.next.Add(-len(p.ring)); oldest.IsNewer(p.first) {
		p.first = oldest
		p.replay, p.unacked = later(p.replay, oldest), later(p.unacked, oldest)
	}
}

// later returns the newer of two ticks.
func later(a, b tick.Tick) tick.Tick {
	if a.IsNewer(b) {
		return a
	}
	return b
}

// At returns the input of the id, if it is still held.
func (p *Pending[I]) At(id tick.Tick) (in I, ok bool) {
	if n := id.Sub(p.first); n < 0 || n >= p.next.Sub(p.first) {
		return in, false
	}
	return *p.slot(id), true
}

// Unacknowledged returns how many inputs the server has not received, according to its
// acknowledgements so far.
func (p *Pending[I]) Unacknowledged() int { return int(p.next.Sub(p.unacked)) }

// Unreceived returns the id of the oldest input that the server has not received.
func (p *Pending[I]) Unreceived() tick.Tick { return p.unacked }

// HeldSince returns how many inputs from an id on are held.
func (p *Pending[I]) HeldSince(id tick.Tick) int {
	return max(int(p.next.Sub(later(p.first, id))), 0)
}

// Follow takes over the acknowledgements of another server: it has received the inputs before the
// id.
func (p *Pending[I]) Follow(id tick.Tick) {
	p.unacked = later(p.first, id)
	if p.unacked.IsNewer(p.next) {
		p.unacked = p.next
	}
}

// Newest returns the newest id, if anything is held.
func (p *Pending[I]) Newest() (id tick.Tick, ok bool) { return p.next.Add(-1), p.first != p.next }

// Applied marks the inputs up to and with the id as applied by the server. They are not replayed
// again, but are still sent until acknowledged: an input that the server had to run without may
// still bring it a press.
func (p *Pending[I]) Applied(id tick.Tick) { p.advance(&p.replay, id) }

// Acknowledge marks the inputs up to and with the id as received by the server. They are not sent
// again, but are still replayed until applied.
func (p *Pending[I]) Acknowledge(id tick.Tick) { p.advance(&p.unacked, id) }

func (p *Pending[I]) advance(mark *tick.Tick, id tick.Tick) {
	if id.IsNewer(p.next.Add(-1)) || mark.IsNewer(id) {
		return
	}
	*mark = id.Add(1)
	if p.unacked.IsNewer(p.replay) {
		p.first = later(p.first, p.replay)
	} else {
		p.first = later(p.first, p.unacked)
	}
}
