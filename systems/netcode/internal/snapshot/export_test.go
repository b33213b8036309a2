package snapshot

import (
	"iter"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

// Quantize returns the State that the other end receives for it.
func (s *Schema) Quantize(state State) State {
	var r record
	s.quantizer.pose(&r, &state)
	return s.quantizer.state(&r, s.quantizer.age(state.Age))
}

// State returns the entity's last committed state as clients receive it, and false while there is
// none.
func (w *World) State(id ID) (State, bool) {
	i, ok := w.lookup(id)
	if !ok || w.slots[i].stage != committed {
		return State{}, false
	}
	return w.schema.quantizer.state(&w.ring[w.at(i, w.slots[i].revision)], w.age[i]), true
}

// WriteScaleForTest writes what a record has of a scale, as a change to the baseline's.
func WriteScaleForTest(w *packet.Writer, s, base Scale) {
	if s != base {
		writeScale(w, s, base)
	}
}

// ReadScaleForTest reads what WriteScaleForTest has written.
func ReadScaleForTest(r *packet.Reader, base Scale) Scale {
	if r.Remaining() < announcedBits {
		return base
	}
	r.Bits(announcedBits)
	return readScale(r, base)
}

// Removals returns the number of removals in the last packet, if no other encoder that shares has
// encoded since.
func (e *Encoder) Removals() (n int) {
	for _, p := range e.shared.choice.picks {
		if p.removal {
			n++
		}
	}
	return n
}

// Alive reports whether the entity exists on this end.
func (d *Decoder) Alive(id ID) bool {
	_, ok := d.lookup(id)
	return ok
}

// Info returns the entity's data apart from its state and its components.
func (d *Decoder) Info(id ID) (Info, bool) {
	e, ok := d.lookup(id)
	if !ok {
		return Info{}, false
	}
	return e.info(&d.ring[d.at(id.Slot(), e.head)]), true
}

// SlotsForTest returns for how many slots the rings are long enough.
func (d *Decoder) SlotsForTest() int { return len(d.ring) / d.schema.config.History }

// All returns the entities that exist, in ascending order of slots.
func (d *Decoder) All() iter.Seq[ID] {
	return func(yield func(ID) bool) {
		for i := range d.high {
			if e := &d.entities[i]; e.alive && !yield(newID(i, e.id.generation)) {
				return
			}
		}
	}
}

// SentTick returns the tick of the last packet with the entity.
func (e *Encoder) SentTick(id ID) (tick.Tick, bool) {
	t := e.track(id.Slot())
	return t.since, t.sentNum > 0
}

// Clone returns an independent copy of a Decoder.
func (d *Decoder) Clone() *Decoder {
	c := NewDecoder(d.schema)
	c.reach(d.high)
	copy(c.entities, d.entities)
	copy(c.ring, d.ring)
	copy(c.numbers, d.numbers)
	copy(c.ticks, d.ticks)
	for i, from := range d.columns {
		from.(interface{ copyTo(column) }).copyTo(c.columns[i])
	}
	return c
}

func (v *values[T]) copyTo(to column) { copy(to.(*values[T]).ring, v.ring) }
