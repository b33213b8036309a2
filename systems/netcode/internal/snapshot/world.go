package snapshot

import (
	"errors"
	"math/bits"
)

// ErrFull is returned by [World.Spawn] when Config.MaxEntities entities are alive. Raise it on both
// ends, or despawn entities.
var ErrFull = errors.New("snapshot: Config.MaxEntities entities are replicated already")

// World is the server's copy of all replicated entities as they are sent, with their recent
// revisions. The encoders of all clients read it. For every snapshot change it, Commit, then encode
// for each client. Between a Commit and the next change any number of goroutines may encode.
type World struct {
	schema  *Schema
	high    int // slots from here on were never used
	free    []uint16
	alive   int
	touched []uint16
	edits   uint32   // counts the changes since the World began
	current []record // as set since the last Commit
	age     []uint8
	columns []column
	altered []uint32 // by slot and component: its last change, as a revision

	revisions
	ring []record
}

// stage is how far a slot's entity has come.
type stage uint8

const (
	absent    stage = iota // not spawned, or despawned
	spawned                // alive without a revision
	committed              // alive with a revision
)

// slot holds an entity's data apart from its records. Encoders read it for every entity, so two of
// them fill a line of the cache.
type slot struct {
	generation uint16
	kind       uint16
	stage      stage // of the generation
	poseless   bool  // see SpawnPoseless
	touched    bool
	rest       bool   // in its last revision
	revision   uint32 // that of the last change
	components uint32 // the newest in which one of its components was added, removed or changed
	slept      uint32 // the revision at which the last rest ended
	woke       uint32 // the row in which that revision is kept

	// The tree of parents and children, by slot plus one.
	parent, child, next, prev uint16
}

// NewWorld returns an empty World and freezes the schema.
func NewWorld(s *Schema) *World {
	s.frozen = true
	n := s.config.MaxEntities
	w := &World{
		schema:    s,
		free:      make([]uint16, 0, n),
		touched:   make([]uint16, 0, n),
		current:   make([]record, n),
		age:       make([]uint8, n),
		revisions: newRevisions(n, s.config.Revisions),
	}
	w.ring = make([]record, n*int(w.rows))
	for i := range s.components {
		w.columns = append(w.columns, s.components[i].column(n, len(w.ring), 0))
	}
	w.altered = make([]uint32, n*len(w.columns))
	return w
}

// Len returns the number of living entities.
func (w *World) Len() int { return w.alive }

// All calls yield for each living entity, in ascending order of slots.
func (w *World) All(yield func(ID) bool) {
	for i := range w.high {
		if w.slots[i].stage != absent && !yield(w.id(i)) {
			return
		}
	}
}

func (w *World) lookup(id ID) (int, bool) {
	i := id.Slot()
	if id == None || i >= w.high || w.slots[i].stage == absent || w.slots[i].generation != id.Generation() {
		return 0, false
	}
	return i, true
}

// id returns the ID of the entity that has the slot, or had it last.
func (w *World) id(i int) ID { return newID(i, w.slots[i].generation) }

// Spawn adds an entity, with a pose at the origin unless SetState moves it, no owner, no parent and
// no components. The kind selects what clients create, and never changes. The error is ErrFull.
func (w *World) Spawn(kind uint16) (ID, error) { return w.spawn(kind, false) }

// SpawnPoseless is Spawn for an entity whose pose is not sent, because clients have its path.
// SetState does nothing for it. Decoders report that it is at rest at the origin.
func (w *World) SpawnPoseless(kind uint16) (ID, error) { return w.spawn(kind, true) }

