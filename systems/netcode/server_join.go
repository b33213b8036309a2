package netcode

import (
	"crypto/sha256"
	"errors"
	"io"
	"net/netip"
	"slices"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/bucket"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// JoinRequest describes a client that asks to join.
type JoinRequest struct {
	Addr string // in the transport's form
	// Token is the token that the client presents, at most 256 bytes; valid during the call. For a
	// client that resumes it may also be the token with which its player has joined: see
	// ServerConfig.Authenticate.
	Token    []byte
	ResumeID ResumeID // of the place that the client claims to have or to have had; zero: none
	// the client has proved that it is a present player, or one that is expected back
	Resumes bool
}

// ResumeID identifies a player's place on a server. It is the SHA-256 hash of the secret with which
// the player returns, so it cannot be used to join. A client that presents a ResumeID has its
// secret. A server that has stored it can therefore recognise the player after a restart, or after
// ServerConfig.Grace. The zero value is nobody's.
type ResumeID [sha256.Size]byte

// pendingConn is a connection without a hello so far. It uses no other memory.
type pendingConn[S any, I comparable] struct {
	conn    Conn
	network netip.Prefix // as of networkOf
	since   time.Duration
	invalid int           // datagrams so far that are no hello
	asked   time.Duration // when it first asked to resume beside another connection; 0: it has not
	claim   []byte        // the hello, while ServerConfig.Elsewhere looks for the place; else nil
}

// A second connection of a player replaces the first one when it has asked for besideWait and the
// first one has been silent for besideSilence. At the end of an outage delayed packets arrive on
// both at once.
const (
	besideWait    = time.Second / 2
	besideSilence = time.Second
)

// maxInvalid is the most datagrams that a connection may send before its hello. A client sends
// none.
const maxInvalid = 64

// maxWaiting is the most pending connections; a transport's own admission limits come before it.
// When there are more, the oldest one of the network with the most pending connections is closed: a
// client sends its hello as soon as its connection is open, and silent connections must not keep it
// out. Datagrams of that connection are handled first, since a server that has stalled finds many
// connections at once whose hellos have long arrived.
const maxWaiting = 64

// A player may return maxComebacks times at once, as many as connections may be pending, and then
// once a second, as often as a client tries by itself.
const (
	maxComebacks       = maxWaiting
	comebacksPerSecond = 1
)

// perPoll is the most datagrams of one connection that are handled in one poll, so that no client
// can delay the step.
const perPoll = 64

func (s *Server[S, I]) accept(conn Conn, now time.Duration) {
	if conn.MTU() < minMTU {
		s.refuse(conn, Reason{Code: transport.Refused, Text: "the connection's packets are too small"})
		return
	}
	if len(s.waiting) >= maxWaiting {
		i := s.evicted()
		first := s.waiting[i]
		s.waiting = slices.Delete(s.waiting, i, i+1)
		first.conn.Poll(now)
		if s.receivePending(&first, now) {
			s.refuse(first.conn, Reason{Code: transport.Refused, Text: "too many are joining at once, try again in a few seconds"})
		}
	}
	transport.SetUntrusted(conn, true)
	s.waiting = append(s.waiting, pendingConn[S, I]{conn: conn, network: networkOf(conn.RemoteAddr()), since: now})
}

// refuse closes a connection with a reason.
func (s *Server[S, I]) refuse(conn Conn, reason Reason) {
	s.stats.Refused++
	conn.Close(reason)
}

// evicted returns the index of the pending connection that makes room for another one. Connections
// of one network, however many, make room for each other only.
func (s *Server[S, I]) evicted() int {
	first, most := 0, 0
	for i, n := range s.waiting {
		count := 1
		for _, other := range s.waiting[i+1:] {
			if n.network.IsValid() && other.network == n.network {
				count++
			}
		}
		if count > most {
			first, most = i, count
		}
	}
	return first
}

// receiveWaiting handles the pending connections.
func (s *Server[S, I]) receiveWaiting(now time.Duration) {
	kept := s.waiting[:0]
	for _, n := range s.waiting {
		n.conn.Poll(now)
		if s.receivePending(&n, now) {
			kept = append(kept, n)
		}
	}
	clear(s.waiting[len(kept):])
	s.waiting = kept
}

// receivePending handles a pending connection and reports whether it is still pending.
func (s *Server[S, I]) receivePending(n *pendingConn[S, I], now time.Duration) bool {
	for range perPoll {
		size, ok := n.conn.Recv(s.packet)
		if !ok {
			break
		}
		s.stats.ReceivedBytes += uint64(size)
		if size > ticketSize && s.packet[0] == kindVisit && size <= maxHello+ticketSize {
			reason := s.admitVisitor(n.conn, s.packet[1:size], now)
			if reason.Code != transport.NoReason {
				s.logRefusal(n.conn, reason, now)
				s.refuse(n.conn, reason)
			}
			return false
		}
		if size == 0 || s.packet[0] != kindHello && s.packet[0] != kindBeside || size > maxHello {
			if n.invalid++; n.invalid > maxInvalid {
				s.refuse(n.conn, Reason{Code: transport.Overload, Text: "sent too many datagrams before a hello"})
				return false
			}
			continue
		}
		if n.claim != nil {
			continue // the same again
		}
		if s.packet[0] == kindBeside && s.mustWait(n, s.packet[1:size], now) {
			continue
		}
		if !s.greet(n, s.packet[1:size], now) {
			return false
		}
	}
	switch {
	case n.conn.State() == transport.Closed:
		return false
	case n.claim != nil && !s.greet(n, n.claim, now):
		return false
	case n.claim != nil && now-n.since > s.config.HelloTimeout:
		reason := Reason{Code: transport.Refused, Text: "it is not known yet where you play, try again in a few seconds"}
		s.logRefusal(n.conn, reason, now)
		s.refuse(n.conn, reason)
		return false
	case now-n.since > s.config.HelloTimeout:
		s.refuse(n.conn, Reason{Code: transport.TimedOut, Text: "no hello was received in time"})
		return false
	}
	return true
}

// mustWait reports whether a second connection of a player has to wait, and if so answers that.
func (s *Server[S, I]) mustWait(n *pendingConn[S, I], greeting []byte, now time.Duration) bool {
	r := NewReader(greeting)
	var h hello
	if h.read(&r, s.protocol.schema) != nil {
		return false
	}
	p := s.resumed(&h)
	if p == nil || p.conn == nil || p.replaced(&h) {
		return false
	}
	if n.asked == 0 {
		n.asked = now
	}
	if now-n.asked >= besideWait && now-p.receivedAt >= besideSilence {
		return false
	}
	_ = n.conn.Send([]byte{kindBeside})
	return true
}

// resumed returns the player whose place a hello claims by its secret, or nil.
func (s *Server[S, I]) resumed(h *hello) *Player[S, I] {
	if p := s.Player(h.player); h.resume && p != nil && p.bot == nil && p.knows(h.secret) {
		return p
	}
	return nil
}

// admit makes a connection a new or a resumed player, or returns the reason for a refusal.
// ServerConfig.Authenticate verifies the client's token.
func (s *Server[S, I]) admit(conn Conn, greeting []byte, now time.Duration) (refused Reason) {
	r := NewReader(greeting)
	var h hello
	if err := h.read(&r, s.protocol.schema); errors.Is(err, snapshot.ErrMismatch) {
		return Reason{Code: transport.Mismatch, Text: err.Error()}
	} else if err != nil {
		s.stats.Malformed++
		return Reason{Code: transport.Refused, Text: "the hello is malformed; is this the same game?"}
	}
	if p := s.resumed(&h); p != nil {
		if p.resumePacer.Allowance(now) < 1 {
			return Reason{Code: transport.Refused, Text: "you come back too often, try again in a few seconds"}
		}
		p.resumePacer.Spend(1)
		if err := s.authenticateAgain(p, conn, h.token); err != nil {
			return refusal(err)
		}
		if p.kick.Code != transport.NoReason { // receive removes the player
			return p.kick
		}
		if p.replaced(&h) {
			return Reason{Code: transport.Replaced, Text: "the player plays in another process"}
		}
		if h.anew {
			if err := s.beginSession(p, conn, now, int(h.rate)); err != nil {
				s.config.Log.Error("tandem: cannot give a player its place", "error", err)
				return Reason{Code: transport.Refused, Text: "the server cannot take players now"}
			}
		}
		s.resume(p, conn, now, !h.anew)
		return Reason{}
	}
	// A secret that no player has, such as that of a player that returned too late, makes a new
	// player.
	if s.draining.Code != transport.NoReason {
		return s.draining
	}
	var former ResumeID
	if h.resume {
		former = h.secret.key()
	}
	if s.config.Authenticate != nil {
		if err := s.config.Authenticate(JoinRequest{conn.RemoteAddr(), h.token, former, false}); err != nil {
			return refusal(err)
		}
	}
	slot := slices.Index(s.players, nil)
	if slot < 0 {
		return Reason{Code: transport.Refused, Text: "the server is full"}
	}
	if crowded := s.addressFull(conn.RemoteAddr()); crowded.Code != transport.NoReason {
		return crowded
	}
	p, err := s.newPlayer(conn, now, int(h.rate))
	if err != nil {
		s.config.Log.Error("tandem: cannot make a player", "error", err)
		return Reason{Code: transport.Refused, Text: "the server cannot take players now"}
	}
	p.token, p.previous = slices.Clone(h.token), former
	s.enter(p, slot)
	p.joinUnlogged = !s.logJoin(p, "joined", "addr", conn.RemoteAddr())
	s.sendWelcome(p, false)
	return Reason{}
}

// enter gives a new player its place, its state and its entity.
func (s *Server[S, I]) enter(p *Player[S, I], slot int) {
	s.players[slot], p.slot = p, slot
	s.stats.Joined++
	p.State, p.Entity = s.config.Joined(p)
	s.checkShown(p.Entity, "Joined")
	s.setOwner(p)
}

// checkShown panics for an entity that the game must not return, since no client would see the
// player.
func (s *Server[S, I]) checkShown(e arche.Entity, by string) {
	switch {
	case e.IsZero():
	case !s.world.Alive(e):
		panic("netcode: " + by + " returned an entity that is dead; return a living one, or the zero entity for a spectator")
	case !s.has(e) || !s.marked(e):
		panic("netcode: " + by + " returned an entity without a Transform3D or without Replicated; give it both, or return the zero entity for a spectator")
	}
}

func (s *Server[S, I]) newPlayer(conn Conn, now time.Duration, rate int) (*Player[S, I], error) {
	number, err := s.freeNumber()
	if err != nil {
		return nil, err
	}
	p := &Player[S, I]{number: number}
	if _, err := io.ReadFull(s.config.Random, p.secret[:]); err != nil {
		return nil, err
	}
	return p, s.connect(p, conn, now, rate)
}

// connect gives a player or a guest that has its number and its secret all that a connection needs.
func (s *Server[S, I]) connect(p *Player[S, I], conn Conn, now time.Duration, rate int) error {
	p.server, p.conn, p.customer, p.joinedAt, p.receivedAt = s, conn, customerPrefix(conn.RemoteAddr()), now, now
	p.lines, p.frame = logLimit{most: mostOfPlayer}, components.Identity3D()
	p.resumeID = p.secret.key()
	p.resumePacer = bucket.NewPaced(comebacksPerSecond, maxComebacks)
	p.pace = newPace(s.config.Bandwidth, s.config.SnapshotRate+s.config.Bandwidth/conn.MTU())
	if err := s.newSession(p, conn.MTU(), rate); err != nil {
		return err
	}
	if s.config.Interest.Radius > 0 {
		slots := s.protocol.schema.Config().MaxEntities
		p.near, p.was = newBitset(slots), newBitset(slots)
	}
	p.pacer = s.newPacer(conn.MTU())
	p.inputs = newPlayerInputs(p)
	return nil
}

// newPacer returns the pacer of a new connection. A thin line would keep a full burst of spawns
// queued for half a second, so it begins with two packets and earns the rest.
func (s *Server[S, I]) newPacer(mtu int) bucket.Paced {
	burst := max(s.config.Bandwidth/4, mtu)
	pacer := bucket.NewPaced(float64(s.config.Bandwidth), float64(burst))
	pacer.Spend(float64(max(burst-2*mtu, 0)))
	return pacer
}

func (s *Server[S, I]) clampRate(wanted int) int {
	if wanted == 0 {
		return s.config.SnapshotRate
	}
	return min(max(wanted, s.config.MinSnapshotRate), s.config.SnapshotRate)
}

// setOwner marks a player's entity as its own.
func (s *Server[S, I]) setOwner(p *Player[S, I]) {
	if s.marked(p.Entity) {
		s.replicated.Get(p.Entity).Owner = p.number
	}
}

// resume gives a player its new connection. In the same session earlier acknowledgements still
// hold, so the player is sent the changes since them.
func (s *Server[S, I]) resume(p *Player[S, I], conn Conn, now time.Duration, same bool) {
	if p.conn != nil {
		reason := Reason{Code: transport.Replaced, Text: "you came back on another connection"}
		p.conn.Close(reason)
		s.lose(p, reason, now)
	}
	p.conn, p.receivedAt = conn, now
	p.ping.waits = false // the answer would measure the old path
	p.pace.control.Reset()
	p.inputs.Reset()
	s.stats.Resumed++
	s.logJoin(p, "resumed", "addr", conn.RemoteAddr())
	s.sendWelcome(p, same)
}

func (s *Server[S, I]) sendWelcome(p *Player[S, I], resumed bool) {
	var buf [64]byte
	buf[0] = kindWelcome
	w := NewWriter(buf[1:])
	m := welcome{player: p.number, secret: p.secret, resumed: resumed && !p.foreign, arrival: s.config.InputMode == OnArrival, rate: uint8(p.rate), session: p.session, half: s.engine.Time().Tick >> 31}
	m.write(&w)
	transport.SetUntrusted(p.conn, false)
	_ = p.conn.Send(buf[:1+len(w.Bytes())])
}
