package netcode

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/congestion"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/prediction"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// ServerConfig configures a [Server]. Listener and Joined are required; every other zero value
// means the default that its comment states.
type ServerConfig[S any, I comparable] struct {
	// Listener brings the clients.
	Listener Listener
	// Joined makes a new player: his first state, and the entity that shows him (with a Transform3D
	// and Replicated; the plugin sets its Owner), or the zero entity for a spectator. It runs
	// between systems, so it may change the world's structure.
	Joined func(p *Player[S, I]) (S, arche.Entity)
	// Confirmed is called once for each player, when its first packet has arrived: the player is
	// there, and has got the welcome. Before that it may leave without having known that it was in.
	// The call comes before the player's first message.
	Confirmed func(p *Player[S, I])
	// Left is told that a player is gone for good, and why: here a game saves what he has won. His
	// entity is despawned afterwards, if it still lives. When the engine is closed it is told so of
	// all who are in or awaited back, with transport.Shutdown, as soon as the players know; their
	// entities stay in the world then, which is given back. So Left follows every Joined, unless
	// the process ends without closing its engine.
	Left func(p *Player[S, I], reason Reason)
	// Message hears what players send, between systems. The bytes are valid during the call.
	Message func(p *Player[S, I], data []byte, reliable bool)
	// Authenticate decides, inside the encrypted channel, whether a client may join. The client
	// shows an error's text and ends, unless the error has a method Temporary() bool that returns
	// true: then it tries again. Authenticate is also called when a player comes back to its place
	// (JoinRequest.Resumes): with the token that it joined with, and, if it presents another one,
	// with that as well. Refuse then only players that have been banned since. Nil lets every
	// client in. Package access keeps invitations and bans; package host connects it.
	Authenticate func(c JoinRequest) error
	// Relevant says whether a player may know of an entity, in addition to Interest. Nil: of all.
	// What it refuses never leaves a byte on his wire.
	Relevant func(p *Player[S, I], e arche.Entity) bool
	// Interest limits by distance what a player is shown.
	Interest Interest
	// SnapshotRate is how many snapshots a second players get; zero means 30, or the tick rate if
	// that is lower. Players may ask for fewer, down to MinSnapshotRate (zero means 5). It does not
	// change how fast the game runs.
	SnapshotRate, MinSnapshotRate int
	// Bandwidth is the most bytes of payload per second and player; zero means 64 KiB. A player
	// whose line carries less is sent less.
	Bandwidth int
	// MaxPlayers is how many may play, those included who are awaited back; zero means 64. Others
	// are refused with a reason.
	MaxPlayers int
	// MaxPerAddress is how many of them may be of one address (of IPv6: of one /56, which is what a
	// customer gets), so that a stranger with a link for all cannot take all places; zero means a
	// quarter of MaxPlayers, at least 4; negative: any number. Addresses of this machine and of
	// private networks are not counted. Raise it where many play behind one address: a school, a
	// provider's NAT.
	MaxPerAddress int
	// Timeout is how long a silent connection is kept (zero: 22 s), and Grace how long its player
	// is awaited back after that (zero: 30 s; negative: not).
	Timeout, Grace time.Duration
	// HelloTimeout is how long a connection may stay without saying who it is; zero means 3 s.
	HelloTimeout time.Duration
	// Immediate runs inputs as they come, each player on a clock of his own, instead of one per
	// tick.
	OnArrival bool
	// InputCredit is how much time a player whose inputs run on arrival may make up for at once after a
	// silence; zero means 100 ms, at most 2 s. The player loses the rest of a silence, which its
	// client corrects: over an ordered stream, where each lost packet is a stall of a third of a
	// second, a second is right. It is also how far a player leaps that is silent on purpose. It
	// counts as at least the interval between two of the player's snapshots, 200 ms at 5 Hz: with
	// less an honest player would lose time on a perfect line.
	InputCredit time.Duration
	// Kick is when a player who sends too much is removed.
	Kick prediction.Policy
	// Rewind is how far back [Player.Rewind] goes at most; zero means 500 ms.
	Rewind time.Duration
	// Random makes secrets; nil means crypto/rand.Reader.
	Random io.Reader
	// Log takes a line for each join, leave and refusal, unless there are so many in a minute that
	// they would fill a disk: the others are counted. One network has a share of the lines, and
	// players that are kicked or have been in for a minute have their own, so that a storm does not
	// hide them. Nil means slog.Default().
	Log *slog.Logger
}

