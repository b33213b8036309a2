package netcode

import (
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/clocksync"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/prediction"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
)

// link is a client's connection to one server, and the session on it. A client that changes its
// server has two for a while.
type link[S any] struct {
	at         string // the server's address for ClientConfig.DialAt; empty: that of Dial
	conn       Conn
	receivedAt time.Duration
	ackedAt    time.Duration // when the server last acknowledged a packet
	sentAt     time.Duration // when one was last sent
	polledAt   time.Duration
	wokeAt     time.Duration // when this process last woke
	waking     bool          // this process has slept, and datagrams read now have waited for it
	stale      bool          // the datagram that is processed now has waited so
	queue      [queueSize]arrival
	queued     int
	welcomed   welcome

	endpoint  *packet.Endpoint
	pace      pace
	need      int     // bytes that messages must leave for inputs
	upload    float64 // bytes of a packet of inputs, smoothed
	batch     int     // new inputs in a packet
	decoder   *snapshot.Decoder
	clocks    *clocksync.Client
	inputLoss clocksync.LossMeter
	pathBegan packet.Number  // number of the first packet on this connection
	ownStates ownReceived[S] // by packets
	acked     Tick           // of a visited server: all inputs up to it have arrived there
	hasAcked  bool
	fastest   time.Duration // transit to this end of the visited server's packets, on both clocks
	hasFast   bool
	pings     [256]time.Duration
	pinged    [256]bool
	ping      uint8
}

// beginPath makes the clocks of a new connection, on which no packet has been sent.
func (c *Client[S, I]) beginPath(now time.Duration) {
	c.pace.control.Reset()
	// The path is new, so the times measured on the old one are not used. However long frames are
	// and however much is lost, inputs are to arrive at most a quarter as early as the server
	// accepts them. That is as many as a packet carries. The rest is for ways that become shorter.
	rate := c.protocol.TickRate()
	ahead := prediction.Ahead * time.Second / time.Duration(rate)
	// a queue of the length of the greatest lead may drain at once
	c.clocks = clocksync.NewClient(clocksync.Config{Grid: c.grid, MaxLead: min(3*ahead, 5*time.Second), MaxAge: ahead / 4})
	c.pinged = [256]bool{}
	c.batch = (rate + c.config.ActionRate - 1) / c.config.ActionRate
	c.clocks.SetBatch(c.batch)
	c.clocks.SetDelay(c.inputDelay())
	c.inputLoss, c.pathBegan = clocksync.NewLossMeter(c.config.Redundancy.Min, c.config.Redundancy.Max), c.endpoint.Next()
	c.clocks.SetRedundancy(c.inputLoss.Redundancy(now))
	c.receivedAt, c.ackedAt = now, now
}

// newSession makes an endpoint, whose events a handler receives, and a decoder for a new session on
// the connection.
func (c *Client[S, I]) newSession(handler packet.Handler) (err error) {
	rate := c.protocol.TickRate()
	c.pace, c.upload = newPace(rate*c.conn.MTU(), rate), 0
	if c.endpoint, err = packet.NewEndpoint(packet.Config{MTU: c.conn.MTU() - 1, Handler: handler, Control: c.pace.control, Overhead: overhead}); err != nil {
		return err
	}
	c.decoder = snapshot.NewDecoder(c.protocol.schema)
	c.ownStates = ownReceived[S]{}
	return nil
}
