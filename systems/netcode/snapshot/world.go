package snapshot

import "errors"

// ErrFull is returned by [World.Spawn] when Config.MaxEntities live. Raise it on both ends, or despawn something.
var ErrFull = errors.New("snapshot: Config.MaxEntities entities are replicated already")

// World is the server's copy of all replicated entities as they travel, with their recent revisions: what the encoders of all clients draw on. In
// every snapshot change it, Commit, then encode for each client. Between a Commit and the next change any number of goroutines may encode.
type World struct {
	schema  *Schema
	slots   []slot
	high    int // slots from here on were never used
	free    []uint16
	alive   int
	touched []uint16
	current []record // as set since the last Commit
	ring    []record // committed revisions of all entities
	age     []uint8
	columns []worldColumn
}

// slot is what there is of an entity beside its records.
type slot struct {
	generation uint16
	kind       uint16
	alive      bool
	touched    bool
	committed  bool   // the generation has a revision
	rest       bool   // in its last revision
	revision   uint32 // of the slot, through all generations

	// The tree of parents and children, by slot plus one.
	parent, child, next, prev uint16
}

// NewWorld returns an empty World and freezes the schema.
func NewWorld(s *Schema) *World {
	s.frozen = true
	n := s.config.MaxEntities
	w := &World{
		schema:  s,
		slots:   make([]slot, n),
		free:    make([]uint16, 0, n),
		touched: make([]uint16, 0, n),
		current: make([]record, n),
		ring:    make([]record, n*s.config.Revisions),
		age:     make([]uint8, n),
	}
	for i := range s.components {
		w.columns = append(w.columns, s.components[i].world(s))
	}
	return w
}

// Len returns the number of living entities.
func (w *World) Len() int { return w.alive }

// Alive reports whether the entity has been spawned and not despawned.
func (w *World) Alive(id ID) bool {
	_, ok := w.lookup(id)
	return ok
}

func (w *World) lookup(id ID) (int, bool) {
	i := id.Slot()
	if id == None || i >= w.high || !w.slots[i].alive || w.slots[i].generation != id.Generation() {
		return 0, false
	}
	return i, true
}

// id returns the ID of the entity that has the slot, or had it last.
func (w *World) id(i int) ID { return newID(i, w.slots[i].generation) }

// Spawn adds an entity, with a pose at the origin unless SetState moves it, no owner, no parent and no components. The kind tells clients what to
// create, and never changes. The error is ErrFull.
func (w *World) Spawn(kind uint16) (ID, error) { return w.spawn(kind, false) }

// SpawnAbstract is Spawn for an entity without a pose, which is nowhere: a score, a match. SetState then panics.
func (w *World) SpawnAbstract(kind uint16) (ID, error) { return w.spawn(kind, true) }

func (w *World) spawn(kind uint16, abstract bool) (ID, error) {
	var i int
	switch {
	case len(w.free) > 0: // the slot freed last: the numbers stay dense, which makes them cheap to send
		i = int(w.free[len(w.free)-1])
		w.free = w.free[:len(w.free)-1]
	case w.high < len(w.slots):
		i = w.high
		w.high++
	default:
		return None, ErrFull
	}
	s := &w.slots[i]
	s.generation++
	if s.generation == 0 {
		s.generation = 1
	}
	s.kind, s.alive, s.committed = kind, true, false
	w.current[i] = record{abstract: abstract}
	if !abstract {
		w.schema.quantizer.pose(&w.current[i], &State{})
	}
	w.age[i] = 0
	w.touch(i)
	w.alive++
	return newID(i, s.generation), nil
}

// Despawn removes the entity, and reports whether it lived. Its children become entities without a parent: set their poses in the same snapshot, with a
// new Discontinuity if they jump, or despawn them too.
func (w *World) Despawn(id ID) bool {
	i, ok := w.lookup(id)
	if !ok {
		return false
	}
	for w.slots[i].child != 0 {
		w.detach(int(w.slots[i].child) - 1)
	}
	w.detach(i)
	w.slots[i].alive = false
	w.free = append(w.free, uint16(i))
	w.alive--
	return true
}

// SetState moves the entity, from the next Commit on, and reports whether it lives. A State as before costs nothing.
func (w *World) SetState(id ID, state State) bool {
	i, ok := w.lookup(id)
	if !ok {
		return false
	}
	if w.current[i].abstract {
		panic("snapshot: SetState of an entity from SpawnAbstract: use Spawn for what has a pose")
	}
	w.schema.quantizer.pose(&w.current[i], &state)
	w.age[i] = w.schema.quantizer.age(state.Age)
	w.touch(i)
	return true
}

// SetOwner says which player the entity belongs to, by a number of the game's own; zero means none. It reports whether the entity lives.
func (w *World) SetOwner(id ID, owner uint16) bool {
	i, ok := w.lookup(id)
	if !ok {
		return false
	}
	w.current[i].owner = owner
	w.touch(i)
	return true
}

// State returns the entity's last committed state as clients receive it, and false while there is none.
func (w *World) State(id ID) (State, bool) {
	i, ok := w.lookup(id)
	if !ok || !w.slots[i].committed {
		return State{}, false
	}
	return w.schema.quantizer.state(&w.ring[w.at(i, w.slots[i].revision)], w.age[i]), true
}

func (w *World) touch(i int) {
	if !w.slots[i].touched {
		w.slots[i].touched = true
		w.touched = append(w.touched, uint16(i))
	}
}

// at returns the place of a revision in the rings.
func (w *World) at(slot int, revision uint32) int {
	n := w.schema.config.Revisions
	return slot*n + int(revision%uint32(n))
}

// Commit makes what was set since the last Commit the state that encoders send. Entities that did not change in what travels cost nothing.
func (w *World) Commit() {
	for _, i := range w.touched {
		w.slots[i].touched = false
		if w.slots[i].alive {
			w.commit(int(i))
		}
	}
	w.touched = w.touched[:0]
}

func (w *World) commit(i int) {
	s := &w.slots[i]
	old := w.at(i, s.revision)
	changed := !s.committed || w.current[i] != w.ring[old]
	for k, present := 0, w.current[i].present; present != 0 && !changed; k, present = k+1, present>>1 {
		changed = present&1 != 0 && w.columns[k].differs(i, old)
	}
	if !changed {
		return
	}
	s.revision++
	s.committed, s.rest = true, w.current[i].rest
	at := w.at(i, s.revision)
	w.ring[at] = w.current[i]
	for k, present := 0, w.current[i].present; present != 0; k, present = k+1, present>>1 {
		if present&1 != 0 {
			w.columns[k].commit(i, at)
		}
	}
}