// Server replicates a world to clients and runs their inputs. It is an [ecs.Plugin]; make it with
// [NewServer].
type Server[S any, I comparable] struct {
	protocol *Protocol[S, I]
	config   ServerConfig[S, I]

	engine      *ecs.Engine
	world       *arche.World
	net         *snapshot.World
	shared      *snapshot.Shared // by the encoders of all players
	mirrors     []componentMirror
	replication replicationStates
	shifts      shiftWatch
	history     history
	bodies      serverBodies // nil: none
	interest    interestGrid

	players      []*Player[S, I] // by slot; nil where free
	waiting      []pendingConn[S, I]
	draining     Reason
	next         uint16 // number of the next player
	refusalLines logLimit
	joins        logLimit
	kickLines    logLimit

	dropped time.Duration // by the engine, of which players have been told
	unclock func()        // gives the engine's clock back
	outside bool          // something was beyond the grid of positions, which has been logged
	large   bool          // something did not fit into a packet, likewise

	packet  []byte // scratch: one datagram
	noting  Writer // of a player's own state, into scratch
	scratch []byte
	inputs  prediction.Inputs[I]
	stats   ServerStats
}

// ServerStats are a server's counters. Bytes are without what the transport adds.
type ServerStats struct {
	Players, Away, Waiting int    // connected; awaited back; not yet let in
	Entities               int    // replicated
	Joined, Resumed, Left  uint64 // totals
	Refused                uint64 // newcomers turned away: full, wrong token, other build
	Kicked                 uint64 // players removed, by the game or by the policy
	Malformed              uint64 // datagrams that no client writes
	SentBytes, Sent        uint64 // packets of the session, and their bytes
	ReceivedBytes          uint64 // of all datagrams that arrived, those of newcomers included
	Snapshots              uint64 // states of the world that were taken to be sent

	// Causes counts the connected players by what sets the rate of what they are sent. LeastRate
	// is the least of these rates in bytes per second with what the transport adds, MostQueue the
	// longest wait of their packets in queues.
	Causes    [congestion.Silence + 1]int
	LeastRate float64
	MostQueue time.Duration
}

