package netcode

import (
	"bytes"
	"errors"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
)

// With every snapshot a player is told his own state, because a prediction is held against the
// state of its tick. One that is, bit for bit, what a packet said that he has acknowledged is not
// said again but named: by how many packets ago that was. So a player who stands costs seven bits a
// snapshot, whatever his state consists of.
const (
	recallBits = 6
	recall     = 1 << recallBits // packets; a second and more at any rate of snapshots up to 60
	remembered = 2 * recall      // on the client: packets overtake each other
)

var errNotSaid = errors.New("netcode: the own state of a packet that never came")

// ownState is what a client is told of himself.
type ownState[S any] struct {
	state S
	jumps uint8
	body  EntityID // what shows him; None if that is hidden from him
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
	bits    []byte        // what is true now, as it travels
	version uint32        // counts its changes, from 1
	known   packet.Number // newest packet with this version that has been acknowledged; 0: none has
}

// note takes over what is true now.
func (o *ownSent) note(bits []byte) {
	if o.version == 0 || !bytes.Equal(o.bits, bits) {
		o.bits = append(o.bits[:0], bits...)
		o.version, o.known = o.version+1, 0
	}
}

// delivered is told that a packet has arrived which was sent when a version was true.
func (o *ownSent) delivered(n packet.Number, version uint32) {
	if version == o.version && version != 0 {
		o.known = max(o.known, n)
	}
}

// name writes into packet n how many packets ago the same was said, if that is known to have been
// heard, and reports whether it was.
func (o *ownSent) name(w *Writer, n packet.Number) bool {
	back := n - o.known
	said := o.known != 0 && back < recall
	w.Bool(said)
	if said {
		w.Bits(uint64(back), recallBits)
	}
	return said
}

// writeOwn writes what p is told of himself in packet n, and returns how many bits more it would
// have been in full.
func (s *Server[S, I]) writeOwn(w *Writer, p *Player[S, I], n packet.Number) (saved int) {
	if p.own.name(w, n) {
		return 8*len(p.own.bits) - recallBits
	}
	ownState[S]{p.State, p.jumps, s.shownID(p)}.write(w, s.protocol.game.States)
	return 0
}

// noteOwn compares what is true of a player with what he was told.
func (s *Server[S, I]) noteOwn(p *Player[S, I]) {
	if !p.playing {
		return
	}
	s.noting = NewWriter(s.scratch)
	ownState[S]{p.State, p.jumps, s.shownID(p)}.write(&s.noting, s.protocol.game.States)
	// one that does not fit is never acknowledged: it is not sent either
	p.own.note(s.noting.Bytes())
}

// ownReceived is the client's part: what packets said, by their numbers.
type ownReceived[S any] struct {
	ring [remembered]struct {
		number packet.Number
		own    ownState[S]
	}
}

// read reads what packet n says. Naming a packet that has not come is an error of the reader.
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

// keep remembers what a packet said that is acknowledged from now on.
func (h *ownReceived[S]) keep(n packet.Number, o ownState[S]) {
	e := &h.ring[n%remembered]
	e.number, e.own = n, o
}
