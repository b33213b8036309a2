// Package view is a player's place in the networked arena: a client with its engine, the player's
// pilot and the picture. It opens no windows and no sockets.
package view

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/demo/internal/arena"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/hierarchy"
	"github.com/tandem-ecs/tandem/systems/interpolation"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/articles"
	"github.com/tandem-ecs/tandem/systems/netcode/interp"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// Config configures a [Seat]. Every zero value but Dial's means the default that its comment
// states.
type Config struct {
	Dial     func() (transport.Conn, error) // required
	Token    []byte
	Rate     int // ticks per second, the server's; zero: 60
	SendRate int // the wish for snapshots a second; zero: as the server likes

	ActionRate int // packets of inputs per second; zero: one per tick
	// of others behind the newest snapshots; zero: as measured
	Delay netcode.Bounds[time.Duration]

	Link  settings.Link // the simulated path, on top of the real one
	Pilot Pilot         // who plays; nil: nobody touches anything
	Blind bool          // no visual poses: for bots that nobody watches
	Log   *slog.Logger
}

// Switches are what keys change.
type Switches struct {
	Predict, Reconcile bool
	Kind               interp.Kind
	Ghosts, Graphs     bool
	Overlay            bool // figures, scores and graphs
	Captions           bool // names over heads, and announcements
	Still              bool // the camera stands still
}

// Seat is a player's place.
type Seat struct {
	Hint bool // the line of figures tells which key explains the others

	config Config
	rules  arena.Rules
	engine *ecs.Engine
	client *netcode.Client[arena.State, arena.Input]
	family *hierarchy.Hierarchy3D
	link   *linksim.Conn
	on     Switches

	replicated generic.Map1[netcode.Replicated]
	poses      generic.Map1[components.Transform3D]
	visuals    generic.Map1[components.Visual3D]
	pawns      generic.Map1[arena.Pawn]
	filter     arche.CachedFilter

	hurt    map[arche.Entity]*wound
	drawn   map[arche.Entity]mgl32.Vec3 // where players were, in the picture before
	views   []thing                     // of the present picture
	effects effects
	warps   uint8
	shots   uint8
	notice  string        // what the server has told in words
	noted   time.Duration // when

	camera camera
	graphs graphs
}

// New returns a seat that begins to join with its first Advance.
func New(c Config) (*Seat, error) {
	if c.Rate == 0 {
		c.Rate = 60
	}
	if c.Pilot == nil {
		c.Pilot = idle{}
	}
	if err := c.Link.Path().Send.Validate(); err != nil {
		return nil, fmt.Errorf("the link's conditions: %w", err)
	}
	// down to four frames a second nothing is dropped
	engine, err := ecs.New(ecs.Config{FixedRate: c.Rate, MaxSteps: c.Rate/4 + 1})
	if err != nil {
		return nil, err
	}
	s := &Seat{
		config: c, engine: engine,
		rules: arena.Rules{Level: arena.NewLevel(), Rate: c.Rate},
		on:    Switches{Predict: true, Reconcile: true, Graphs: true, Overlay: true, Captions: true},
		hurt:  map[arche.Entity]*wound{}, drawn: map[arche.Entity]mgl32.Vec3{},
		camera: newCamera(), graphs: newGraphs(),
	}
	protocol, err := s.rules.NewProtocol()
	if err != nil {
		return nil, err
	}
	s.client, err = netcode.NewClient(protocol, netcode.ClientConfig[arena.State, arena.Input]{
		Dial: s.dial, Token: c.Token, Input: s.input, Spawn: s.spawn, Removed: s.removed, Message: s.hear, SnapshotRate: c.SendRate, ActionRate: c.ActionRate, Delay: c.Delay, Log: c.Log,
		Interpolators: articles.New,
	})
	if err != nil {
		return nil, err
	}
	w := engine.World()
	s.replicated = generic.NewMap1[netcode.Replicated](w)
	s.poses = generic.NewMap1[components.Transform3D](w)
	s.visuals = generic.NewMap1[components.Visual3D](w)
	s.pawns = generic.NewMap1[arena.Pawn](w)
	replicas := arche.All(arche.ComponentID[netcode.Replicated](w), arche.ComponentID[components.Transform3D](w))
	s.filter = w.Cache().Register(&replicas)
	s.family = hierarchy.New3D()
	if !c.Blind {
		engine.Install(interpolation.New3D())
	}
	engine.Install(s.family, s.client)
	engine.Add(ecs.FixedUpdate, &system{s})
	return s, nil
}

// dial makes the connection and puts the simulated path around it.
func (s *Seat) dial() (transport.Conn, error) {
	conn, err := s.config.Dial()
	if err != nil {
		return nil, err
	}
	link, err := linksim.Wrap(conn, s.config.Link.Path())
	if err != nil {
		conn.Close(transport.Reason{Code: transport.Failed})
		return nil, err
	}
	s.link = link
	return link, nil
}

// SetLink changes the simulated path while it is in use.
func (s *Seat) SetLink(l settings.Link) error {
	if err := l.Path().Send.Validate(); err != nil {
		return err
	}
	s.config.Link = l
	if s.link != nil {
		return s.link.SetPath(l.Path())
	}
	return nil
}

