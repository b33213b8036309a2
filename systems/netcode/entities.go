package netcode

import (
	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/internal/alive"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
)

// entities reads and writes the components that both ends need.
type entities struct {
	world      *arche.World
	living     alive.Set // a Parent may be of a saved game or of another world
	transforms generic.Map[components.Transform3D]
	visuals    generic.Map[components.Visual3D]
	parents    generic.Map[components.Parent]
	replicated generic.Map[Replicated]
}

func newEntities(w *arche.World) entities {
	n := entities{
		world:      w,
		transforms: generic.NewMap[components.Transform3D](w),
		visuals:    generic.NewMap[components.Visual3D](w),
		parents:    generic.NewMap[components.Parent](w),
		replicated: generic.NewMap[Replicated](w),
	}
	n.living = alive.In(w, n.replicated.ID())
	return n
}

// has reports whether an entity is alive and has a pose.
func (n *entities) has(e arche.Entity) bool { return n.world.Alive(e) && n.transforms.Has(e) }

// marked reports whether an entity is alive and is, or is to be, replicated.
func (n *entities) marked(e arche.Entity) bool { return n.world.Alive(e) && n.replicated.Has(e) }

// parentOf returns the entity in whose frame an entity's pose is, or the zero entity.
func (n *entities) parentOf(e arche.Entity) arche.Entity {
	if !n.parents.Has(e) {
		return arche.Entity{}
	}
	return n.parents.Get(e).Entity
}

func (n *entities) setParent(child, parent arche.Entity) {
	if !n.parents.Has(child) {
		if parent.IsZero() {
			return
		}
		n.world.Add(child, n.parents.ID())
	}
	n.parents.Get(child).Entity = parent
}

// upward returns the world pose of a frame: the product of its own pose and those of its ancestors.
// link returns a frame's pose in the frame of its parent, and that parent. Where a link is not
// known, and in a cycle, upward stops and reports false.
func upward(id EntityID, link func(id EntityID) (components.Pose3D, EntityID, bool)) (components.Pose3D, bool) {
	world := components.Identity3D()
	for range snapshot.MaxDepth + 1 {
		if id == NoEntity {
			return world, true
		}
		pose, parent, ok := link(id)
		if !ok {
			return world, false
		}
		world, id = pose.Mul(world), parent
	}
	return world, id == NoEntity
}

// worldPose returns the product of the poses of an entity and its ancestors, as a hierarchy does:
// an ancestor without a pose counts as the identity, and a member of a cycle as a root.
func (n *entities) worldPose(e arche.Entity) components.Pose3D {
	return n.worldPoseOf(e, func(e arche.Entity) components.Pose3D { return n.transforms.Get(e).Get() })
}

// worldPoseOf returns the product of local poses of an entity and its ancestors.
func (n *entities) worldPoseOf(e arche.Entity, local func(arche.Entity) components.Pose3D) components.Pose3D {
	pose := local(e)
	for !n.loops(e) {
		if e = n.parentOf(e); !n.living.Alive(e) {
			break
		}
		if n.transforms.Has(e) {
			pose = local(e).Mul(pose)
		}
	}
	return pose
}

// loops reports whether an entity is its own ancestor. It finds cycles above the entity, which it
// is no member of, by Brent's algorithm (1980).
func (n *entities) loops(e arche.Entity) bool {
	mark, steps, limit := e, 0, 1
	for at := n.parentOf(e); n.living.Alive(at); at = n.parentOf(at) {
		if at == mark || at == e {
			return at == e
		}
		if steps++; steps == limit {
			mark, steps, limit = at, 0, 2*limit
		}
	}
	return false
}
