package netcode

import (
	"fmt"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/internal/plugin"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/prediction"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
	"github.com/tandem-ecs/tandem/systems/netcode/replay"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// Server replicates a world to clients and runs their inputs. It is an [ecs.Plugin]; make it with
// [NewServer].
type Server[S any, I comparable] struct {
	protocol *Protocol[S, I]
	config   ServerConfig[S, I]

	engine *ecs.Engine
	entities
	net         *snapshot.World
	components  []boundComponent
	shots       []serverShots[S, I]
	replication replicationStates
	ancestors   ancestors
	checker     checker
	shifts      shiftWatch
	steering    steering
	history     history
	// of scripted movers, at tick 0: a path that reads match states may change in the past
	moverStarts map[uint16]components.Pose3D
	bodies      serverBodies // nil: none
	interest    interestGrid

	players      []*Player[S, I] // by slot; nil where free
	waiting      []pendingConn[S, I]
	guests       []*guest[S, I]
	present      []*guest[S, I] // scratch
	stepped      Tick           // that the players run next
	committed    Tick           // whose state is prepared for sending
	neighbors    int
	draining     Reason
	closed       bool
	next         uint16 // number of the next player
	refusalLines logLimit
	joins        logLimit
	kickLines    logLimit

	dropped        time.Duration // by the engine, as far as players have been excused for it
	unclock        func()        // releases the engine's clock
	notFinite      int           // values that are not finite
	loggedOutside  bool          // an entity beyond the grid of positions has been logged
	loggedScale    bool          // a scale that cannot be sent has been logged
	loggedTooLarge bool          // an entity too large for a packet has been logged
	loggedRaw      bool          // a raw message in a protocol with messages has been logged

	encoding *encoding[S, I]
	packet   []byte // scratch: one received datagram
	inputs   prediction.Inputs[I]
	stats    ServerStats

	recordings []*recording
	recorded   []byte // the players, for them

	// setUp is the work of Install. A program of clients alone has the type, by its protocol, and
	// with it all that its methods call: NewServer, which it does not call, brings the work in.
	setUp func(e *ecs.Engine)
}

// NewServer returns a server, or an error that states what is wrong with the configuration.
func NewServer[S any, I comparable](p *Protocol[S, I], c ServerConfig[S, I]) (*Server[S, I], error) {
	if err := c.complete(p); err != nil {
		return nil, err
	}
	p.claim()
	s := &Server[S, I]{
		protocol:     p,
		config:       c,
		players:      make([]*Player[S, I], c.MaxPlayers),
		next:         c.FirstNumber,
		refusalLines: newLogLimit(mostRefusals),
		joins:        newLogLimit(mostJoins(c.MaxPlayers)),
		kickLines:    newLogLimit(mostJoins(c.MaxPlayers)),
		packet:       make([]byte, transport.MaxMTU),
	}
	s.setUp = s.installOn
	return s, nil
}

// Install adds the server to an engine, whose fixed rate must be the protocol's tick rate. It holds
// the engine's clock until the engine is closed, since clients follow it: pause or slow a match
// down in its systems. It panics if the rates differ or something else holds the clock.
func (s *Server[S, I]) Install(e *ecs.Engine) { s.setUp(e) }

func (s *Server[S, I]) installOn(e *ecs.Engine) {
	if s.engine != nil {
		panic("netcode: this server is already installed on an engine; make one per engine")
	}
	if rate := e.Time().Rate; rate != s.protocol.TickRate() {
		panic(fmt.Sprintf("netcode: the engine runs at %d Hz and the protocol at %d Hz; give both the same rate", rate, s.protocol.TickRate()))
	}
	if s.config.FirstTick != 0 {
		if err := e.StartAt(uint64(s.config.FirstTick)); err != nil {
			panic("netcode: the server's FirstTick cannot be reached: " + err.Error())
		}
	}
	release, err := e.HoldClock("the netcode's server")
	if err != nil {
		panic("netcode: a server needs an engine with a clock of its own; to host and play in one process, use two engines with a loopback between them: " + err.Error())
	}
	s.stepped = s.config.FirstTick
	s.engine, s.entities, s.unclock = e, newEntities(e.World()), release
	s.net = snapshot.NewWorld(s.protocol.schema)
	s.encoding = newEncoding(s)
	for _, kind := range s.protocol.components {
		s.components = append(s.components, kind.bind(s.world))
	}
	for _, kind := range s.protocol.shots {
		s.shots = append(s.shots, kind.server(s))
	}
	slots := s.protocol.schema.Config().MaxEntities
	s.replication = newReplicationStates(&s.entities, slots)
	s.ancestors = newAncestors(&s.entities, s.replication.track)
	s.checker.find = s.misdrawn
	plugin.Put(s.world, &s.checker)
	for _, m := range s.protocol.matchStates {
		m.serve(s.Tick)
	}
	s.moverStarts = make(map[uint16]components.Pose3D, len(s.protocol.movers))
	for archetype, mover := range s.protocol.movers {
		s.moverStarts[archetype] = mover.at(0)
	}
	s.interest = newInterestGrid(s.config.Interest, slots)
	s.history = newHistory(s.protocol.schema.Config(), s.config.Rewind)
	if s.protocol.bodies != nil {
		s.bodies = s.protocol.bodies.server(s)
	}
	e.AddAt(ecs.FixedUpdate, OrderNetwork, &plugin.System{What: "server's inputs", Run: s.beginStep})
	// Behind the hierarchy's sweep, so that no snapshot shows the children of a parent that has
	// just been despawned; before any capture, which settles the writes.
	e.AddAt(ecs.FixedEnd, OrderReplicate, &plugin.System{What: "server's snapshots", Run: s.endStep})
	e.AddAt(ecs.FixedEnd, ecs.OrderCapture+1, &plugin.System{What: "server's settling", Run: s.settleWrites})
	e.AddAt(ecs.NormalUpdate, OrderNetwork, &plugin.System{What: "server's sockets", Run: s.frame, Stop: s.close})
}

// now returns the server's clock, whose zero is the edge of tick 0. It does not advance for time
// that the engine drops.
func (s *Server[S, I]) now() time.Duration { return s.engine.Time().Normal }

// real returns the time for connections, which includes time that the engine drops.
func (s *Server[S, I]) real() time.Duration { return s.engine.Time().Real }

// Tick returns the tick of the present step or, between steps, of the next one.
func (s *Server[S, I]) Tick() Tick { return Tick(s.engine.Time().Tick) }

// Players calls f for every player, connected or expected back, and every bot.
func (s *Server[S, I]) Players(f func(p *Player[S, I])) {
	for p := range s.all {
		f(p)
	}
}

// all iterates over all players, in the order of their slots.
func (s *Server[S, I]) all(yield func(p *Player[S, I]) bool) {
	for _, p := range s.players {
		if p != nil && !yield(p) {
			return
		}
	}
}

// Player returns the player or bot with a number, connected or expected back, or nil.
func (s *Server[S, I]) Player(number uint16) *Player[S, I] {
	for p := range s.all {
		if p.number == number {
			return p
		}
	}
	return nil
}

// Drain refuses all new clients from now on, with the text as the reason. Present players go on.
// Use it in the minutes before a shutdown.
func (s *Server[S, I]) Drain(why string) {
	s.draining = Reason{Code: transport.Shutdown, Text: why}
}

// Draining reports whether the server takes no more players: see [Server.Drain].
func (s *Server[S, I]) Draining() bool { return s.draining.Code != transport.NoReason }

// Broadcast sends a reliable message to every connected player. It leaves out a player whose queue
// is full: its client has stopped receiving, and will time out. Raw bytes in a protocol with a
// [Message] are not sent, and the first ones are logged.
func (s *Server[S, I]) Broadcast(data []byte) {
	if err := s.protocol.mustPack(data); err != nil {
		if !s.loggedRaw {
			s.loggedRaw = true
			s.config.Log.Error("tandem: a broadcast was not sent", "error", err)
		}
		return
	}
	for p := range s.all {
		if p.conn != nil {
			_ = p.Send(data)
		}
	}
	s.note(replay.Frame{Tick: s.Tick(), Kind: replay.Message, Data: data})
}

// idOf returns an entity's ID, NoEntity if it is not replicated.
func (s *Server[S, I]) idOf(e arche.Entity) EntityID {
	if !s.living.Alive(e) || !s.world.Has(e, s.replication.track) {
		return NoEntity
	}
	return (*replicationState)(s.world.Get(e, s.replication.track)).id
}

// shownID returns the ID of a player's own entity, NoEntity if the player is not shown it.
func (s *Server[S, I]) shownID(p *Player[S, I]) EntityID {
	if p.encoder.Relevant(p.body) {
		return p.body
	}
	return NoEntity
}

// close closes all connections and then calls Left for every player. Connections are closed first,
// since a game may take long to save its players' progress. At last it waits until the reasons have
// been sent.
func (s *Server[S, I]) close() {
	reason := s.draining
	if reason.Code == transport.NoReason {
		reason = Reason{Code: transport.Shutdown, Text: "the server is going down"}
	}
	s.closed = true
	s.ignoreShifts()
	plugin.Take(s.world, &s.checker)
	last := func(p *Player[S, I]) Reason {
		if p.kick.Code != transport.NoReason { // kicked since the last step
			return p.kick
		}
		return reason
	}
	for p := range s.all {
		if p.conn != nil {
			p.conn.Close(last(p))
		}
	}
	for _, g := range s.guests {
		g.close(reason)
	}
	s.config.Listener.Close(reason)
	s.waiting, s.guests = nil, nil
	_ = s.engine.SetStretch(1)
	s.unclock()
	for p := range s.all {
		s.unregister(p, last(p))
	}
	s.logWithheld(s.refusalLines.rest(), s.joins.rest()+s.kickLines.rest())
	awaitGoodbye(s.config.Listener)
}