func (w *World) spawn(kind uint16, poseless bool) (ID, error) {
	var i int
	switch {
	case len(w.free) > 0:
		// the slot freed last: the numbers stay dense, which makes them cheap to send
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
	w.enter(i, kind, poseless)
	return newID(i, s.generation), nil
}

// enter begins the life of the entity that has the slot and its generation.
func (w *World) enter(i int, kind uint16, poseless bool) {
	s := &w.slots[i]
	s.kind, s.stage, s.poseless = kind, spawned, poseless
	w.current[i] = record{}
	w.schema.quantizer.pose(&w.current[i], &State{AtRest: poseless})
	w.age[i] = 0
	w.touch(i)
	w.alive++
}

// Despawn removes the entity, if it is alive. Its children become entities without a parent: set
// their poses in the same snapshot, with a new Discontinuity if they jump, or despawn them too.
func (w *World) Despawn(id ID) {
	if i, ok := w.lookup(id); ok {
		w.despawn(i)
		w.free = append(w.free, uint16(i))
	}
}

// despawn is Despawn for the entity in a slot, which is not offered to others.
func (w *World) despawn(i int) {
	for w.slots[i].child != 0 {
		w.detach(int(w.slots[i].child) - 1)
	}
	w.detach(i)
	w.slots[i].stage = absent
	w.edits++
	w.alive--
}

// SetState moves the entity, if it is alive, from the next Commit on. An unchanged State costs
// nothing.
func (w *World) SetState(id ID, state State) {
	if i, ok := w.lookup(id); ok && !w.slots[i].poseless {
		w.schema.quantizer.pose(&w.current[i], &state)
		w.age[i] = w.schema.quantizer.age(state.Age)
		w.touch(i)
	}
}

// SetOwner sets the player that the entity belongs to, if the entity is alive, by a number of the
// game's own. Zero means none.
func (w *World) SetOwner(id ID, owner uint16) {
	if i, ok := w.lookup(id); ok {
		w.current[i].owner = owner
		w.touch(i)
	}
}

func (w *World) touch(i int) {
	w.edits++
	if !w.slots[i].touched {
		w.slots[i].touched = true
		w.touched = append(w.touched, uint16(i))
	}
}

// Commit makes the values set since the last Commit the state that encoders send. An entity whose
// quantised values did not change costs nothing.
func (w *World) Commit() {
	if len(w.touched) == 0 {
		return
	}
	w.commits++
	w.edits++
	for _, i := range w.touched {
		w.slots[i].touched = false
		if w.slots[i].stage != absent {
			w.commit(int(i))
		}
	}
	w.touched = w.touched[:0]
}

func (w *World) commit(i int) {
	s, now := &w.slots[i], &w.current[i]
	old := w.at(i, s.revision)
	var altered uint64
	if s.stage == committed {
		altered = now.present ^ w.ring[old].present
		for both := now.present & w.ring[old].present; both != 0; both &= both - 1 {
			if k := bits.TrailingZeros64(both); w.columns[k].differs(i, old) {
				altered |= 1 << k
			}
		}
		if altered == 0 && *now == w.ring[old] {
			return
		}
		if w.commits-s.revision > w.rows/4 {
			w.wake(i, old)
		}
	}
	s.revision = w.commits
	for set := altered; set != 0; set &= set - 1 {
		w.altered[i*len(w.columns)+bits.TrailingZeros64(set)] = s.revision
		s.components = s.revision
	}
	s.stage, s.rest = committed, now.rest
	at := w.at(i, s.revision)
	w.ring[at], w.made[at] = *now, s.revision
	for set := now.present; set != 0; set &= set - 1 {
		w.columns[bits.TrailingZeros64(set)].commit(i, at)
	}
}

// wake copies the state of a slot that has not changed for a while, and is about to change, into
// the last commit's row. In its own row it might soon be overwritten, and it is the baseline of all
// clients. So every state is kept for at least three quarters of the rows after the next one is
// made.
func (w *World) wake(i, old int) {
	s := &w.slots[i]
	at := w.at(i, w.commits-1)
	s.slept, s.woke = s.revision, w.commits-1
	w.ring[at], w.made[at] = w.ring[old], s.woke
	for set := w.ring[old].present; set != 0; set &= set - 1 {
		w.columns[bits.TrailingZeros64(set)].copy(old, at)
	}
}
