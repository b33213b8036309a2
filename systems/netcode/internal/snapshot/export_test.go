package snapshot

import "github.com/tandem-ecs/tandem/systems/netcode/internal/tick"

// SentTick returns the tick of the last packet with the entity.
func (e *Encoder) SentTick(id ID) (tick.Tick, bool) {
	t := &e.tracks[id.Slot()]
	return t.since, t.sentNum > 0
}

// Clone returns an independent copy of a Decoder.
func (d *Decoder) Clone() *Decoder {
	c := NewDecoder(d.schema)
	copy(c.entities, d.entities)
	copy(c.ring, d.ring)
	copy(c.numbers, d.numbers)
	copy(c.ticks, d.ticks)
	c.high = d.high
	for i, column := range d.columns {
		column.(interface{ copyTo(clientColumn) }).copyTo(c.columns[i])
	}
	return c
}

func (v *clientValues[T]) copyTo(to clientColumn) { copy(to.(*clientValues[T]).ring, v.ring) }
