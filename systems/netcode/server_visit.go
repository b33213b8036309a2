package netcode

import (
	"crypto/subtle"
	"errors"
	"fmt"
	"slices"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/matchstate"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// A client that is about to change its server visits the new one first, beside the old one. The new
// server sends it the world at a low rate, and keeps the inputs that it gets. When the player
// arrives, its visitor's connection becomes its own. After that the old server keeps its connection
// for a while, as that of a guest too, so that the messages under way on it arrive.

const (
	// guestRate is the most snapshots a second for a guest.
	guestRate = 10
	// A visitor is ready when its inputs have been in time for the last tenth of a second, since
	// its player would be corrected otherwise. It is ready anyway after readyAnyway.
	readyAnyway = 4 * time.Second
	// seeOff is how long a server keeps the connection of a player that it has released.
	seeOff = 2 * time.Second
)

// elsewhere tells where the player of a connection is.
type elsewhere uint8

const (
	isHere elsewhere = iota
	isComing
	isGone
)

// guest is a connection of a player that is on another server: of one that may come, or has gone.
type guest[S any, I comparable] struct {
	ticket [ticketSize]byte // of one that may come
	id     ResumeID
	eye    arche.Entity
	until  time.Duration // a visitor has to connect, or a player that has gone is kept
	at     string        // of one that has gone: the address of its server
	player *Player[S, I] // nil: it is expected
	inTime int           // ticks in a row whose inputs were there
}

// close closes the connection of a guest.
func (g *guest[S, I]) close(reason Reason) {
	if g.player != nil && g.player.conn != nil {
		g.player.conn.Close(reason)
	}
}

// Invite expects a visitor: the client of a player of another server, which that server sends here
// by [Player.Move] with the same ticket of 16 bytes. A ticket is good for one connection, of the
// player with this ResumeID only, and has to be used within a time. The visitor then stays as long
// as its connection does. A player has one invitation: a new one ends the one before, with the
// visit. A time of zero only does that. It panics for a ticket of another length, and if this
// server runs inputs [OnArrival]: their states have no ticks that two servers share.
//
// A visitor is no player. It has a [Player] nevertheless, which ServerConfig.Relevant is asked
// about, with its number and its Eye; see [Server.SetVisitorEye].
func (s *Server[S, I]) Invite(ticket []byte, id ResumeID, within time.Duration) {
	if len(ticket) != ticketSize {
		panic(fmt.Sprintf("netcode: an Invite with a ticket of %d bytes; make %d random ones", len(ticket), ticketSize))
	}
	if s.config.InputMode != OnTicks {
		panic("netcode: an Invite to a server that runs inputs OnArrival; players move between servers that run them OnTicks")
	}
	s.dismiss(s.guestOf(id), Reason{Code: transport.Refused, Text: "the visit is over"})
	if within <= 0 {
		return
	}
	if n := len(s.guests) - 2*s.config.MaxPlayers; n >= 0 {
		s.dismiss(s.guests[0], Reason{Code: transport.Refused, Text: "too many visit at once"})
	}
	s.guests = append(s.guests, &guest[S, I]{ticket: [ticketSize]byte(ticket), id: id, until: s.real() + within})
}

// Visitor reports whether the visitor with a ResumeID is connected, and whether it is ready, so
// that its player can come: it has acknowledged a snapshot, and its inputs arrive in time, or four
// seconds have passed. It takes two seconds if the way to this server is 100 ms longer than that to
// the present one, else about half a second.
func (s *Server[S, I]) Visitor(id ResumeID) (ready, present bool) {
	g := s.guestOf(id)
	if g == nil || g.player == nil || g.player.conn.State() == transport.Closed {
		return false, false
	}
	_, acked := g.player.encoder.AckedTick()
	inTime := g.inTime >= s.protocol.TickRate()/10 || s.real()-g.player.joinedAt > readyAnyway
	return acked && inTime, true
}

// SetVisitorEye sets the entity around which a visitor is shown the world, as [Player].Eye does for
// a player: the one that stands here for the player's body. Without one a visitor is shown
// everything.
func (s *Server[S, I]) SetVisitorEye(id ResumeID, e arche.Entity) {
	if g := s.guestOf(id); g != nil {
		if g.eye = e; g.player != nil {
			g.player.Eye = e
		}
	}
}

// guestOf returns the guest that may come with a ResumeID, or nil.
func (s *Server[S, I]) guestOf(id ResumeID) *guest[S, I] {
	for _, g := range s.guests {
		if g.id == id && (g.player == nil || g.player.elsewhere == isComing) {
			return g
		}
	}
	return nil
}

// dismiss ends a visit, or an invitation.
func (s *Server[S, I]) dismiss(g *guest[S, I], reason Reason) {
	if i := slices.Index(s.guests, g); g != nil && i >= 0 {
		g.close(reason)
		s.guests = slices.Delete(s.guests, i, i+1)
	}
}

// admitVisitor makes a connection that of a visitor, or returns the reason for a refusal.
func (s *Server[S, I]) admitVisitor(conn Conn, greeting []byte, now time.Duration) (refused Reason) {
	r := NewReader(greeting[ticketSize:])
	var h hello
	if err := h.read(&r, s.protocol.schema); err != nil || !h.resume {
		s.stats.Malformed++
		return Reason{Code: transport.Refused, Text: "the visitor's hello is malformed; is this the same game?"}
	}
	g := s.guestOf(h.secret.key())
	if g == nil || g.player != nil || now > g.until || subtle.ConstantTimeCompare(g.ticket[:], greeting[:ticketSize]) != 1 {
		return Reason{Code: transport.Refused, Text: "no visitor with this ticket is expected"}
	}
	p := &Player[S, I]{number: h.player, secret: h.secret, Eye: g.eye, elsewhere: isComing, confirmed: true, session: h.session}
	if err := s.connect(p, conn, now, int(h.rate)); err != nil {
		s.config.Log.Error("tandem: cannot take a visitor", "error", err)
		return Reason{Code: transport.Refused, Text: "the server cannot take visitors now"}
	}
	p.slot = int(p.number) % len(s.players)
	g.player = p
	s.sendWelcome(p, false)
	if here := s.Player(p.number); here != nil && here.conn == nil {
		s.seatVisitor(here)
	}
	return Reason{}
}

// receiveGuests handles the datagrams of the guests, and the ends of their stays.
func (s *Server[S, I]) receiveGuests(now time.Duration) {
	s.present = append(s.present[:0], s.guests...) // a message may make the game change the guests
	for _, g := range s.present {
		if g.player == nil && now <= g.until || g.player != nil && s.receiveGuest(g, now) {
			continue
		}
		if i := slices.Index(s.guests, g); i >= 0 {
			s.guests = slices.Delete(s.guests, i, i+1)
		}
	}
	clear(s.present)
}

// receiveGuest handles one guest, and reports whether it stays.
func (s *Server[S, I]) receiveGuest(g *guest[S, I], now time.Duration) bool {
	p := g.player
	p.conn.Poll(now)
	for range perPoll {
		size, arrived, ok := transport.RecvAt(p.conn, now, s.packet)
		if !ok {
			break
		}
		s.stats.ReceivedBytes += uint64(size)
		if size == 0 || s.packet[0] == kindSession && p.endpoint.Repeats(s.packet[1:size]) || !p.inputs.Admit() {
			continue
		}
		switch {
		case s.packet[0] == kindSession:
			if !s.receiveSession(p, s.packet[1:size], now, arrived) {
				s.stats.Malformed++
			}
		case s.packet[0] == kindVisit && p.elsewhere == isComing: // the welcome was lost
			s.sendWelcome(p, false)
		default:
			s.stats.Malformed++
		}
	}
	switch {
	case p.conn.State() == transport.Closed:
		return false
	case p.kick.Code != transport.NoReason || p.inputs.Kick():
		p.conn.Close(Reason{Code: transport.Overload, Text: "sent too much, or broke the protocol"})
		return false
	case p.elsewhere == isGone && now > g.until:
		p.conn.Close(Reason{Code: transport.Moved, Text: g.at})
		return false
	case now-p.receivedAt > s.config.Timeout:
		p.conn.Close(Reason{Code: transport.TimedOut, Text: "nothing was received for too long"})
		return false
	}
	return true
}

// skipGuests passes over the guests' inputs of a step, at a time of the server's clock. The
// players' servers run them.
func (s *Server[S, I]) skipGuests(now time.Duration) {
	for _, g := range s.guests {
		if g.player != nil {
			g.player.inputs.Begin(now)
			g.player.inputs.Next()
			if t, ok := g.player.inputs.(*tickInputs[S, I]); !ok || !t.InTime() {
				g.inTime = 0
			} else {
				g.inTime++
			}
		}
	}
}

// guestsDue appends the guests whose snapshot is due in a tick.
func (s *Server[S, I]) guestsDue(tick uint64, due []*Player[S, I]) []*Player[S, I] {
	for _, g := range s.guests {
		if p := g.player; p != nil && rateDue(tick+uint64(p.slot), min(p.rate, guestRate), s.protocol.TickRate()) {
			due = append(due, p)
		}
	}
	return due
}

// seatVisitor gives a player that has come from another server the connection of its visitor, and
// the inputs that the visitor has sent for the player's next tick and later ones. It reports
// whether there is such a visitor. Without one the player is expected back.
func (s *Server[S, I]) seatVisitor(p *Player[S, I]) bool {
	g := s.guestOf(p.resumeID)
	if g == nil || g.player == nil || g.player.conn.State() == transport.Closed {
		return false
	}
	v := g.player
	s.guests = slices.DeleteFunc(s.guests, func(other *guest[S, I]) bool { return other == g })
	p.conn, p.mtu, p.receivedAt, p.session, p.rate, p.foreign = v.conn, v.mtu, v.receivedAt, v.session, v.rate, false
	p.endpoint, p.encoder, p.own, p.confirmed = v.endpoint, v.encoder, ownSent{}, true
	p.endpoint.SetHandler((*playerHandler[S, I])(p))
	p.matchSent = make([]matchstate.Sent, len(s.protocol.matchStates))
	p.pacer, p.pace, p.rounds, p.wanted, p.need, p.ping = v.pacer, v.pace, v.rounds, v.wanted, v.need, v.ping
	p.near, p.was = v.near, v.was
	if mine, ok := p.inputs.(*tickInputs[S, I]); ok {
		if its, ok := v.inputs.(*tickInputs[S, I]); ok {
			mine.Buffer.Join(its.Buffer)
			if its.views.some {
				mine.views = its.views
			}
		}
	}
	return true
}

// MaxAddress is the most bytes of the address of a server in [Player.Move].
const MaxAddress = transport.MaxReasonText

// A client is sent the ticket again and again, since the datagram may be lost.
const (
	moveFor   = 3 * time.Second
	moveEvery = 200 * time.Millisecond
)

// move is what a client was told last about a visit.
type move struct {
	at          string
	ticket      [ticketSize]byte
	until, next time.Duration
}

// Move makes the client visit the server at an address, beside this one, with a ticket for
// [Server.Invite] there. The player goes on here. Its client uses the other server alone as soon as
// that has the player. The client needs ClientConfig.DialAt, else nothing happens. An empty address
// ends a visit. A client that has lost the connection to the other server visits it again with the
// next ticket only.
//
// The address has at most [MaxAddress] bytes and a ticket 16. The error states what is wrong with
// these, or that the server runs inputs [OnArrival]. A bot has no client, so nothing happens.
func (p *Player[S, I]) Move(at string, ticket []byte) error {
	switch {
	case !isAddress([]byte(at)):
		return fmt.Errorf("netcode: Move to an address of %d bytes; use at most %d, of printable ASCII", len(at), MaxAddress)
	case len(ticket) != ticketSize && !(at == "" && len(ticket) == 0):
		return fmt.Errorf("netcode: Move with a ticket of %d bytes; use the %d bytes that Invite was given", len(ticket), ticketSize)
	case p.server.config.InputMode != OnTicks:
		return errors.New("netcode: Move from a server that runs inputs OnArrival; players move between servers that run them OnTicks")
	}
	if p.bot == nil {
		now := p.server.real()
		p.move = move{at: at, until: now + moveFor, next: now}
		copy(p.move.ticket[:], ticket)
	}
	return nil
}

// isAddress reports whether bytes can be an address: none, or printable ASCII.
func isAddress(at []byte) bool {
	return len(at) <= MaxAddress && !slices.ContainsFunc(at, func(b byte) bool { return b <= ' ' || b > '~' })
}

// sendMove sends a player's client the ticket of its visit, while that is news.
func (s *Server[S, I]) sendMove(p *Player[S, I], now time.Duration) {
	m := &p.move
	if p.conn == nil || now > m.until || now < m.next || m.until == 0 {
		return
	}
	m.next = now + moveEvery
	s.packet[0] = kindMove
	n := 1 + copy(s.packet[1:], m.ticket[:])
	n += copy(s.packet[n:], m.at)
	if p.conn.Send(s.packet[:n]) == nil {
		p.pacer.Spend(float64(n))
		p.pace.spend(n)
	}
}
