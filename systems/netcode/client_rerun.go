package netcode

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/internal/plugin"
	"github.com/tandem-ecs/tandem/systems/netcode/interp"
	"github.com/tandem-ecs/tandem/systems/netcode/replay"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// Rerun is a capture that runs again: a recording of kind [replay.Exact], which [Client.Capture]
// made, as the [ClientConfig].Replay of a client. The client is then a live one in everything, with
// its connections, clocks, predictions and corrections, but all that comes from outside is that of
// the capture. Its methods are for the engine's goroutine.
//
// The rerun is equal, bit for bit, if everything else is: the build and its processor architecture,
// the protocol and its Step, the functions of the ClientConfig, the configuration of the engine,
// and the systems that change replicas. The settings of the ClientConfig are taken from the
// capture. Err tells whether it is equal. A rerun with other code, a mended Step for example, goes
// on with the same datagrams and inputs.
//
// It only runs forwards: to go to a moment is to run up to it.
type Rerun struct {
	tape    *replay.Tape
	cursor  *replay.Cursor
	events  []byte // not read yet
	next    event
	has     bool // next is valid
	tick    Tick // of the newest events
	total   time.Duration
	updates int

	due     bool // an Update of delta comes next
	delta   time.Duration
	running bool // it is under way
	control func(e event)
	err     error
	sum     checksum
}

// longestCapture bounds the time that a capture tells: the sums of durations stay in their range.
const longestCapture = 10 * 365 * 24 * time.Hour

// Rerun returns the capture that runs again, and nil for any other client.
func (c *Client[S, I]) Rerun() *Rerun { return c.rerun }

// Frames returns the durations of the captured Updates, in their order. Call the engine's Update
// with each:
//
//	for d := range client.Rerun().Frames() {
//		engine.Update(d)
//	}
//
// A loop that ends early may be followed by another, which goes on from there.
func (r *Rerun) Frames() iter.Seq[time.Duration] {
	return func(yield func(time.Duration) bool) {
		for r.seek() {
			if !yield(r.delta) {
				return
			}
			if r.due {
				panic("netcode: a frame of a capture was not run: call the engine's Update with each duration of Rerun.Frames")
			}
		}
	}
}

// Err returns nil as long as all is as it was captured: the poses of all replicas, logical and
// drawn, to their last bits, the own player's state, the clocks, and everything that the client did
// with its connections. Otherwise it says what was different first, or where the file is damaged.
func (r *Rerun) Err() error { return r.err }

// differ notes the first difference.
func (r *Rerun) differ(format string, values ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("netcode: the rerun is not as the capture from Update %d on, at %v: %s; it needs the same build, Step, ClientConfig, engine and systems",
			r.updates, r.total, fmt.Sprintf(format, values...))
	}
}

// damaged notes that the file cannot be read on.
func (r *Rerun) damaged(what string) {
	r.events, r.cursor = nil, nil
	if r.err == nil {
		r.err = fmt.Errorf("netcode: the capture is damaged after %v, and ends there: %s", r.total, what)
	}
}

// peek returns the next event, eventNone at the end.
func (r *Rerun) peek() event {
	for !r.has {
		if len(r.events) > 0 {
			var ok bool
			if r.next, r.events, ok = readEvent(r.events); !ok {
				r.damaged("it holds an event that no client writes")
				continue
			}
			r.has = true
			break
		}
		if r.cursor == nil {
			return event{}
		}
		f, ok := r.cursor.Next()
		switch {
		case !ok && r.tick != r.tape.Last():
			r.damaged("a part is missing")
		case !ok:
			r.cursor = nil
		case f.Kind == replay.Events:
			r.events, r.tick = f.Data, f.Tick
		}
	}
	return r.next
}

// controls runs what the game did, up to the next answer to the client.
func (r *Rerun) controls() {
	for r.peek().kind >= eventReliable {
		r.has = false
		r.control(r.next)
	}
}

