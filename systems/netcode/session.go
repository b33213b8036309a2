package netcode

import (
	"errors"
	"time"

	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode/clocksync"
	"github.com/tandem-ecs/tandem/systems/netcode/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/prediction"
	"github.com/tandem-ecs/tandem/systems/netcode/remote"
	"github.com/tandem-ecs/tandem/systems/netcode/snapshot"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// begin starts a session, or goes on with the old one.
func (c *Client[S, I]) begin(m welcome, now time.Duration) {
	again := c.endpoint != nil
	if !m.resumed || !again {
		c.forget()
		var err error
		if c.endpoint, err = packet.NewEndpoint(packet.Config{MTU: c.conn.MTU() - 1, Handler: (*clientHandler[S, I])(c)}); err != nil {
			c.end(transport.Reason{Code: transport.Failed, Text: err.Error()})
			return
		}
		c.decoder = snapshot.NewDecoder(c.protocol.schema)
		c.mine = ownHeard[S]{}
		c.view, c.viewNext, c.viewTime, c.looked = 0, 0, 0, look{}
		c.own, c.hasState, c.newest, c.jumps, c.correct, c.told = snapshot.None, false, 0, 0, correction[S]{}, news[S]{}
	}
	if again {
		c.stats.Reconnects++
	}
	game := &c.protocol.game
	if c.predictor == nil || !m.resumed {
		c.predictor = prediction.NewPredictor(prediction.Config[S, I]{Step: game.Step, Distance: game.Distance, Tolerance: game.Tolerance, Rules: game.Rules})
		c.bodies = nil
		if kind := c.protocol.bodies; kind != nil && !m.arrival {
			c.bodies = kind.client(c, c.predictor, m.player)
		}
	}
	if c.predictor.Started() {
		// Inputs from before the outage are worth nothing any more, and would count as late.
		c.predictor.Start(c.predictor.Tick(), c.predictor.State())
	}
	// The path is a new one, so what was learned of the old one's times does not hold.
	// However long frames are and however much is lost, inputs come less than 16 ticks early: what a report can say, and half of the window in which the server
	// takes them. A client whose age is always saturated would not notice that it is far too early.
	early := 15 * time.Second / time.Duration(c.protocol.TickRate())
	clocks, err := clocksync.NewClient(clocksync.Config{Rate: c.protocol.TickRate(), Lead: clocksync.LeadConfig{MaxAge: early}})
	if err != nil {
		c.end(transport.Reason{Code: transport.Failed, Text: err.Error()})
		return
	}
	rate := c.protocol.TickRate()
	clocks.SetBatch((rate + c.config.ActionRate - 1) / c.config.ActionRate)
	c.clocks, c.pinged = clocks, [256]bool{}
	c.inputLoss, c.pathBegan = clocksync.NewLossMeter(c.config.Redundancy.Min, c.config.Redundancy.Max), c.endpoint.Next()
	clocks.SetRedundancy(c.inputLoss.Redundancy(now))
	c.playback = remote.NewPlayback(remote.DelayConfig{
		Interval: time.Second / time.Duration(m.rate), Tick: time.Second / time.Duration(rate), Min: c.config.Delay.Min, Max: c.config.Delay.Max,
	})
	c.welcomed = m
	c.hello.resume, c.hello.player, c.hello.secret = true, m.player, m.secret
	c.heardAt = now
	c.setStatus(Playing, transport.Reason{})
}

// hearSession takes in one packet: all of it is decoded before any of it is applied.
func (c *Client[S, I]) hearSession(datagram []byte, now, arrived time.Duration) bool {
	pk, err := c.endpoint.Open(datagram)
	if err != nil {
		return errors.Is(err, packet.ErrDuplicate) || errors.Is(err, packet.ErrTooOld)
	}
	r := &pk.Payload
	var p pong
	hasPong := r.Bool()
	if hasPong {
		p = readPong(r)
	}
	feedback := prediction.ReadFeedback(r)
	hasState := r.Bool()
	var me own[S]
	if hasState {
		me = c.mine.read(r, pk.Number, c.protocol.game.States)
	}
	if r.Err() != nil {
		return false
	}
	snap, err := c.decoder.Decode(r, pk.Number)
	if err != nil {
		return false
	}
	if err := c.endpoint.Accept(pk, now); err != nil {
		c.end(transport.Reason{Code: transport.Failed, Text: "the server broke the protocol: " + err.Error()})
		return true
	}
	c.heardAt = now
	c.stats.Snapshots++
	if hasState {
		c.mine.keep(pk.Number, me)
	}
	if hasPong && c.pinged[p.id] {
		c.pinged[p.id] = false
	} else {
		hasPong = false
	}
	if hasPong { // one from before a sleep is refused
		_, _ = c.clocks.Answered(clocksync.Sample{ClientSend: c.pings[p.id], ServerReceive: p.receive, ServerSend: p.receive + p.hold, ClientReceive: arrived})
	}
	at := clocksync.Unwrap(snap.Tick, c.newest)
	if !c.overslept(arrived, c.grid.Edge(at)) {
		c.playback.Arrive(arrived, c.grid.Edge(at), uint16(pk.Number))
	}
	if feedback.Heard {
		if !c.welcomed.arrival {
			c.clocks.Reported(now, feedback.Newest, feedback.Age)
		}
		c.predictor.Pending().Acknowledge(feedback.Ack)
		c.stats.Missed = feedback.Starved
	}
	c.feedback = feedback
	if hasState && at > c.newest {
		if me.body != c.own { // another body
			if old := c.replica(c.own); old != nil {
				old.settled, old.shown = false, false // from here on it is one of the others, somewhere behind
			}
			c.own, c.correct.jump = me.body, true
		}
		after := snap.Tick
		if c.welcomed.arrival && feedback.Heard {
			after = feedback.Ack.Add(1) // the state is the one after that input, whenever it ran
		}
		c.told = news[S]{true, after, me.state, me.jumps}
	}
	c.newest = max(c.newest, at)
	c.apply(snap, arrived)
	return true
}

// overslept reports whether what arrived with a state may have waited for this process to wake up, so that its time of arrival says nothing: it was there when the process
// woke, or was sent before, and nobody can have noted the arrival while the process slept.
func (c *Client[S, I]) overslept(arrived, edge time.Duration) bool {
	if arrived < c.wokeAt-wakeTime {
		return false
	}
	return c.stale || c.clocks.Synced() && edge < c.clocks.Reference().At(c.wokeAt)
}

// frame runs after the fixed steps of every frame: it reads the clocks, and asks the engine to run a little faster or slower.
func (c *Client[S, I]) frame() {
	now := c.now()
	c.collect(now)
	if c.status != Playing {
		return
	}
	c.stats.Redundancy = c.inputLoss.Redundancy(now)
	c.clocks.SetRedundancy(c.stats.Redundancy)
	stretch, jump := c.clocks.Update(now, engineTime(c.engine.Time()))
	if err := c.engine.SetStretch(stretch); err != nil {
		c.config.Log.Error("tandem: cannot stretch the engine's time", "error", err)
	}
	if jump.Ticks != 0 && jump.Cause != clocksync.JumpStart {
		c.config.Log.Info("tandem: clock jump", "ticks", jump.Ticks, "cause", jump.Cause.String())
	}
	if jump.Ticks != 0 && jump.Cause != clocksync.JumpStart {
		c.stats.Jumps++
	}
	s := c.clocks.Stats(now)
	c.stats.RTT, c.stats.Jitter, c.stats.Lead = s.RTT, s.Jitter, s.Lead
	c.stats.Age, c.stats.Stretch = s.Age.Duration(c.grid), stretch
	c.stats.Loss, c.stats.ViewRate = c.playback.Loss(), c.playback.Rate()
	if c.bodies != nil {
		c.bodies.stats(&c.stats)
	}
	if c.clocks.Synced() {
		c.stats.Delay = c.clocks.Reference().At(now) - c.viewTime
	}
}

func engineTime(t ecs.Time) clocksync.EngineTime {
	return clocksync.EngineTime{Normal: t.Normal, Fixed: t.Fixed, Dropped: t.Dropped, Tick: t.Tick}
}

// send writes the packet of a step: a ping now and then, what is looked at, and the inputs that the server does not have.
func (c *Client[S, I]) send(now time.Duration) {
	if c.conn == nil || c.conn.State() != transport.Open {
		return
	}
	c.packet[0] = kindSession
	ping := c.clocks.PingDue(now)
	if ping {
		c.ping++
		c.pings[c.ping], c.pinged[c.ping] = now, true
	}
	reserve := max(leastReserve, c.need)
	if due := c.endpoint.Due(now); due > 0 { // where packets are small there is not room for both
		reserve = min(reserve, c.conn.MTU()-due-1)
	}
	datagram, err := c.write(ping, now, reserve)
	if err != nil { // the inputs did not fit beside messages, which can wait: they have grown
		datagram, err = c.write(ping, now, transport.MaxMTU)
	}
	if err != nil {
		return
	}
	if newest, ok := c.predictor.Pending().Newest(); ok && c.predictor.Pending().Unacknowledged() > 0 && c.clocks.Synced() {
		c.clocks.Sent(newest, now)
	}
	full := c.packet[:1+len(datagram)]
	if c.conn.Send(full) == nil {
		c.stats.SentBytes += uint64(len(full))
	}
}

// write makes the packet, of which messages leave the reserve.
func (c *Client[S, I]) write(ping bool, now time.Duration, reserve int) ([]byte, error) {
	w := c.endpoint.Begin(c.packet[1:c.conn.MTU()], now, reserve)
	w.Bool(ping)
	if ping {
		w.Bits(uint64(c.ping), 8)
	}
	w.Bits(uint64(uint32(c.view>>viewBits)), 32)
	w.Bits(uint64(c.view&(1<<viewBits-1)), viewBits)
	pending := c.predictor.Pending()
	has := pending.Unacknowledged() > 0
	w.Bool(has)
	if has {
		pending.Write(w, c.protocol.game.Inputs, prediction.Redundancy{})
	}
	c.need = (w.Len() + 7) / 8
	return c.endpoint.End()
}

// clientHandler hears from the endpoint.
type clientHandler[S any, I comparable] Client[S, I]

func (h *clientHandler[S, I]) Delivered(n packet.Number, _ time.Duration) { h.became(n, false) }
func (h *clientHandler[S, I]) Lost(n packet.Number)                       { h.became(n, true) }

// became notes what became of a packet. Those of the connection before, lost in its outage, say nothing of the present path.
func (h *clientHandler[S, I]) became(n packet.Number, lost bool) {
	if n >= h.pathBegan {
		h.inputLoss.Packet(lost)
	}
}

func (h *clientHandler[S, I]) Message(data []byte, reliable bool) {
	if h.config.Message != nil {
		h.config.Message(data, reliable)
	}
}
