package zones

import (
	"encoding/binary"
	"slices"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/systems/netcode/zones/custody"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/internal/mail"
)

// Send sends an event to an entity, in whichever zone it is. Receive gets it there: in this step if
// the entity is this zone's, else some milliseconds later, exactly once, unless a zone crashes or
// the link ends: then it may be lost. An event has at most 1 KiB. It returns false if the entity is
// unknown here or the event cannot be sent now.
//
// Use it for what the owner has to decide: a hit, a push of a button. See SendSaved for money.
func (z *Zone[S, I]) Send(to arche.Entity, event []byte) bool {
	n := z.nameOf(to)
	return n != 0 && len(event) <= mail.MaxLetter && z.passEvent(n, 0, event)
}

// mostHops is how often an event follows an entity from zone to zone.
const mostHops = 8

func (z *Zone[S, I]) passEvent(n custody.Name, hops byte, event []byte) bool {
	if x := z.entities[n]; x != nil && x.owned {
		if z.config.Receive != nil && z.alive(x.e) {
			z.config.Receive(x.e, event)
		}
		return true
	}
	if z.ledger.Active() && z.ledger.Owns(n) && len(z.held) < mostHeld { // it waits for its tick
		z.held = append(z.held, heldEvent{n, hops, slices.Clone(event)})
		return true
	}
	to, ok := z.whereIs(n)
	if !ok || hops >= mostHops {
		z.stats.Undelivered++
		return false
	}
	b := binary.LittleEndian.AppendUint64(z.out(msgEvent), uint64(n))
	return z.send(to, append(append(b, hops+1), event...))
}

// heldEvent is an event for an entity that has come before its tick.
type heldEvent struct {
	to   custody.Name
	hops byte
	data []byte
}

// mostHeld is the most events that wait for entities.
const mostHeld = 1024

// passHeld delivers the events whose entities have arrived.
func (z *Zone[S, I]) passHeld() {
	held := z.held
	z.held = nil
	for _, h := range held {
		z.passEvent(h.to, h.hops, h.data)
	}
}

// whereIs returns the zone that has an entity, as far as this zone knows.
func (z *Zone[S, I]) whereIs(n custody.Name) (custody.Zone, bool) {
	if t, ok := z.gone[n]; ok {
		return t.to, true
	}
	if x := z.entities[n]; x != nil && !x.owned && z.alive(x.e) && z.world.Has(x.e, z.ids.ghost) {
		return get[Ghost](z.world, x.e, z.ids.ghost).Zone, true
	}
	return 0, false
}

func (z *Zone[S, I]) receiveEvent(b []byte) bool {
	if len(b) < 9 || len(b) > 9+mail.MaxLetter {
		return false
	}
	z.passEvent(custody.Name(binary.LittleEndian.Uint64(b)), b[8], append([]byte(nil), b[9:]...))
	return true
}
