package netcode

import (
	"fmt"
	"math"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// helloEvery is how often a hello is repeated until it is answered.
const helloEvery = 200 * time.Millisecond

// connectTimeout is how long a connection may take to be made. Transports give up earlier, and
// report the reason.
const connectTimeout = 15 * time.Second

// sleep is the time without a frame after which the arrival times of datagrams do not measure the
// path any more.
const sleep = time.Second

// wakeTime is how long before this process notices a sleep its transport's goroutines may have read
// the datagrams that arrived meanwhile.
const wakeTime = 50 * time.Millisecond

// queueSize is how many datagrams may wait for the next step. Any more wait in the transport.
const queueSize = 32

// arrival is a datagram that arrived between two steps.
type arrival struct {
	at    time.Duration
	stale bool
	size  int
	data  [transport.MaxMTU]byte
}

// collect queues, in every frame, the datagrams that have arrived, with their times. The next step
// processes them: parents and poses must change in the same step, or a frame in between would show
// the one without the other.
func (c *Client[S, I]) collect(now time.Duration) {
	if c.conn == nil {
		return
	}
	c.poll(now)
	c.fill(now)
}

// fill queues datagrams until none is left or the queue is full.
func (c *Client[S, I]) fill(now time.Duration) {
	for c.queued < queueSize {
		a := &c.queue[c.queued]
		n, at, ok := transport.RecvAt(c.conn, now, a.data[:])
		if !ok {
			c.waking = false
			return
		}
		a.at, a.stale, a.size = at, c.waking, n
		c.queued++
	}
}

// drain processes the queued datagrams, and reports whether there is still a connection.
func (c *Client[S, I]) drain(now time.Duration) bool {
	for i := range c.queued {
		a := &c.queue[i]
		c.stale = a.stale
		c.stats.ReceivedBytes += uint64(a.size)
		c.receive(a.data[:a.size], now, a.at)
		if c.conn == nil {
			return false
		}
	}
	c.queued = 0
	return true
}

func (c *Client[S, I]) poll(now time.Duration) {
	if now-c.polledAt > sleep {
		c.waking, c.wokeAt = true, now
	}
	c.polledAt = now
	c.conn.Poll(now)
}

// use takes a new connection as the client's.
func (c *Client[S, I]) use(conn Conn, now time.Duration) {
	c.conn, c.opening, c.receivedAt, c.nextTry, c.queued, c.polledAt, c.waking, c.wokeAt = conn, true, now, now, 0, now, false, math.MinInt64/2
}

// receiveDatagrams keeps the connection and processes the datagrams that have arrived. It runs in
// every step.
func (c *Client[S, I]) receiveDatagrams(now time.Duration) {
	if c.status == Ended {
		return
	}
	if c.conn == nil {
		if now < c.nextTry {
			return
		}
		conn, err := c.dialNext()
		if err != nil {
			reason := Reason{Code: transport.Failed, Text: err.Error()}
			if c.reason != reason {
				c.config.Log.Info("tandem: cannot dial, trying again", "error", err)
			}
			c.nextTry = now + c.config.Retry
			c.setStatus(lostOr(c.status), reason)
			return
		}
		if conn == nil {
			panic("netcode: Dial returned neither a connection nor an error; return one of them")
		}
		c.use(conn, now)
	}
	if !c.drain(now) {
		return
	}
	c.poll(now)
	for range 4 * perPoll / queueSize {
		if c.fill(now); c.queued == 0 {
			break
		}
		if !c.drain(now) {
			return
		}
	}
	if c.trySecond(now); c.conn == nil {
		return
	}
	state, patience := c.conn.State(), c.config.Timeout
	if c.status == Playing {
		patience = max(patience, longPatience)
	}
	if state == transport.Connecting {
		patience = max(patience, connectTimeout)
	} else if c.opening {
		c.opening, c.receivedAt = false, now
	}
	switch {
	case state == transport.Closed:
		c.lost(c.conn.CloseReason(), now)
	case now-c.receivedAt > patience:
		reason := Reason{Code: transport.TimedOut, Text: "the server is silent"}
		c.conn.Close(reason)
		c.lost(reason, now)
	case state == transport.Open && c.status != Playing && now >= c.nextTry:
		c.nextTry = now + helloEvery
		if !c.sendHello(c.conn, kindHello) {
			c.end(Reason{Code: transport.Failed, Text: fmt.Sprintf("the connection carries %d bytes at a time, too little for the hello and its Token; use a shorter Token or a connection with a larger MTU", c.conn.MTU())})
		}
	}
}

func lostOr(s Status) Status {
	if s == Playing || s == Lost {
		return Lost
	}
	return Joining
}

// final reports whether a server that closes a connection for a reason refuses the client's return.
func final(reason Reason) bool {
	switch reason.Code {
	case transport.Kicked, transport.Unauthorized, transport.Mismatch, transport.Replaced, transport.Left:
		return true
	}
	return false
}

// lost ends the client after a final reason, and has it reconnect after any other.
func (c *Client[S, I]) lost(reason Reason, now time.Duration) {
	c.conn = nil
	switch {
	case c.second.conn != nil && (reason.Code == transport.Replaced || !final(reason)):
		c.useSecond(reason, now)
		return
	case final(reason):
		c.end(reason)
		return
	}
	c.nextTry = now + c.config.Retry
	c.redirect(reason, now)
	c.setStatus(lostOr(c.status), reason)
	c.config.Log.Info("tandem: connection lost, trying again", "reason", reason.String())
}

// receive processes a datagram that arrived at a time up to now.
func (c *Client[S, I]) receive(datagram []byte, now, arrived time.Duration) {
	switch {
	case len(datagram) == 0:
	case datagram[0] == kindWelcome && c.status != Playing:
		r := NewReader(datagram[1:])
		var m welcome
		if m.read(&r, c.protocol.TickRate()) != nil || m.player == 0 || m.rate == 0 {
			c.stats.Malformed++
			return
		}
		c.begin(m, now)
	case datagram[0] == kindMove && c.status == Playing:
		if !c.receiveMove(datagram[1:], now) {
			c.stats.Malformed++
		}
	case datagram[0] == kindSession && c.status == Playing:
		if !c.receiveSession(datagram[1:], now, arrived) {
			c.stats.Malformed++
		}
	}
}
