package netcode

import (
	"slices"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// dial makes a connection to the server at an address, or by Dial if it is empty.
func (c *Client[S, I]) dial(at string) (Conn, error) {
	if at == "" {
		return c.config.Dial()
	}
	conn, err := c.config.DialAt(at)
	if err == nil && conn == nil {
		panic("netcode: DialAt returned neither a connection nor an error; return one of them")
	}
	return conn, err
}

// dialNext dials the server that most likely has the player: the one that another server has named,
// then in turn the newest, the present one, the one before, and that of Dial.
func (c *Client[S, I]) dialNext() (Conn, error) {
	v := &c.visits
	v.dialed = ""
	if c.config.DialAt == nil {
		return c.config.Dial()
	}
	if v.redirect != "" {
		v.dialed, v.redirect = v.redirect, ""
		return c.dial(v.dialed)
	}
	var list [4]string
	turns := list[:0]
	for _, at := range [...]string{v.latest, c.at, v.former, ""} {
		visited := v.next != nil && at == v.next.at // it is asked already
		if !visited && !slices.Contains(turns, at) {
			turns = append(turns, at)
		}
	}
	v.dialed = turns[v.turn%len(turns)]
	v.turn++
	return c.dial(v.dialed)
}

// redirect makes the next connection that to the server that the present one has named, at once if
// this has not happened lately.
func (c *Client[S, I]) redirect(reason Reason, now time.Duration) {
	v := &c.visits
	if c.config.DialAt == nil || reason.Code != transport.Moved || reason.Text == "" || !isAddress([]byte(reason.Text)) {
		return
	}
	if v.redirected == 0 || now-v.redirected > c.config.Retry {
		c.nextTry = now
	}
	v.redirect, v.redirected = reason.Text, now
}
