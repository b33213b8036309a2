package netcode

import (
	"bytes"
	"errors"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
)

// Every snapshot carries the own state of its player, because a prediction is compared with the
// state of its tick. A state that equals, bit for bit, that of an acknowledged packet is not sent
// again: the snapshot says how many packets ago it was sent. So a player that stands still costs
// seven bits a snapshot, whatever the state consists of.
const (
	recallBits = 6
	recall     = 1 << recallBits // packets; a second and more at any rate of snapshots up to 60
	remembered = 2 * recall      // on the client: packets overtake each other
)

var errNotSaid = errors.New("netcode: the own state of a packet that never came")

// ownState is the own state of a player, as it travels.
type ownState[S any] struct {
	state S
	jumps uint8
	body  EntityID // the player's entity; None if that is hidden from the player
}

func (o ownState[S]) write(w *Writer, states StateCodec[S]) {
	states.Write(w, o.state)
	w.Bits(uint64(o.jumps), 8)
	w.Bits(uint64(o.body), 32)
}

func readOwn[S any](r *Reader, states StateCodec[S]) (o ownState[S]) {
	o.state = states.Read(r)
	o.jumps = uint8(r.Bits(8))
	o.body = EntityID(r.Bits(32))
	return o
}

// ownSent is the server's part.
type ownSent struct {
	bits    []byte        // the present state, as it travels
	version uint32        // counts its changes, from 1
	known   packet.Number // newest packet with this version that has been acknowledged; 0: none has
}

// note takes over the present state.
func (o *ownSent) note(bits []byte) {
	if o.version == 0 || !bytes.Equal(o.bits, bits) {
		o.bits = append(o.bits[:0], bits...)
		o.version, o.known = o.version+1, 0
	}
}

// delivered notes the acknowledgement of a packet with a version of the state.
func (o *ownSent) delivered(n packet.Number, version uint32) {
	if version == o.version && version != 0 {
		o.known = max(o.known, n)
	}
}

// name writes into packet n how many packets ago the same state was sent, if that packet is known
// to have arrived, and reports whether it is.
func (o *ownSent) name(w *Writer, n packet.Number) bool {
	back := n - o.known
	said := o.known != 0 && back < recall
	w.Bool(said)
	if said {
		w.Bits(uint64(back), recallBits)
	}
	return said
}

// writeOwn writes a player's own state into packet n, and returns how many bits more it would take
// in full.
func (s *Server[S, I]) writeOwn(w *Writer, p *Player[S, I], n packet.Number) (saved int) {
	if p.own.name(w, n) {
		return 8*len(p.own.bits) - recallBits
	}
	ownState[S]{p.State, p.jumps, s.shownID(p)}.write(w, s.protocol.game.States)
	return 0
}

// noteOwn compares a player's state with the one that was sent.
func (s *Server[S, I]) noteOwn(p *Player[S, I]) {
	if !p.playing {
		return
	}
	s.noting = NewWriter(s.scratch)
	ownState[S]{p.State, p.jumps, s.shownID(p)}.write(&s.noting, s.protocol.game.States)
	// one that does not fit is never acknowledged: it is not sent either
	p.own.note(s.noting.Bytes())
}

// ownReceived is the client's part: the states in packets, by the packets' numbers.
type ownReceived[S any] struct {
	ring [remembered]struct {
		number packet.Number
		own    ownState[S]
	}
}

// read reads the state in packet n. The name of a packet that has not arrived is an error of the
// reader.
func (h *ownReceived[S]) read(r *Reader, n packet.Number, states StateCodec[S]) (o ownState[S]) {
	if !r.Bool() {
		return readOwn(r, states)
	}
	back := packet.Number(r.Bits(recallBits))
	if e := &h.ring[(n-back)%remembered]; back != 0 && back < n && e.number == n-back {
		return e.own
	}
	r.Fail(errNotSaid)
	return o
}

// keep stores the state in a packet that is acknowledged from now on.
func (h *ownReceived[S]) keep(n packet.Number, o ownState[S]) {
	e := &h.ring[n%remembered]
	e.number, e.own = n, o
}
