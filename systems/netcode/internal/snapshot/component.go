package snapshot

import (
	"slices"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

// Codec packs and unpacks a component. Both ends use the same one. It must be free of state, and
// its methods must not allocate if encoding and decoding are not to.
type Codec[T comparable] interface {
	// Quantize returns the value that Decode returns for v. All precision is lost here, before
	// values are compared and become baselines. Quantize of a quantised value is that value.
	Quantize(v T) T

	// Encode writes the quantised value v. base is the value that the other end certainly has, or
	// nil if there is none; a codec may ignore it. The output is at most a few dozen bytes: an
	// entity with all of its components must fit into a packet.
	Encode(w *packet.Writer, v T, base *T)

	// Decode reads what Encode wrote, given the same base. The bytes may come from anywhere: it
	// must not panic, and must not allocate as much as they claim. It reports errors to the Reader
	// ([packet.Reader.Fail]).
	Decode(r *packet.Reader, base *T) T
}

// Settler is a Codec whose records depend on the tick of their packet.
type Settler[T comparable] interface {
	// Settle completes a decoded value that is of a tick. It takes any value, and leaves one that
	// is complete as it is.
	Settle(v T, at tick.Tick) T
}

// Component is a registered component type: the handle for setting values in a [World] and reading
// them from a [Decoder].
type Component[T comparable] struct {
	schema *Schema
	index  int
	codec  Codec[T]
}

// Register adds a component type to the schema. The name identifies it at the handshake: change it
// when the meaning or the codec changes. It panics for a name that is taken or empty, without a
// codec, for more than MaxComponents, and when the schema is in use already.
func Register[T comparable](s *Schema, name string, codec Codec[T]) Component[T] {
	if s.frozen {
		panic("snapshot: Register after the first World or Decoder of the schema: register all components first")
	}
	if len(s.components) == MaxComponents {
		panic("snapshot: more than MaxComponents components: put several values into one")
	}
	if name == "" || s.has(name) {
		panic("snapshot: a component needs a name of its own, not \"" + name + "\"")
	}
	if codec == nil {
		panic("snapshot: the component \"" + name + "\" has no codec: pass one that says how its values travel")
	}
	c := Component[T]{schema: s, index: len(s.components), codec: codec}
	s.components = append(s.components, component{name, func(current, ring, decoded int) column {
		settler, _ := codec.(Settler[T])
		return &values[T]{codec: codec, settler: settler, current: make([]T, current), ring: make([]T, ring), decoded: make([]T, 0, decoded), late: make([]T, decoded)}
	}})
	return c
}

func (s *Schema) has(name string) bool {
	return slices.ContainsFunc(s.components, func(c component) bool { return c.name == name })
}

// Set gives the entity the component, or another value of it, from the next Commit on. It ignores
// an entity that is not alive.
func (c Component[T]) Set(w *World, id ID, v T) {
	if slot, ok := w.lookup(id); ok {
		c.values(w.schema, w.columns).current[slot] = c.codec.Quantize(v)
		w.current[slot].present |= 1 << c.index
		w.touch(slot)
	}
}

// Remove takes the component from the entity, if it has it, from the next Commit on.
func (c Component[T]) Remove(w *World, id ID) {
	if slot, ok := w.lookup(id); ok && w.current[slot].present&(1<<c.index) != 0 {
		w.current[slot].present &^= 1 << c.index
		w.touch(slot)
	}
}

// values returns the component's values in a World or a Decoder.
func (c Component[T]) values(s *Schema, columns []column) *values[T] {
	if s != c.schema {
		panic("snapshot: the component is registered with another Schema than that of the World or Decoder")
	}
	return columns[c.index].(*values[T])
}

// Get returns the newest value that was decoded for the entity, and whether it is alive and has the
// component.
func (c Component[T]) Get(d *Decoder, id ID) (v T, ok bool) {
	values := c.values(d.schema, d.columns)
	e, alive := d.lookup(id)
	if !alive {
		return v, false
	}
	at := d.at(id.Slot(), e.head)
	if d.ring[at].present&(1<<c.index) == 0 {
		return v, false
	}
	return values.ring[at], true
}

// In returns the entity's value according to the change, and whether it has one. This includes a
// change that is Late, if the component is ChangedIn it. The change must be of the Decoder's newest
// Snapshot.
func (c Component[T]) In(d *Decoder, change *Change) (v T, ok bool) {
	if !change.Late {
		return c.Get(d, change.ID)
	}
	if change.Components&change.present&(1<<c.index) == 0 {
		return v, false
	}
	return c.values(d.schema, d.columns).late[change.late], true
}

// ChangedIn reports whether the change sets, alters or removes the component.
func (c Component[T]) ChangedIn(change *Change) bool { return change.Components&(1<<c.index) != 0 }

// Write writes a value, as the codec quantises it, without a baseline.
func (c Component[T]) Write(w *packet.Writer, v T) { c.codec.Encode(w, c.codec.Quantize(v), nil) }

// Read reads what Write wrote. The bits may come from anywhere.
func (c Component[T]) Read(r *packet.Reader) T { return c.codec.Decode(r, nil) }

// column holds the values of one component in a World or a Decoder, of which each uses a part. Its
// ring is like that of their records.
type column interface {
	copy(from, to int) // within the ring
	lengthen(n int)    // makes the ring n values long

	differs(slot, at int) bool             // is the current value another than that in the ring?
	commit(slot, at int)                   // puts the current value into the ring
	follow(slot int, from column, at int)  // makes a value in another's ring the current one
	encode(w *packet.Writer, at, base int) // base < 0: none

	reset()                            // discards the decoded values
	decode(r *packet.Reader, base int) // keeps the value for take; base < 0: none
	take(at int, t tick.Tick)          // puts the next decoded value, of a tick, into the ring
	// passes over the value, but keeps it for the late-th of the changes that are Late (below 0:
	// for none)
	skip(late int, t tick.Tick)
}

type values[T comparable] struct {
	codec   Codec[T]
	settler Settler[T] // the codec, if it is one
	ring    []T

	current []T // in a World

	decoded []T // in a Decoder
	taken   int
	late    []T // in changes that are Late, by their number among them
}

func (v *values[T]) copy(from, to int) { v.ring[to] = v.ring[from] }
func (v *values[T]) lengthen(n int)    { v.ring = longer(v.ring, n) }

func (v *values[T]) differs(slot, at int) bool { return v.current[slot] != v.ring[at] }
func (v *values[T]) commit(slot, at int)       { v.ring[at] = v.current[slot] }

func (v *values[T]) follow(slot int, from column, at int) {
	v.current[slot] = from.(*values[T]).ring[at]
}

func (v *values[T]) encode(w *packet.Writer, at, base int) {
	v.codec.Encode(w, v.ring[at], v.base(base))
}

func (v *values[T]) base(at int) *T {
	if at < 0 {
		return nil
	}
	return &v.ring[at]
}

func (v *values[T]) reset() { v.decoded, v.taken = v.decoded[:0], 0 }

func (v *values[T]) decode(r *packet.Reader, base int) {
	v.decoded = append(v.decoded, v.codec.Decode(r, v.base(base)))
}

func (v *values[T]) take(at int, t tick.Tick) { v.ring[at] = v.next(t) }

func (v *values[T]) skip(late int, t tick.Tick) {
	if next := v.next(t); late >= 0 {
		v.late[late] = next
	}
}

// next returns the next decoded value, which is of a tick.
func (v *values[T]) next(t tick.Tick) T {
	next := v.decoded[v.taken]
	v.taken++
	if v.settler != nil {
		next = v.settler.Settle(next, t)
	}
	return next
}
