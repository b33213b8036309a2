package snapshot

import (
	"math/bits"
	"slices"
)

// Mirror copies the newest state of every entity of a [Decoder] into a [World], to the bit and
// under the same identities, so that an [Encoder] can pass on what a client knows. Make it with
// [NewMirror]. After the first calls it allocates nothing.
//
// An entity whose parent is not there has no pose in the world, so the World gets it when the
// parent is there. An entity that is removed and spawned again in one packet stays the same one.
type Mirror struct {
	World *World
	from  *Decoder
	apart []uint16 // slots of entities that wait for their parents
	again []uint16 // slots that wait for the next Take
}

// NewMirror returns a Mirror with an empty World.
func NewMirror(s *Schema) *Mirror {
	w := NewWorld(s)
	n := len(w.slots)
	return &Mirror{World: w, apart: make([]uint16, 0, 2*n), again: make([]uint16, 0, n)}
}

// Follow empties the World, and begins to copy from a decoder: all that it has now, and then what
// Take names. An encoder that is called before Take writes the removals.
func (m *Mirror) Follow(d *Decoder) {
	m.from = d
	m.apart, m.again = m.apart[:0], m.again[:0]
	for i := range m.World.high {
		m.drop(i)
	}
	m.apart = m.apart[:0]
	for i := range d.high {
		m.again = append(m.again, uint16(i))
	}
}

// Take copies what the changes of the decoder's newest snapshot are about. Commit the World then.
func (m *Mirror) Take(changes []Change) {
	m.apart = append(m.apart, m.again...)
	m.again = m.again[:0]
	for i := range changes {
		if c := &changes[i]; !c.Late {
			m.take(c.ID.Slot(), c)
		}
	}
	for before := -1; before != len(m.apart); { // parents may come behind their children
		before = len(m.apart)
		m.apart = slices.DeleteFunc(m.apart, func(i uint16) bool { return m.attach(int(i)) })
	}
	for k := 0; k < len(m.apart); k++ { // the list grows by the children of those that it names
		m.drop(int(m.apart[k]))
	}
	slices.Sort(m.apart)
	m.apart = slices.Compact(m.apart)
}

// newest returns the newest state of the entity in a slot, and nil for none.
func (m *Mirror) newest(i int) (*entity, *record) {
	e := &m.from.entities[i]
	if !e.alive {
		return nil, nil
	}
	return e, &m.from.ring[m.from.at(i, e.head)]
}

// take copies the entity in a slot, or its absence. It leaves an entity with another parent without
// one, and notes it.
func (m *Mirror) take(i int, c *Change) {
	e, r := m.newest(i)
	w, s := m.World, &m.World.slots[i]
	if s.stage != absent && (e == nil || s.generation != e.id.generation) {
		m.drop(i)
	}
	switch {
	case e == nil:
		return
	case s.stage == absent:
		if r.parent == None {
			w.spawnAs(i, &e.id)
			break
		}
		m.apart = append(m.apart, uint16(i))
		return
	case s.kind != e.id.kind || s.poseless != e.id.poseless: // no server sends that
		m.drop(i)
		m.again = append(m.again, uint16(i))
		return
	case w.current[i].parent != r.parent:
		w.detach(i)
		if r.parent != None {
			m.apart = append(m.apart, uint16(i))
		}
	}
	m.copy(i, r)
	if c != nil {
		w.age[i] = w.schema.quantizer.age(c.State.Age)
	}
}

// copy copies all of a record but its parent, and its components.
func (m *Mirror) copy(i int, r *record) {
	w, at := m.World, m.from.at(i, m.from.entities[i].head)
	parent := w.current[i].parent
	w.current[i] = *r
	w.current[i].parent = parent
	for set := r.present; set != 0; set &= set - 1 {
		k := bits.TrailingZeros64(set)
		w.columns[k].follow(i, m.from.columns[k], at)
	}
	w.touch(i)
}

// attach puts an entity below its parent, and reports whether it waits for nothing any more.
func (m *Mirror) attach(i int) (done bool) {
	e, r := m.newest(i)
	w, s := m.World, &m.World.slots[i]
	if e == nil || s.stage != absent && w.current[i].parent == r.parent {
		return true
	}
	if _, ok := w.lookup(r.parent); !ok && r.parent != None {
		return false
	}
	if s.stage == absent {
		w.spawnAs(i, &e.id)
		m.copy(i, r)
	}
	return w.SetParent(newID(i, s.generation), r.parent) == nil
}

// drop takes the entity out of a slot, and notes its children.
func (m *Mirror) drop(i int) {
	w, s := m.World, &m.World.slots[i]
	if s.stage == absent {
		return
	}
	for c := s.child; c != 0; c = w.slots[c-1].next {
		m.apart = append(m.apart, c-1)
	}
	w.despawn(i)
}

// spawnAs makes the entity that has an identity, in its slot, which must be free. A World that has
// such entities has no others.
func (w *World) spawnAs(i int, id *identity) {
	w.high = max(w.high, i+1)
	w.slots[i].generation = id.generation
	w.enter(i, id.kind, id.poseless)
}
