package loopback

import (
	"fmt"
	"slices"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// Listener is the server's side for any number of ends that dial in the same process. It implements
// [transport.Listener].
type Listener struct {
	config  Config
	dialled []*Conn // its ends of connections that wait for the next Poll
	ready   []*Conn // and for Accept
	open    []*Conn // accepted ones, until they close
	count   int
	closed  bool
	now     time.Duration
	polled  bool // now is set
	stats   transport.ListenerStats
}

var _ transport.Listener = (*Listener)(nil)

// Listen returns a listener.
func Listen(c Config) *Listener { return &Listener{config: c.withDefaults()} }

// Dial returns a new connection to the listener. It is Connecting until the listener's next Poll,
// and Closed with Refused if the backlog is full or the listener closed.
func (l *Listener) Dial() *Conn {
	l.count++
	client, server := pair(l.config, transport.Connecting, fmt.Sprintf("loopback:%d", l.count), l.Addr())
	server.now, server.polled = l.now, l.polled
	switch {
	case l.closed:
		l.stats.Refused++
		client.Close(transport.Reason{Code: transport.Refused, Text: "nobody listens"})
	case len(l.dialled)+len(l.ready) >= l.config.Backlog:
		l.stats.Refused++
		client.Close(transport.Reason{Code: transport.Refused, Text: "too many wait to be accepted"})
	default:
		l.dialled = append(l.dialled, server)
	}
	return client
}

// Poll implements [transport.Listener]: connections that were dialled become Open.
func (l *Listener) Poll(now time.Duration) {
	l.now, l.polled = max(l.now, now), true
	for _, c := range l.dialled {
		c.tell(now)
		c.state, c.out.accepted = transport.Open, true
		l.ready = append(l.ready, c)
		l.stats.Accepted++
	}
	l.dialled = l.dialled[:0]
	l.open = slices.DeleteFunc(l.open, func(c *Conn) bool { return c.state == transport.Closed })
}

// Accept implements [transport.Listener].
func (l *Listener) Accept() (transport.Conn, bool) {
	if len(l.ready) == 0 {
		return nil, false
	}
	c := l.ready[0]
	l.ready = slices.Delete(l.ready, 0, 1)
	l.open = append(l.open, c)
	return c, true
}

// Addr implements [transport.Listener].
func (l *Listener) Addr() string { return "loopback:listener" }

// Close implements [transport.Listener].
func (l *Listener) Close(reason transport.Reason) {
	l.closed = true
	for _, conns := range []*[]*Conn{&l.dialled, &l.ready, &l.open} {
		for _, c := range *conns {
			c.Close(reason)
		}
		*conns = nil
	}
}

// Stats implements [transport.Listener].
func (l *Listener) Stats() transport.ListenerStats {
	s := l.stats
	s.Pending = len(l.dialled) + len(l.ready)
	return s
}
