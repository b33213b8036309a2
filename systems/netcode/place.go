package netcode

import (
	"encoding/binary"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/matchstate"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
)

// placeSize is the size of a ClientConfig.Place: a player's number and its secret.
const placeSize = 2 + secretSize

// placeOf returns the bytes of Client.Place.
func placeOf(number uint16, s *secret) []byte {
	return append(binary.BigEndian.AppendUint16(nil, number), s[:]...)
}

// claim makes the hello that of a process that has nothing of the session but its place.
func (h *hello) claim(place []byte) {
	h.resume, h.anew, h.player = true, true, binary.BigEndian.Uint16(place)
	copy(h.secret[:], place[2:])
}

// replaced reports whether a hello is from an earlier process of the player, or from one whose
// place another process has claimed since. Without this the two would take the place from each
// other for ever, and the old one would read the packets of a session that it does not have.
func (p *Player[S, I]) replaced(h *hello) bool { return !h.anew && h.session != p.session }

// newSession gives a player that has received nothing an endpoint and an encoder.
func (s *Server[S, I]) newSession(p *Player[S, I], mtu, rate int) error {
	endpoint, err := packet.NewEndpoint(packet.Config{MTU: mtu - 1, Handler: (*playerHandler[S, I])(p), Control: p.pace.control, Overhead: overhead})
	if err != nil {
		return err
	}
	p.endpoint, p.encoder, p.own = endpoint, s.encoding.workers[0].shared.NewEncoder(), ownSent{}
	p.matchSent = make([]matchstate.Sent, len(s.protocol.matchStates))
	p.rate, p.mtu = s.clampRate(rate), mtu
	return nil
}

// beginSession begins a new session for a player whose process is another one. The player keeps its
// number, its entity, its state and the limits that apply to it. As with a join, the connection
// begins with two packets.
func (s *Server[S, I]) beginSession(p *Player[S, I], conn Conn, now time.Duration, rate int) error {
	if err := s.newSession(p, conn.MTU(), rate); err != nil {
		return err
	}
	p.session = (p.session + 1) % (1 << sessionBits)
	clear(p.near)
	clear(p.was)
	p.rounds, p.wanted, p.need = rounds{}, 0, 0
	p.pacer.Spend(float64(max(p.pacer.Allowance(now)-2*conn.MTU(), 0)))
	return nil
}