// take returns the next event, which is of one of some kinds. If it is not, the rerun differs, and
// take passes to the next one of these kinds in this Update. It is eventNone if there is none.
func (r *Rerun) take(what string, kinds ...byte) event {
	for {
		r.controls()
		e := r.peek()
		if slices.Contains(kinds, e.kind) {
			r.has = false
			return e
		}
		r.differ("the client asks for %s, which it did not", what)
		if e.kind <= eventDrawn || !r.running {
			return event{}
		}
		r.has = false
	}
}

// seek goes to the begin of the next Update, and reports whether there is one.
func (r *Rerun) seek() bool {
	for !r.due && !r.running {
		r.controls()
		switch e := r.peek(); {
		case e.kind == eventNone:
			return false
		case e.kind != eventUpdate:
			r.differ("the client did something that it does not do")
		case e.n > uint64(longestCapture-r.total):
			r.has = false
			r.damaged("it lasts for years")
			return false
		default:
			r.due, r.delta = true, time.Duration(e.n)
			r.total += r.delta
			r.updates++
		}
		r.has = false
	}
	return true
}

// begin begins the present Update, or goes on with it, and reports whether the capture has it.
func (r *Rerun) begin(real time.Duration) bool {
	if !r.seek() {
		return false
	}
	if r.due {
		r.due, r.running = false, true
		if real != r.delta {
			r.differ("an Update of %v, which took %v", real, r.delta)
		}
	}
	r.controls()
	return true
}

// rerunStep is the client's step in a rerun.
func (c *Client[S, I]) rerunStep() {
	if c.rerun.begin(c.engine.Time().RealDelta) {
		c.step()
	}
}

// rerunFrame is the end of an Update in a rerun.
func (c *Client[S, I]) rerunFrame() {
	r := c.rerun
	if !r.begin(c.engine.Time().RealDelta) {
		return
	}
	c.frame()
	if e := r.take("the end of the Update", eventDrawn); e.kind == eventDrawn && e.n != uint64(c.checksum(&r.sum)) {
		r.differ("something is drawn elsewhere")
	}
	r.running = false
}

// openRerun makes the client that runs a capture again: Dial, Input and the settings are those of
// the capture.
func (c *Client[S, I]) openRerun(tape *replay.Tape) error {
	if err := checkHello(c.protocol, tape); err != nil {
		return err
	}
	var s clientSettings
	if err := json.Unmarshal(tape.Info().Config, &s); err != nil || s.Token < 0 {
		return fmt.Errorf("netcode: %w: its settings are damaged", replay.ErrFormat)
	}
	config := &c.config
	config.Token, config.Place = make([]byte, min(s.Token, MaxToken)), nil
	if s.Place {
		config.Place = make([]byte, placeSize)
	}
	config.Interpolation, config.ActionRate, config.InputDelay = s.Interpolation, s.ActionRate, s.InputDelay
	config.Redundancy, config.Delay = s.Redundancy, s.Delay
	config.Timeout, config.Retry, config.MaxSilence = s.Timeout, s.Retry, s.MaxSilence
	config.WithoutPrediction, config.WithoutReconciliation = s.WithoutPrediction, s.WithoutReconciliation
	if err := config.complete(c.protocol.TickRate()); err != nil {
		return fmt.Errorf("netcode: %w: its settings: %w", replay.ErrFormat, err)
	}
	if !c.interpolates(s.Interpolation) {
		return fmt.Errorf("netcode: the capture has the interpolation %v, which ClientConfig.Interpolators does not make: set the function that was captured", s.Interpolation)
	}
	r := &Rerun{tape: tape, cursor: tape.Cursor(), control: c.rerunControl}
	c.rerun = r
	config.Dial = r.dial
	form := newInputForm[I](c.protocol.game.Inputs)
	last := c.protocol.game.Rules.Neutral
	config.Input = func(Tick) I {
		if e := r.take("an input", eventInput, eventSameInput); e.kind == eventInput {
			in, ok := form.read(e.data)
			if !ok {
				r.damaged("it holds an input that cannot be one")
				return last
			}
			last = in
		}
		return last
	}
	return nil
}

// interpolates reports whether there is an interpolation of a kind, which may come from a stranger.
func (c *Client[S, I]) interpolates(k interp.Kind) (ok bool) {
	defer func() { ok = recover() == nil }()
	c.config.Interpolators(k, interp.Config{Interval: time.Second})
	return true
}

