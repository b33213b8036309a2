package snapshot

import "github.com/tandem-ecs/tandem/systems/netcode/internal/packet"

// Shared holds the data that the encoders of a World's clients have in common. The changes of an
// entity since a revision are the same for all clients that have that revision as their baseline.
// They are written once, for the first of them, and copied for the others. The orders of the codes
// of numbers are chosen for all clients together.
//
// Encoders that share must not run at the same time. Goroutines that encode at the same time have a
// Shared each. Which encoder runs on which of them makes no difference to its bytes, if
// [Shared.Gather] joins their counts: numbers count when they are sent, not when they are written.
type Shared struct {
	world  *World
	tally  tally   // of everything but gaps, in records that were sent
	deltas []delta // none: of one encoder alone
	choice *choice
	coding coding
	writer packet.Writer // a local one would escape to the heap through the codecs

	preloaded uint16 // see Encoder.Preload
}

// delta is a written change of an entity. It fills a line of the cache.
type delta struct {
	revisions uint64 // the one that was written, and the one before it
	terms     uint64 // everything else that the bits depend on
	sizes     sizes
	bits      uint16
	bytes     [38]byte
}

// ways is how many baselines of an entity are cached: clients that get snapshots in the same tick
// have those of a few ticks.
const ways = 8

// NewShared returns a Shared for the encoders of the World on one goroutine. It takes half a
// kilobyte for each of Config.MaxEntities.
func NewShared(w *World) *Shared {
	return &Shared{world: w, tally: newTally(), deltas: make([]delta, ways*len(w.slots)), choice: newChoice(len(w.slots))}
}

// Gather chooses the orders of codes by the numbers in all packets since the last call, for this
// Shared and for those of other goroutines. Call it after a Commit, before the first encoder runs.
// A choice in between would invalidate all changes that are written already.
func (s *Shared) Gather(others ...*Shared) {
	for _, o := range others {
		s.tally.take(&o.tally)
	}
	s.tally.adapt()
	for _, o := range others {
		o.tally.orders = s.tally.orders
	}
}

// write writes the slot's change since the revision at base, which is some ticks old, and returns
// the sizes of its numbers.
func (s *Shared) write(w *packet.Writer, slot, base int, since uint32, ticks int32) sizes {
	s.coding = coding{orders: s.tally.orders}
	s.world.writeDelta(w, slot, base, since, ticks, &s.coding)
	return s.coding.sizes
}

// deltaAt returns where the slot's change since a revision is cached.
func deltaAt(slot int, since uint32) int { return slot*ways + int(since%ways) }

// delta returns the place of the slot's change since the revision at base, which is some ticks old,
// and its size in bits. The place is below zero if the change is too large, or if the encoder is
// alone. It is valid until the next call for the slot.
func (s *Shared) delta(slot, base int, since uint32, ticks int32) (place, size int32) {
	if s.deltas == nil {
		return -1, 0
	}
	w, o := s.world, &s.tally.orders
	revisions := uint64(w.slots[slot].revision)<<32 | uint64(since)
	terms := uint64(uint32(ticks))<<32 | uint64(w.age[slot])<<24 | 1<<20 |
		uint64(o[classPosition]<<12|o[classRotation]<<8|o[classVelocity]<<4|o[classAngular])
	place = int32(deltaAt(slot, since))
	d := &s.deltas[place]
	if d.revisions != revisions || d.terms != terms {
		s.writer = packet.NewWriter(d.bytes[:])
		out := &s.writer
		d.sizes = s.write(out, slot, base, since, ticks)
		if out.Err() != nil {
			d.terms = 0 // matches nothing: the term that marks the rest is missing
			return -1, 0
		}
		out.Bytes() // stores the last bits
		d.revisions, d.terms, d.bits = revisions, terms, uint16(out.Len())
	}
	return place, int32(d.bits)
}
