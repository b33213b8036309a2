package netcode

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/internal/resource"
	"github.com/tandem-ecs/tandem/systems/interpolation"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/clocksync"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/prediction"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
	"github.com/tandem-ecs/tandem/systems/netcode/interp"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// ClientConfig configures a [Client]. Dial and Input are required; every other zero value means the
// default that its comment states.
type ClientConfig[S any, I comparable] struct {
	// Dial makes a connection to the server; it is called at the start and again after one was
	// lost.
	Dial func() (Conn, error)
	// Token is presented to the server's Authenticate; at most MaxToken bytes.
	Token []byte
	// Input says what the player does in a step. It is called once for each that is predicted, also
	// when the clock has gone back and the tick was there before: then the first input for it
	// stands, to which only presses are added (Rules.Merge). One that holds a NaN counts as the
	// neutral one.
	Input func(t Tick) I
	// Spawn makes the entity for a replica; it needs a Transform3D, and a Visual3D to be seen. Nil:
	// one with both. Owned says that it belongs to this player, be it his body ([Client.Entity]) or
	// something else. The zero entity: the replica is not shown. What is drawn in the past, by
	// Interpolation, is spawned when the picture comes to where the server had it first, the rest when it
	// comes; an Interpolation that Spawn gives it holds from then on.
	Spawn func(w *arche.World, r Replicated, owned bool) arche.Entity
	// Removed is told before a replica is despawned: when the picture comes to where the server
	// took it away, for what is drawn in the past.
	Removed func(w *arche.World, e arche.Entity)
	// Message hears what the server sends, during FixedUpdate. The bytes are valid during the call.
	Message func(data []byte, reliable bool)
	// Changed is told of joining, losing the connection, and the end.
	Changed func(status Status, reason Reason)
	// Interpolation is how replicas are drawn between snapshots that have no Interpolation of their own;
	// zero is the best.
	Interpolation interp.Kind
	// SnapshotRate is the wish for snapshots a second, 1 to 255; zero: as the server likes.
	SnapshotRate int
	// ActionRate is how many packets of inputs a second are sent, each with all that are new; zero:
	// one per tick. It changes neither what is simulated nor how fast. At least a 16th of the tick
	// rate: more than that many inputs would not survive the loss of a packet. Messages do not wait
	// for it: a step in which one is to go sends a packet.
	ActionRate int
	// Redundancy bounds how many packets in a row the own player's clock expects to carry an input,
	// so that all but the last of them may be lost: each is one packet's interval that he is
	// further ahead, and that everybody else sees him later. Within the bounds it follows the loss
	// that is measured; equal bounds fix it. A Min of zero means 1, a Max of zero 6; at most 32.
	// What is sent does not depend on it: packets carry all inputs that are not acknowledged.
	Redundancy Bounds[int]
	// Delay bounds how far behind the newest snapshots others are shown, without the way down and
	// the step that both ends run ahead. Within the bounds it is measured; equal bounds fix it. A
	// Max of zero means no bound.
	Delay Bounds[time.Duration]
	// Timeout is how long silence is endured (zero: 5 s). Retry is how long after that, and after a
	// failed attempt, a new connection is tried (zero: 1 s). While the silence has lasted for less
	// than 22 s the old one is kept beside it, and whichever of them speaks first counts: a queue
	// or an outage holds data that would be lost. A connection that is still being made has 15 s:
	// the transport gives up before, and says why.
	Timeout, Retry time.Duration
	// WithoutPrediction shows the own player where the server says, and WithoutReconciliation never
	// corrects a prediction: to see what they are for.
	WithoutPrediction, WithoutReconciliation bool
	// Log hears of what is worth a line; nil means slog.Default().
	Log *slog.Logger
}

// Bounds are the least and the most of something, both included. What a zero means stands where
// they are used.
type Bounds[T int | time.Duration] struct{ Min, Max T }

// Status is where a client stands.
type Status uint8

// The statuses of a client.
const (
	Joining Status = iota // says hello
	Playing               // is in
	Lost                  // the connection is gone; tries to come back
	Ended                 // the server does not want it any more, or the client was closed
)

// String returns the status in lower case.
func (s Status) String() string {
	return [...]string{"joining", "playing", "lost", "ended"}[min(s, Ended)]
}

