// Package view is a client of the arena: its engine, the controller of its player, and the picture.
// It opens no windows and no sockets.
package view

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

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
	"github.com/tandem-ecs/tandem/systems/netcode/replay"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// Config configures a [Client]. Dial or Replay is required. Every other zero value means the
// default that its comment states.
type Config struct {
	Dial     func() (transport.Conn, error)
	Replay   *replay.Tape // shown in the place of a match; it sets the rate
	Token    []byte
	Name     string // of the player, at most 31 bytes; empty: none
	Rate     int    // ticks per second, the server's; zero: 60
	SendRate int    // wanted snapshots per second; zero: the server's choice

	ActionRate int // packets of inputs per second; zero: one per tick
	// of other players behind the newest snapshots; zero: as measured
	Delay netcode.Bounds[time.Duration]

	Link       settings.Link // the simulated path, on top of the real one
	Controller Controller    // decides the inputs; nil: none
	World      World
	Headless   bool         // no visual poses, for clients without a picture
	Capture    *replay.File // captures everything from outside; nil: none
	Rerun      *replay.Tape // a capture that runs again, without Dial and Controller; nil: none
	Log        *slog.Logger
}

// Client is a client of a match, with its player's controller and picture.
type Client struct {
	Hint   bool    // show the key that opens the panel of keys
	Cross  bool    // show where a shot would hit
	Marks  bool    // mark the places of the players in recent pictures
	Bare   bool    // draw no overlay
	Thumbs bool    // leave the lower part of the picture to the controls of a touch screen
	Again  bool    // say in large letters that this is a replay
	Foot   float32 // points at the lower edge that something else covers

	config    Config
	rules     arena.Rules
	engine    *ecs.Engine
	net       *netcode.Client[arena.State, arena.Input]
	hierarchy *hierarchy.Hierarchy3D
	link      *linksim.Conn
	set       settings.Settings

	replicated generic.Map1[netcode.Replicated]
	poses      generic.Map1[components.Transform3D]
	visuals    generic.Map1[components.Visual3D]
	pawns      generic.Map1[arena.Pawn]
	names      generic.Map1[arena.Name]
	named      status // in which the name has been sent
	filter     arche.CachedFilter

	rockets      generic.Map2[netcode.Replicated, arena.Rocket]
	rocketFilter *generic.Filter2[netcode.Replicated, arena.Rocket]

	tick      netcode.Tick          // of the newest input
	seen      map[arche.Entity]seen // of players
	objects   []object              // of the current picture
	board     []*object             // the best players among them
	effects   []effect              // shown, or waiting for their time
	flights   map[arche.Entity]flight
	screen    screen
	agreement Agreement
	shots     uint8
	notice    string // the server's last message of text
	noticeAt  time.Duration

	recorders []replay.Recorder // begun when the client plays

	camera camera
	look   View // in a replay
	graphs graphs
	why    why
	marked []mark
}

// CheckReplay returns the error of a file that cannot be shown as a match: a capture runs again,
// but only forwards and as it was.
func CheckReplay(tape *replay.Tape) error {
	if tape.Info().Kind == replay.Exact {
		return errors.New("this is a capture of a client, for bug reports, and no recording of a match: go run ./demo timeline FILE says from it why a body moved as it did")
	}
	return nil
}

