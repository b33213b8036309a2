package netcode

import (
	"errors"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/clocksync"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// A client that its server has told to visit another one connects to that beside it. It decodes the
// packets of both, and sends its inputs to both. As soon as a packet of the visited server has the
// own state, that server has the player, and the client goes on with it. The connection that it has
// left stays for a while, for the messages that are under way on it.

const (
	// visitPatience is the longest silence of a visited server.
	visitPatience = 5 * time.Second
	// leaving is how long a client stays with a server that it has left, and leavingEvery how often
	// it then sends a packet.
	leaving      = 2 * time.Second
	leavingEvery = 100 * time.Millisecond
)

// visits are a client's servers beside the one that it plays on, and the addresses of all.
type visits[S any] struct {
	next     *link[S] // visited; nil: none
	asked    time.Duration
	since    time.Duration // when it was dialed
	told     bool          // a ticket has been used
	ticket   [ticketSize]byte
	earliest time.Duration // of the next visit

	last     *link[S] // left; nil: none
	until    time.Duration
	lastSent time.Duration

	dialed     string // the address of the present connection; empty: that of Dial
	latest     string // of the server that the player may have come to
	former     string // of the server before the present one
	turn       int    // attempts since the client has played
	redirect   string // where a server has sent this client; empty: nowhere
	redirected time.Duration
	to         map[EntityID]EntityID // scratch
	names      map[uint64]int        // scratch
}

// receiveMove takes a ticket for a visit, and reports whether it is well formed.
func (c *Client[S, I]) receiveMove(datagram []byte, now time.Duration) bool {
	if len(datagram) < ticketSize || !isAddress(datagram[ticketSize:]) {
		return false
	}
	v := &c.visits
	ticket, at := [ticketSize]byte(datagram), datagram[ticketSize:]
	switch {
	case c.config.DialAt == nil || c.welcomed.arrival || c.rerun != nil:
	case len(at) == 0:
		v.latest = c.at
		c.leaveVisit("the visit is over", now)
	case v.told && v.ticket == ticket || string(at) == c.at || now < v.earliest:
		// A ticket that comes too early comes again.
	default:
		v.told, v.ticket, v.earliest = true, ticket, now+c.config.Retry
		c.beginVisit(string(at), now)
	}
	return true
}

// beginVisit dials a server beside the present one.
func (c *Client[S, I]) beginVisit(at string, now time.Duration) {
	v := &c.visits
	c.leaveVisit("another visit begins", now)
	c.capture.end()
	v.latest = at
	conn, err := c.dial(at)
	if err != nil {
		v.told = false // it comes again
		c.config.Log.Info("tandem: cannot visit the next server", "at", at, "error", err)
		return
	}
	v.next = &link[S]{at: at, conn: conn, receivedAt: now, polledAt: now, wokeAt: -time.Hour}
	v.since, v.asked = now, 0
}

// leaveVisit ends a visit. The player is not there.
func (c *Client[S, I]) leaveVisit(why string, now time.Duration) {
	if v := &c.visits; v.next != nil {
		v.next.conn.Close(Reason{Code: transport.Left, Text: why})
		v.next = nil
		c.endDouble()
	}
}

// endDouble ends what the second way of a visit asks of the clock and the view.
func (c *Client[S, I]) endDouble() {
	if c.clocks != nil {
		c.clocks.SetLeast(0)
	}
	if c.playback != nil {
		c.playback.EndOther()
	}
}

// endVisits closes the connections to all servers but the present one.
func (c *Client[S, I]) endVisits(reason Reason) {
	c.leaveVisit("the client has ended", 0)
	c.leaveLast(reason)
}

// stepVisits receives from the servers beside the present one, once a step. Meanwhile their links
// stand in the place of the present one, which is home.
func (c *Client[S, I]) stepVisits(now time.Duration) {
	if c.status == Ended {
		return
	}
	if l := c.visits.last; l != nil {
		c.link = l
		c.stepLast(now)
		c.link = c.home
	}
	if l := c.visits.next; l != nil {
		c.link = l
		c.stepVisit(now)
		c.link = c.home
	}
}

// frameVisit collects the datagrams of the visited server, and runs its clocks, in every frame.
func (c *Client[S, I]) frameVisit(now time.Duration) {
	l := c.visits.next
	if l == nil {
		return
	}
	c.link = l
	c.collect(now)
	ready := false
	if l.clocks != nil {
		l.clocks.SetRedundancy(l.inputLoss.Redundancy(now))
		t := c.engine.Time()
		l.clocks.Update(now, clocksync.EngineTime{Normal: t.Normal, Fixed: t.Fixed, Dropped: t.Dropped, Tick: t.Tick})
		ready = l.clocks.Ready()
	}
	c.link = c.home
	if ready && c.clocks != nil { // inputs are to be in time at both, and snapshots of both
		c.clocks.SetLeast(l.clocks.Stats().Lead)
	}
	if l.hasFast && c.playback != nil {
		c.playback.SetOther(l.fastest)
	}
}

// stepVisit receives from the visited server. If the player has come there, it is the client's from
// then on.
func (c *Client[S, I]) stepVisit(now time.Duration) {
	v := &c.visits
	c.poll(now)
	for range 4 * perPoll / queueSize {
		c.fill(now)
		for i := range c.queued {
			a := &c.queue[i]
			c.stale = a.stale
			c.stats.ReceivedBytes += uint64(a.size)
			if c.link != c.home && c.hasCome(a.data[:a.size]) {
				c.arrive(now)
			}
			if c.link == c.home {
				c.receive(a.data[:a.size], now, a.at)
			} else if !c.receiveVisit(a.data[:a.size], now, a.at) {
				c.stats.Malformed++
			}
			if c.conn == nil { // the client has ended
				return
			}
		}
		n := c.queued
		if c.queued = 0; n < queueSize {
			break
		}
	}
	if c.link == c.home {
		return
	}
	switch state := c.conn.State(); {
	case state == transport.Closed:
		c.config.Log.Info("tandem: the next server has ended the visit", "at", c.at, "reason", c.conn.CloseReason().String())
		c.dropVisit(Reason{})
	case state == transport.Connecting && now-v.since > connectTimeout, state == transport.Open && now-c.receivedAt > visitPatience:
		c.dropVisit(Reason{Code: transport.TimedOut, Text: "the server is silent"})
	case state == transport.Connecting:
		c.receivedAt = now
	case c.endpoint == nil && (v.asked == 0 || now-v.asked >= helloEvery):
		v.asked = now
		c.sendVisitHello()
	}
}

// dropVisit ends a visit whose connection has ended.
func (c *Client[S, I]) dropVisit(reason Reason) {
	c.conn.Close(reason)
	c.visits.next = nil
	c.link = c.home
	c.endDouble()
}

// sendVisitHello asks the visited server for the visit.
func (c *Client[S, I]) sendVisitHello() {
	if c.conn.MTU() < minMTU {
		return
	}
	c.packet[0] = kindVisit
	n := 1 + copy(c.packet[1:], c.visits.ticket[:])
	w := NewWriter(c.packet[n:c.conn.MTU()])
	h := c.hello
	h.token = nil // the ticket stands for it
	h.write(&w, c.protocol.schema)
	if w.Err() == nil {
		_ = c.conn.Send(c.packet[:n+len(w.Bytes())])
	}
}

// hasCome reports whether a datagram of the visited server is a packet with the own state.
func (c *Client[S, I]) hasCome(datagram []byte) bool {
	if len(datagram) == 0 || datagram[0] != kindSession || c.endpoint == nil {
		return false
	}
	pk, err := c.endpoint.Open(datagram[1:])
	if err != nil {
		return false
	}
	h, ok := c.readHead(&pk.Payload)
	return ok && h.hasState
}

// receiveVisit processes a datagram of the visited server, and reports whether it is well formed.
func (c *Client[S, I]) receiveVisit(datagram []byte, now, arrived time.Duration) bool {
	switch {
	case len(datagram) == 0:
		return true
	case datagram[0] == kindWelcome && c.endpoint == nil:
		return c.beginSession(datagram[1:], now)
	case datagram[0] == kindWelcome, datagram[0] == kindSession && c.endpoint == nil:
		return true // again, or too early
	case datagram[0] != kindSession:
		return false
	}
	pk, err := c.endpoint.Open(datagram[1:])
	if err != nil {
		return errors.Is(err, packet.ErrDuplicate) || errors.Is(err, packet.ErrTooOld)
	}
	r := &pk.Payload
	h, ok := c.readHead(r)
	if !ok {
		return false
	}
	for _, m := range c.protocol.matchStates {
		m.read(r) // none: the player's server sends them
	}
	if r.Err() != nil {
		return false
	}
	snap, err := c.decoder.Decode(r, pk.Number)
	if err != nil || c.endpoint.Accept(pk, arrived) != nil {
		return false
	}
	c.receivedAt = now
	c.answered(&h, arrived)
	if h.feedback.Heard {
		c.clocks.Reported(now, h.feedback.Report)
		c.acked, c.hasAcked = h.feedback.Ack, true
	}
	if !c.overslept(arrived, c.edgeOf(snap.Tick)) {
		if transit := arrived - c.edgeOf(snap.Tick); !c.hasFast || transit < c.fastest {
			c.fastest, c.hasFast = transit, true
		}
	}
	return true
}

// beginSession takes the welcome of the visited server.
func (c *Client[S, I]) beginSession(datagram []byte, now time.Duration) bool {
	r := NewReader(datagram)
	var m welcome
	if m.read(&r, c.protocol.TickRate()) != nil || m.player != c.hello.player || m.secret != c.hello.secret || m.rate == 0 || m.arrival {
		return false
	}
	c.welcomed = m
	if c.newSession((*clientHandler[S, I])(c)) != nil {
		return false
	}
	c.beginPath(now)
	return true
}

// unreceived returns the oldest input that the present link's server may not have received.
func (c *Client[S, I]) unreceived() Tick {
	if c.link == c.visits.next && c.hasAcked {
		return c.acked.Add(1)
	}
	return c.predictor.Pending().Unreceived()
}

// sendVisit sends the packet of a step to the visited server.
func (c *Client[S, I]) sendVisit(now time.Duration) {
	if l := c.visits.next; l != nil && l.endpoint != nil && c.predictor != nil {
		c.link = l
		c.send(now)
		c.link = c.home
	}
}
