package netcode

import (
	"github.com/tandem-ecs/tandem/systems/netcode/internal/matchstate"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
)

// matchPast is for how many seconds a replaced value of a match state is sent to a client that does
// not have it: the client draws the past, and predicts from a past state on.
const matchPast = 2

// writeMatchStates writes into packet n the changes of match states that a player does not have.
func (s *Server[S, I]) writeMatchStates(w *Writer, p *Player[S, I], n packet.Number, after Tick) {
	states := s.protocol.matchStates
	for i, m := range states {
		m.write(w, &p.matchSent[i], n, after, matchstate.Limits{Bits: maxMatchBits / len(states), Past: matchPast * s.protocol.TickRate()})
	}
}
