package snapshot

import "errors"

// MaxDepth is the most generations of parents above an entity.
const MaxDepth = 16

var (
	// ErrParent is returned by [World.SetParent] when one of the two entities is not alive.
	ErrParent = errors.New("snapshot: parent or child does not live")

	// ErrCycle is returned by [World.SetParent] for a parent that is the child itself or below it.
	ErrCycle = errors.New("snapshot: the parent is the child itself or below it")

	// ErrDepth is returned by [World.SetParent] if an entity would have more than MaxDepth parents
	// above it.
	ErrDepth = errors.New("snapshot: more than MaxDepth parents above an entity")
)

// SetParent attaches the child to the parent, from the next Commit on. From then on its State is
// relative to the parent's, and must be set anew in the same snapshot. None detaches. The errors
// are ErrParent, ErrCycle and ErrDepth. With an error nothing has changed.
//
// A client gets a child only together with its parents: a parent that is not relevant to the client
// hides all entities below. Poses that belong together are sent together: see [Encoder.Encode].
func (w *World) SetParent(child, parent ID) error {
	c, ok := w.lookup(child)
	if !ok {
		return ErrParent
	}
	if parent == None {
		w.detach(c)
		return nil
	}
	p, ok := w.lookup(parent)
	if !ok {
		return ErrParent
	}
	depth := 1 + w.height(c)
	for up := p; ; up = int(w.slots[up].parent) - 1 {
		if up == c {
			return ErrCycle
		}
		if w.slots[up].parent == 0 {
			break
		}
		depth++
	}
	if depth > MaxDepth {
		return ErrDepth
	}
	if w.current[c].parent == parent {
		return nil
	}
	w.detach(c)
	w.current[c].parent = parent
	s, above := &w.slots[c], &w.slots[p]
	s.parent = uint16(p) + 1
	s.next = above.child
	if s.next != 0 {
		w.slots[s.next-1].prev = uint16(c) + 1
	}
	above.child = uint16(c) + 1
	w.touch(c)
	return nil
}

// detach removes the parent of the slot's entity.
func (w *World) detach(i int) {
	s := &w.slots[i]
	if s.parent == 0 {
		return
	}
	if s.prev != 0 {
		w.slots[s.prev-1].next = s.next
	} else {
		w.slots[s.parent-1].child = s.next
	}
	if s.next != 0 {
		w.slots[s.next-1].prev = s.prev
	}
	s.parent, s.next, s.prev = 0, 0, 0
	w.current[i].parent = None
	w.touch(i)
}

// height returns the number of generations below the slot's entity.
func (w *World) height(i int) int {
	h := 0
	for c := w.slots[i].child; c != 0; c = w.slots[c-1].next {
		h = max(h, 1+w.height(int(c)-1))
	}
	return h
}

// Root returns the topmost parent of the entity, as it is set now: itself if it has none. It is
// None for an entity that is not alive.
func (w *World) Root(id ID) ID {
	i, ok := w.lookup(id)
	if !ok {
		return None
	}
	return w.id(w.root(i))
}

// root returns the topmost parent, the slot itself if it has none.
func (w *World) root(i int) int {
	for w.slots[i].parent != 0 {
		i = int(w.slots[i].parent) - 1
	}
	return i
}

// after returns the slot that follows i in the tree below root, parents before their children; -1
// at the end.
func (w *World) after(i, root int) int {
	if c := w.slots[i].child; c != 0 {
		return int(c) - 1
	}
	for i != root {
		if n := w.slots[i].next; n != 0 {
			return int(n) - 1
		}
		i = int(w.slots[i].parent) - 1
	}
	return -1
}
