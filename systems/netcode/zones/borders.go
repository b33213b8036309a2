package zones

import (
	"errors"
	"fmt"
	"slices"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/custody"
)

const (
	// mostHandOvers is the most entities that a zone hands over in one step. More wait.
	mostHandOvers = 32
	// offerEvery is how many ticks pass between two questions about a visitor.
	offerEvery = 6
)

// crossBorders hands over what is beyond the border, with the groups that it is in.
func (z *Zone[S, I]) crossBorders() {
	z.crossing = z.crossing[:0]
	for _, x := range z.entities {
		if !x.owned {
			continue
		}
		if to := z.destination(x); to == 0 {
			x.offered = 0
		} else if z.neighbors[to] != nil {
			x.to = to
			z.crossing = append(z.crossing, x)
		}
	}
	slices.SortFunc(z.crossing, byName)
	left := mostHandOvers
	for _, x := range z.crossing {
		if left -= z.cross(x); left <= 0 {
			return
		}
	}
}

// destination returns the zone that an entity of this zone is to go to, or 0: it stays. An
// entity that is attached to another one goes with that.
func (z *Zone[S, I]) destination(x *entity) custody.Zone {
	if p := z.parentOf(x.e); !p.IsZero() {
		if z.world.Has(p, z.ids.ghost) { // it has boarded what another zone moves
			return get[Ghost](z.world, p, z.ids.ghost).Zone
		}
		return 0
	}
	east, south := ground(z.pose(x.e).Position)
	switch tick := z.server.Tick(); {
	case z.hasLand() && z.me.Distance(east, south) <= z.config.Margin:
		return 0
	case x.claimed != 0 && tick.Sub(x.claimed) < 0:
		return 0
	}
	x.claimed = 0
	to := z.land.Owner(east, south)
	if to == nil || to.Number == z.self.Zone {
		return 0
	}
	if z.hasLand() && !z.attachedTo(x.e).IsZero() {
		z.complain(x, errAttached)
		return 0
	}
	return to.Number
}

var errAttached = errors.New("zones: it stays, since its parent is not replicated and no other zone knows that; give the parent Replicated, or detach it")

// hasLand reports whether the map has land for this zone.
func (z *Zone[S, I]) hasLand() bool { return z.me != nil && len(z.me.Land) > 0 }

func byName(a, b *entity) int {
	switch {
	case a.name < b.name:
		return -1
	case a.name > b.name:
		return 1
	}
	return 0
}

// cross hands an entity over, with all that is attached to it, as soon as the clients of the
// players in the group are ready there. It returns how many entities have gone. A Resident
// stays, as long as the zone has land.
func (z *Zone[S, I]) cross(x *entity) int {
	if x.offered == 0 {
		x.offered = z.server.Tick()
	}
	if !z.collectGroup(x) {
		return 0
	}
	ready := true
	for _, m := range z.group {
		if z.hasLand() && z.world.Has(m.e, z.ids.resident) {
			return 0
		}
		if p := z.playerOf(m.e); p != nil && p.Connected() && !z.visitorReady(p, x.to) {
			ready = false
		}
	}
	if !ready {
		z.stats.PutOff++
		return 0
	}
	return z.handOver(x.to)
}

// mostInGroup is the most entities that are attached to one that crosses. A larger group stays.
const mostInGroup = 128

// collectGroup collects an entity and all below it, parents before children, and reports whether
// they are not too many.
func (z *Zone[S, I]) collectGroup(root *entity) bool {
	z.group = append(z.group[:0], root)
	for i := 0; i < len(z.group) && len(z.attachments) > 0; i++ {
		for _, a := range z.attachments {
			if a.parent != z.group[i].e {
				continue
			}
			if x := z.entities[z.nameOf(a.child)]; x != nil && x.owned {
				z.group = append(z.group, x)
			}
		}
		if len(z.group) > mostInGroup {
			z.complain(root, fmt.Errorf("zones: more than %d entities are attached to it, so it does not cross", mostInGroup))
			return false
		}
	}
	return true
}

