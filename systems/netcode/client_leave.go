package netcode

import (
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// leave keeps the link to a server that the client has left, as long as messages may be under way
// on it.
func (c *Client[S, I]) leave(l *link[S], now time.Duration) {
	v := &c.visits
	c.leaveLast(Reason{Code: transport.Moved, Text: "the player has moved on"})
	if l.conn != nil && l.endpoint != nil {
		v.last, v.until, v.lastSent = l, now+leaving, 0
	} else if l.conn != nil {
		l.conn.Close(Reason{Code: transport.Moved, Text: "the player has moved"})
	}
}

// leaveLast closes the connection that the client has left.
func (c *Client[S, I]) leaveLast(reason Reason) {
	if l := c.visits.last; l != nil {
		l.conn.Close(reason)
		c.visits.last = nil
	}
}

// stepLast receives the messages that are under way from the server that the client has left, whose
// link is the present one, and sends it those that are under way to it.
func (c *Client[S, I]) stepLast(now time.Duration) {
	v := &c.visits
	c.poll(now)
	for range perPoll {
		a := &c.queue[0]
		n, at, ok := transport.RecvAt(c.conn, now, a.data[:])
		if !ok {
			break
		}
		c.stats.ReceivedBytes += uint64(n)
		if n == 0 || a.data[0] != kindSession {
			continue
		}
		// The world in it is that of the other server now.
		if pk, err := c.endpoint.Open(a.data[1:n]); err == nil && c.endpoint.Accept(pk, at) != nil {
			c.conn.Close(Reason{Code: transport.Failed, Text: "the server broke the protocol"})
		}
		if v.last == nil { // a message has made the game end the client
			return
		}
	}
	if c.conn.State() == transport.Closed || now >= v.until {
		c.leaveLast(Reason{Code: transport.Moved, Text: "the player has moved"})
		return
	}
	if now-v.lastSent < leavingEvery {
		return
	}
	v.lastSent = now
	c.packet[0] = kindSession
	w := c.endpoint.Begin(c.packet[1:c.conn.MTU()], now, leastReserve)
	w.Bool(false)                                // no ping
	w.Bits(uint64(uint32(c.view>>viewBits)), 32) // nothing is shown of it
	w.Bits(uint64(c.view&(1<<viewBits-1)), viewBits)
	w.Bool(false) // no inputs
	if datagram, err := c.endpoint.End(); err == nil && c.conn.Send(c.packet[:1+len(datagram)]) == nil {
		c.stats.SentBytes += uint64(1 + len(datagram))
	}
}
