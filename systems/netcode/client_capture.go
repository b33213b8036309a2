package netcode

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"time"

	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/internal/plugin"
	"github.com/tandem-ecs/tandem/systems/netcode/interp"
	"github.com/tandem-ecs/tandem/systems/netcode/replay"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// capture writes everything that a client takes from outside, as events in the order in which they
// are taken. Connections and inputs are wrapped, so the client itself has no other way of working.
type capture struct {
	to    replay.Recorder // nil: the capture has ended
	begun bool
	tick  Tick // of the present Update
	// an Update is under way
	updating bool
	events   []byte // that are not recorded yet; the memory is used again
	input    []byte // the last one, as it was written
	sum      checksum
}

// captureRoom is how many bytes of events are collected before they are recorded. The longest event
// is a datagram.
const captureRoom = 16 << 10

// clientSettings are the fields of a ClientConfig by which a client works, in the header of a
// capture. Of secrets only the sizes are there, since a connection may be too small for them.
type clientSettings struct {
	Token                                    int
	Place                                    bool
	Interpolation                            interp.Kind
	ActionRate, InputDelay                   int
	Redundancy                               Bounds[int]
	Delay                                    Bounds[time.Duration]
	Timeout, Retry, MaxSilence               time.Duration
	WithoutPrediction, WithoutReconciliation bool
}

// Capture records all that the client takes from outside, for bug reports: each datagram and when
// it arrived, the answers of connections, the player's inputs, the durations given to the engine's
// Update, and when messages were sent. A client that has the file as its [ClientConfig.Replay] runs
// again, bit for bit, as this one did: see [Client.Rerun]. Call it after Install and before the
// first Update, on a new engine. It ends when the client or the recorder does, and
// when the client visits another server ([Player.Move]). The recorder is a
// [replay.File], since a capture is of use from its begin on.
//
// No token, place, address or text of an error is in the file, and of the client's own messages
// their sizes only. But what the server sent to this player is there, with its state and its
// messages. So a chat can be read by all that get the file.
func (c *Client[S, I]) Capture(to replay.Recorder) error {
	switch {
	case c.engine == nil:
		return errors.New("netcode: Capture before Install: install the client on an engine first")
	case c.rerun != nil || c.replay != nil:
		return errors.New("netcode: a client that plays a recording cannot be captured: its recording has everything")
	case c.capture != nil:
		return errors.New("netcode: this client has a capture already: use one file")
	case c.engine.Time().Frame > 0 || c.status != Joining:
		return errors.New("netcode: Capture after the first Update: a capture begins with its client, so call it before, on a new engine")
	}
	config := &c.config
	settings, err := json.Marshal(clientSettings{
		Token: len(config.Token), Place: len(config.Place) > 0, Interpolation: config.Interpolation, ActionRate: config.ActionRate, InputDelay: config.InputDelay,
		Redundancy: config.Redundancy, Delay: config.Delay, Timeout: config.Timeout, Retry: config.Retry, MaxSilence: config.MaxSilence,
		WithoutPrediction: config.WithoutPrediction, WithoutReconciliation: config.WithoutReconciliation,
	})
	if err != nil {
		return err
	}
	if err := c.protocol.begin(to, replay.Session{Kind: replay.Exact, Config: settings}); err != nil {
		return err
	}
	r := &capture{to: to, events: make([]byte, 0, captureRoom), input: make([]byte, 0, maxCapturedInput)}
	c.capture = r
	dial := config.Dial
	config.Dial = func() (Conn, error) {
		conn, err := dial()
		if err != nil || conn == nil {
			r.put(eventUndialed)
			return conn, err
		}
		mtu := conn.MTU()
		r.number(eventDialed, uint64(mtu))
		return &capturedConn{Conn: conn, to: r, mtu: mtu}, nil
	}
	input, form := config.Input, newInputForm[I](c.protocol.game.Inputs)
	config.Input = func(t Tick) I {
		in := input(t)
		r.takeInput(form.write(in, c.protocol.game.Rules.Neutral))
		return in
	}
	begin := &plugin.System{What: "client's capture", Run: c.captureUpdate}
	c.engine.AddAt(ecs.FixedUpdate, OrderNetwork-1, begin)
	c.engine.AddAt(ecs.NormalUpdate, OrderNetwork-1, begin)
	c.engine.AddAt(ecs.NormalUpdate, OrderNetwork, &plugin.System{What: "client's capture", Run: c.captureDrawn})
	return nil
}

// end ends the capture: what follows has no form in it.
func (r *capture) end() {
	if r != nil && r.to != nil {
		r.flush()
		r.to = nil
	}
}

