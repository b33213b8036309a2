package netcode

import (
	"errors"
	"math"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/clocksync"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/prediction"
	"github.com/tandem-ecs/tandem/systems/netcode/interp"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// begin starts a session, or resumes the old one.
func (c *Client[S, I]) begin(m welcome, now time.Duration) {
	again := c.endpoint != nil
	if !m.resumed || !again {
		c.endVisits(Reason{Code: transport.Moved, Text: "the player plays elsewhere"})
		c.at, c.visits.latest = c.visits.dialed, c.visits.dialed
		c.forget()
		c.clearShots()
		if err := c.newSession((*clientHandler[S, I])(c)); err != nil {
			c.end(Reason{Code: transport.Failed, Text: err.Error()})
			return
		}
		c.recordSession()
		for _, m := range c.protocol.matchStates {
			m.reset()
		}
		c.view, c.viewNext, c.viewTime, c.viewpoint = 0, 0, 0, viewpoint{}
		c.own, c.hasState, c.whole, c.jumps, c.correct, c.ownUpdate = NoEntity, false, 0, 0, correction[S]{}, ownUpdate[S]{}
		c.floor = int64(m.half) << 31
		c.newest = c.floor
	}
	if again {
		c.stats.Reconnects++
	}
	game := &c.protocol.game
	c.welcomed = m
	delay := c.inputDelay()
	if c.predictor == nil || !m.resumed {
		step := c.stepOwn
		if len(c.shots) > 0 && !m.arrival {
			step = c.stepAndFire
		}
		c.predictor = prediction.NewPredictor(prediction.Config[S, I]{Step: step, Distance: game.Distance, Tolerance: game.Tolerance, Rules: game.Rules, Delay: delay})
		c.bodies = nil
		if kind := c.protocol.bodies; kind != nil && !m.arrival {
			c.bodies = kind.client(c, c.predictor, m.player)
		}
	}
	if c.predictor.Started() {
		// Inputs from before the outage are of no use any more, and would count as late.
		c.predictor.Start(c.predictor.Tick(), c.predictor.State())
	}
	c.beginPath(now)
	rate := c.protocol.TickRate()
	c.playback = interp.NewPlayback(interp.DelayConfig{
		Interval: time.Second / time.Duration(m.rate), Tick: time.Second / time.Duration(rate), Min: c.config.Delay.Min, Max: c.config.Delay.Max,
	})
	c.hello.resume, c.hello.player, c.hello.secret = true, m.player, m.secret
	c.hello.anew, c.hello.session = false, m.session
	c.visits.turn = 0
	c.outage = outage{packetAt: now}
	c.setStatus(Playing, Reason{})
}

// sessionHead is what stands before the own state in a server's packet.
type sessionHead struct {
	pong     pong
	hasPong  bool
	interval time.Duration // between two snapshots of a body
	feedback prediction.Feedback
	hasState bool // the own state follows: the server has the player
}

// readHead reads the begin of a packet, and reports whether it is well formed so far.
func (c *Client[S, I]) readHead(r *Reader) (h sessionHead, ok bool) {
	if h.hasPong = r.Bool(); h.hasPong {
		h.pong = readPong(r)
	}
	h.interval = time.Second / time.Duration(c.welcomed.rate)
	if r.Bool() {
		ticks := r.Bits(intervalBits)
		if ticks == 0 {
			return h, false
		}
		h.interval = time.Second * time.Duration(ticks) / time.Duration(c.protocol.TickRate())
	}
	h.feedback = prediction.ReadFeedback(r)
	h.hasState = r.Bool()
	return h, r.Err() == nil
}

// answered takes the answer to a ping in a packet, if there is one. One from before a sleep is
// refused.
func (c *Client[S, I]) answered(h *sessionHead, arrived time.Duration) {
	if p := &h.pong; h.hasPong && c.pinged[p.id] {
		c.pinged[p.id] = false
		_, _ = c.clocks.Answered(clocksync.Sample{ClientSend: c.pings[p.id], ServerReceive: p.receive, ServerSend: p.receive + p.hold, ClientReceive: arrived})
	}
}

// receiveSession processes one packet. All of it is decoded before any of it is applied.
func (c *Client[S, I]) receiveSession(datagram []byte, now, arrived time.Duration) bool {
	pk, err := c.endpoint.Open(datagram)
	if err != nil {
		return errors.Is(err, packet.ErrDuplicate) || errors.Is(err, packet.ErrTooOld)
	}
	r := &pk.Payload
	h, ok := c.readHead(r)
	if !ok {
		return false
	}
	feedback, hasState, interval := h.feedback, h.hasState, h.interval
	var me ownState[S]
	if hasState {
		me = c.ownStates.read(r, pk.Number, c.protocol.ownCodec())
	}
	for _, m := range c.protocol.matchStates {
		m.read(r)
	}
	if r.Err() != nil {
		return false
	}
	snap, err := c.decoder.Decode(r, pk.Number)
	if err != nil {
		return false
	}
	if err := c.endpoint.Accept(pk, arrived); err != nil {
		c.end(Reason{Code: transport.Failed, Text: "the server broke the protocol: " + err.Error()})
		return true
	}
	c.receivedAt, c.outage.packetAt = now, arrived
	c.stats.Snapshots++
	if hasState {
		c.ownStates.keep(pk.Number, me)
	}
	c.applyMatchStates(pk.Number, snap.Tick)
	c.answered(&h, arrived)
	at := c.index(snap.Tick)
	if !c.overslept(arrived, c.grid.Edge(at)) {
		c.playback.Arrive(arrived, c.grid.Edge(at), uint16(pk.Number))
	}
	c.watchSnapshot(arrived, c.grid.Edge(at), uint32(pk.Number))
	if feedback.Heard {
		if !c.welcomed.arrival {
			c.clocks.Reported(now, feedback.Report)
		}
		c.predictor.Pending().Acknowledge(feedback.Ack)
		c.stats.Missed, c.outage.missed = feedback.Starved, feedback.Starved
	}
	if hasState && at > c.newest {
		if me.body != c.own { // another body
			if old := c.replica(c.own); old != nil {
				// From here on it is drawn in the past, as the others are.
				old.settled, old.shown = false, false
			}
			c.own, c.correct.jump = me.body, true
			c.watchOwn()
		}
		after := snap.Tick
		if c.welcomed.arrival && feedback.Heard {
			// the state is the one after that input, in any tick
			after = feedback.Ack.Add(1)
		}
		c.ownUpdate = ownUpdate[S]{true, after, me.state, me.jumps, me.launched}
	}
	if at > c.newest {
		c.playback.SetRound(interval)
		c.stats.Interval = interval
	}
	c.newest = max(c.newest, at)
	c.apply(snap, arrived)
	if c.recorder != nil {
		c.record(snap, now)
	}
	return true
}

// overslept reports whether a datagram may have waited for this process to wake up, so that its
// time of arrival does not measure the path: it was there when the process woke, or its state is
// from before, and no arrival can be noted while the process sleeps.
func (c *Client[S, I]) overslept(arrived, edge time.Duration) bool {
	if arrived < c.wokeAt-wakeTime {
		return false
	}
	return c.stale || c.clocks.Synced() && edge < c.clocks.Reference().At(c.wokeAt)
}

// frame runs after the fixed steps of every frame. It updates the clocks, and sets the engine's
// time to run a little faster or slower.
func (c *Client[S, I]) frame() {
	defer c.watchFrame()
	now := c.now()
	c.collect(now)
	c.frameVisit(now)
	c.stats.Silence = c.silence(now)
	if c.status != Playing {
		return
	}
	c.stats.Redundancy = c.inputLoss.Redundancy(now)
	c.clocks.SetRedundancy(c.stats.Redundancy)
	t := c.engine.Time()
	stretch, jump := c.clocks.Update(now, clocksync.EngineTime{Normal: t.Normal, Fixed: t.Fixed, Dropped: t.Dropped, Tick: t.Tick})
	if err := c.engine.SetStretch(stretch); err != nil {
		c.config.Log.Error("tandem: cannot stretch the engine's time", "error", err)
	}
	if jump.Ticks != 0 && jump.Cause != clocksync.JumpStart {
		c.config.Log.Info("tandem: clock jump", "ticks", jump.Ticks, "cause", string(jump.Cause))
		c.stats.Jumps++
		c.watchClockJump(int(jump.Ticks))
	}
	s := c.clocks.Stats()
	c.stats.RTT, c.stats.Jitter, c.stats.Lead = s.RTT, s.Jitter, s.Lead
	c.stats.Age, c.stats.Stretch = s.Age.Duration(c.grid), stretch
	c.stats.Loss, c.stats.ViewRate = c.playback.Loss(), c.playback.Rate()
	c.stats.Path = c.pace.control.Stats(now)
	if c.bodies != nil {
		c.bodies.stats(&c.stats)
	}
	c.stats.Delay = 0
	if c.clocks.Synced() {
		c.stats.Delay = c.clocks.Reference().At(now) - c.viewTime
	}
}

// A path to the server that has delivered nothing for unheard gets a packet only every seldom. The
// packets that an outage holds up arrive together at its end, and a server removes a client that
// sends too many.
const (
	unheard = 3 * time.Second
	seldom  = 250 * time.Millisecond
)

// send sends the packet of a step: a ping now and then, the time of the view, and the inputs that
// the server does not have.
func (c *Client[S, I]) send(now time.Duration) {
	if c.conn == nil || c.conn.State() != transport.Open {
		return
	}
	reserve, least := max(leastReserve, c.need), minMTU
	due := c.endpoint.Due(now)
	if due > 0 {
		least = min(c.need+due+1, c.conn.MTU())
	}
	room := c.pace.room(now, least, c.conn.MTU(), int(c.upload))
	c.setBatch(now)
	if room == 0 || now-c.ackedAt > unheard && now-c.sentAt < seldom {
		return // the inputs are sent with the next packet
	}
	c.packet[0] = kindSession
	ping := c.clocks.PingDue(now)
	if ping {
		c.ping++
		c.pings[c.ping], c.pinged[c.ping] = now, true
	}
	if due > 0 { // a small packet has no room for both
		reserve = min(reserve, room-due-1)
	}
	datagram, err := c.write(ping, now, room, reserve)
	if err != nil { // the inputs did not fit beside messages, which can wait: they have grown
		datagram, err = c.write(ping, now, c.conn.MTU(), transport.MaxMTU)
	}
	if err != nil {
		return
	}
	if newest, ok := c.predictor.Pending().Newest(); ok && c.predictor.Pending().Unacknowledged() > 0 && c.clocks.Synced() {
		c.clocks.Sent(newest, now)
	}
	full := c.packet[:1+len(datagram)]
	if c.conn.Send(full) == nil {
		c.sentAt = now
		c.stats.SentBytes += uint64(len(full))
		c.pace.spend(len(full))
		if due == 0 {
			c.upload += (float64(len(full)) - c.upload) / 8
		}
	}
}

// setBatch sets how many new inputs a packet carries, here and in the clock.
func (c *Client[S, I]) setBatch(now time.Duration) {
	rate := float64(c.config.ActionRate)
	if c.pace.limited {
		rate = min(rate, c.pace.control.Rate(now)/(c.upload+overhead))
	}
	c.batch = min(int(math.Ceil(float64(c.protocol.TickRate())/rate)), maxBatch)
	c.clocks.SetBatch(c.batch)
}

// write makes a packet of at most room bytes, in which messages leave the reserve free. If the path
// to the server carries less than the inputs take, each input is sent in as many packets as the
// loss requires, and in no more.
func (c *Client[S, I]) write(ping bool, now time.Duration, room, reserve int) ([]byte, error) {
	w := c.endpoint.Begin(c.packet[1:room], now, reserve)
	w.Bool(ping)
	if ping {
		w.Bits(uint64(c.ping), 8)
	}
	w.Bits(uint64(uint32(c.view>>viewBits)), 32)
	w.Bits(uint64(c.view&(1<<viewBits-1)), viewBits)
	pending := c.predictor.Pending()
	since := c.unreceived()
	has := pending.HeldSince(since) > 0
	w.Bool(has)
	if has {
		var limit prediction.Redundancy
		if c.pace.limited {
			limit.Inputs = min(c.batch*max(2, c.inputLoss.Redundancy(now)), prediction.MaxRedundancy)
		}
		pending.WriteSince(w, c.protocol.game.Inputs, limit, since)
	}
	c.need = (w.Len() + 7) / 8
	return c.endpoint.End()
}

// clientHandler implements the endpoint's handler.
type clientHandler[S any, I comparable] Client[S, I]

func (h *clientHandler[S, I]) Delivered(n packet.Number, _ time.Duration) {
	h.ackedAt = (*Client[S, I])(h).now()
	h.resolve(n, false)
}

func (h *clientHandler[S, I]) Lost(n packet.Number) { h.resolve(n, true) }

// resolve counts a packet as delivered or lost. Packets of the connection before, lost in its
// outage, do not count: they do not describe the present path.
func (h *clientHandler[S, I]) resolve(n packet.Number, lost bool) {
	if n >= h.pathBegan {
		h.inputLoss.Packet(lost)
	}
}

func (h *clientHandler[S, I]) Message(data []byte, reliable bool) {
	if h.config.Message == nil || h.link == h.visits.next {
		return
	}
	from := h.link
	h.link = h.home // where a reply goes
	h.config.Message(data, reliable)
	h.link = from
}