// New returns a client that begins to join with its first Advance.
func New(config Config) (*Client, error) {
	if config.Replay != nil {
		if err := CheckReplay(config.Replay); err != nil {
			return nil, err
		}
		config.Rate = config.Replay.Info().Rate
	}
	if config.Rate == 0 {
		config.Rate = 60
	}
	if err := config.Link.Path().Send.Validate(); err != nil {
		return nil, fmt.Errorf("the link's conditions: %w", err)
	}
	// at four frames per second or more no time is dropped
	engine, err := ecs.New(ecs.Config{FixedRate: config.Rate, MaxSteps: config.Rate/4 + 1})
	if err != nil {
		return nil, err
	}
	c := &Client{
		config: config, engine: engine,
		rules: arena.Rules{Level: config.World.Level, Rate: config.Rate},
		set:   settings.Default(),
		seen:  map[arche.Entity]seen{}, flights: map[arche.Entity]flight{},
		camera: newCamera(), graphs: newGraphs(),
	}
	if c.rules.Level == nil {
		c.rules.Level = arena.NewLevel()
	}
	protocol, err := c.rules.NewProtocol()
	if err != nil {
		return nil, err
	}
	if config.World.Extend != nil {
		config.World.Extend(protocol)
	}
	connection := netcode.ClientConfig[arena.State, arena.Input]{
		Replay: config.Replay, Spawn: c.spawn, Removed: c.removed, Message: c.receive, Log: config.Log,
	}
	if config.Replay == nil {
		connection.Dial, connection.Token, connection.Input, connection.Interpolators = c.dial, config.Token, c.input, articles.New
		connection.DialAt, connection.Timeout, connection.Retry = config.World.DialAt, config.World.Timeout, config.World.Retry
		connection.SnapshotRate, connection.ActionRate, connection.Delay = config.SendRate, config.ActionRate, config.Delay
	}
	if config.Rerun != nil {
		connection.Replay, connection.Dial, connection.Input = config.Rerun, nil, nil
	}
	if c.net, err = netcode.NewClient(protocol, connection); err != nil {
		return nil, err
	}
	w := engine.World()
	c.replicated = generic.NewMap1[netcode.Replicated](w)
	c.poses = generic.NewMap1[components.Transform3D](w)
	c.visuals = generic.NewMap1[components.Visual3D](w)
	c.pawns = generic.NewMap1[arena.Pawn](w)
	c.names = generic.NewMap1[arena.Name](w)
	c.rockets = generic.NewMap2[netcode.Replicated, arena.Rocket](w)
	c.rocketFilter = generic.NewFilter2[netcode.Replicated, arena.Rocket]()
	replicas := arche.All(arche.ComponentID[netcode.Replicated](w), arche.ComponentID[components.Transform3D](w))
	c.filter = w.Cache().Register(&replicas)
	c.hierarchy = hierarchy.New3D()
	if !config.Headless {
		engine.Install(interpolation.New3D())
	}
	engine.Install(c.hierarchy, c.net)
	engine.Add(ecs.FixedUpdate, ecs.SystemFunc(c.step))
	if r := c.net.Replay(); r != nil {
		r.Jumped = c.jumped
	}
	if config.Capture != nil {
		return c, c.net.Capture(config.Capture)
	}
	return c, nil
}

// dial makes the connection and puts the simulated path around it.
func (c *Client) dial() (transport.Conn, error) {
	conn, err := c.config.Dial()
	if err != nil {
		return nil, err
	}
	link, err := linksim.Wrap(conn, c.config.Link.Path())
	if err != nil {
		conn.Close(transport.Reason{Code: transport.Failed})
		return nil, err
	}
	c.link = link
	return link, nil
}

// SetLink changes the simulated path while it is in use.
func (c *Client) SetLink(l settings.Link) error {
	if err := l.Path().Send.Validate(); err != nil {
		return err
	}
	c.config.Link = l
	if c.link != nil {
		return c.link.SetPath(l.Path())
	}
	return nil
}

// Set changes the settings, except the link.
func (c *Client) Set(set settings.Settings) {
	c.set = set
	if c.net.Replay() != nil {
		c.setPace()
		return
	}
	c.net.SetPrediction(set.Predict, set.Reconcile)
	c.net.SetInterpolation(set.Interpolation)
}

// Advance runs one frame.
func (c *Client) Advance(real time.Duration) {
	c.engine.Update(real)
	c.sendName()
	c.startRecording()
	c.collect()
	now := c.now()
	c.effects = slices.DeleteFunc(c.effects, func(e effect) bool { return now-e.at >= e.length() })
	if !c.config.Headless {
		c.follow(real)
		c.graphs.measure(c)
		c.watchTimeline()
	}
}

// status tells a player in one server process from one in another.
type status struct {
	number     uint16
	reconnects uint64
}

// sendName gives the player's name to each server that it joins.
func (c *Client) sendName() {
	now := status{c.net.Number(), c.net.Stats().Reconnects}
	if playing, _ := c.net.Status(); c.config.Name != "" && playing == netcode.Playing && now != c.named && c.net.Send(arena.NameMessage(c.config.Name)) == nil {
		c.named = now
	}
}

// Close leaves the game.
func (c *Client) Close() { c.engine.Close() }

// Net returns the netcode's client.
func (c *Client) Net() *netcode.Client[arena.State, arena.Input] { return c.net }

// Rules returns the rules that the client predicts by.
func (c *Client) Rules() *arena.Rules { return &c.rules }

// Engine returns the client's engine.
func (c *Client) Engine() *ecs.Engine { return c.engine }

// SetController changes the controller; nil: no input.
func (c *Client) SetController(p Controller) { c.config.Controller = p }

