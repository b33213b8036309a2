package zones

import (
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/custody"
)

// applyGhost applies what another zone says of one of its entities, at the end of a tick.
func (z *Zone[S, I]) applyGhost(n *neighbor, c *snapshot.Change, at netcode.Tick) {
	if c.Replaces != netcode.NoEntity && c.Replaces != c.ID {
		z.forgetGhost(n, c.Replaces)
	}
	x := n.ghosts[c.ID]
	switch {
	case c.Op == snapshot.Removed:
		z.forgetGhost(n, c.ID)
		return
	case c.Late:
		return
	case x == nil && c.Op == snapshot.Spawned, x != nil && !x.owned && !z.alive(x.e):
		if x = z.meetGhost(n, c); x == nil {
			return
		}
	case x == nil:
		return // it cannot be shown here
	case x.owned: // the other zone has not taken notice yet
		return
	case x.from != n:
		// It was with a third zone. Its owner is the zone whose states are newer.
		if x.from != nil && at.Sub(x.at) < newer {
			return
		}
		z.adopt(n, x, c.ID)
	}
	if x.owned {
		return
	}
	rep := get[netcode.Replicated](z.world, x.e, z.ids.replicated)
	rep.Owner = c.Owner
	z.server.ApplyRemote(x.e, n.decoder, c)
	z.moveGhost(n, x, c, at)
}

// meetGhost returns the entity that shows another zone's from now on.
func (z *Zone[S, I]) meetGhost(n *neighbor, c *snapshot.Change) *entity {
	name := custody.Name(z.protocol.NameOf(n.decoder, c.ID))
	if name == 0 {
		return nil
	}
	x := z.entities[name]
	if x == nil || !z.alive(x.e) && !x.owned {
		e := z.spawn(&Arrival[S, I]{Name: name, Archetype: c.Kind, Owner: c.Owner, Pose: ghostPose(c), Ghost: true})
		if e.IsZero() {
			return nil
		}
		x = &entity{name: name, e: e}
		z.entities[name] = x
	}
	n.ghosts[c.ID] = x
	if !x.owned {
		z.adopt(n, x, c.ID)
	}
	return x
}

// newer is how many ticks newer the state of one zone must be than that of another one, so that the
// first one counts as the owner.
const newer = 2

// adopt makes a zone the one whose packets move a ghost.
func (z *Zone[S, I]) adopt(n *neighbor, x *entity, id netcode.EntityID) {
	x.from, x.id, x.leave = n, id, 0
	give[Ghost](z.world, x.e, z.ids.ghost).Zone = n.process.Zone
	give[netcode.Relayed](z.world, x.e, z.ids.relayed)
}

// spawn makes an entity by the game's function. It has what all entities of a zone have.
func (z *Zone[S, I]) spawn(a *Arrival[S, I]) arche.Entity {
	e := z.config.Spawn(a)
	if e.IsZero() {
		return e
	}
	if !z.world.Alive(e) || !z.world.Has(e, z.ids.transform) {
		panic("zones: Config.Spawn has returned an entity without a Transform3D; give it one, or return the zero entity")
	}
	rep := give[netcode.Replicated](z.world, e, z.ids.replicated)
	rep.Archetype, rep.Owner = a.Archetype, a.Owner
	z.setName(e, a.Name)
	if l := get[components.Transform3D](z.world, e, z.ids.transform); l.Get() != a.Pose {
		l.Teleport(a.Pose)
	}
	return e
}

// ghostPose returns the pose of a ghost in the frame of its parent.
func ghostPose(c *snapshot.Change) components.Pose3D {
	return components.Pose3D{Position: c.State.Position, Rotation: c.State.Rotation, Scale: c.State.Scale.Vec3()}
}

// moveGhost writes the pose of a ghost.
func (z *Zone[S, I]) moveGhost(n *neighbor, x *entity, c *snapshot.Change, at netcode.Tick) {
	if c.Moved {
		parent := arche.Entity{}
		if c.Parent != netcode.NoEntity {
			if p := n.ghosts[c.Parent]; p != nil && z.alive(p.e) {
				parent = p.e
				delete(n.orphans, c.ID)
			} else {
				n.orphans[c.ID] = c.Parent
			}
		} else {
			delete(n.orphans, c.ID)
		}
		if z.attachedTo(x.e) != parent {
			z.setParent(x.e, parent)
		}
	}
	l := get[components.Transform3D](z.world, x.e, z.ids.transform)
	pose := ghostPose(c)
	relayed := get[netcode.Relayed](z.world, x.e, z.ids.relayed)
	if jumped := relayed.Discontinuity != c.State.Discontinuity; jumped {
		l.Teleport(pose)
	} else {
		l.Set(pose)
	}
	*relayed = netcode.Relayed{
		Age: relayed.Age, Velocity: c.State.Velocity, Angular: c.State.Angular,
		Discontinuity: c.State.Discontinuity, AtRest: c.State.AtRest,
	}
	x.at = at.Add(-int(c.State.Age * time.Duration(z.protocol.TickRate()) / time.Second))
}

// attachOrphans attaches the ghosts whose parents have come in the same or a later packet.
func (z *Zone[S, I]) attachOrphans(n *neighbor) {
	for child, parent := range n.orphans {
		x, p := n.ghosts[child], n.ghosts[parent]
		switch {
		case x == nil || x.owned || x.from != n || !z.alive(x.e):
		case p == nil || !z.alive(p.e):
			continue
		default:
			z.setParent(x.e, p.e)
		}
		delete(n.orphans, child)
	}
}

// forgetGhost notes that a zone does not show an entity any more.
func (z *Zone[S, I]) forgetGhost(n *neighbor, id netcode.EntityID) {
	x := n.ghosts[id]
	delete(n.ghosts, id)
	delete(n.orphans, id)
	if x == nil || x.owned || x.from != n || x.id != id {
		return
	}
	x.from, x.leave = nil, z.server.Tick().Add(linger)
	for _, other := range z.neighbors { // it may be with a zone that has shown it before
		for id, y := range other.ghosts {
			if y == x && z.alive(x.e) {
				z.adopt(other, x, id)
				return
			}
		}
	}
}

// ageGhosts sets the ages of ghosts for the end of this step, and despawns those that no zone
// shows.
func (z *Zone[S, I]) ageGhosts() {
	after := z.server.Tick().Add(1)
	step := time.Second / time.Duration(z.protocol.TickRate())
	for name, x := range z.entities {
		switch {
		case x.owned:
		case !z.alive(x.e):
			z.dropGhost(name, x)
		case x.leave != 0 && after.Sub(x.leave) > 0:
			z.world.RemoveEntity(x.e)
			z.dropGhost(name, x)
		default:
			relayed := give[netcode.Relayed](z.world, x.e, z.ids.relayed)
			relayed.Age = time.Duration(max(after.Sub(x.at), 0)) * step
		}
	}
}

// dropGhost forgets a ghost that is despawned. Its zone may still speak of it.
func (z *Zone[S, I]) dropGhost(name custody.Name, x *entity) {
	delete(z.entities, name)
	delete(z.granted, name)
}

// removeGhost despawns a ghost whose entity its zone has removed.
func (z *Zone[S, I]) removeGhost(name custody.Name) {
	if x := z.entities[name]; x != nil && !x.owned {
		if z.alive(x.e) {
			z.world.RemoveEntity(x.e)
		}
		z.dropGhost(name, x)
	}
}
