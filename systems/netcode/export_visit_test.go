package netcode

import (
	"slices"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/bucket"
)

// WriteVisitForTest sends the hello of a visitor that has a player's secret.
func (p *Protocol[S, I]) WriteVisitForTest(to Conn, ticket []byte, who *Player[S, I]) {
	buf := make([]byte, to.MTU())
	buf[0] = kindVisit
	n := 1 + copy(buf[1:], ticket)
	w := NewWriter(buf[n:])
	h := hello{resume: true, player: who.number, secret: who.secret}
	h.write(&w, p.schema)
	_ = to.Send(buf[:n+len(w.Bytes())])
}

// TakeOverForTest gives this server a player of another server that is at the same tick, as an
// entity here, and makes the other one release it. It stands for Export, Import and Release, in one
// process.
func (s *Server[S, I]) TakeOverForTest(from *Server[S, I], p *Player[S, I], e arche.Entity, at string) *Player[S, I] {
	q := &Player[S, I]{
		State: p.State, Entity: e, Input: p.Input, number: p.number, secret: p.secret, session: p.session, resumeID: p.resumeID,
		previous: p.previous, token: p.token, rate: p.rate, launched: p.launched, jumps: p.jumps, confirmed: true,
		server: s, lines: p.lines, joinedAt: s.real(), lostAt: s.real(), frame: p.frame, resumePacer: p.resumePacer,
	}
	q.slot = slices.Index(s.players, nil)
	q.pace = newPace(s.config.Bandwidth, s.config.SnapshotRate+1)
	q.pacer = bucket.NewPaced(float64(s.config.Bandwidth), float64(s.config.Bandwidth/4))
	buffer := *p.inputs.(*tickInputs[S, I]).Buffer
	q.inputs = &tickInputs[S, I]{Buffer: &buffer, player: q, views: p.inputs.(*tickInputs[S, I]).views}
	s.players[q.slot] = q
	q.encoder = s.encoding.workers[0].shared.NewEncoder()
	s.seatVisitor(q)
	s.setOwner(q)
	from.seeOff(p, at)
	return q
}

// NextInputForTest returns the tick whose input of a player runs next.
func (p *Player[S, I]) NextInputForTest() Tick { return p.inputs.(*tickInputs[S, I]).Tick() }
