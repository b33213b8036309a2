package zones

import (
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/custody"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/internal/land"
)

// neighbor is the other end of a link: what it is shown, and what it shows.
type neighbor struct {
	process custody.Process
	land    *land.Zone // nil: the map does not have it
	near    bool       // its land is so near that each shows the other what it has there
	quiet   netcode.Tick
	shows   *netcode.Neighbor
	decoder *snapshot.Decoder
	ghosts  map[netcode.EntityID]*entity          // by its IDs
	orphans map[netcode.EntityID]netcode.EntityID // ghosts whose parent is not known here, and that
}

const (
	// linger is how many ticks a ghost stays which its zone has stopped showing. It may have been
	// handed to a third zone, which shows it a moment later. A removed entity is named by a
	// message.
	linger = 15
	// silent is how long ghosts stay when the link to their zone has ended.
	silent = 10 * time.Second
	// allNear is how many neighbours are shown what is near their land, however far that is from
	// this zone's: an entity may be far from its zone, after a change of the map. Of more
	// neighbours only those at the border are.
	allNear = 16
	// quietAfter is how long packets go to a neighbour that is not near any more: they name what it
	// is shown no more.
	quietAfter = 2 * time.Second
)

// Opened implements link.Handler.
func (z *Zone[S, I]) Opened(p custody.Process) {
	z.neighbors[p.Zone] = &neighbor{process: p, shows: z.server.Neighbor(), decoder: z.protocol.NewDecoder(), ghosts: map[netcode.EntityID]*entity{}, orphans: map[netcode.EntityID]netcode.EntityID{}}
	z.findNear()
	z.sendForeignNumbers(p.Zone)
}

// Closed implements link.Handler.
func (z *Zone[S, I]) Closed(p custody.Process) {
	n := z.neighbors[p.Zone]
	if n == nil || n.process != p {
		return
	}
	n.shows.Close()
	delete(z.neighbors, p.Zone)
	for _, x := range z.entities {
		if x.from == n {
			x.from = nil
			x.leave = z.server.Tick().Add(z.ticks(silent))
		}
	}
	for _, v := range z.visits {
		if v.to == p {
			v.answered, v.ready = false, false
		}
	}
}

// ticks returns how many steps a time has.
func (z *Zone[S, I]) ticks(d time.Duration) int {
	return int(d * time.Duration(z.protocol.TickRate()) / time.Second)
}

// Snapshot implements link.Handler.
func (z *Zone[S, I]) Snapshot(from custody.Process, r *packet.Reader, number packet.Number) error {
	n := z.neighbors[from.Zone]
	if n == nil {
		return packet.ErrMalformed
	}
	if r.Remaining() < 8 { // a packet without ghosts
		return nil
	}
	snap, err := n.decoder.Decode(r, number)
	if err != nil {
		return err
	}
	for i := range snap.Changes {
		z.applyGhost(n, &snap.Changes[i], snap.Tick)
	}
	z.attachOrphans(n)
	return nil
}

// Delivered implements link.Handler.
func (z *Zone[S, I]) Delivered(to custody.Process, number packet.Number) {
	if n := z.neighbors[to.Zone]; n != nil {
		n.shows.Delivered(number)
	}
}

// Write implements link.Handler.
func (z *Zone[S, I]) Write(to custody.Process, w *packet.Writer, number packet.Number) (waiting int) {
	n := z.neighbors[to.Zone]
	if n == nil || !n.near && z.server.Tick().Sub(n.quiet) > 0 {
		return 0
	}
	return n.shows.Encode(w, number)
}

// findNear finds the neighbours whose land is near enough for ghosts. The others have a link for
// the questions of custody, and for entities that are far from their zone.
func (z *Zone[S, I]) findNear() {
	for number, n := range z.neighbors {
		n.land = z.land.ByNumber(number)
		was := n.near
		switch {
		case len(z.neighbors) <= allNear, !z.hasLand(): // without land, all that is here moves out
			n.near = true
		default:
			n.near = n.land != nil && z.me.Apart(n.land) <= z.config.Band+z.config.Margin
		}
		if was && !n.near {
			n.quiet = z.server.Tick().Add(z.ticks(quietAfter))
			for _, x := range z.entities {
				if x.owned {
					n.shows.Relevant(x.e, 0)
				}
			}
		}
	}
}

// showEntities decides what each neighbour is shown: this zone's entities within the band around
// the other one's land, the near ones first.
func (z *Zone[S, I]) showEntities() {
	for _, x := range z.entities {
		if !x.owned {
			continue
		}
		east, south := ground(z.pose(z.rootOf(x.e)).Position)
		for _, n := range z.neighbors {
			if !n.near {
				continue
			}
			weight := float32(0)
			if n.land != nil {
				if d := n.land.Distance(east, south); d <= z.config.Band {
					weight = 1 / (1 + d/10)
				}
			}
			n.shows.Relevant(x.e, weight)
		}
	}
}

// hide stops showing an entity, which another zone shows from now on.
func (z *Zone[S, I]) hide(x *entity) {
	for _, n := range z.neighbors {
		n.shows.Relevant(x.e, 0)
	}
}
