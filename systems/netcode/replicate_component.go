package netcode

import (
	"fmt"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/internal/pointerfree"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
)

// ReplicateComponent replicates a component type of the game's: what the server's entity has, the client's has,
// as the codec quantises it. On an entity that is seen in the past a value holds from the step in
// which the picture comes to the moment that it is of ([Immediate] changes that): a door is open
// when it is seen to be. On one that is drawn in the present, as the own player is, it holds from
// when it comes. Call it in the same order on both ends. It panics when the protocol is in use
// already, for a name that is taken, and for a type that holds pointers: strings, slices and maps
// are such.
func ReplicateComponent[T comparable, S any, I comparable](p *Protocol[S, I], name string, codec ComponentCodec[T], options ...ComponentOption) snapshot.Component[T] {
	if pointer := pointerfree.Pointer[T](); pointer != "" {
		panic(fmt.Sprintf("netcode: Mirror of %T, which holds a pointer (%s), and components must hold none; put an index or an array of fixed size in its place", *new(T), pointer))
	}
	m := replicatedComponent[T]{handle: snapshot.Register(p.schema, name, codec)}
	for _, o := range options {
		o(&m.options)
	}
	p.components = append(p.components, m)
	return m.handle
}

// ComponentOption changes how a component is mirrored.
type ComponentOption func(*componentOptions)

// Immediate gives clients the values of a component as soon as they come, wherever the picture is:
// for what has no place in it, such as scores, names and clocks. An entity that is not seen yet has
// the newest ones when it is.
func Immediate() ComponentOption { return func(o *componentOptions) { o.onArrival = true } }

type componentOptions struct{ onArrival bool }

// componentKind is a mirrored component type before it knows a world, mirror one that does.
type componentKind interface {
	bind(w *arche.World) boundComponent
}

type boundComponent interface {
	// send copies the entity's component, or that it has none, into what travels.
	send(e arche.Entity, to *snapshot.World, id EntityID)
	// tells reports whether a change says anything of the component.
	changedIn(change *snapshot.Change) bool
	// keep holds what a change says, and returns where.
	store(from *snapshot.Decoder, change *snapshot.Change) (place int32)
	// keepNewest holds the newest that a decoder knows of an entity, and returns where.
	storeNewest(from *snapshot.Decoder, id EntityID) (place int32)
	// give gives the entity what is held there, and lets it go; to the zero entity it gives
	// nothing.
	release(place int32, e arche.Entity)
	// early reports whether values hold from when they come.
	immediate() bool
}

type replicatedComponent[T comparable] struct {
	handle  snapshot.Component[T]
	options componentOptions
}

func (m replicatedComponent[T]) bind(w *arche.World) boundComponent {
	return &replicatedColumn[T]{replicatedComponent: m, world: w, id: arche.ComponentID[T](w)}
}

// replicatedColumn is a mirrored component type in a world.
type replicatedColumn[T comparable] struct {
	replicatedComponent[T]
	world  *arche.World
	id     arche.ID
	stored []T     // what came and does not hold yet
	free   []int32 // places of it
}

// absent is where a component is held that the entity does not have.
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

// put holds a value, or that there is none, and returns where.
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
