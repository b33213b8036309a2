package netcode

import (
	"crypto/subtle"
	"net/netip"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/bucket"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// Player is one client, as the server knows him.
type Player[S any, I comparable] struct {
	// State is his authoritative state. The server steps it by his inputs before FixedUpdate's
	// other systems run, which may change it further (a push, damage); use Teleport for jumps.
	State S
	// Entity shows him to others; the zero entity for a spectator.
	Entity arche.Entity
	// Input is what ran in this tick, or last.
	Input I

	server   *Server[S, I]
	number   uint16
	secret   secret
	resumeID ResumeID
	previous ResumeID
	token    []byte
	slot     int
	rate     int

	conn Conn // nil: awaited back
	// whose place it is, by the address from which he joined: else one with two addresses would
	// fill all places, by moving away
	customer    netip.Prefix
	resumePacer bucket.Paced // a bucket of them, not of bytes
	joinedAt    time.Duration
	lines       logLimit // of the log, when it has been in for a while
	unwritten   bool     // the log does not say that it has joined
	lostAt      time.Duration
	receivedAt  time.Duration
	endpoint    *packet.Endpoint
	encoder     *snapshot.Encoder
	pacer       bucket.Paced // keeps to ServerConfig.Bandwidth
	pace        pace         // keeps to what the path carries
	rounds      rounds
	wanted      int // bytes of a packet that says all, as far as is known
	ping        struct {
		waits bool
		id    uint8
		at    time.Duration
	}

	base    MovementBase
	frame   components.Pose3D // where the body that carries him was last, or the one that did
	playing bool              // has a state and, normally, an entity
	jumps   uint8
	inputs  playerInputs[I]

	rewound rewound[S, I]
	// by how much what he looks at is older than the tick of his newest input, in 1/16 ticks, as
	// claimed
	lag     int64
	sent    [256]sentSnapshot
	own     ownSent
	ackTick int64  // newest tick whose snapshot he has acknowledged
	near    bitset // with Interest: what is near enough to be relevant, and what was
	was     bitset
	kick    Reason

	shared struct { // what others have been told of his input
		id EntityID
		in I
	}

	confirmed bool // has sent a packet of the session: somebody is there who heard the welcome
	need      int  // bytes that messages must leave for his state and some of the world
	tooLarge  bool // his state did not fit, which has been logged
}

type sentSnapshot struct {
	number packet.Number
	tick   int64
	own    uint32 // version of what it said of himself, 0 for nothing
}

// Number is the player's number, 1 to 65535, which is also [Replicated.Owner] of what is his. It is
// not used again as long as he is in.
func (p *Player[S, I]) Number() uint16 { return p.number }

// Connected reports whether he is there; otherwise he is awaited back.
func (p *Player[S, I]) Connected() bool { return p.conn != nil }

// Addr returns his address in the transport's form, for logs.
func (p *Player[S, I]) Addr() string {
	if p.conn == nil {
		return ""
	}
	return p.conn.RemoteAddr()
}

// Token returns what he presented to Admit when he joined: for bans. It must not be changed, nor
// shown to anybody.
func (p *Player[S, I]) Token() []byte { return p.token }

// ResumeID names the secret that he was given when he joined, with which he comes back. It is his as
// long as he is in, whatever connections he loses.
func (p *Player[S, I]) ResumeID() ResumeID { return p.resumeID }

// PreviousResumeID returns the ResumeID that he presented to Admit when he joined: that of the place that he
// says he had earlier, on this server or on one before it. Zero: none.
func (p *Player[S, I]) PreviousResumeID() ResumeID { return p.previous }

// Knows reports whether he is shown an entity, as of his last snapshot: ask before telling him
// about it in a message of the game's.
func (p *Player[S, I]) Knows(e arche.Entity) bool { return p.encoder.Relevant(p.server.idOf(e)) }

// Stats returns the counters of the player's connection; Path is what is known of the way to its
// client.
func (p *Player[S, I]) Stats() packet.Stats { return p.endpoint.Stats() }

// InputStats returns the counters of his inputs when they run on ticks.
func (p *Player[S, I]) InputStats() InputStats {
	st, _ := p.inputs.stats()
	return st
}

// ArrivalStats returns the counters of the player's inputs when they run as they come
// (ServerConfig.Immediate). Forfeited is the time lost to stalls longer than ServerConfig.InputCredit.
func (p *Player[S, I]) ArrivalStats() ArrivalStats {
	_, st := p.inputs.stats()
	return st
}

// Send queues a copy of a message of at most 32 KiB that he gets exactly once and in order; while
// he is awaited back it waits, too, and when he is gone for good so is it. With an error nothing
// was queued: packet.ErrMessageTooLarge, or packet.ErrBackpressure if 64 KiB wait, or 256 messages.
func (p *Player[S, I]) Send(data []byte) error { return p.endpoint.SendReliable(data) }

// SendUnreliable queues a copy of a message that he gets at most once, in no order. The errors are
// those of Send.
func (p *Player[S, I]) SendUnreliable(data []byte) error { return p.endpoint.SendUnreliable(data) }

// Kick removes him for good, before the next step at the latest; the text is what he is told. His
// place and the secret with which he could come back are gone then, also if he is away at the
// moment. To keep him from joining anew as somebody else, see ServerConfig.Admit.
func (p *Player[S, I]) Kick(text string) {
	if p.kick.Code == transport.NoReason {
		p.kick = Reason{Code: transport.Kicked, Text: text}
	}
}

// Teleport puts him elsewhere by a jump, which nobody sees as a motion. Where something carries him
// it may add a component, so it must not be called while a query is open.
func (p *Player[S, I]) Teleport(state S) {
	p.State = state
	p.jumps++
	pose := p.carry()
	if t := p.transform(); t != nil {
		t.Teleport(pose)
	}
}

func (p *Player[S, I]) transform() *components.Transform3D {
	w, id := p.server.world, p.server.replication.logical
	if p.Entity.IsZero() || !w.Alive(p.Entity) || !w.Has(p.Entity, id) {
		return nil
	}
	return (*components.Transform3D)(w.Get(p.Entity, id))
}

// step runs his inputs of this tick.
func (p *Player[S, I]) step(t Tick, now time.Duration) {
	if !p.playing {
		return
	}
	game := &p.server.protocol.game
	p.inputs.begin(now)
	for {
		in, ok := p.inputs.next()
		if !ok {
			return
		}
		p.Input = in
		p.State = game.Step(p.State, in, t)
	}
}

// show puts his entity where his state has him.
func (p *Player[S, I]) show() {
	if !p.playing {
		return
	}
	pose := p.carry()
	if transform := p.transform(); transform != nil && pose != transform.Get() {
		transform.Set(pose)
	}
}

// see takes the claim that the client, when it made its newest input, looked at a time. The input
// runs later, and by then newer packets have come; so what is kept is the difference, which hardly
// changes.
func (p *Player[S, I]) see(view Tick, fraction uint64, hasInputs bool, newest Tick) {
	if from, ok := p.inputs.viewedFrom(newest, hasInputs); ok {
		p.lag = int64(from.Sub(view))<<viewBits - int64(fraction)
	}
}

// noteSent remembers which tick a packet showed.
func (p *Player[S, I]) noteSent(n packet.Number, after uint64) {
	p.sent[n%packet.Number(len(p.sent))] = sentSnapshot{n, int64(after), p.own.version}
}

// playerHandler receives the news of a player's endpoint.
type playerHandler[S any, I comparable] Player[S, I]

func (h *playerHandler[S, I]) Delivered(n packet.Number, _ time.Duration) {
	h.encoder.Delivered(n)
	if at := h.sent[n%packet.Number(len(h.sent))]; at.number == n {
		h.ackTick = max(h.ackTick, at.tick)
		h.own.delivered(n, at.own)
	}
}

// Lost does nothing, since the contents of a lost packet are sent again anyway.
func (h *playerHandler[S, I]) Lost(packet.Number) {}

func (h *playerHandler[S, I]) Message(data []byte, reliable bool) {
	if f := h.server.config.Message; f != nil {
		f((*Player[S, I])(h), data, reliable)
	}
}

func (p *Player[S, I]) knows(s secret) bool {
	return subtle.ConstantTimeCompare(p.secret[:], s[:]) == 1
}
