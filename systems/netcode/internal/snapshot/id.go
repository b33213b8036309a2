package snapshot

import "fmt"

// ID names a replicated entity on both ends: a slot, and a generation that distinguishes the
// successive entities of the slot. The zero value names none.
type ID uint32

// None is the ID of no entity.
const None ID = 0

func newID(slot int, generation uint16) ID { return ID(generation)<<16 | ID(slot) }

// Slot returns the entity's place, from 0 to Config.MaxEntities-1. No two living entities share
// one.
func (id ID) Slot() int { return int(id & 0xffff) }

// Generation returns how often the slot has been taken, from 1, modulo 2^16 without 0.
func (id ID) Generation() uint16 { return uint16(id >> 16) }

// String returns "slot.generation", or "none".
func (id ID) String() string {
	if id == None {
		return "none"
	}
	return fmt.Sprintf("%d.%d", id.Slot(), id.Generation())
}
