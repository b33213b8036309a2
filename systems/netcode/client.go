package netcode

import (
	"errors"
	"fmt"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/internal/plugin"
	"github.com/tandem-ecs/tandem/systems/interpolation"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/clocksync"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/prediction"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
	"github.com/tandem-ecs/tandem/systems/netcode/interp"
	"github.com/tandem-ecs/tandem/systems/netcode/replay"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// Status is the state of a client's connection.
type Status uint8

// The statuses of a client.
const (
	Joining Status = iota // sends hellos
	Playing               // in the game
	Lost                  // without a connection; it tries to resume
	Ended                 // the server has removed it, or the client was closed
)

// String returns the status in lower case.
func (s Status) String() string {
	return [...]string{"joining", "playing", "lost", "ended"}[min(s, Ended)]
}

// Client plays on a server. It is an [ecs.Plugin]; make it with [NewClient]. Until it has ended it
// holds the engine's clock.
type Client[S any, I comparable] struct {
	protocol *Protocol[S, I]
	config   ClientConfig[S, I]

	engine *ecs.Engine
	entities
	interpolations generic.Map[Interpolation]
	release        func()
	components     []boundComponent
	shots          []clientShots[S, I] // in the order of the protocol's
	launches       closedLaunches

	status   Status
	reason   Reason
	closed   Conn // the last one that this end has closed
	hello    hello
	nextTry  time.Duration // of a hello, or of a connection
	outage   outage
	opening  bool // the connection is being made
	second   secondConn
	*link[S]          // the present one
	home     *link[S] // that of the server on which the player plays
	visits   visits[S]

	grid            clocksync.Grid
	playback        *interp.Playback
	replicas        []replica // by slot
	delayedDespawns []replica // still shown, though other replicas have their slots
	delayed         int       // changes of all replicas that are not applied yet
	predictor       *prediction.Predictor[S, I]
	view            int64 // time of the view when a step begins, in 1/16 ticks
	viewNext        int64 // the same when the step has ended
	viewTime        time.Duration
	viewpoint       viewpoint // in the newest step
	before          viewpoint // in the step before
	passenger       struct {  // the base that carried the own player last
		by     MovementBase
		ground components.Pose3D // the last world pose of that body, or of what that mover stood on
	}
	jumps       uint8 // of the own player, as the server counts them
	hasState    bool
	loggedState bool // one that is not finite
	simulated   Tick // by the newest step; valid with simulates
	simulates   bool
	newest      int64 // newest tick with a received snapshot, unwrapped; at first floor
	floor       int64 // a tick, unwrapped: the server's when the session began, or up to 2^31 less
	// the newest moment at which the states of all replicas are known; 0: none
	whole     time.Duration
	own       EntityID
	matchNews bool // of match states, in this step, about ticks that may be drawn
	correct   correction[S]
	ownUpdate ownUpdate[S]
	bodies    clientBodies // nil: none
	packet    []byte
	stats     ClientStats
	logged    logged
	checker   checker
	replay    *Replay         // nil: it has a connection
	recorder  *clientRecorder // nil: it records nothing
	followed  *followedPlayer[S, I]
	capture   *capture // nil: none
	rerun     *Rerun   // nil: its connections are real
	watch     *watch   // nil: nothing is watched
}

// correction is the effect of the server's newest state on the prediction, until the step that
// shows it.
type correction[S any] struct {
	any  bool
	jump bool
}

// ownUpdate is the newest state of the own player, until the next step applies it.
type ownUpdate[S any] struct {
	any   bool
	at    Tick
	state S
	jumps uint8
	// see ownState
	launched launchCounts
}

// NewClient returns a client, or an error that states what is wrong with the configuration.
func NewClient[S any, I comparable](p *Protocol[S, I], c ClientConfig[S, I]) (*Client[S, I], error) {
	switch {
	case p == nil:
		return nil, errors.New("netcode: a client needs a Protocol; pass that of NewProtocol")
	case c.Replay != nil && (c.Dial != nil || c.Input != nil):
		return nil, errors.New("netcode: a client with a Replay dials no server and reads no keys; leave out Dial and Input")
	case c.Replay == nil && (c.Dial == nil || c.Input == nil):
		return nil, errors.New("netcode: a client needs Dial and Input, or a Replay to play; set these")
	}
	if err := c.complete(p.TickRate()); err != nil {
		return nil, err
	}
	client := &Client[S, I]{protocol: p, config: c, packet: make([]byte, transport.MaxMTU), link: new(link[S])}
	client.home = client.link
	if c.Replay != nil && c.Replay.Info().Kind == replay.Exact {
		if err := client.openRerun(c.Replay); err != nil {
			return nil, err
		}
	} else if c.Replay != nil {
		var err error
		if client.replay, err = openReplay(p, c.Replay); err != nil {
			return nil, err
		}
	}
	p.claim()
	return client, nil
}

// Install adds the client to an engine, whose fixed rate must be the protocol's tick rate, and
// holds the engine's clock until the client has ended. It panics if either is impossible.
func (c *Client[S, I]) Install(e *ecs.Engine) {
	if c.engine != nil {
		panic("netcode: this client is already installed on an engine; make one per engine")
	}
	if rate := e.Time().Rate; rate != c.protocol.TickRate() {
		panic(fmt.Sprintf("netcode: the engine runs at %d Hz and the protocol at %d Hz; give both the same rate", rate, c.protocol.TickRate()))
	}
	c.release = func() {}
	if c.replay == nil {
		release, err := e.HoldClock("the netcode's client")
		if err != nil {
			panic("netcode: a client needs an engine with a clock of its own; to host a game, use two engines with a loopback between them: " + err.Error())
		}
		c.release = release
	}
	c.engine, c.entities = e, newEntities(e.World())
	c.interpolations = generic.NewMap[Interpolation](c.world)
	for _, kind := range c.protocol.components {
		c.components = append(c.components, kind.bind(c.world))
	}
	for _, kind := range c.protocol.shots {
		c.shots = append(c.shots, kind.client(c))
	}
	c.grid = c.protocol.ticks
	c.replicas = make([]replica, 0, c.protocol.schema.Config().MaxEntities)
	c.delayedDespawns = make([]replica, 0, maxDelayedDespawns)
	c.hello = hello{token: c.config.Token, rate: uint8(c.config.SnapshotRate)}
	if len(c.config.Place) > 0 {
		c.hello.claim(c.config.Place)
	}
	for _, m := range c.protocol.matchStates {
		m.draw(c.drawnTick)
	}
	plugin.Put(c.world, &c.stats)
	c.checker.find = c.misdrawn
	plugin.Put(c.world, &c.checker)
	if c.replay != nil {
		c.installReplay()
		e.AddAt(ecs.FixedUpdate, OrderNetwork, &plugin.System{What: "replay's step", Run: c.replayStep, Stop: c.close})
		return
	}
	if c.rerun != nil {
		c.installRerun(e)
		return
	}
	e.AddAt(ecs.FixedUpdate, OrderNetwork, &plugin.System{What: "client's step", Run: c.step})
	e.AddAt(ecs.NormalUpdate, OrderNetwork, &plugin.System{What: "client's clocks", Run: c.frame, Stop: c.close})
}

// Status returns the state of the connection, and in Ended and Lost the reason.
func (c *Client[S, I]) Status() (Status, Reason) { return c.status, c.reason }

// Stats returns the figures.
func (c *Client[S, I]) Stats() ClientStats { return c.stats }

// Number returns the player's number, 0 before the first welcome. In a replay it is that of the
// player that is followed.
func (c *Client[S, I]) Number() uint16 {
	if c.replay != nil {
		return c.replay.follow
	}
	return c.welcomed.player
}

// Place returns a copy of what brings this player back when its process has ended: pass it to the
// next one as ClientConfig.Place. It is nil before the client plays for the first time and after it
// has ended, since Leave and closing the engine end the place: a client that will return just ends
// its process. It stays the same over lost connections, and is another one if the server has begun
// anew.
//
// These bytes are all that is needed to take the player's place. Keep them as a secret of the
// player: in a file of mode 0600, in a browser in localStorage. Keep them under the server's
// fingerprint, and show them to no other server.
func (c *Client[S, I]) Place() []byte {
	if c.endpoint == nil || c.status == Ended || c.rerun != nil {
		return nil
	}
	return placeOf(c.welcomed.player, &c.welcomed.secret)
}

// State returns the own player's predicted state, and whether there is one. In a replay it is the
// newest recorded state of the player that is followed, and none inside a gap of the recording: see
// ServerConfig.RecordStates.
func (c *Client[S, I]) State() (state S, ok bool) {
	if c.replay != nil {
		return c.track().state(c.replay.follow)
	}
	if c.predictor == nil || !c.predictor.Started() {
		return state, false
	}
	return c.predictor.State(), true
}

// Input returns the own player's input of the newest predicted step, and whether there is one. In a
// replay it is the newest one that the server ran of the player that is followed, and none inside a
// gap of the recording.
func (c *Client[S, I]) Input() (in I, ok bool) {
	if c.replay != nil {
		return c.track().input(c.replay.follow)
	}
	if c.predictor == nil || !c.predictor.Started() {
		return in, false
	}
	return c.predictor.Input(), true
}

// Entity returns the own player's entity, in a replay that of the player that is followed, or the
// zero entity.
func (c *Client[S, I]) Entity() arche.Entity {
	if c.replay != nil {
		return c.Replica(c.followedID())
	}
	return c.Replica(c.own)
}

// Replica returns the local entity of a replicated one, or the zero entity. The entity exists as
// long as it is shown, which is a while later than the records of its spawn and of its removal.
func (c *Client[S, I]) Replica(id EntityID) arche.Entity {
	if r := c.seen(id); r != nil {
		return r.entity
	}
	return arche.Entity{}
}

// Newest returns the newest received state of a replica: its state on the server a while ago. It
// serves to draw ghosts. The state of a shot ([Shots]) is the origin, since its pose is not sent.
func (c *Client[S, I]) Newest(id EntityID) (snapshot.State, bool) {
	if c.decoder == nil {
		return snapshot.State{}, false
	}
	state, _, ok := c.decoder.State(id)
	return state, ok
}

// Parent returns the entity in whose frame the state of Newest is, None for the world. The Parent
// of the local entity follows when the view reaches that state.
func (c *Client[S, I]) Parent(id EntityID) EntityID {
	if r := c.replica(id); r != nil {
		return r.parent
	}
	return NoEntity
}

// View returns the moment of the server's clock at which others are shown when the present step
// ends; tick 0 begins at zero.
func (c *Client[S, I]) View() time.Duration { return c.viewTime }

// SetInterpolation changes how replicas without an Interpolation of their own are drawn.
func (c *Client[S, I]) SetInterpolation(k interp.Kind) {
	if c.rerun != nil {
		return
	}
	c.capture.number(eventInterpolation, uint64(k))
	c.config.Interpolation = k
}

// SetPrediction switches prediction and reconciliation of the own player on or off, for
// demonstrations.
func (c *Client[S, I]) SetPrediction(predict, reconcile bool) {
	if c.rerun != nil {
		return
	}
	c.capture.prediction(predict, reconcile)
	c.config.WithoutPrediction, c.config.WithoutReconciliation = !predict, !reconcile
}

// Leave ends the client, and notifies the server. It does not wait. Closing the engine leaves, too,
// and then waits until the server's notice has been sent, at most half a second: call Leave some
// frames before, and Close does not wait.
func (c *Client[S, I]) Leave() {
	c.capture.put(eventLeave)
	c.end(Reason{Code: transport.Left})
}

func (c *Client[S, I]) now() time.Duration { return c.engine.Time().Real }

func (c *Client[S, I]) interpolator() *interpolation.Interpolator[components.Pose3D] {
	return interpolation.Of[components.Pose3D](c.world)
}

func (c *Client[S, I]) setStatus(s Status, reason Reason) {
	if c.status == s && c.reason == reason {
		return
	}
	c.status, c.reason, c.stats.Status = s, reason, s
	c.watchStatus()
	if c.config.Changed != nil {
		c.config.Changed(s, reason)
	}
}

func (c *Client[S, I]) close() {
	if c.status != Ended {
		c.end(Reason{Code: transport.Left})
	}
	awaitGoodbye(c.closed)
	c.release()
	plugin.Take(c.world, &c.stats)
	plugin.Take(c.world, &c.checker)
}

// end ends the client for good.
func (c *Client[S, I]) end(reason Reason) {
	if c.conn != nil {
		c.conn.Close(reason)
		c.conn, c.closed = nil, c.conn
	}
	c.second.drop()
	c.endVisits(reason)
	c.recorder = nil
	c.setStatus(Ended, reason)
	if c.engine != nil && c.replay == nil {
		_ = c.engine.SetStretch(1)
		c.release()
	}
}
