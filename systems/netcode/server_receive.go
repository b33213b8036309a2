package netcode

import (
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// receive handles the datagrams of a player and the end of its connection.
func (s *Server[S, I]) receive(p *Player[S, I], now time.Duration) {
	s.logLate(p, now)
	if p.conn == nil {
		switch {
		case p.kick.Code != transport.NoReason:
			s.remove(p, p.kick)
		case p.bot == nil && now-p.lostAt > s.config.Grace:
			s.remove(p, Reason{Code: transport.TimedOut, Text: "did not come back"})
		}
		return
	}
	p.conn.Poll(now)
	for range perPoll {
		size, arrived, ok := transport.RecvAt(p.conn, now, s.packet)
		if !ok {
			break
		}
		s.stats.ReceivedBytes += uint64(size)
		if size == 0 || s.packet[0] == kindSession && p.endpoint.Repeats(s.packet[1:size]) {
			continue // networks duplicate datagrams; a copy costs no more than this
		}
		if !p.inputs.Admit() { // counted there; no further cost
			continue
		}
		switch s.packet[0] {
		case kindSession:
			if !s.receiveSession(p, s.packet[1:size], now, arrived) {
				s.stats.Malformed++
			}
		case kindHello, kindBeside: // the welcome was lost
			if size <= maxHello {
				s.repeatWelcome(p, s.packet[1:size])
			}
		default:
			s.stats.Malformed++
		}
		if p.conn == nil {
			return
		}
	}
	if p.kick.Code == transport.NoReason && p.inputs.Kick() {
		p.kick = Reason{Code: transport.Kicked, Text: "sent too much"}
	}
	if p.kick.Code != transport.NoReason {
		p.conn.Close(p.kick)
		s.remove(p, p.kick)
		return
	}
	switch {
	case p.conn.State() == transport.Closed:
		reason := p.conn.CloseReason()
		if reason.Code == transport.Kicked {
			reason.Code = transport.Left // only the server can kick
		}
		if reason.Code == transport.Left || !p.resume() {
			s.remove(p, reason)
			return
		}
		s.lose(p, reason, now)
	case now-p.receivedAt > s.config.Timeout:
		reason := Reason{Code: transport.TimedOut, Text: "nothing was received for too long"}
		p.conn.Close(reason)
		if !p.resume() {
			s.remove(p, reason)
			return
		}
		s.lose(p, reason, now)
	}
}

// resume reports whether a player may return after its connection was lost. A player that never
// sent a packet has not received the secret that it needs.
func (p *Player[S, I]) resume() bool { return p.confirmed && p.server.config.Grace > 0 }

// repeatWelcome answers a repeated hello on a player's own connection.
func (s *Server[S, I]) repeatWelcome(p *Player[S, I], bytes []byte) {
	r := NewReader(bytes)
	var h hello
	if err := h.read(&r, s.protocol.schema); err == nil {
		s.sendWelcome(p, h.resume && !h.anew && h.player == p.number && h.session == p.session && p.knows(h.secret))
	}
}

// receiveSession handles one packet, which arrived at a time up to now, and reports whether it is
// well formed. It decodes all of the packet before it applies any of it.
func (s *Server[S, I]) receiveSession(p *Player[S, I], datagram []byte, now, arrived time.Duration) bool {
	pk, err := p.endpoint.Open(datagram)
	if err != nil {
		return false
	}
	r := &pk.Payload
	hasPing := r.Bool()
	var id uint8
	if hasPing {
		id = uint8(r.Bits(8))
	}
	view := Tick(r.Bits(32))
	fraction := r.Bits(viewBits)
	hasInputs := r.Bool()
	if hasInputs {
		if err := s.inputs.Read(r, s.protocol.game.Inputs); err != nil {
			return false
		}
	}
	if r.Close() != nil {
		return false
	}
	if !p.confirmed {
		p.confirmed = true
		if s.config.Confirmed != nil {
			s.config.Confirmed(p)
		}
	}
	if err := p.endpoint.Accept(pk, arrived); err != nil {
		p.Kick("broke the protocol")
		return true
	}
	p.receivedAt, p.foreign = now, false
	clock := s.now()
	if hasPing {
		p.ping.waits, p.ping.id, p.ping.at = true, id, clock
	}
	p.inputs.Claim(int64(view)<<viewBits+int64(fraction), s.inputs.Newest, hasInputs)
	if hasInputs {
		p.inputs.Receive(&s.inputs, clock)
	}
	return true
}

// lose takes a player's connection away. The player is kept until it returns or Grace is over.
func (s *Server[S, I]) lose(p *Player[S, I], reason Reason, now time.Duration) {
	p.conn, p.lostAt = nil, now
	s.logJoin(p, "lost", "reason", reason.String())
}

// remove removes a player and its entity for good.
func (s *Server[S, I]) remove(p *Player[S, I], reason Reason) {
	s.unregister(p, reason)
	if !p.Entity.IsZero() && s.world.Alive(p.Entity) {
		s.world.RemoveEntity(p.Entity)
	}
	p.Entity = arche.Entity{}
}

// unregister removes a player for good, and calls Left.
func (s *Server[S, I]) unregister(p *Player[S, I], reason Reason) {
	if p.kick.Code != transport.NoReason {
		s.stats.Kicked++
	}
	s.players[p.slot], p.conn = nil, nil
	s.stats.Left++
	s.logJoin(p, "left", "reason", reason.String())
	if s.config.Left != nil {
		s.config.Left(p, reason)
	}
}