// NewServer returns a server, or an error that says what is wrong with the configuration.
func NewServer[S any, I comparable](p *Protocol[S, I], c ServerConfig[S, I]) (*Server[S, I], error) {
	if p == nil || c.Listener == nil || c.Joined == nil {
		return nil, errors.New("netcode: a server needs a Protocol, a Listener and Joined")
	}
	c.SnapshotRate = or(c.SnapshotRate, min(30, p.TickRate()))
	c.MinSnapshotRate = or(c.MinSnapshotRate, min(5, c.SnapshotRate))
	c.Bandwidth = or(c.Bandwidth, 64<<10)
	c.MaxPlayers = or(c.MaxPlayers, 64)
	c.MaxPerAddress = or(c.MaxPerAddress, max(4, c.MaxPlayers/4))
	c.Timeout = or(c.Timeout, longPatience)
	c.Grace = or(c.Grace, 30*time.Second)
	c.HelloTimeout = or(c.HelloTimeout, 3*time.Second)
	c.Rewind = or(c.Rewind, 500*time.Millisecond)
	if c.Random == nil {
		c.Random = rand.Reader
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	switch rate := p.TickRate(); {
	case c.SnapshotRate < 1 || c.SnapshotRate > rate || c.SnapshotRate > 255:
		return nil, fmt.Errorf("netcode: a snapshot rate of %d Hz; it must be between 1 and the tick rate of %d Hz", c.SnapshotRate, rate)
	case c.MinSnapshotRate < 1 || c.MinSnapshotRate > c.SnapshotRate:
		return nil, fmt.Errorf("netcode: a least snapshot rate of %d Hz; it must be between 1 and the snapshot rate of %d Hz", c.MinSnapshotRate, c.SnapshotRate)
	case c.MaxPlayers < 1 || c.MaxPlayers > 4096:
		return nil, fmt.Errorf("netcode: %d players; it must be between 1 and 4096", c.MaxPlayers)
	case c.Bandwidth < 1<<10:
		return nil, fmt.Errorf("netcode: a bandwidth of %d bytes a second; it must be at least 1024", c.Bandwidth)
	case c.InputCredit < 0 || c.InputCredit > 2*time.Second:
		return nil, fmt.Errorf("netcode: a bank of %v; it must be between 0s and 2s", c.InputCredit)
	case c.InputCredit > 0 && !c.OnArrival:
		return nil, errors.New("netcode: a Bank is for inputs that run OnArrival; on ticks there is nothing to save up")
	case c.Timeout < 0 || c.HelloTimeout < 0 || c.Rewind < 0 || c.Rewind > 2*time.Second:
		return nil, errors.New("netcode: time-outs must be positive, and Rewind at most 2 s")
	}
	if err := c.Interest.validate(); err != nil {
		return nil, err
	}
	return &Server[S, I]{
		protocol:     p,
		config:       c,
		players:      make([]*Player[S, I], c.MaxPlayers),
		next:         1,
		refusalLines: newLogLimit(mostRefusals),
		joins:        newLogLimit(mostJoins(c.MaxPlayers)),
		kickLines:    newLogLimit(mostJoins(c.MaxPlayers)),
		packet:       make([]byte, transport.MaxMTU),
		scratch:      make([]byte, transport.MaxMTU),
	}, nil
}

func or[T comparable](v, fallback T) T {
	var zero T
	if v == zero {
		return fallback
	}
	return v
}

// Install adds the server to an engine, whose fixed rate must be the protocol's tick rate, and
// holds its clock until the engine is closed, since clients follow it: a match that is to stand
// still or to go slowly does so in its systems. It panics if the rate is another one or the clock
// cannot be had.
func (s *Server[S, I]) Install(e *ecs.Engine) {
	if s.engine != nil {
		panic("netcode: this server is already installed on an engine; make one per engine")
	}
	if rate := e.Time().Rate; rate != s.protocol.TickRate() {
		panic(fmt.Sprintf("netcode: the engine runs at %d Hz and the protocol at %d Hz; give both the same rate", rate, s.protocol.TickRate()))
	}
	release, err := e.HoldClock("the netcode's server")
	if err != nil {
		panic("netcode: a server needs an engine with a clock of its own, and who hosts two engines, with a loopback between them: " + err.Error())
	}
	s.engine, s.world, s.unclock = e, e.World(), release
	s.net = snapshot.NewWorld(s.protocol.schema)
	s.shared = snapshot.NewShared(s.net)
	for _, kind := range s.protocol.mirrors {
		s.mirrors = append(s.mirrors, kind.bind(s.world))
	}
	slots := s.protocol.schema.Config().MaxEntities
	s.replication = newReplicationStates(s.world, slots)
	s.interest = newInterestGrid(s.config.Interest, slots)
	s.history = newHistory(s.protocol.schema.Config(), s.config.Rewind)
	if s.protocol.bodies != nil {
		s.bodies = s.protocol.bodies.server(s)
	}
	e.AddAt(ecs.FixedUpdate, OrderNetwork, &serverSystem{"server's inputs", s.beginStep, nil})
	// Behind the hierarchy's sweep, so that no snapshot shows the children of a parent that has
	// just been despawned; before any capture, which settles the writes.
	e.AddAt(ecs.FixedEnd, OrderReplicate, &serverSystem{"server's snapshots", s.endStep, nil})
	e.AddAt(ecs.FixedEnd, ecs.OrderCapture+1, &serverSystem{"server's settling", s.settleWrites, nil})
	e.AddAt(ecs.NormalUpdate, OrderNetwork, &serverSystem{"server's sockets", s.receiveAll, s.close})
}

type serverSystem struct {
	name     string
	update   func()
	finalize func()
}

func (s *serverSystem) Initialize(*arche.World) {}
func (s *serverSystem) Update(*arche.World)     { s.update() }
func (s *serverSystem) Name() string            { return s.name }
func (s *serverSystem) Finalize(*arche.World) {
	if s.finalize != nil {
		s.finalize()
	}
}

// now is the server's clock: its zero is the edge of tick 0. It stands still where the engine drops
// time.
func (s *Server[S, I]) now() time.Duration { return s.engine.Time().Normal }

// real is the time that connections live by, which no hitch of the engine holds up.
func (s *Server[S, I]) real() time.Duration { return s.engine.Time().Real }

// Tick returns the tick of the step that runs or comes next.
func (s *Server[S, I]) Tick() Tick { return Tick(s.engine.Time().Tick) }

// Stats returns the counters.
func (s *Server[S, I]) Stats() ServerStats {
	st := s.stats
	for _, p := range s.players {
		switch {
		case p == nil:
		case p.conn == nil:
			st.Away++
		default:
			st.Players++
			path := p.Stats().Path
			st.Causes[path.Cause]++
			st.MostQueue = max(st.MostQueue, path.Queue)
			if st.Players == 1 || path.Rate < st.LeastRate {
				st.LeastRate = path.Rate
			}
		}
	}
	st.Waiting, st.Entities = len(s.waiting), s.net.Len()
	return st
}

// Players calls f for every player who is in, connected or awaited back.
func (s *Server[S, I]) Players(f func(p *Player[S, I])) {
	for _, p := range s.players {
		if p != nil {
			f(p)
		}
	}
}

// Player returns the player with a number, connected or awaited back, or nil.
func (s *Server[S, I]) Player(number uint16) *Player[S, I] { return s.playerOf(number) }

// Drain lets nobody in any more and tells newcomers why; those who play go on. It is for the
// minutes before a shutdown.
func (s *Server[S, I]) Drain(why string) {
	s.draining = Reason{Code: transport.Shutdown, Text: why}
}

// Broadcast sends a reliable message to every connected player. A player who has stopped listening
// is passed over; he will time out.
func (s *Server[S, I]) Broadcast(data []byte) {
	s.Players(func(p *Player[S, I]) {
		if p.conn != nil {
			_ = p.Send(data)
		}
	})
}

// receive takes in all that has arrived. It runs in every frame, and before each step.
func (s *Server[S, I]) receiveAll() {
	now := s.real()
	s.forgive()
	s.logWithheld(s.refusalLines.take(now), s.joins.take(now)+s.kickLines.take(now))
	s.config.Listener.Poll(now)
	for {
		conn, ok := s.config.Listener.Accept()
		if !ok {
			break
		}
		s.accept(conn, now)
	}
	s.receiveWaiting(now)
	for _, p := range s.players {
		if p != nil {
			s.receive(p, now)
		}
	}
}

// forgive lets players off what they sent for ticks that this server has skipped: it is not they
// who are too fast.
func (s *Server[S, I]) forgive() {
	step := time.Second / time.Duration(s.protocol.TickRate())
	n := int64((s.engine.Time().Dropped - s.dropped) / step)
	if n == 0 {
		return
	}
	s.dropped += time.Duration(n) * step
	for _, p := range s.players {
		switch {
		case p == nil:
		case p.buffer != nil:
			p.buffer.Skip(n)
		default:
			p.arrivals.Skip(n)
		}
	}
}

// beginStep runs before gameplay: every player's input of this tick is taken, and his state
// stepped.
func (s *Server[S, I]) beginStep() {
	s.receiveAll()
	now := s.now()
	t := s.Tick()
	if len(s.protocol.movers) > 0 {
		s.replication.move(s.protocol.movers, t.Add(1))
	}
	for _, p := range s.players {
		if p != nil {
			p.step(t, now)
		}
	}
	if s.bodies != nil {
		s.bodies.step(t)
	}
	for _, p := range s.players {
		if p != nil {
			p.show()
		}
	}
}

// endStep runs after gameplay: what changed is noted, and snapshots go out when they are due.
func (s *Server[S, I]) endStep() {
	for _, p := range s.players {
		if p != nil {
			s.own(p) // the game may have given him another body
		}
	}
	s.collectChanges()
	t := s.engine.Time()
	after := Tick(t.Tick) + 1
	s.recordMoments(int64(t.Tick) + 1)
	committed := false
	for slot, p := range s.players {
		// Everybody at the same rate, but not all in the same tick.
		if p == nil || p.conn == nil || !rateDue(t.Tick+uint64(slot), p.rate, s.protocol.TickRate()) {
			continue
		}
		if !committed {
			committed = true
			s.commit()
		}
		s.snapshot(p, after)
	}
}

// idOf returns what an entity is called on the wire, None if it is not replicated.
func (s *Server[S, I]) idOf(e arche.Entity) EntityID {
	if !s.replication.living.Alive(e) || !s.world.Has(e, s.replication.track) {
		return NoEntity
	}
	return (*replicationState)(s.world.Get(e, s.replication.track)).id
}

// shownID is what a player's own entity is called, None where he is not shown it.
func (s *Server[S, I]) shownID(p *Player[S, I]) EntityID {
	if id := s.idOf(p.Entity); p.encoder.Relevant(id) {
		return id
	}
	return NoEntity
}

// close tells everybody that the server is going down, and then the game that they are gone: it may
// take its time to save what they have won.
func (s *Server[S, I]) close() {
	reason := s.draining
	if reason.Code == transport.NoReason {
		reason = Reason{Code: transport.Shutdown, Text: "the server is going down"}
	}
	s.ignoreShifts()
	last := func(p *Player[S, I]) Reason {
		if p.kick.Code != transport.NoReason { // since the last step
			return p.kick
		}
		return reason
	}
	for _, p := range s.players {
		if p != nil && p.conn != nil {
			p.conn.Close(last(p))
		}
	}
	s.config.Listener.Close(reason)
	s.waiting = nil
	s.unclock()
	for _, p := range s.players {
		if p != nil {
			s.part(p, last(p))
		}
	}
	s.logWithheld(s.refusalLines.rest(), s.joins.rest()+s.kickLines.rest())
}
