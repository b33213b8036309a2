package netcode

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
