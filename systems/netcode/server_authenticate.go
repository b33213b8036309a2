package netcode

import (
	"bytes"
	"errors"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// authenticateAgain calls Authenticate for a player that returns: with the token that it joined
// with, and with the one that it presents now if that is another one. A ban of either refuses it.
func (s *Server[S, I]) authenticateAgain(p *Player[S, I], conn Conn, token []byte) error {
	if s.config.Authenticate == nil {
		return nil
	}
	c := JoinRequest{conn.RemoteAddr(), p.token, p.resumeID, true}
	if err := s.config.Authenticate(c); err != nil || bytes.Equal(token, p.token) {
		return err
	}
	c.Token = token
	return s.config.Authenticate(c)
}

// refusal returns the reason for a client that Authenticate refuses.
func refusal(err error) Reason {
	code := transport.Unauthorized
	var later interface{ Temporary() bool }
	if errors.As(err, &later) && later.Temporary() {
		code = transport.Refused
	}
	return Reason{Code: code, Text: err.Error()}
}
