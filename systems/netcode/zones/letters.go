package zones

import (
	"encoding/binary"
	"errors"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/systems/netcode/zones/custody"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/internal/mail"
)

// ErrNoName is the error of an event for an entity that no zone has named: it is new, or not
// replicated.
var ErrNoName = errors.New("zones: the entity has no name yet: send in a later step")

// SendSaved sends an event to an entity, in whichever zone it is, exactly once, also if zones
// crash: money and items. It is sent when this zone's next checkpoint has it, with whatever has
// caused it, so it takes about a second. Receive gets it. It waits as long as the entity's zone is
// away, and for ever if another zone removes the entity before it comes: see Stats.Letters. An
// event has at most 1 KiB. The error is ErrNoName, states that the event is too long, or that 4096
// of them wait.
func (z *Zone[S, I]) SendSaved(to arche.Entity, event []byte) error {
	n := z.nameOf(to)
	if n == 0 {
		return ErrNoName
	}
	return z.mail.Post(n, event)
}

// letterEvery is how many ticks pass until a letter that is not acknowledged is sent again.
const letterEvery = 15

// lettersAtOnce is how many letters are sent at once. Others follow in turn, so that letters that
// cannot be delivered leave room for all else.
const lettersAtOnce = 32

// sendLetters sends the letters that a checkpoint has, to the zone that has the entity, or to all.
func (z *Zone[S, I]) sendLetters() {
	if z.server.Tick()%letterEvery != 0 {
		return
	}
	rounds := z.mail.Waiting()/lettersAtOnce + 1
	round, i := int(z.server.Tick()/letterEvery)%rounds, 0
	for l := range z.mail.Due {
		if i++; i%rounds != round {
			continue
		}
		if x := z.entities[l.To]; x != nil && x.owned {
			z.floors[l.ID.Zone] = z.mail.Floor()
			x.receipts.Prune(l.ID.Zone, z.mail.Floor())
			z.deliver(x, l.ID, l.Data)
			continue
		}
		b := binary.LittleEndian.AppendUint16(z.out(msgLetter), uint16(l.ID.Zone))
		b = binary.LittleEndian.AppendUint64(b, uint64(l.ID.Stamp))
		b = binary.LittleEndian.AppendUint64(b, uint64(z.mail.Floor()))
		b = binary.LittleEndian.AppendUint64(b, uint64(l.To))
		b = append(b, l.Data...)
		z.outgoing = b
		if to, ok := z.whereIs(l.To); ok {
			z.send(to, b)
			continue
		}
		for to := range z.neighbors {
			z.send(to, b)
		}
	}
}

// receiveLetter takes a letter for an entity of this zone. Others are sent again by their sender.
func (z *Zone[S, I]) receiveLetter(from custody.Process, b []byte) bool {
	if len(b) < 26 || len(b) > 26+mail.MaxLetter {
		return false
	}
	id := mail.ID{Zone: custody.Zone(binary.LittleEndian.Uint16(b)), Stamp: mail.Stamp(binary.LittleEndian.Uint64(b[2:]))}
	floor, to := mail.Stamp(binary.LittleEndian.Uint64(b[10:])), custody.Name(binary.LittleEndian.Uint64(b[18:]))
	if id.Zone != from.Zone {
		return false
	}
	z.floors[id.Zone] = max(z.floors[id.Zone], floor)
	if x := z.entities[to]; x != nil && x.owned && z.ledger.Active() {
		x.receipts.Prune(id.Zone, z.floors[id.Zone])
		z.deliver(x, id, b[26:])
	}
	return true
}

// deliver gives a letter to an entity once, and acknowledges it when a checkpoint has its effect.
func (z *Zone[S, I]) deliver(x *entity, id mail.ID, data []byte) {
	if !z.alive(x.e) || id.Stamp < z.floors[id.Zone] {
		return
	}
	if !x.receipts.Has(id) {
		if !x.receipts.Take(id) {
			return // too many are not over yet: it comes again
		}
		if z.config.Receive != nil {
			z.config.Receive(x.e, append([]byte(nil), data...))
		}
	}
	if _, ok := z.received[id]; !ok {
		z.received[id] = receipt{x.name, z.saves + 1}
	}
}

// receipt is a delivered letter, to be acknowledged when a checkpoint has been written.
type receipt struct {
	to         custody.Name
	checkpoint uint64
}

// acknowledgeLetters acknowledges what a written checkpoint has. An entity that has gone since has
// its receipts with it, and is asked again there.
func (z *Zone[S, I]) acknowledgeLetters(number uint64) {
	for id, r := range z.received {
		if r.checkpoint > number {
			continue
		}
		delete(z.received, id)
		switch x := z.entities[r.to]; {
		case x == nil || !x.owned:
		case id.Zone == z.self.Zone:
			z.mail.Acknowledge(id.Stamp)
		default:
			z.send(id.Zone, binary.LittleEndian.AppendUint64(z.out(msgReceived), uint64(id.Stamp)))
		}
	}
}