// Link returns the simulated path's condition.
func (s *Seat) Link() settings.Link { return s.config.Link }

// Set changes the switches.
func (s *Seat) Set(on Switches) {
	s.on = on
	s.client.SetPrediction(on.Predict, on.Reconcile)
	s.client.SetInterpolation(on.Kind)
}

// Switches returns the switches.
func (s *Seat) Switches() Switches { return s.on }

// Advance runs one frame.
func (s *Seat) Advance(real time.Duration) {
	s.engine.Update(real)
	s.collect()
	s.effects.age(s.engine.Time().Real)
	if !s.config.Blind {
		s.follow(real)
		s.graphs.measure(s)
	}
}

// Close leaves the game.
func (s *Seat) Close() { s.engine.Close() }

// Client returns the net system.
func (s *Seat) Client() *netcode.Client[arena.State, arena.Input] { return s.client }

// Engine returns the seat's engine.
func (s *Seat) Engine() *ecs.Engine { return s.engine }

// SetPilot changes who plays; nil: nobody touches anything.
func (s *Seat) SetPilot(p Pilot) {
	if p == nil {
		p = idle{}
	}
	s.config.Pilot = p
}

// Ended reports whether the client will not play any more.
func (s *Seat) Ended() bool {
	status, _ := s.client.Status()
	return status == netcode.Ended
}

// Err returns why the client has ended, nil if it left of its own accord or has not.
func (s *Seat) Err() error {
	if status, reason := s.client.Status(); status == netcode.Ended && reason.Code != transport.Left {
		return fmt.Errorf("the game is over: %v", reason)
	}
	return nil
}

// Status says in a line where the client stands.
func (s *Seat) Status() string {
	status, reason := s.client.Status()
	switch {
	case status == netcode.Lost && reason.Code != transport.NoReason:
		return "connection lost (" + reason.String() + "), trying to come back"
	case status == netcode.Joining && reason.Code != transport.NoReason:
		return "cannot join yet (" + reason.String() + "), trying again"
	case status == netcode.Ended:
		return "the end: " + reason.String()
	}
	return status.String()
}

func (s *Seat) spawn(w *arche.World, _ netcode.Replicated, _ bool) arche.Entity {
	logical, visual := arche.ComponentID[components.Transform3D](w), arche.ComponentID[components.Visual3D](w)
	var e arche.Entity
	if s.config.Blind {
		e = w.NewEntity(logical)
	} else {
		e = w.NewEntity(logical, visual)
	}
	*s.poses.Get(e) = components.NewLogical(components.Identity3D())
	return e
}

func (s *Seat) removed(_ *arche.World, e arche.Entity) {
	delete(s.hurt, e)
	delete(s.drawn, e)
}

// input is asked once per tick.
func (s *Seat) input(t netcode.Tick) arena.Input {
	in := s.config.Pilot.Input(s, t)
	if s.config.Pilot.Push() {
		_ = s.client.Send(arena.PushMessage())
	}
	return in
}

// eachView calls f for everything that is drawn.
func (s *Seat) eachView(f func(v *thing)) {
	for i := range s.views {
		f(&s.views[i])
	}
}

// thing is something of the picture.
type thing struct {
	entity arche.Entity
	rep    netcode.Replicated
	pawn   arena.Pawn
	own    bool
	pose   components.Pose3D // drawn, in the world
}

// collect notes where everything is drawn in this frame.
func (s *Seat) collect() {
	s.views = s.views[:0]
	w := s.engine.World()
	own := s.client.Entity()
	query := w.Query(&s.filter)
	for query.Next() {
		e := query.Entity()
		v := thing{entity: e, rep: *s.replicated.Get(e), own: e == own}
		if s.config.Blind {
			v.pose = s.logicalWorld(e)
		} else {
			v.pose = s.visuals.Get(e).Get()
			v.pose.Position = s.family.VisualWorld(e).Col(3).Vec3() // platforms do not turn
		}
		if v.rep.Archetype == arena.KindPlayer && w.Has(e, arche.ComponentID[arena.Pawn](w)) {
			v.pawn = *s.pawns.Get(e)
		}
		s.views = append(s.views, v)
		if v.rep.Archetype == arena.KindPlayer && !s.config.Blind {
			s.noteJump(&v)
		}
	}
}

// logicalWorld is where the simulation has something in the world.
func (s *Seat) logicalWorld(e arche.Entity) components.Pose3D {
	pose := s.poses.Get(e).Get()
	pose.Position = s.family.LogicalWorld(e).Col(3).Vec3()
	return pose
}

// Trace calls row for what is named: the own player is "me", others "player-N", platforms and
// crates by their number on the wire.
func (s *Seat) Trace(row func(name string, logical, visual components.Pose3D)) {
	s.eachView(func(v *thing) {
		logical := s.logicalWorld(v.entity)
		name := ""
		switch {
		case v.own:
			name = "me"
		case v.rep.Archetype == arena.KindPlayer:
			name = fmt.Sprintf("player-%d", v.rep.Owner)
		case v.rep.Archetype == arena.KindCrate:
			name = fmt.Sprintf("crate-%d", v.rep.ID)
		default:
			name = fmt.Sprintf("platform-%d", v.rep.Archetype-arena.KindPlatform+1)
		}
		row(name, logical, v.pose)
	})
}
