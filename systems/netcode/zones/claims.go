package zones

import (
	"encoding/binary"
	"math"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/custody"
)

const (
	// claimFor is how long a claimed entity stays with the zone that has claimed it, wherever it
	// is, counted from the last claim.
	claimFor = time.Second
	// claimEvery is how many ticks pass between two claims of one entity.
	claimEvery = 6
)

// Claim asks for an entity that another zone owns, because a player of this zone pushes it: a ghost
// does not move by itself. The other zone hands it over, if none of its own players is nearer, with
// all that is attached to it. Call it in each step of the contact. It does nothing for an entity of
// this zone but keep it here for a second, even beyond the border. By is the distance of the player
// in metres.
func (z *Zone[S, I]) Claim(e arche.Entity, by float32) {
	x := z.entities[z.nameOf(e)]
	tick := z.server.Tick()
	switch {
	case x == nil:
	case x.owned:
		x.claimed = tick.Add(z.ticks(claimFor))
	case x.claimed == 0 || tick.Sub(x.claimed) >= claimEvery:
		if to, ok := z.whereIs(x.name); ok {
			x.claimed = tick // of a ghost: when it was claimed last
			z.granted[x.name] = true
			b := binary.LittleEndian.AppendUint64(z.out(msgClaim), uint64(x.name))
			z.send(to, binary.LittleEndian.AppendUint32(b, math.Float32bits(by)))
		}
	}
}

// receiveClaim hands a claimed entity over at the end of the step.
func (z *Zone[S, I]) receiveClaim(from custody.Process, b []byte) bool {
	if len(b) != 12 {
		return false
	}
	n, by := custody.Name(binary.LittleEndian.Uint64(b)), math.Float32frombits(binary.LittleEndian.Uint32(b[8:]))
	if len(z.claims) < mostHandOvers && by >= 0 {
		z.claims = append(z.claims, claim{n, from.Zone, by})
	}
	return true
}

type claim struct {
	name custody.Name
	by   custody.Zone
	near float32
}

// grantClaims hands over what other zones have claimed.
func (z *Zone[S, I]) grantClaims() {
	for _, c := range z.claims {
		x := z.entities[c.name]
		if x == nil || !x.owned || !z.alive(x.e) || z.neighbors[c.by] == nil || z.world.Has(x.e, z.ids.resident) || !z.attachedTo(x.e).IsZero() {
			continue
		}
		if z.nearestPlayer(x) < c.near {
			continue
		}
		if z.collectGroup(x) && !z.groupHasPlayer() {
			z.handOver(c.by)
		}
	}
	z.claims = z.claims[:0]
}

// groupHasPlayer reports whether a player is in the group, which goes by the border only.
func (z *Zone[S, I]) groupHasPlayer() bool {
	for _, m := range z.group {
		if z.playerOf(m.e) != nil {
			return true
		}
	}
	return false
}

// nearestPlayer returns the distance of an entity to the nearest player of this zone.
func (z *Zone[S, I]) nearestPlayer(x *entity) float32 {
	at, nearest := z.pose(x.e).Position, float32(math.Inf(1))
	z.server.Players(func(p *netcode.Player[S, I]) {
		if z.alive(p.Entity) {
			nearest = min(nearest, z.worldPosition(p).Sub(at).Len())
		}
	})
	return nearest
}