// captureUpdate notes that an Update has begun. It runs before the client in each of its stages.
func (c *Client[S, I]) captureUpdate() {
	if r := c.capture; r.to != nil && !r.updating {
		t := c.engine.Time()
		r.updating, r.tick = true, Tick(uint32(t.Tick))
		r.number(eventUpdate, uint64(t.RealDelta))
	}
}

// captureDrawn notes what an Update has drawn. It runs after the client.
func (c *Client[S, I]) captureDrawn() {
	r := c.capture
	if r.to == nil {
		return
	}
	r.number(eventDrawn, uint64(c.checksum(&r.sum)))
	r.updating = false
	r.flush()
	if c.status == Ended {
		r.to = nil
	}
}

// room makes room for an event of some bytes, and reports whether the capture goes on.
func (r *capture) room(size int) bool {
	if r == nil || r.to == nil {
		return false
	}
	if len(r.events)+size+3*binary.MaxVarintLen64 > cap(r.events) {
		r.flush()
	}
	return r.to != nil
}

// flush records the events.
func (r *capture) flush() {
	if len(r.events) > 0 && !r.to.Add(replay.Frame{Tick: r.tick, Kind: replay.Events, Key: !r.begun, Data: r.events}) {
		r.to = nil
	}
	r.begun, r.events = true, r.events[:0]
}

// put writes an event that is its kind alone.
func (r *capture) put(kind byte) {
	if r.room(1) {
		r.events = append(r.events, kind)
	}
}

// number writes an event with a number.
func (r *capture) number(kind byte, n uint64) {
	if r.room(1) {
		r.events = binary.AppendUvarint(append(r.events, kind), n)
	}
}

// bytes writes an event with a number and bytes.
func (r *capture) bytes(kind byte, n uint64, data []byte) {
	if r.room(1 + len(data)) { // in one piece
		r.number(kind, n)
		r.events = append(binary.AppendUvarint(r.events, uint64(len(data))), data...)
	}
}

// takeInput writes an input of the player.
func (r *capture) takeInput(in []byte) {
	if string(in) == string(r.input) {
		r.put(eventSameInput)
		return
	}
	r.input = append(r.input[:0], in...)
	r.bytes(eventInput, 0, in)
}

// message writes that a message was queued.
func (r *capture) message(size int, reliable bool) {
	kind := byte(eventUnreliable)
	if reliable {
		kind = eventReliable
	}
	r.number(kind, uint64(size))
}

// prediction writes what prediction does from here on.
func (r *capture) prediction(predict, reconcile bool) {
	how := uint64(0)
	if predict {
		how |= 1
	}
	if reconcile {
		how |= 2
	}
	r.number(eventPrediction, how)
}

// capturedConn is a connection whose answers are captured. Each call of the client is an event.
type capturedConn struct {
	Conn
	to    *capture
	now   time.Duration // of the last Poll
	state transport.State
	mtu   int // with state, as they were captured
}

// Poll implements Conn.
func (k *capturedConn) Poll(now time.Duration) {
	k.now = now
	k.Conn.Poll(now)
}

// RecvAt implements transport.Stamper.
func (k *capturedConn) RecvAt(buf []byte) (n int, at time.Duration, ok bool) {
	n, at, ok = transport.RecvAt(k.Conn, k.now, buf)
	k.received(buf[:n], at, ok)
	return n, at, ok
}

// Recv implements Conn.
func (k *capturedConn) Recv(buf []byte) (n int, ok bool) {
	n, ok = k.Conn.Recv(buf)
	k.received(buf[:n], k.now, ok)
	return n, ok
}

// received writes a datagram. The secret of a welcome is left out: it would open the player's place
// to all that get the file.
func (k *capturedConn) received(data []byte, at time.Duration, ok bool) {
	if !ok {
		k.to.put(eventNothing)
		return
	}
	k.to.bytes(eventReceived, zigzag(k.now-at), data)
	if events := k.to.events; len(data) > 0 && data[0] == kindWelcome && len(events) >= len(data) {
		blankSecret(events[len(events)-len(data):])
	}
}

// Send implements Conn.
func (k *capturedConn) Send(data []byte) error {
	err := k.Conn.Send(data)
	if err != nil {
		k.to.put(eventUnsent)
	} else {
		k.to.put(eventSent)
	}
	return err
}

// State implements Conn.
func (k *capturedConn) State() transport.State {
	state, mtu := k.Conn.State(), k.Conn.MTU() // a Fallback has another MTU when it opens
	if state == k.state && mtu == k.mtu {
		k.to.put(eventSameState)
		return state
	}
	k.state, k.mtu = state, mtu
	k.to.number(eventState, uint64(mtu)<<2|uint64(state))
	return state
}

// CloseReason implements Conn. The text of a reason may hold an address.
func (k *capturedConn) CloseReason() Reason {
	reason := k.Conn.CloseReason()
	k.to.number(eventClosed, uint64(reason.Code))
	return reason
}
