package zones

import (
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/custody"
)

// guest is a player of another zone that may come.
type guest struct {
	ticket [16]byte
	name   custody.Name // of its body
	from   custody.Zone
	until  netcode.Tick
}

// lookAround shows visitors the world around their bodies.
func (z *Zone[S, I]) lookAround() {
	for id, g := range z.guests {
		if z.server.Tick().Sub(g.until) > 0 {
			if _, present := z.server.Visitor(id); !present {
				delete(z.guests, id)
				continue
			}
		}
		if e := z.entityOf(g.name); !e.IsZero() {
			z.server.SetVisitorEye(id, e)
		}
	}
}

// invite expects the client of another zone's player. A zone that takes no newcomers still takes
// players that walk in.
func (z *Zone[S, I]) invite(from custody.Process, ticket [16]byte, id netcode.ResumeID, name custody.Name) {
	g := z.guests[id]
	if g == nil && len(z.guests) >= 2*z.maxPlayers || !z.ledger.Active() || z.server.Draining() {
		return
	}
	until := z.server.Tick().Add(2 * z.ticks(visitFor))
	// With the same ticket the client may be here already.
	if g == nil || g.ticket != ticket || g.from != from.Zone {
		z.server.Invite(ticket[:], id, 2*visitFor)
	}
	z.guests[id] = &guest{ticket: ticket, name: name, from: from.Zone, until: until}
	z.send(from.Zone, append(z.out(msgInvited), ticket[:]...))
}
