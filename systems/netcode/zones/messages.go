package zones

import (
	"encoding/binary"
	"errors"

	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/custody"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/internal/link"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/internal/mail"
)

// The first byte of a message between zones.
const (
	msgCustody  = 1 + iota
	msgInvite   // ticket, ResumeID, name of the body: the player's client may come
	msgInvited  // ticket: it is expected
	msgUninvite // ticket, ResumeID: it does not come
	msgOffer    // ticket, ResumeID: is the client there, and is it ready?
	msgVisitor  // ticket, 1: it is there, 2: and ready
	msgRemoved  // name: the entity is despawned
	msgEvent    // name, hops, data
	msgClaim    // name, distance of the player that claims it
	msgLetter   // zone and stamp of the letter, its sender's floor, name, data
	msgReceived // stamp of a letter whose effect is in a checkpoint
	msgAway     // numbers: these players are here
	msgBack     // number: this player has left, and its number is free
)

// out begins a message in the scratch buffer.
func (z *Zone[S, I]) out(kind byte) []byte { return append(z.outgoing[:0], kind) }

// send sends a message to a zone. If there is no link, it is lost: what must not be lost is
// repeated by its sender.
func (z *Zone[S, I]) send(to custody.Zone, data []byte) bool {
	z.outgoing = data
	err := z.links.Send(to, data)
	if err != nil && !errors.Is(err, link.ErrNoLink) {
		z.stats.Unsent++
	}
	return err == nil
}

// sendCustody sends what the ledger wants to say.
func (z *Zone[S, I]) sendCustody() {
	for _, m := range z.ledger.Outbox() {
		z.send(m.To.Zone, m.Append(z.out(msgCustody)))
	}
}

func (z *Zone[S, I]) sendInvite(p *netcode.Player[S, I], v *visit) {
	b := append(z.out(msgInvite), v.ticket[:]...)
	id := p.ResumeID()
	b = append(b, id[:]...)
	z.send(v.to.Zone, binary.LittleEndian.AppendUint64(b, uint64(z.nameOf(p.Entity))))
}

// sendTicket offers a player to another zone (msgOffer), or takes its invitation back
// (msgUninvite).
func (z *Zone[S, I]) sendTicket(kind byte, p *netcode.Player[S, I], v *visit) {
	id := p.ResumeID()
	z.send(v.to.Zone, append(append(z.out(kind), v.ticket[:]...), id[:]...))
}

// Message implements link.Handler. The bytes are of a zone with the key, and may be wrong all the
// same.
func (z *Zone[S, I]) Message(from custody.Process, data []byte) {
	if len(data) == 0 || !z.message(from, data[0], data[1:]) {
		z.stats.Malformed++
	}
}

const idSize = len(netcode.ResumeID{})

func (z *Zone[S, I]) message(from custody.Process, kind byte, b []byte) (ok bool) {
	switch kind {
	case msgCustody:
		m, err := custody.Parse(b)
		if err != nil || m.From != from {
			return false
		}
		if !z.isForged(m) {
			z.ledger.Receive(m)
		}
	case msgInvite:
		if len(b) != 16+idSize+8 {
			return false
		}
		id, name := netcode.ResumeID(b[16:]), custody.Name(binary.LittleEndian.Uint64(b[16+idSize:]))
		z.invite(from, [16]byte(b), id, name)
	case msgUninvite, msgOffer:
		if len(b) != 16+idSize {
			return false
		}
		id := netcode.ResumeID(b[16:])
		g := z.guests[id]
		switch {
		case g == nil || g.from != from.Zone:
		case kind == msgUninvite:
			z.server.Invite(b[:16], id, 0)
			delete(z.guests, id)
		default:
			if ready, present := z.server.Visitor(id); present {
				is := byte(1)
				if ready && !z.full() {
					is = 2
				}
				z.send(from.Zone, append(append(z.out(msgVisitor), b[:16]...), is))
			}
		}
	case msgInvited:
		if len(b) != 16 {
			return false
		}
		z.answered(from, [16]byte(b), 0)
	case msgVisitor:
		if len(b) != 17 || b[16] < 1 || b[16] > 2 {
			return false
		}
		z.answered(from, [16]byte(b), b[16])
	case msgRemoved:
		if len(b) != 8 {
			return false
		}
		z.removeGhost(custody.Name(binary.LittleEndian.Uint64(b)))
	case msgEvent:
		return z.receiveEvent(b)
	case msgClaim:
		return z.receiveClaim(from, b)
	case msgLetter:
		return z.receiveLetter(from, b)
	case msgReceived:
		if len(b) != 8 {
			return false
		}
		z.mail.Acknowledge(mail.Stamp(binary.LittleEndian.Uint64(b)))
	case msgAway:
		if len(b)%2 != 0 {
			return false
		}
		for ; len(b) > 0; b = b[2:] {
			z.noteAway(binary.LittleEndian.Uint16(b))
		}
	case msgBack:
		if len(b) != 2 {
			return false
		}
		delete(z.away, binary.LittleEndian.Uint16(b))
	default:
		return false
	}
	return true
}
