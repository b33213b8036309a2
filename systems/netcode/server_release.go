package netcode

import (
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// Release removes a player that plays on at another server, which has its Export. Left is not
// called, and its entity stays. Its connection stays too, without another packet, until its client
// leaves, for at most 2 s. Then it is closed with the reason transport.Moved and the address of the
// other server, in a form that clients dial, as the text. Without a player of this server Release
// does nothing.
func (s *Server[S, I]) Release(p *Player[S, I], at string) {
	if s.players[p.slot] != p {
		return
	}
	if p.conn != nil {
		s.released = append(s.released, releasedConn{p.conn, at, s.real() + releasedFor})
	}
	s.players[p.slot], p.conn = nil, nil
	s.stats.Exported++
	s.logJoin(p, "moved", "to", at)
}

// releasedConn is the connection of a player that plays at another server.
type releasedConn struct {
	conn  Conn
	at    string
	until time.Duration
}

// releasedFor is how long such a connection is kept.
const releasedFor = 2 * time.Second

// receiveReleased keeps the connections of released players, and closes those whose time is over.
func (s *Server[S, I]) receiveReleased(now time.Duration) {
	kept := s.released[:0]
	for _, c := range s.released {
		c.conn.Poll(now)
		for range perPoll {
			size, ok := c.conn.Recv(s.packet)
			if !ok {
				break
			}
			s.stats.ReceivedBytes += uint64(size)
		}
		switch {
		case c.conn.State() == transport.Closed:
		case now >= c.until:
			c.conn.Close(Reason{Code: transport.Moved, Text: c.at})
		default:
			kept = append(kept, c)
		}
	}
	clear(s.released[len(kept):])
	s.released = kept
}