// Client follows a server. It is an [ecs.Plugin]; make it with [NewClient]. Until it has ended it
// holds the engine's clock.
type Client[S any, I comparable] struct {
	protocol *Protocol[S, I]
	config   ClientConfig[S, I]

	engine  *ecs.Engine
	world   *arche.World
	release func()
	mirrors []componentMirror
	ids     clientIDs

	status     Status
	reason     Reason
	conn       Conn
	hello      hello
	nextTry    time.Duration // of a hello, or of a connection
	receivedAt time.Duration
	ackedAt    time.Duration // when the server last said that a packet has come
	sentAt     time.Duration // when one was last sent
	opening    bool          // the connection is being made
	second     secondConn
	polledAt   time.Duration
	wokeAt     time.Duration // when this process last woke
	waking     bool          // this process has slept, and what is read now has waited for it
	stale      bool          // so had what is heard now
	queue      [queueSize]arrival
	queued     int
	welcomed   welcome

	endpoint        *packet.Endpoint
	pace            pace
	upload          float64 // bytes of a packet of inputs, smoothed
	batch           int     // new inputs in a packet
	decoder         *snapshot.Decoder
	clocks          *clocksync.Client
	inputLoss       clocksync.LossMeter
	pathBegan       packet.Number // number of the first packet on this connection
	grid            clocksync.Grid
	playback        *interp.Playback
	replicas        []replica     // by slot
	delayedDespawns []replica     // departed, and still seen though their slots are somebody else's
	delayed         delayedValues // what has come of replicas and does not hold yet
	predictor       *prediction.Predictor[S, I]
	pings           [256]time.Duration
	ping            uint8
	view            int64 // what is on the screen when a step begins, in 1/16 ticks
	viewNext        int64 // what will be when it has ended
	viewTime        time.Duration
	viewpoint       viewpoint // in the newest step
	passenger       struct {  // the body that carried the own player last, and where it was
		by   MovementBase
		pose components.Pose3D
	}
	feedback prediction.Feedback
	pinged   [256]bool
	jumps    uint8 // of the own player, as the server counts them
	hasState bool
	newest   int64 // newest tick of which a snapshot came, unwrapped
	// the newest moment at which the states of all replicas are known; 0: none
	whole      time.Duration
	own        EntityID
	ownStates  ownReceived[S] // what packets have said of the own player
	correct    correction[S]
	ownChanges delayedChange[S]
	bodies     clientBodies // nil: none
	packet     []byte
	need       int // bytes that messages must leave for inputs
	stats      ClientStats
}

type clientIDs struct{ logical, visual, parent, replicated, interpolation arche.ID }

// correction is what the newest state from the server did to the prediction, until the step that
// shows it.
type correction[S any] struct {
	any  bool
	jump bool
}

// delayedChange is the newest state of the own player, until the next step takes it.
type delayedChange[S any] struct {
	any   bool
	at    Tick
	state S
	jumps uint8
}

// ClientStats are a client's figures, also a resource of its world. Counters count from when the
// client was made, over all of its connections.
type ClientStats struct {
	Status      Status        // where the client stands
	RTT, Jitter time.Duration // smoothed round trip, and its mean deviation
	Loss        float64       // share of snapshots that did not come in time, 0 to 1
	// how far behind the server's present others are shown; zero until the server's clock is known
	Delay            time.Duration
	Lead             time.Duration // how far ahead of it the own player is simulated
	Age              time.Duration // how early his inputs come
	Stretch          float64       // of the engine's time against real time: 1 is real speed
	ViewRate         float64       // of the others' time, likewise; 0 waits for data
	Replicas         int           // replicated entities that are known at present
	Sampled, Starved uint64        // replica steps shown; of them without a snapshot ahead
	// of the own player's prediction; the first is where it begins
	Corrections     uint64
	CorrectionError float64       // of the last one, as Game.Distance measures it
	Predicted       int           // bodies that are predicted, wholly or in part
	BodyCorrections uint64        // steps of theirs in which one was corrected
	BodyError       float64       // by how much the last one, in units of length
	Jumps           uint64        // whole ticks made up after stalls
	Redundancy      int           // packets that carry an input, as the lead expects
	Missed          int           // ticks in a row for which the server has had no input
	SentBytes       uint64        // without what the transport adds
	ReceivedBytes   uint64        // likewise
	Snapshots       uint64        // packets of the session that were taken in
	Malformed       uint64        // packets that no server writes
	Reconnects      uint64        // sessions after the first
	Interval        time.Duration // between two snapshots of a body, as the server says
	Path            PathStats     // of the way to the server
}

// maxBatch is how many new inputs a packet may bring: half of what it may carry, so that each
// travels twice.
const maxBatch = prediction.MaxRedundancy / 2

