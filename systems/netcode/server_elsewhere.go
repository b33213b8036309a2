package netcode

import (
	"slices"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// greet answers the hello of a pending connection, and reports whether the connection is still
// pending: while ServerConfig.Elsewhere looks for the place that the client claims.
func (s *Server[S, I]) greet(n *pendingConn[S, I], greeting []byte, now time.Duration) (pending bool) {
	switch at, asking := s.elsewhere(n.conn, greeting); {
	case at != "":
		s.stats.Redirected++
		n.conn.Close(Reason{Code: transport.Moved, Text: at})
		return false
	case asking:
		if n.claim == nil {
			n.claim = slices.Clone(greeting)
		}
		return true
	}
	if reason := s.admit(n.conn, greeting, now); reason.Code != transport.NoReason {
		s.logRefusal(n.conn, reason, now)
		s.refuse(n.conn, reason)
	}
	return false
}

// elsewhere asks ServerConfig.Elsewhere about a hello that claims a place which is not here.
func (s *Server[S, I]) elsewhere(conn Conn, greeting []byte) (at string, asking bool) {
	if s.config.Elsewhere == nil {
		return "", false
	}
	r := NewReader(greeting)
	var h hello
	if h.read(&r, s.protocol.schema) != nil || !h.resume || s.resumed(&h) != nil {
		return "", false
	}
	return s.config.Elsewhere(JoinRequest{conn.RemoteAddr(), h.token, h.secret.key(), false})
}