// installRerun adds the client's systems.
func (c *Client[S, I]) installRerun(e *ecs.Engine) {
	if e.Time().Frame > 0 {
		panic("netcode: a capture runs again on a new engine, and this one has run already: install the client before the first Update")
	}
	e.AddAt(ecs.FixedUpdate, OrderNetwork, &plugin.System{What: "client's step", Run: c.rerunStep})
	e.AddAt(ecs.NormalUpdate, OrderNetwork, &plugin.System{What: "client's clocks", Run: c.rerunFrame, Stop: c.close})
}

// rerunControl does what the game did. The contents of its messages are not known, and do not
// matter here.
func (c *Client[S, I]) rerunControl(e event) {
	switch e.kind {
	case eventReliable, eventUnreliable:
		if c.endpoint == nil || c.status == Ended || e.n > maxMessage {
			c.rerun.differ("a message of %d bytes was sent", e.n)
			return
		}
		data := make([]byte, e.n)
		if e.kind == eventReliable {
			_ = c.endpoint.SendReliable(data) // as it was captured
		} else {
			_ = c.endpoint.SendUnreliable(data)
		}
	case eventInterpolation:
		if k := interp.Kind(e.n); uint64(k) == e.n && c.interpolates(k) {
			c.config.Interpolation = k
		} else {
			c.rerun.differ("the interpolation %d is used, which ClientConfig.Interpolators does not make", e.n)
		}
	case eventPrediction:
		c.config.WithoutPrediction, c.config.WithoutReconciliation = e.n&1 == 0, e.n&2 == 0
	case eventLeave:
		c.Leave()
	}
}

// errCaptured is the error of a connection whose own error is not in a capture.
var errCaptured = errors.New("an error, whose text a capture does not have")

// dial is the Dial of a rerun.
func (r *Rerun) dial() (Conn, error) {
	e := r.take("a connection", eventDialed, eventUndialed)
	if e.kind != eventDialed {
		return nil, errCaptured
	}
	k := &rerunConn{rerun: r}
	if !k.setMTU(e.n) {
		return nil, errCaptured
	}
	return k, nil
}

// rerunConn is a connection of a capture.
type rerunConn struct {
	rerun *Rerun
	now   time.Duration
	state transport.State
	mtu   int
}

func (k *rerunConn) setMTU(mtu uint64) bool {
	if mtu < 1 || mtu > transport.MaxMTU {
		k.rerun.damaged("it holds a connection that cannot be one")
		return false
	}
	k.mtu = int(mtu)
	return true
}

func (k *rerunConn) MTU() int               { return k.mtu }
func (k *rerunConn) Poll(now time.Duration) { k.now = now }
func (k *rerunConn) Close(Reason)           {}
func (k *rerunConn) Stats() transport.Stats { return transport.Stats{} }
func (k *rerunConn) RemoteAddr() string     { return "capture" }

func (k *rerunConn) Send([]byte) error {
	if e := k.rerun.take("a place for a packet", eventSent, eventUnsent); e.kind != eventSent {
		return errCaptured
	}
	return nil
}

func (k *rerunConn) Recv(buf []byte) (n int, ok bool) {
	n, _, ok = k.RecvAt(buf)
	return n, ok
}

func (k *rerunConn) RecvAt(buf []byte) (n int, at time.Duration, ok bool) {
	e := k.rerun.take("a datagram", eventReceived, eventNothing)
	if e.kind != eventReceived {
		return 0, 0, false
	}
	return copy(buf, e.data), k.now - unzigzag(e.n), true
}

func (k *rerunConn) State() transport.State {
	if e := k.rerun.take("the state of a connection", eventState, eventSameState); e.kind == eventState {
		if state := transport.State(e.n & 3); state <= transport.Closed && k.setMTU(e.n>>2) {
			k.state = state
		}
	}
	return k.state
}

func (k *rerunConn) CloseReason() Reason {
	return Reason{Code: transport.Code(k.rerun.take("a reason", eventClosed).n)}
}
