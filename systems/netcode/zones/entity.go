package zones

import (
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/custody"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/internal/mail"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/names"
)

// Ghost marks an entity that another zone simulates. It shows what that zone sends, a few
// milliseconds later. Systems that change entities leave it out: what they change is overwritten.
// To act on it, send it an event ([Zone.Send]), or claim it ([Zone.Claim]).
type Ghost struct{ Zone custody.Zone }

// Resident marks an entity that stays with its zone wherever it is, as a door does. It and its
// children are not handed over.
type Resident struct{}

// entity is an entity that the zone owns, or knows from another one.
type entity struct {
	name  custody.Name
	e     arche.Entity
	owned bool

	receipts mail.Receipts // owned: the letters that it has received

	// owned
	claimed netcode.Tick // it stays until then, wherever it is; 0: not claimed
	offered netcode.Tick // the tick of the first offer since it has crossed; 0: none
	to      custody.Zone // where it is to go, in this step
	logged  bool         // a reason why it does not cross has been logged

	// a ghost
	from  *neighbor // whose packets move it; nil: none for now
	id    netcode.EntityID
	at    netcode.Tick // of its newest pose
	leave netcode.Tick // it is despawned then, unless a zone shows it again; 0: it stays
}

// componentIDs are the components that a zone reads and writes.
type componentIDs struct {
	id, ghost, resident, replicated, relayed, transform, parent, velocity arche.ID
}

func newComponentIDs(w *arche.World) componentIDs {
	return componentIDs{
		id:         arche.ComponentID[names.ID](w),
		ghost:      arche.ComponentID[Ghost](w),
		resident:   arche.ComponentID[Resident](w),
		replicated: arche.ComponentID[netcode.Replicated](w),
		relayed:    arche.ComponentID[netcode.Relayed](w),
		transform:  arche.ComponentID[components.Transform3D](w),
		parent:     arche.ComponentID[components.Parent](w),
		velocity:   arche.ComponentID[components.Velocity3D](w),
	}
}

// get returns a component of an entity that has it.
func get[T any](w *arche.World, e arche.Entity, id arche.ID) *T { return (*T)(w.Get(e, id)) }

// give adds a component where it is missing, and returns it.
func give[T any](w *arche.World, e arche.Entity, id arche.ID) *T {
	if !w.Has(e, id) {
		w.Add(e, id)
	}
	return get[T](w, e, id)
}

// take removes a component where it is.
func take(w *arche.World, e arche.Entity, id arche.ID) {
	if w.Has(e, id) {
		w.Remove(e, id)
	}
}

// alive reports whether an entity of the zone is in the world and can be shown.
func (z *Zone[S, I]) alive(e arche.Entity) bool {
	return !e.IsZero() && z.world.Alive(e) && z.world.Has(e, z.ids.transform) && z.world.Has(e, z.ids.replicated)
}

// mostAbove is the most entities above one. More are a cycle, a mistake of the game's, which the
// hierarchy reports.
const mostAbove = 64

// pose returns the pose of an entity in the frame of parentOf.
func (z *Zone[S, I]) pose(e arche.Entity) components.Pose3D {
	pose := get[components.Transform3D](z.world, e, z.ids.transform).Get()
	for range mostAbove {
		if e = z.attachedTo(e); e.IsZero() || z.alive(e) {
			break
		}
		if z.world.Has(e, z.ids.transform) {
			pose = get[components.Transform3D](z.world, e, z.ids.transform).Get().Mul(pose)
		}
	}
	return pose
}

// parentOf returns the entity to which one is attached, or the zero entity. Other zones do not know
// entities that are not replicated, so it is the nearest one above that is.
func (z *Zone[S, I]) parentOf(e arche.Entity) arche.Entity {
	for range mostAbove {
		if e = z.attachedTo(e); e.IsZero() || z.alive(e) {
			return e
		}
	}
	return arche.Entity{}
}

// attachedTo returns the entity in an entity's Parent, replicated or not, or the zero entity.
func (z *Zone[S, I]) attachedTo(e arche.Entity) arche.Entity {
	if z.world.Has(e, z.ids.parent) {
		if p := get[components.Parent](z.world, e, z.ids.parent).Entity; !p.IsZero() && z.world.Alive(p) {
			return p
		}
	}
	return arche.Entity{}
}

// rootOf returns the entity at the top of the tree that one is in.
func (z *Zone[S, I]) rootOf(e arche.Entity) arche.Entity {
	for range mostAbove {
		p := z.parentOf(e)
		if p.IsZero() {
			return e
		}
		e = p
	}
	return e
}

// setParent attaches an entity to another one, or to none.
func (z *Zone[S, I]) setParent(e, parent arche.Entity) {
	if parent.IsZero() {
		take(z.world, e, z.ids.parent)
		return
	}
	give[components.Parent](z.world, e, z.ids.parent).Entity = parent
}

// nameOf returns the name of an entity, or 0.
func (z *Zone[S, I]) nameOf(e arche.Entity) custody.Name {
	if e.IsZero() || !z.world.Alive(e) || !z.world.Has(e, z.ids.id) {
		return 0
	}
	return get[names.ID](z.world, e, z.ids.id).Name
}

// Owner returns the number of the zone that an entity belongs to, as far as it is known here. False
// means that it has no name yet.
func (z *Zone[S, I]) Owner(e arche.Entity) (zone custody.Zone, ok bool) {
	switch x := z.entities[z.nameOf(e)]; {
	case x == nil:
		return 0, false
	case x.owned:
		return z.self.Zone, true
	case z.alive(e) && z.world.Has(e, z.ids.ghost):
		return get[Ghost](z.world, e, z.ids.ghost).Zone, true
	}
	return 0, false
}

// entityOf returns the entity with a name, or the zero entity.
func (z *Zone[S, I]) entityOf(n custody.Name) arche.Entity {
	if x := z.entities[n]; x != nil && z.alive(x.e) {
		return x.e
	}
	return arche.Entity{}
}