// NewClient returns a client, or an error that says what is wrong with the configuration.
func NewClient[S any, I comparable](p *Protocol[S, I], c ClientConfig[S, I]) (*Client[S, I], error) {
	if p == nil || c.Dial == nil || c.Input == nil {
		return nil, errors.New("netcode: a client needs a Protocol, Dial and Input")
	}
	if len(c.Token) > MaxToken {
		return nil, fmt.Errorf("netcode: a token of %d bytes; at most %d travel", len(c.Token), MaxToken)
	}
	if c.SnapshotRate < 0 || c.SnapshotRate > 255 {
		return nil, fmt.Errorf("netcode: a wished snapshot rate of %d Hz; it must be between 0 and 255", c.SnapshotRate)
	}
	c.ActionRate = or(c.ActionRate, p.TickRate())
	if least := (p.TickRate() + maxBatch - 1) / maxBatch; c.ActionRate < least || c.ActionRate > p.TickRate() {
		return nil, fmt.Errorf("netcode: an action rate of %d Hz; it must be between %d Hz and the tick rate of %d Hz", c.ActionRate, least, p.TickRate())
	}
	c.Timeout = or(c.Timeout, 5*time.Second)
	c.Retry = or(c.Retry, time.Second)
	if c.Timeout < 0 || c.Retry < 0 {
		return nil, errors.New("netcode: Timeout and Retry must not be negative")
	}
	c.Redundancy.Min, c.Redundancy.Max = or(c.Redundancy.Min, 1), or(c.Redundancy.Max, max(6, c.Redundancy.Min))
	if b := c.Redundancy; b.Min < 1 || b.Max < b.Min || b.Max > prediction.MaxRedundancy {
		return nil, fmt.Errorf("netcode: a Redundancy of %d to %d packets; use 1 to %d, the lesser one first", b.Min, b.Max, prediction.MaxRedundancy)
	}
	if b := c.Delay; b.Min < 0 || b.Max != 0 && b.Max < b.Min {
		return nil, fmt.Errorf("netcode: a Delay of %v to %v; use times that are not negative, the lesser one first, or a Max of zero for no bound", b.Min, b.Max)
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	return &Client[S, I]{protocol: p, config: c, packet: make([]byte, transport.MaxMTU)}, nil
}

// Install adds the client to an engine, whose fixed rate must be the protocol's tick rate, and
// holds its clock until the client has ended; it panics if that cannot be had.
func (c *Client[S, I]) Install(e *ecs.Engine) {
	if c.engine != nil {
		panic("netcode: this client is already installed on an engine; make one per engine")
	}
	if rate := e.Time().Rate; rate != c.protocol.TickRate() {
		panic(fmt.Sprintf("netcode: the engine runs at %d Hz and the protocol at %d Hz; give both the same rate", rate, c.protocol.TickRate()))
	}
	release, err := e.HoldClock("the netcode's client")
	if err != nil {
		panic("netcode: a client needs an engine with a clock of its own, and who hosts two engines, with a loopback between them: " + err.Error())
	}
	c.engine, c.world, c.release = e, e.World(), release
	c.ids = clientIDs{
		logical:       arche.ComponentID[components.Transform3D](c.world),
		visual:        arche.ComponentID[components.Visual3D](c.world),
		parent:        arche.ComponentID[components.Parent](c.world),
		replicated:    arche.ComponentID[Replicated](c.world),
		interpolation: arche.ComponentID[Interpolation](c.world),
	}
	for _, kind := range c.protocol.mirrors {
		c.mirrors = append(c.mirrors, kind.bind(c.world))
	}
	grid, err := clocksync.NewGrid(c.protocol.TickRate())
	if err != nil {
		panic(err)
	}
	c.grid = grid
	c.replicas = make([]replica, c.protocol.schema.Config().MaxEntities)
	c.delayedDespawns = make([]replica, 0, maxAside)
	c.hello = hello{token: c.config.Token, rate: uint8(c.config.SnapshotRate)}
	resource.Put(c.world, &c.stats)
	e.AddAt(ecs.FixedUpdate, OrderNetwork, &serverSystem{"client's step", c.step, nil})
	e.AddAt(ecs.NormalUpdate, OrderNetwork, &serverSystem{"client's clocks", c.frame, c.close})
}

// Status returns where the client stands, and after Ended and Lost the reason.
func (c *Client[S, I]) Status() (Status, Reason) { return c.status, c.reason }

// Stats returns the figures.
func (c *Client[S, I]) Stats() ClientStats { return c.stats }

// Number returns the player's number, 0 before the first welcome.
func (c *Client[S, I]) Number() uint16 { return c.welcomed.player }

// State returns the own player's predicted state, and whether there is one.
func (c *Client[S, I]) State() (state S, ok bool) {
	if c.predictor == nil || !c.predictor.Started() {
		return state, false
	}
	return c.predictor.State(), true
}

// Entity returns the own player's entity, or the zero entity.
func (c *Client[S, I]) Entity() arche.Entity {
	if r := c.replica(c.own); r != nil {
		return r.entity
	}
	return arche.Entity{}
}

// Replica returns the local entity of a replicated one, or the zero entity. It is there as long as
// it is seen: the news of its spawn and of its end come a while before.
func (c *Client[S, I]) Replica(id EntityID) arche.Entity {
	if r := c.replica(id); r != nil {
		return r.entity
	}
	return arche.Entity{}
}

// Newest returns what the newest snapshot said of a replica, for ghosts: where the server had it, a
// while ago.
func (c *Client[S, I]) Newest(id EntityID) (snapshot.State, bool) {
	if c.decoder == nil {
		return snapshot.State{}, false
	}
	state, _, ok := c.decoder.State(id)
	return state, ok
}

// Parent returns the entity in whose frame the state of Newest is, None for the world. The
// replica's own Parent follows when the picture has come there.
func (c *Client[S, I]) Parent(id EntityID) EntityID {
	if r := c.replica(id); r != nil {
		return r.parent
	}
	return NoEntity
}

// View returns the moment of the server's clock at which others are shown when the present step
// ends; tick 0 begins at zero.
func (c *Client[S, I]) View() time.Duration { return c.viewTime }

// Send queues a copy of a message of at most 32 KiB that the server gets exactly once and in order.
// While the connection is lost it waits for the player to come back to his place; if he does not,
// it is gone.
//
// With an error nothing was queued: there is one before the first welcome and after the end,
// packet.ErrMessageTooLarge, and packet.ErrBackpressure if 64 KiB wait, or 256 messages.
func (c *Client[S, I]) Send(data []byte) error {
	if err := c.listens(); err != nil {
		return err
	}
	return c.endpoint.SendReliable(data)
}

// SendUnreliable queues a copy of a message that the server gets at most once, in no order. The
// errors are those of Send.
func (c *Client[S, I]) SendUnreliable(data []byte) error {
	if err := c.listens(); err != nil {
		return err
	}
	return c.endpoint.SendUnreliable(data)
}

// listens returns why nobody will hear a message, if so.
func (c *Client[S, I]) listens() error {
	switch {
	case c.status == Ended:
		return errors.New("netcode: the client has ended; make a new one to join again")
	case c.endpoint == nil:
		return errors.New("netcode: not joined yet; wait for Playing")
	}
	return nil
}

// SetInterpolation changes how replicas without an Interpolation of their own are drawn.
func (c *Client[S, I]) SetInterpolation(k interp.Kind) {
	c.config.Interpolation = k
}

// SetPrediction switches prediction and reconciliation of the own player, to see what they are for.
func (c *Client[S, I]) SetPrediction(predict, reconcile bool) {
	c.config.WithoutPrediction, c.config.WithoutReconciliation = !predict, !reconcile
}

// Leave tells the server and ends the client.
func (c *Client[S, I]) Leave() { c.end(Reason{Code: transport.Left}) }

func (c *Client[S, I]) now() time.Duration { return c.engine.Time().Real }

func (c *Client[S, I]) interpolator() *interpolation.Interpolator[components.Pose3D] {
	return interpolation.Of[components.Pose3D](c.world)
}

func (c *Client[S, I]) setStatus(s Status, reason Reason) {
	if c.status == s && c.reason == reason {
		return
	}
	c.status, c.reason, c.stats.Status = s, reason, s
	if c.config.Changed != nil {
		c.config.Changed(s, reason)
	}
}

func (c *Client[S, I]) close() {
	if c.status != Ended {
		c.end(Reason{Code: transport.Left})
	}
	c.release()
	resource.Take(c.world, &c.stats)
}

// end is for good.
func (c *Client[S, I]) end(reason Reason) {
	if c.conn != nil {
		c.conn.Close(reason)
		c.conn = nil
	}
	c.second.drop()
	c.setStatus(Ended, reason)
	if c.engine != nil {
		_ = c.engine.SetStretch(1)
		c.release()
	}
}
