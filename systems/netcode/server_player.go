package netcode

import (
	"crypto/subtle"
	"net/netip"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/bucket"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/matchstate"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// Player is one client on the server, or a bot that [Server.AddBot] has added.
type Player[S any, I comparable] struct {
	// State is the player's authoritative state. The server steps it by the player's inputs before
	// FixedUpdate's other systems run, which may change it further (a push, damage); use Teleport
	// for jumps.
	State S
	// Entity shows the player to others; the zero entity for a spectator. To give the player
	// another one, such as a body for a spectator, set it and call Teleport with the state that
	// belongs to it: no client draws a motion between the two. The plugin sets the Owner of the new
	// entity. The old one keeps its own: despawn it, or set its Owner to 0.
	//
	// A free camera is an Entity of the player's own too, moved by its inputs, which
	// ServerConfig.Relevant shows to its owner only.
	Entity arche.Entity
	// Eye is the entity around which the player is shown the world: the centre of Interest and of
	// the priorities. It needs a Transform3D. The zero entity, and one that is despawned, mean
	// Entity. A spectator that follows a player has that player's Entity here, and its client hangs
	// the camera on the replica. It does not affect Rewind.
	//
	// A player with neither Eye nor Entity is shown everything, past Interest; so is a spectator
	// without an Entity as soon as its Eye is despawned. Where that tells too much, give it another
	// Eye in the same step, or an Entity of its own.
	Eye arche.Entity
	// Input is the newest input that has run.
	Input I

	server   *Server[S, I]
	number   uint16
	secret   secret
	session  uint8 // counts the processes that have claimed the place; see hello.session
	resumeID ResumeID
	previous ResumeID
	token    []byte
	slot     int
	rate     int

	conn Conn             // nil: expected back, or a bot
	bot  *botInputs[S, I] // nil: a client
	// by the address from which the player joined, also after it has moved to another one: else one
	// customer with two addresses could fill all places
	customer     netip.Prefix
	resumePacer  bucket.Paced // bounds how often it returns
	joinedAt     time.Duration
	lines        logLimit // of the log, once it has played for a while
	joinUnlogged bool     // no line of the log reports that it has joined
	lostAt       time.Duration
	receivedAt   time.Duration
	endpoint     *packet.Endpoint
	encoder      *snapshot.Encoder
	pacer        bucket.Paced // keeps to ServerConfig.Bandwidth
	pace         pace         // keeps to the capacity of the path
	rounds       rounds
	wanted       int // bytes of a packet with everything that is due, as far as is known
	ping         struct {
		waits bool
		id    uint8
		at    time.Duration
	}

	launched launchCounts
	base     MovementBase
	// last pose of the body that carries the player, or that carried it last
	frame  components.Pose3D
	jumps  uint8
	inputs playerInputs[I]

	rewound rewound[S, I]
	own     ownSent
	// of match states, in their order
	matchSent []matchstate.Sent
	outlook
	near bitset // with Interest: slots near enough to be relevant, now and before
	was  bitset
	kick Reason

	shared struct { // the input that other players receive
		id EntityID
		in I
	}

	// It was imported, and nothing of its session has arrived here yet. The session begins anew at
	// both ends, with the number that the client knows.
	foreign bool
	early   bool // it was imported before its next tick, and waits for it
	begins  Tick // that tick
	mtu     int  // of the connection on which the session began

	elsewhere elsewhere // not isHere: it is a guest
	move      move      // to another server
	confirmed bool      // has sent a packet of the session, so it has received the welcome
	need      int       // bytes that messages must leave for the state and some of the world
	tooLarge  bool      // a state that did not fit has been logged

	good        S    // the newest State that was finite
	loggedState bool // one that was not
}

// Number returns the player's number, 1 to 65535, which is also [Replicated.Owner] of its entities.
// No other player has it until this one is removed.
func (p *Player[S, I]) Number() uint16 { return p.number }

// Connected reports whether the player is connected; otherwise it is expected back. A bot counts as
// connected.
func (p *Player[S, I]) Connected() bool { return p.conn != nil || p.bot != nil }

// Addr returns the player's address in the transport's form, for logs; empty while it is away, and
// for a bot.
func (p *Player[S, I]) Addr() string {
	if p.conn == nil {
		return ""
	}
	return p.conn.RemoteAddr()
}

// Token returns the token that the player presented to Authenticate when it joined: for bans. Do
// not change it, nor show it to anybody.
func (p *Player[S, I]) Token() []byte { return p.token }

// ResumeID names the secret that the player was given when it joined, and with which it returns. It
// stays the same over lost connections.
func (p *Player[S, I]) ResumeID() ResumeID { return p.resumeID }

// PreviousResumeID returns the ResumeID that the player presented to Authenticate when it joined:
// that of the place that it claims to have had earlier, on this server or an earlier run of it.
// Zero: none.
func (p *Player[S, I]) PreviousResumeID() ResumeID { return p.previous }

// Knows reports whether the player was shown an entity in its last snapshot. Call it before naming
// the entity in a message to the player. It is false for a bot, which has no snapshots.
func (p *Player[S, I]) Knows(e arche.Entity) bool {
	return p.bot == nil && p.encoder.Relevant(p.server.idOf(e))
}

// Stats returns the counters of the player's connection; Path describes the path to its client. A
// bot has zeros.
func (p *Player[S, I]) Stats() packet.Stats {
	if p.bot != nil {
		return packet.Stats{}
	}
	return p.endpoint.Stats()
}

// InputStats returns the counters of the player's inputs in the mode [OnTicks], else zeros.
func (p *Player[S, I]) InputStats() InputStats {
	if t, ok := p.inputs.(*tickInputs[S, I]); ok {
		return t.Stats()
	}
	return InputStats{}
}

// ArrivalStats returns the counters of the player's inputs in the mode [OnArrival], else zeros.
// Forfeited is the time lost to stalls longer than ServerConfig.InputCredit.
func (p *Player[S, I]) ArrivalStats() ArrivalStats {
	if a, ok := p.inputs.(*arrivalInputs[S, I]); ok {
		return a.Stats()
	}
	return ArrivalStats{}
}

// Send queues a copy of a message of at most 32 KiB, which the player receives exactly once and in
// order. It waits while the player is away, and is dropped when the player is removed. With an
// error nothing was queued: packet.ErrMessageTooLarge, packet.ErrBackpressure if 64 KiB or 256
// messages wait, or that of raw bytes in a protocol with a [Message]. For a bot nothing is queued.
func (p *Player[S, I]) Send(data []byte) error {
	if err := p.server.protocol.mustPack(data); err != nil || p.bot != nil {
		return err
	}
	return p.endpoint.SendReliable(data)
}

// SendUnreliable queues a copy of a message, which the player receives at most once, in no order.
// The errors are those of Send.
func (p *Player[S, I]) SendUnreliable(data []byte) error {
	if err := p.server.protocol.mustPack(data); err != nil || p.bot != nil {
		return err
	}
	return p.endpoint.SendUnreliable(data)
}

// Kick removes the player or bot for good, before the next step at the latest; its client receives
// the text as the reason. The place is free then, and the secret for resuming is void, also if the
// player is away. ServerConfig.Authenticate can keep it from joining anew.
func (p *Player[S, I]) Kick(text string) {
	if p.kick.Code == transport.NoReason {
		p.kick = Reason{Code: transport.Kicked, Text: text}
	}
}

// Teleport moves the player by a jump, which no client draws as a motion. It may add a component to
// a player that something carries, so do not call it while a query is open.
func (p *Player[S, I]) Teleport(state S) {
	p.mend() // of what the game has written so far
	p.State = state
	p.mend()
	p.jumps++
	pose := p.carry()
	if t := p.transform(); t != nil {
		t.Teleport(pose)
		if r := &p.server.replication; p.server.world.Has(p.Entity, r.track) {
			r.of(p.Entity).leapt = false
		}
	}
}

func (p *Player[S, I]) transform() *components.Transform3D {
	if !p.server.has(p.Entity) {
		return nil
	}
	return p.server.transforms.Get(p.Entity)
}

// step applies the player's inputs of this tick to its state by Game.Step.
func (p *Player[S, I]) step(t Tick, now time.Duration) {
	if p.early = p.early && p.begins.IsNewer(t); p.early {
		return
	}
	p.mend()
	p.inputs.Begin(now)
	for {
		in, ok := p.inputs.Next()
		if !ok {
			return
		}
		p.Input = in
		if len(p.server.shots) == 0 {
			p.State = p.run(in, t)
			continue
		}
		before := p.State
		p.State = p.run(in, t)
		p.server.fire(p, before, in, t)
	}
}

// writePose moves the entity to the pose of the state.
func (p *Player[S, I]) writePose() {
	if p.early {
		return // the entity is still where the other server has it
	}
	base := p.base
	pose := p.carry()
	t := p.transform()
	if t == nil {
		return
	}
	before := t.Get()
	if p.base != base && p.server.world.Has(p.Entity, p.server.replication.track) {
		before = p.server.replication.of(p.Entity).last // carry has taken it to the present frame
	}
	switch {
	case teleported(p.server.protocol.game.Teleported).between(before, pose):
		p.server.replication.leap(p.Entity, pose)
	case pose != t.Get():
		t.Set(pose)
	}
}

// playerHandler receives the events of a player's endpoint.
type playerHandler[S any, I comparable] Player[S, I]

func (h *playerHandler[S, I]) Delivered(n packet.Number, _ time.Duration) {
	h.encoder.Delivered(n)
	h.own.delivered(n)
	for i := range h.matchSent {
		h.matchSent[i].Delivered(n)
	}
}

// Lost does nothing, since the contents of a lost packet are sent again anyway.
func (h *playerHandler[S, I]) Lost(packet.Number) {}

func (h *playerHandler[S, I]) Message(data []byte, reliable bool) {
	if f := h.server.config.Message; f != nil && h.elsewhere != isComing {
		f((*Player[S, I])(h), data, reliable)
	}
}

func (p *Player[S, I]) knows(s secret) bool {
	return subtle.ConstantTimeCompare(p.secret[:], s[:]) == 1
}
