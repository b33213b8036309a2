package netcode

import (
	"math"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
)

// snapshot sends a player the world of a tick, in as many packets as it needs and the bandwidth
// allows. Workers call it and all below for several players at the same time: it reads the world
// and the server, and changes only its worker and its player.
func (s *Server[S, I]) snapshot(k *worker, p *Player[S, I], after Tick) {
	p.encoder.Use(k.shared)
	p.encoder.Preload()
	s.relevance(k, p)
	before := p.endpoint.Next()
	for range maxPackets {
		if s.send(k, p, after) == 0 {
			break
		}
	}
	if p.endpoint.Next() != before {
		p.rounds.tick(s.engine.Time().Tick)
	}
}

// interval returns how many ticks lie between two snapshots of an entity while the path carries
// less than is due. It returns 0 for the interval of the player's snapshot rate.
func (p *Player[S, I]) interval() int {
	if !p.pace.limited {
		return 0
	}
	rate := p.server.protocol.TickRate()
	ticks := min(int(math.Ceil(p.rounds.ticks())), (rate+leastWhole-1)/leastWhole, 1<<intervalBits-1)
	if ticks*p.rate <= rate {
		return 0
	}
	return ticks
}

// send sends one packet to a player: a pong, feedback on its inputs, its own state, the news of
// match states, then as much of the world as fits.
func (s *Server[S, I]) send(k *worker, p *Player[S, I], after Tick) (waiting int) {
	reserve, least := max(leastReserve, p.need), minMTU
	due := p.endpoint.Due(s.real())
	if due > 0 {
		// The room at each snapshot may always be too small for the message. Then a larger packet
		// is sent later.
		least = min(reserve+due+1, p.conn.MTU())
	}
	room := min(p.pace.room(s.real(), least, p.conn.MTU(), p.wanted), p.pacer.Allowance(s.real()))
	if room < least { // next time
		return 0
	}
	if due > 0 {
		reserve = min(reserve, room-due-1)
	}
	k.packet[0] = kindSession
	if p.sentOwn() {
		s.noteOwn(k, p)
	}
	datagram, waiting, err := s.write(k, p, after, room, min(room, reserve))
	if err != nil { // the state has grown and does not fit beside messages, which can wait
		datagram, waiting, err = s.write(k, p, after, room, room)
	}
	if err != nil {
		if room == p.conn.MTU() && !p.tooLarge {
			p.tooLarge = true
			k.oversized = append(k.oversized, oversized{player: p.number, bytes: room})
		}
		return 0
	}
	p.tooLarge = false
	p.ping.waits = false
	full := k.packet[:1+len(datagram)]
	if p.conn.Send(full) == nil {
		p.pacer.Spend(float64(len(full)))
		p.pace.spend(len(full))
		if p.wanted = len(full); waiting > 0 {
			p.wanted = p.conn.MTU()
		}
		k.sent++
		k.sentBytes += uint64(len(full))
	}
	return waiting
}

// sentOwn reports whether the player is sent its own state: this server has the player, and has
// come to its tick.
func (p *Player[S, I]) sentOwn() bool { return p.elsewhere == isHere && !p.early }

// leastReserve is how many bytes of a packet messages leave to the rest, if it has room for both.
const leastReserve = 200

// maxPackets is how many packets a snapshot may fill.
const maxPackets = 4

// write makes a packet of at most room bytes, of which messages leave the reserve. It returns how
// many entities found no room in it.
func (s *Server[S, I]) write(k *worker, p *Player[S, I], after Tick, room, reserve int) (datagram []byte, waiting int, err error) {
	w := p.endpoint.Begin(k.packet[1:room], s.real(), reserve)
	w.Bool(p.ping.waits)
	if p.ping.waits {
		pong{p.ping.id, p.ping.at, s.now() - p.ping.at}.write(w)
	}
	interval := p.interval()
	w.Bool(interval > 0)
	if interval > 0 {
		w.Bits(uint64(interval), intervalBits)
	}
	p.inputs.Feedback().Write(w)
	saved := 0
	w.Bool(p.sentOwn()) // an own state follows
	if !p.sentOwn() {
		for range s.protocol.matchStates {
			w.Bool(false) // the player's server sends them
		}
	} else {
		saved = s.writeOwn(w, p, p.endpoint.Next())
		s.writeMatchStates(w, p, p.endpoint.Next(), after)
	}
	p.need = (w.Len()+saved+7)/8 + leastReserve/2
	before, free := w.Len(), w.Room()
	sent := p.encoder.Encode(w, p.endpoint.Next(), after)
	// No later packet has more room than a whole one without its header.
	if sent.TooLarge != NoEntity && !s.loggedTooLarge && room == p.conn.MTU() && (before+free)/8 >= room-1-packet.MaxHeader {
		k.oversized = append(k.oversized, oversized{id: sent.TooLarge, bytes: free / 8})
	}
	if datagram, err = p.endpoint.End(); err == nil {
		p.rounds.packet(sent)
	}
	return datagram, sent.Waiting, err
}

// logOversized logs that a worker could not send an entity, once, or a player's state, once until
// it fits again.
func (s *Server[S, I]) logOversized(o oversized) {
	switch {
	case o.player != 0:
		s.config.Log.Error("tandem: a player's state does not fit into a packet: write less in the Game's States", "player", o.player, "bytes", o.bytes)
	case !s.loggedTooLarge:
		s.loggedTooLarge = true
		s.config.Log.Error("tandem: an entity does not fit into a packet, so clients cannot see it: write less in the codecs of its components",
			"entity", s.entityOf(o.id), "id", o.id.String(), "room", o.bytes)
	}
}
