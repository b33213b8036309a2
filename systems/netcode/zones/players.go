package zones

import (
	"io"
	"time"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/custody"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/internal/land"
)

const (
	// ahead is how long before the border a client begins to visit the next zone, by its velocity,
	// and nearLeast is the distance at which it does so in any case.
	ahead     = 2 * time.Second
	nearLeast = 6 // metres
	// keepVisit is how much farther the border may be until a visit ends.
	keepVisit = 1.5
	// visitFor is how long a visitor may take to connect. Then it gets another ticket.
	visitFor = 5 * time.Second
)

// visit is that of a player of this zone to another one.
type visit struct {
	to       custody.Process
	ticket   [16]byte
	since    netcode.Tick // the invitation, or the newest word that the client is there
	answered bool         // the other zone expects the client
	asked    netcode.Tick // the last offer
	ready    bool         // the other zone takes the player
	readyAt  netcode.Tick // when it said so
	last     mgl32.Vec3   // the position of the step before
	speed    float32
}

// visitPlayers sends the clients that come near a border to the zone behind it, beside this one.
func (z *Zone[S, I]) visitPlayers() {
	z.server.Players(func(p *netcode.Player[S, I]) {
		v := z.visits[p.ResumeID()]
		if !z.alive(p.Entity) || !p.Connected() {
			if v != nil && v.to.Zone != 0 {
				z.endVisit(p, v)
			}
			return
		}
		at := z.worldPosition(p)
		if v == nil {
			v = &visit{last: at}
			z.visits[p.ResumeID()] = v
		}
		dt := 1 / float32(z.protocol.TickRate())
		v.speed += (at.Sub(v.last).Len()/dt - v.speed) * 0.2
		v.last = at
		z.visit(p, v, at)
	})
}

// worldPosition returns where a player's body is on the map.
func (z *Zone[S, I]) worldPosition(p *netcode.Player[S, I]) mgl32.Vec3 {
	return z.pose(z.rootOf(p.Entity)).Position
}

// visit begins, keeps and ends the visit of one player.
func (z *Zone[S, I]) visit(p *netcode.Player[S, I], v *visit, at mgl32.Vec3) {
	tick := z.server.Tick()
	near := max(float32(ahead.Seconds())*v.speed, nearLeast)
	east, south := ground(at)
	to := z.next(p, v, east, south, near)
	if v.to.Zone != 0 && (to == nil || to.Number != v.to.Zone) {
		if old := z.land.ByNumber(v.to.Zone); to != nil || old == nil || old.Distance(east, south) > near*keepVisit {
			z.endVisit(p, v)
		}
	}
	if to == nil {
		return
	}
	n := z.neighbors[to.Number]
	switch {
	case n == nil:
		return
	case v.to != n.process || int(tick.Sub(v.since)) > z.ticks(visitFor):
		v.to, v.since, v.asked, v.answered, v.ready = n.process, tick, tick, false, false
		if _, err := io.ReadFull(z.random, v.ticket[:]); err != nil {
			z.config.Log.Error("zones: no random numbers for a ticket", "error", err)
			v.to = custody.Process{}
			return
		}
		z.sendInvite(p, v)
	case tick.Sub(v.asked) < offerEvery:
	case !v.answered: // the link may have ended
		v.asked = tick
		z.sendInvite(p, v)
	default:
		v.asked = tick
		z.sendTicket(msgOffer, p, v)
	}
}

// stayLonger is how many metres nearer another zone must be than the visited one, so that a player
// near a corner does not visit two in turn.
const stayLonger = 1

// next returns the zone that a player is to go to, because it rides on a ghost or is on its land,
// or else the nearest other one within a distance.
func (z *Zone[S, I]) next(p *netcode.Player[S, I], v *visit, east, south, within float32) *land.Zone {
	if x := z.entities[z.nameOf(p.Entity)]; x != nil {
		if to := z.land.ByNumber(z.destination(x)); to != nil {
			return to
		}
	}
	if on := z.land.Owner(east, south); on != nil && on.Number != z.self.Zone {
		return on
	}
	var best *land.Zone
	for number, n := range z.neighbors {
		if !n.near || n.land == nil {
			continue
		}
		d := n.land.Distance(east, south)
		if number == v.to.Zone {
			d -= stayLonger
		}
		if d < within || d == within && (best == nil || number < best.Number) {
			best, within = n.land, d
		}
	}
	return best
}

func (z *Zone[S, I]) endVisit(p *netcode.Player[S, I], v *visit) {
	z.sendTicket(msgUninvite, p, v)
	_ = p.Move("", nil)
	v.to, v.answered, v.ready = custody.Process{}, false, false
}

// visitorReady reports whether a player's client can go on at another zone, which says so again and
// again.
func (z *Zone[S, I]) visitorReady(p *netcode.Player[S, I], to custody.Zone) bool {
	v := z.visits[p.ResumeID()]
	return v != nil && v.to.Zone == to && v.answered && v.ready && z.server.Tick().Sub(v.readyAt) <= 3*offerEvery
}

// forgetVisits forgets the visits of players that have left, once a second.
func (z *Zone[S, I]) forgetVisits() {
	if len(z.visits) == 0 {
		return
	}
	clear(z.here)
	z.server.Players(func(p *netcode.Player[S, I]) { z.here[p.ResumeID()] = true })
	for id := range z.visits {
		if !z.here[id] {
			delete(z.visits, id)
		}
	}
}

// answered takes an answer about a visit: 0: the client is expected, 1: it is there, 2: it is
// ready.
func (z *Zone[S, I]) answered(from custody.Process, ticket [16]byte, is byte) {
	z.server.Players(func(p *netcode.Player[S, I]) {
		v := z.visits[p.ResumeID()]
		switch {
		case v == nil || v.to != from || v.ticket != ticket:
		case is > 0:
			v.since, v.ready, v.readyAt = z.server.Tick(), is == 2, z.server.Tick()
		case !v.answered:
			v.answered = true
			if err := p.Move(z.addressOf(from.Zone), ticket[:]); err != nil {
				z.config.Log.Error("zones: a client cannot be sent to the next zone", "to", from.Zone, "error", err)
			}
		}
	})
}
