package netcode

import (
	"fmt"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/internal/pointerfree"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
)

// ReplicateComponent replicates a component type of the game: a client's replica has it whenever
// the server's entity has it, with the value that the codec quantises. On an entity that is drawn
// in the past, a value takes effect in the step in which the view reaches the moment of the value,
// so that a door opens at the right moment in the picture ([Immediate] changes that). On an entity
// that is drawn in the present, such as the own player, it takes effect when it arrives. Call it in
// the same order on both ends. It panics when the protocol is in use already, for a name that is
// taken, and for a type with pointers, which strings, slices and maps have.
func ReplicateComponent[T comparable, S any, I comparable](p *Protocol[S, I], name string, codec ComponentCodec[T], options ...ComponentOption) {
	replicate(p, name, codec, options...)
}

// replicate is ReplicateComponent, and returns the handle.
func replicate[T comparable, S any, I comparable](p *Protocol[S, I], name string, codec ComponentCodec[T], options ...ComponentOption) snapshot.Component[T] {
	if pointer := pointerfree.Pointer[T](); pointer != "" {
		panic(fmt.Sprintf("netcode: ReplicateComponent of %T, which holds a pointer (%s); put a netcode.Text, an index or an array of fixed size in its place", *new(T), pointer))
	}
	mustBeNewToShots[T](p)
	m := replicatedComponent[T]{handle: snapshot.Register(p.schema, name, codec)}
	for _, o := range options {
		o(&m.options)
	}
	p.components = append(p.components, m)
	return m.handle
}

// ComponentOption changes how a component is replicated.
type ComponentOption func(*componentOptions)

// Immediate applies the values of a component as soon as they arrive, at any time of the view. It
// is for values that are not drawn in the scene, such as scores, names and clocks. An entity whose
// spawn is delayed has the newest ones when it is spawned.
func Immediate() ComponentOption { return func(o *componentOptions) { o.onArrival = true } }

type componentOptions struct{ onArrival bool }

// componentKind is a replicated component type, and boundComponent one in a world.
type componentKind interface {
	bind(w *arche.World) boundComponent
}

type boundComponent interface {
	// send copies the entity's component, or its absence, to the snapshot's world.
	send(e arche.Entity, to *snapshot.World, id EntityID)
	// changedIn reports whether a change names the component.
	changedIn(change *snapshot.Change) bool
	// store stores the value in a change, and returns its place.
	store(from *snapshot.Decoder, change *snapshot.Change) (place int32)
	// storeNewest stores the newest value of an entity that a decoder has, and returns its place.
	storeNewest(from *snapshot.Decoder, id EntityID) (place int32)
	// write writes the value of an entity, or that it has none, and read stores it.
	write(w *Writer, e arche.Entity)
	read(r *Reader) (place int32)
	// release frees a place, and writes its value to the entity unless that is the zero entity.
	release(place int32, e arche.Entity)
	// immediate reports whether values are applied when they arrive.
	immediate() bool
}

type replicatedComponent[T comparable] struct {
	handle  snapshot.Component[T]
	options componentOptions
}

func (m replicatedComponent[T]) bind(w *arche.World) boundComponent {
	return &replicatedColumn[T]{replicatedComponent: m, world: w, id: arche.ComponentID[T](w)}
}

// replicatedColumn is a replicated component type in a world.
type replicatedColumn[T comparable] struct {
	replicatedComponent[T]
	world  *arche.World
	id     arche.ID
	stored []T     // delayed values
	free   []int32 // its free places
}

// absent is the place of the value of an entity without the component.
const absent = -1

func (m *replicatedColumn[T]) send(e arche.Entity, to *snapshot.World, id EntityID) {
	if m.world.Has(e, m.id) {
		m.handle.Set(to, id, *(*T)(m.world.Get(e, m.id)))
	} else {
		m.handle.Remove(to, id)
	}
}

func (m *replicatedColumn[T]) changedIn(change *snapshot.Change) bool {
	return change.Op == snapshot.Spawned || m.handle.ChangedIn(change)
}

func (m *replicatedColumn[T]) immediate() bool { return m.options.onArrival }

func (m *replicatedColumn[T]) store(from *snapshot.Decoder, change *snapshot.Change) int32 {
	return m.put(m.handle.In(from, change))
}

func (m *replicatedColumn[T]) storeNewest(from *snapshot.Decoder, id EntityID) int32 {
	return m.put(m.handle.Get(from, id))
}

func (m *replicatedColumn[T]) write(w *Writer, e arche.Entity) {
	has := m.world.Has(e, m.id)
	w.Bool(has)
	if has {
		m.handle.Write(w, *(*T)(m.world.Get(e, m.id)))
	}
}

func (m *replicatedColumn[T]) read(r *Reader) int32 {
	if !r.Bool() {
		return absent
	}
	return m.put(m.handle.Read(r), true)
}

// put stores a value, or that there is none, and returns its place.
func (m *replicatedColumn[T]) put(v T, ok bool) int32 {
	if !ok {
		return absent
	}
	if n := len(m.free); n > 0 {
		place := m.free[n-1]
		m.free = m.free[:n-1]
		m.stored[place] = v
		return place
	}
	m.stored = append(m.stored, v)
	return int32(len(m.stored) - 1)
}

func (m *replicatedColumn[T]) release(place int32, e arche.Entity) {
	var v T
	if place != absent {
		v, m.stored[place] = m.stored[place], v
		m.free = append(m.free, place)
	}
	if !m.world.Alive(e) {
		return
	}
	has := m.world.Has(e, m.id)
	if place == absent {
		if has {
			m.world.Remove(e, m.id)
		}
		return
	}
	if !has {
		m.world.Add(e, m.id)
	}
	*(*T)(m.world.Get(e, m.id)) = v
}
