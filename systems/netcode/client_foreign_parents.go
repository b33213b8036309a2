package netcode

import (
	"fmt"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"
)

// The parents of replicas come from the server, and their poses count in the frames of these. A
// Parent that the game's code has written, in ClientConfig.Spawn or later, stays until the server
// sends another one, and the replica is drawn off by it.

const foreignParent = "a replica has a Parent that is an entity of the client alone, and is drawn off by that one's pose: " +
	"leave Parent to the client, and attach local entities to the replica instead of the replica to them"

// foreignParentOf returns the entity of the game's own that is a replica's parent, if the replica
// is drawn in another place because of that. Without a hierarchy no parent counts, which is a
// finding of components.Parent.
func (c *Client[S, I]) foreignParentOf(r *replica) (parent arche.Entity, any bool) {
	h := c.hierarchy()
	if h == nil || r.unspawned || r.despawn.any || !c.has(r.entity) {
		return parent, false
	}
	if parent = c.parentOf(r.entity); !c.living.Alive(parent) || c.replicated.Has(parent) {
		return parent, false
	}
	var want arche.Entity
	if p := c.seen(r.attachedTo); p != nil {
		want = p.entity
	}
	frame := func(e arche.Entity) mgl32.Mat4 {
		if c.living.Alive(e) && (c.transforms.Has(e) || c.visuals.Has(e)) {
			return h.VisualWorld(e)
		}
		return mgl32.Ident4()
	}
	return parent, !frame(parent).ApproxEqualThreshold(frame(want), 1e-3)
}

// logForeignParent logs, once, that the game has given a replica a parent. It looks once a second.
func (c *Client[S, I]) logForeignParent() {
	if c.logged.foreignParent || c.engine.Time().Tick%uint64(c.protocol.TickRate()) != 0 {
		return
	}
	for r := range c.present {
		if parent, any := c.foreignParentOf(r); any {
			c.logged.foreignParent = true
			c.config.Log.Warn("tandem: "+foreignParent, "entity", r.entity, "archetype", r.archetype, "id", r.id.String(), "parent", parent)
			return
		}
	}
}

// misdrawn returns the findings of ecs.Check in a client's world.
func (c *Client[S, I]) misdrawn() (mistakes []string) {
	for r := range c.present {
		if parent, any := c.foreignParentOf(r); any {
			mistakes = append(mistakes, fmt.Sprintf("%s (entity %+v, archetype %d, parent %+v)", foreignParent, r.entity, r.archetype, parent))
		}
	}
	return mistakes
}
