package netcode

// Release removes a player that plays on at another server, which has its Export. Left is not
// called, and its entity stays. Its connection stays too, until its client leaves, for at most 2 s.
// In that time it is sent the world at a low rate, but not its state, and messages under way arrive
// at both ends: the client's come to ServerConfig.Message with this player. Then it is closed with
// the reason transport.Moved and the address of the other server, in a form that clients dial, as
// the text. Without a player of this server Release does nothing.
func (s *Server[S, I]) Release(p *Player[S, I], at string) {
	if s.players[p.slot] != p {
		return
	}
	s.logJoin(p, "moved", "to", at)
	s.stats.Exported++
	s.players[p.slot] = nil
	if p.elsewhere = isGone; p.conn != nil {
		s.guests = append(s.guests, &guest[S, I]{id: p.resumeID, at: at, until: s.real() + seeOff, player: p})
	}
}
