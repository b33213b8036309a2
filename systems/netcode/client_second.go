package netcode

import (
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// besideHeld is how long the first connection may stay silent after the server has answered, on the
// second one, that it still receives from the first. After that its path to the client counts as
// broken.
const besideHeld = time.Second

// secondConn is a connection that a client tries beside a silent one. The first of the two to
// receive something is kept. So an outage that ends costs no session, and a broken path costs no
// wait.
type secondConn struct {
	conn  Conn          // nil: none
	next  time.Duration // of a hello, or of a connection
	asked bool          // a hello has been sent, so the server may have moved the player to it
	// when the server first answered that it still receives from the other one; 0: never
	answered time.Duration
}

// drop closes the connection. The player stays in the game.
func (b *secondConn) drop() {
	if b.conn != nil {
		b.conn.Close(Reason{Code: transport.TimedOut, Text: "the other connection speaks"})
	}
	*b = secondConn{next: b.next}
}

// trySecond keeps a second connection beside a silent one, and uses it if the server accepts it.
func (c *Client[S, I]) trySecond(now time.Duration) {
	b := &c.second
	silence := now - c.receivedAt
	if b.conn == nil {
		if c.status != Playing || silence <= c.config.Timeout+c.config.Retry || now < b.next {
			return
		}
		b.next = now + c.config.Retry
		conn, err := c.dial(c.at)
		if err != nil || conn == nil {
			return
		}
		*b = secondConn{conn: conn, next: now}
	}
	b.conn.Poll(now)
	for range perPoll {
		n, ok := b.conn.Recv(c.packet)
		if !ok {
			break
		}
		c.stats.ReceivedBytes += uint64(n)
		switch {
		case n > 0 && c.packet[0] == kindWelcome:
			c.useSecond(Reason{Code: transport.TimedOut, Text: "the server is silent"}, now)
			c.receive(c.packet[:n], now, now)
			return
		case n > 0 && c.packet[0] == kindBeside && b.answered == 0:
			b.answered = now
		}
	}
	speaks := silence <= c.config.Timeout
	switch {
	case b.conn.State() == transport.Closed:
		reason := b.conn.CloseReason()
		*b = secondConn{next: now + c.config.Retry}
		if !speaks && final(reason) {
			c.end(reason)
		}
	case speaks && (!b.asked || now-b.next > longPatience):
		b.drop()
	case speaks: // the server closes it, unless it has moved the player there
		b.answered = 0
	case b.conn.State() == transport.Open && now >= b.next:
		b.next, b.asked = now+helloEvery, true
		kind := byte(kindBeside)
		if b.answered != 0 && now-b.answered > besideHeld {
			kind = kindHello
		}
		c.sendHello(b.conn, kind)
	}
}

// useSecond replaces the connection that was lost for a reason by the second one.
func (c *Client[S, I]) useSecond(reason Reason, now time.Duration) {
	conn := c.second.conn
	c.second = secondConn{}
	if c.conn != nil {
		c.conn.Close(reason)
	}
	c.visits.dialed = c.at
	c.use(conn, now)
	c.setStatus(Lost, reason)
	c.config.Log.Info("tandem: connection lost, going on with another", "reason", reason.String())
}

// sendHello sends a hello on a connection, and reports whether it can carry one.
func (c *Client[S, I]) sendHello(conn Conn, kind byte) bool {
	c.packet[0] = kind
	w := NewWriter(c.packet[1:conn.MTU()])
	h := c.hello
	if c.endpoint != nil && conn == c.conn && c.visits.dialed != c.at { // the session is not there
		h.anew, h.session = true, 0
	}
	h.write(&w, c.protocol.schema)
	if w.Err() != nil || conn.MTU() < minMTU {
		return false
	}
	_ = conn.Send(c.packet[:1+len(w.Bytes())])
	return true
}
