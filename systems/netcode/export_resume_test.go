package netcode

// WriteHelloWithForTest writes the hello of a client that has a player's secret and presents a
// token of its choice.
func (p *Protocol[S, I]) WriteHelloWithForTest(w *Writer, who *Player[S, I], token []byte) {
	h := hello{resume: true, player: who.number, secret: who.secret, token: token}
	h.write(w, p.schema)
}
