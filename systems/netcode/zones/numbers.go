package zones

import (
	"encoding/binary"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/custody"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/internal/store"
)

// Each zone gives the numbers of its own block to new players. It remembers which of them are with
// players that have gone to other zones.

func (z *Zone[S, I]) isMine(number uint16) bool {
	return number >= z.config.Server.FirstNumber && number <= z.config.Server.LastNumber
}

// noteAway notes that a player with a number of this zone is elsewhere.
func (z *Zone[S, I]) noteAway(number uint16) {
	if z.isMine(number) && z.server.Player(number) == nil {
		z.away[number] = true
	}
}

// sendForeignNumbers names the players of other zones' numbers that are here to a zone, which may
// have been restarted.
func (z *Zone[S, I]) sendForeignNumbers(to custody.Zone) {
	b := z.out(msgAway)
	z.server.Players(func(p *netcode.Player[S, I]) {
		if !z.isMine(p.Number()) {
			b = binary.LittleEndian.AppendUint16(b, p.Number())
		}
	})
	if len(b) > 1 {
		z.send(to, b)
	}
}

// left gives the number of a player that has left back to the zone that it is of, for a while: a
// link may be down.
func (z *Zone[S, I]) left(p *netcode.Player[S, I]) {
	if !z.isMine(p.Number()) {
		z.freed[p.Number()] = z.server.Tick().Add(z.ticks(time.Minute))
	}
}

// sendFreed gives the numbers of players that have left back, once a second.
func (z *Zone[S, I]) sendFreed() {
	for number, until := range z.freed {
		if z.server.Tick().Sub(until) > 0 || z.server.Player(number) != nil {
			delete(z.freed, number)
			continue
		}
		for to := range z.neighbors {
			z.send(to, binary.LittleEndian.AppendUint16(z.out(msgBack), number))
		}
	}
}

// question is that of a client that claims a place which is not here.
type question struct {
	asked time.Duration
	at    string // the address of the zone that has its player
}

const (
	// answerWithin is how long the other zones are waited for, and answerFor how long an answer
	// holds.
	answerWithin = time.Second
	answerFor    = 2 * time.Second
	// mostQuestions bounds what strangers can ask.
	mostQuestions = 256
)

// elsewhere finds the zone of a client that comes back to the wrong one. It implements
// netcode.ServerConfig.Elsewhere. A client that must wait is refused after HelloTimeout, and tries
// again.
func (z *Zone[S, I]) elsewhere(c netcode.JoinRequest) (at string, asking bool) {
	now := z.config.Now()
	if z.ledger == nil || !z.ledger.Active() {
		return "", true // players of a checkpoint come with it
	}
	q, ok := z.questions[c.ResumeID]
	if ok && now-q.asked <= answerFor {
		return q.at, q.at == "" && (now-q.asked < answerWithin || !z.allAnswer())
	}
	for id, old := range z.questions {
		if now-old.asked > answerFor {
			delete(z.questions, id)
		}
	}
	if len(z.questions) < mostQuestions {
		z.questions[c.ResumeID] = question{asked: now}
		z.hold.Ask(c.ResumeID)
	}
	return "", true
}

// allAnswer reports whether all zones with land answer questions. One that does not may have the
// player.
func (z *Zone[S, I]) allAnswer() bool {
	for _, s := range z.records {
		if s.Record.Number == z.self.Zone {
			continue
		}
		l := z.land.ByNumber(s.Record.Number)
		if l != nil && len(l.Land) > 0 && (!s.Record.Active || z.neighbors[s.Record.Number] == nil) {
			return false
		}
	}
	return true
}

// hasPlayer reports whether a player is here.
func (z *Zone[S, I]) hasPlayer(id netcode.ResumeID) (has bool) {
	z.server.Players(func(p *netcode.Player[S, I]) { has = has || p.ResumeID() == id })
	return has
}

// answer takes an answer of another zone.
func (z *Zone[S, I]) answer(a store.Answered) {
	if q, ok := z.questions[a.ID]; ok && a.Zone != z.self.Zone {
		q.at = a.Address
		z.questions[a.ID] = q
	}
}
