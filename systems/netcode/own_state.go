package netcode

import (
	"bytes"
	"errors"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
)

// Every snapshot carries the player's own state, since the client compares its prediction with the
// state of that tick. A state that equals, bit for bit, that of an acknowledged packet is not sent
// again: the packet refers to the other one by the number of packets between them. So a player at
// rest costs seven bits a snapshot, whatever its state consists of.
const (
	recallBits = 6
	recall     = 1 << recallBits // packets; a second and more at any rate of snapshots up to 60
	remembered = 2 * recall      // on the client: packets overtake each other
)

var errNotSaid = errors.New("netcode: a reference to the own state of a packet that was not received")

// ownState is the state of a client's own player on the wire.
type ownState[S any] struct {
	state    S
	jumps    uint8
	body     EntityID     // the player's entity; NoEntity if the player is not shown it
	launched launchCounts // before
}

// launchedBits is the number of bits of a count of launches.
const launchedBits = 4

// launchCounts are the numbers of shots that a player has launched, modulo 16 on the wire, for each
// archetype of shots in the order of the protocol.
type launchCounts [snapshot.MaxComponents]uint8

// ownCodec packs own states.
type ownCodec[S any] struct {
	states StateCodec[S]
	kinds  int // archetypes of shots
}

func (p *Protocol[S, I]) ownCodec() ownCodec[S] {
	return ownCodec[S]{p.game.States, len(p.shots)}
}

func (o ownState[S]) write(w *Writer, c ownCodec[S]) {
	c.states.Write(w, o.state)
	w.Bits(uint64(o.jumps), 8)
	w.Bits(uint64(o.body), 32)
	for _, n := range o.launched[:c.kinds] {
		w.Bits(uint64(n), launchedBits)
	}
}

func readOwn[S any](r *Reader, c ownCodec[S]) (o ownState[S]) {
	o.state = c.states.Read(r)
	o.jumps = uint8(r.Bits(8))
	o.body = EntityID(r.Bits(32))
	for i := range o.launched[:c.kinds] {
		o.launched[i] = uint8(r.Bits(launchedBits))
	}
	return o
}

// ownSent is the server's side of own states.
type ownSent struct {
	bits  []byte        // the present state as it is sent
	since packet.Number // the first packet with it
	known packet.Number // newest acknowledged packet with it; 0: none
}

// note sets the state of packet n.
func (o *ownSent) note(bits []byte, n packet.Number) {
	if o.since == 0 || !bytes.Equal(o.bits, bits) {
		o.bits = append(o.bits[:0], bits...)
		o.since, o.known = n, 0
	}
}

// delivered records that a packet has arrived.
func (o *ownSent) delivered(n packet.Number) {
	if n >= o.since {
		o.known = max(o.known, n)
	}
}

// name writes into packet n a reference to an acknowledged packet with the same state. It returns
// false if there is none.
func (o *ownSent) name(w *Writer, n packet.Number) bool {
	back := n - o.known
	said := o.known != 0 && back < recall
	w.Bool(said)
	if said {
		w.Bits(uint64(back), recallBits)
	}
	return said
}

// writeOwn writes the own state of p into packet n. It returns how many bits a reference has saved.
func (s *Server[S, I]) writeOwn(w *Writer, p *Player[S, I], n packet.Number) (saved int) {
	if p.own.name(w, n) {
		return 8*len(p.own.bits) - recallBits
	}
	s.ownState(p).write(w, s.protocol.ownCodec())
	return 0
}

func (s *Server[S, I]) ownState(p *Player[S, I]) ownState[S] {
	return ownState[S]{p.State, p.jumps, s.shownID(p), p.launched}
}

// noteOwn sets the present own state of a player.
func (s *Server[S, I]) noteOwn(k *worker, p *Player[S, I]) {
	k.ownWriter = NewWriter(k.scratch)
	s.ownState(p).write(&k.ownWriter, s.protocol.ownCodec())
	// A state that does not fit is not sent, and is therefore never acknowledged.
	p.own.note(k.ownWriter.Bytes(), p.endpoint.Next())
}

// ownReceived is the client's side: own states by the numbers of their packets.
type ownReceived[S any] struct {
	ring [remembered]struct {
		number packet.Number
		own    ownState[S]
	}
}

// read reads the own state of packet n. A reference to a packet that was not received is an error
// of the reader.
func (h *ownReceived[S]) read(r *Reader, n packet.Number, c ownCodec[S]) (o ownState[S]) {
	if !r.Bool() {
		return readOwn(r, c)
	}
	back := packet.Number(r.Bits(recallBits))
	if e := &h.ring[(n-back)%remembered]; back != 0 && back < n && e.number == n-back {
		return e.own
	}
	r.Fail(errNotSaid)
	return o
}

// keep stores the own state of a packet that is acknowledged from now on.
func (h *ownReceived[S]) keep(n packet.Number, o ownState[S]) {
	e := &h.ring[n%remembered]
	e.number, e.own = n, o
}