// complain logs, once, why an entity does not cross.
func (z *Zone[S, I]) complain(x *entity, err error) {
	if !x.logged {
		x.logged = true
		z.config.Log.Error("zones: an entity cannot be handed over", "entity", x.name.String(), "error", err)
	}
}

// attachment is an entity with the one that it is attached to.
type attachment struct{ child, parent arche.Entity }

// noteAttachments makes the list of this step.
func (z *Zone[S, I]) noteAttachments() {
	z.attachments = z.attachments[:0]
	q := z.world.Query(&z.attached)
	for q.Next() {
		if p := z.parentOf(q.Entity()); !p.IsZero() {
			z.attachments = append(z.attachments, attachment{q.Entity(), p})
		}
	}
}

// playerOf returns the player whose body an entity is, or nil.
func (z *Zone[S, I]) playerOf(e arche.Entity) *netcode.Player[S, I] {
	owner := get[netcode.Replicated](z.world, e, z.ids.replicated).Owner
	if owner == 0 {
		return nil
	}
	if p := z.server.Player(owner); p != nil && p.Entity == e {
		return p
	}
	return nil
}

// handOver commits the group to another zone, all of it or none, and returns how many entities have
// gone. The other zone decides for each entity, and may send a player back.
func (z *Zone[S, I]) handOver(to custody.Zone) (gone int) {
	z.parcels = z.parcels[:0]
	for _, x := range z.group {
		p := parcel[S, I]{x: x, player: z.playerOf(x.e)}
		var data []byte
		if p.player != nil {
			var err error
			if data, err = z.server.Export(p.player); err != nil {
				z.stats.PutOff++ // a bot, or a player that has just joined
				return 0
			}
		}
		var err error
		if p.state, err = z.writeState(x, data); err != nil {
			z.complain(x, err)
			return 0
		}
		z.parcels = append(z.parcels, p)
	}
	for _, p := range z.parcels {
		z.ledger.Commit(p.x.name, to, p.state)
		z.stats.HandOvers++
		if p.player != nil {
			z.server.Release(p.player, z.addressOf(to))
			z.noteAway(p.player.Number())
			delete(z.visits, p.player.ResumeID())
		}
		z.become(p.x, to)
		if z.config.Departed != nil {
			z.config.Departed(p.x.e, p.player)
		}
	}
	return len(z.parcels)
}

// parcel is an entity with the state that goes with it.
type parcel[S any, I comparable] struct {
	x      *entity
	player *netcode.Player[S, I]
	state  []byte
}

// become makes an entity of this zone a ghost of another one's.
func (z *Zone[S, I]) become(x *entity, to custody.Zone) {
	z.hide(x)
	if p := z.parentOf(x.e); p != z.attachedTo(x.e) { // its poses come in the frame of that one now
		pose := z.pose(x.e)
		z.setParent(x.e, p)
		get[components.Transform3D](z.world, x.e, z.ids.transform).Set(pose)
	}
	x.owned, x.from, x.claimed, x.offered = false, nil, 0, 0
	x.at, x.leave = z.server.Tick().Add(1), z.server.Tick().Add(z.ticks(silent))
	z.gone[x.name] = tombstone{to, z.server.Tick().Add(z.ticks(silent))}
	give[Ghost](z.world, x.e, z.ids.ghost).Zone = to
	relayed := give[netcode.Relayed](z.world, x.e, z.ids.relayed)
	*relayed = netcode.Relayed{}
	if s, ok := z.server.State(x.e); ok {
		*relayed = netcode.Relayed{Velocity: s.Velocity, Angular: s.Angular, Discontinuity: s.Discontinuity, AtRest: s.AtRest}
	}
	if n := z.neighbors[to]; n != nil { // it may show it already, from an earlier time
		for id, other := range n.ghosts {
			if other == x {
				x.from, x.id, x.leave = n, id, 0
			}
		}
	}
}

// tombstone is where an entity has gone, until a tick.
type tombstone struct {
	to    custody.Zone
	until netcode.Tick
}