// Controller returns the controller; nil: none.
func (c *Client) Controller() Controller { return c.config.Controller }

// Ended reports whether the client has left the match for good.
func (c *Client) Ended() bool {
	status, _ := c.net.Status()
	return status == netcode.Ended
}

// Err returns the error that ended the client. It is nil while the client plays, and after it has
// left by itself.
func (c *Client) Err() error {
	if status, reason := c.net.Status(); status == netcode.Ended && reason.Code != transport.Left {
		return fmt.Errorf("the game is over: %v", reason)
	}
	return nil
}

// The picture shows a sign of a silence of the server, then says that the connection is
// interrupted, and then that the client tries another one, which it does while it plays on.
const (
	silentAfter      = 300 * time.Millisecond
	interruptedAfter = 500 * time.Millisecond // the netcode's default, too: it stops the player
	lostAfter        = 5 * time.Second        // the netcode's default
)

// Status describes the state of the connection in one line.
func (c *Client) Status() string {
	status, reason := c.net.Status()
	silence := c.net.Stats().Silence
	switch {
	case status == netcode.Lost && reason.Code != transport.NoReason:
		return "connection lost (" + reason.String() + "), trying to reconnect"
	case status == netcode.Lost, status == netcode.Playing && silence >= lostAfter:
		return "connection lost, trying to reconnect"
	case status == netcode.Playing && silence >= interruptedAfter:
		return "connection interrupted"
	case status == netcode.Joining && reason.Code != transport.NoReason:
		return "cannot join yet (" + reason.String() + "), trying again"
	case status == netcode.Ended:
		return "the end: " + reason.String()
	}
	return status.String()
}

func (c *Client) spawn(w *arche.World, _ netcode.Replicated, _ bool) arche.Entity {
	logical, visual := arche.ComponentID[components.Transform3D](w), arche.ComponentID[components.Visual3D](w)
	var e arche.Entity
	if c.config.Headless {
		e = w.NewEntity(logical)
	} else {
		e = w.NewEntity(logical, visual)
	}
	*c.poses.Get(e) = components.NewLogical(components.Identity3D())
	return e
}

func (c *Client) removed(_ *arche.World, e arche.Entity) {
	delete(c.seen, e)
	if f, ok := c.flights[e]; ok {
		c.endRocket(e, f)
	}
}

// input returns the player's input of a tick. It is called once per tick.
func (c *Client) input(t netcode.Tick) arena.Input {
	c.tick = t
	if c.config.Controller == nil {
		return arena.Input{}
	}
	in, push := c.config.Controller.Input(c, t)
	if push {
		_ = c.net.Send(arena.PushMessage())
	}
	return in
}

// object is a drawn entity.
type object struct {
	entity arche.Entity
	rep    netcode.Replicated
	pawn   arena.Pawn
	name   string // empty: the player has none
	own    bool
	pose   components.Pose3D // drawn, in the world
}

// collect gathers the drawn poses of this frame.
func (c *Client) collect() {
	c.objects = c.objects[:0]
	w := c.engine.World()
	own := c.net.Entity()
	query := w.Query(&c.filter)
	for query.Next() {
		e := query.Entity()
		if c.flights[e].hidden {
			continue
		}
		v := object{entity: e, rep: *c.replicated.Get(e), own: e == own}
		if c.config.Headless {
			v.pose = c.logicalWorld(e)
		} else {
			v.pose = c.visuals.Get(e).Get()
			v.pose.Position = c.hierarchy.VisualWorld(e).Col(3).Vec3() // platforms do not turn
		}
		if v.rep.Archetype == arena.ArchetypePlayer {
			if w.Has(e, arche.ComponentID[arena.Pawn](w)) {
				v.pawn = *c.pawns.Get(e)
			}
			if !c.config.Headless {
				c.watch(&v)
			}
			if w.Has(e, arche.ComponentID[arena.Name](w)) {
				v.name = c.nameOf(e, c.names.Get(e).Text)
			}
		}
		c.objects = append(c.objects, v)
	}
}

// isPlatform reports whether an archetype is that of a platform.
func isPlatform(a uint16) bool { return a >= arena.ArchetypePlatform && a < arena.ArchetypeDoor }

// logicalWorld returns the logical pose of an entity in the world.
func (c *Client) logicalWorld(e arche.Entity) components.Pose3D {
	pose := c.poses.Get(e).Get()
	pose.Position = c.hierarchy.LogicalWorld(e).Col(3).Vec3()
	return pose
}
