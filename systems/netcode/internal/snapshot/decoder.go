package snapshot

import (
	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

// Decoder is the client's copy of the replicated entities: the counterpart of one [Encoder]. Its
// memory grows with the highest slot in use, because a client begins a session with each server
// that it comes near, and most servers have far fewer entities than they may.
type Decoder struct {
	schema   *Schema
	entities []entity
	high     int
	ring     []record // of states that may become baselines
	numbers  []packet.Number
	ticks    []tick.Tick
	ages     []uint8 // of the states at their ticks
	columns  []column

	reader  packet.Reader
	parsed  []parsed
	changes []Change
	lates   int // of the changes

	silence silence
}

// entity is a decoder's data of a slot.
type entity struct {
	id      identity
	alive   bool
	leaving bool          // removed, but kept by children that it still has
	last    packet.Number // the newest packet with a record of the slot
	// of its part of the ring: the newest state, and how many may be baselines
	head, n int

	parentOf uint16 // the generation of this slot that children are counted for
	children int
}

// NewDecoder returns an empty Decoder and freezes the schema.
func NewDecoder(s *Schema) *Decoder {
	s.frozen = true
	d := &Decoder{
		schema:   s,
		entities: make([]entity, s.config.MaxEntities),
		parsed:   make([]parsed, 0, MaxRecords),
		changes:  make([]Change, 0, MaxRecords),
	}
	for i := range s.components {
		d.columns = append(d.columns, s.components[i].column(0, 0, MaxRecords))
	}
	return d
}

// Reset makes the Decoder empty. It keeps its memory.
func (d *Decoder) Reset() {
	clear(d.entities) // parents may be known before they come
	d.high, d.silence = 0, silence{}
}

// reach makes the rings long enough for slots, and at least doubles them where they are not.
func (d *Decoder) reach(slots int) {
	d.high = max(d.high, slots)
	history := d.schema.config.History
	if d.high*history <= len(d.ring) {
		return
	}
	n := min(max(d.high*history, 2*len(d.ring)), len(d.entities)*history)
	d.ring, d.numbers, d.ticks, d.ages = longer(d.ring, n), longer(d.numbers, n), longer(d.ticks, n), longer(d.ages, n)
	for _, c := range d.columns {
		c.lengthen(n)
	}
}

func longer[T any](s []T, n int) []T { return append(make([]T, 0, n), s...)[:n] }

// at returns the place in the rings of one of a slot's states.
func (d *Decoder) at(slot, index int) int { return slot*d.schema.config.History + index }

func (d *Decoder) lookup(id ID) (*entity, bool) {
	i := id.Slot()
	if id == None || i >= d.high || !d.entities[i].alive || d.entities[i].id.generation != id.Generation() {
		return nil, false
	}
	return &d.entities[i], true
}

// State returns the newest state of the entity that was decoded, and its tick.
func (d *Decoder) State(id ID) (s State, at tick.Tick, ok bool) {
	e, ok := d.lookup(id)
	if !ok {
		return State{}, 0, false
	}
	place := d.at(id.Slot(), e.head)
	return d.schema.quantizer.state(&d.ring[place], d.ages[place]), d.ticks[place], true
}

func (e *entity) info(r *record) Info {
	return Info{Kind: e.id.kind, Owner: r.owner, Parent: r.parent}
}
