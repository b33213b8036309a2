package link

import (
	"slices"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

const (
	// maxPending is the most connections without a hello. With more, the oldest is closed.
	maxPending = 64
	// helloTimeout is how long a connection may take to its hello.
	helloTimeout = 3 * time.Second
	// maxInvalid is the most datagrams before a hello. A process sends none.
	maxInvalid = 8
	// perStep is the most connections that one Poll accepts.
	perStep = 64
)

// pendingConn is a connection that has not shown the key. It uses no other memory.
type pendingConn struct {
	conn    transport.Conn
	since   time.Duration
	invalid int
}

// strangers counts refused connections, for one line in the log a second.
type strangers struct {
	refused  uint64
	unlogged uint64
	loggedAt time.Duration
	logged   bool
}

// accept takes new connections, and handles those without a hello.
func (l *Links) accept(now time.Duration) {
	l.config.Listener.Poll(now)
	for range perStep {
		conn, ok := l.config.Listener.Accept()
		if !ok {
			break
		}
		if len(l.pending) >= maxPending {
			// Its hello may have arrived while this process stood still.
			first := l.pending[0]
			l.pending = slices.Delete(l.pending, 0, 1)
			if first.conn.Poll(now); l.greet(&first, now) {
				l.refuse(first.conn, transport.Reason{Code: transport.Refused, Text: "too many connect at once"}, now)
			}
		}
		transport.SetUntrusted(conn, true)
		l.pending = append(l.pending, pendingConn{conn: conn, since: now})
	}
	kept := l.pending[:0]
	for _, p := range l.pending {
		p.conn.Poll(now)
		if l.greet(&p, now) {
			kept = append(kept, p)
		}
	}
	clear(l.pending[len(kept):])
	l.pending = kept
}

// greet handles a connection without a hello, and reports whether it is still one.
func (l *Links) greet(p *pendingConn, now time.Duration) bool {
	for range maxInvalid {
		n, ok := p.conn.Recv(l.in[:])
		if !ok {
			break
		}
		switch h, form := readHello(l.in[:n], &l.config.Key); form {
		case noHello:
			if p.invalid++; p.invalid >= maxInvalid {
				l.refuse(p.conn, transport.Reason{Code: transport.Mismatch, Text: "this is the port for zones of the same build, and not for clients"}, now)
				return false
			}
		case wrongKey:
			l.refuse(p.conn, transport.Reason{Code: transport.Unauthorized, Text: "the key is wrong: read this zone's record again"}, now)
			return false
		case goodHello:
			if reason := l.admit(p.conn, h, now); reason.Code != transport.NoReason {
				l.refuse(p.conn, reason, now)
			}
			return false
		}
	}
	switch {
	case p.conn.State() == transport.Closed:
		return false
	case now-p.since > helloTimeout:
		l.refuse(p.conn, transport.Reason{Code: transport.TimedOut, Text: "no hello was received in time"}, now)
		return false
	}
	return true
}

// admit opens the link that a hello with the right key asks for, or returns why not.
func (l *Links) admit(conn transport.Conn, h hello, now time.Duration) transport.Reason {
	p := l.find(h.from.Zone)
	switch {
	case h.protocol != l.config.Protocol:
		return transport.Reason{Code: transport.Mismatch, Text: "the zones' builds or settings differ: run the same on all"}
	case h.to != l.config.Self:
		return transport.Reason{Code: transport.Refused, Text: "the hello is for another process: read this zone's record again"}
	case h.from.Zone >= l.config.Self.Zone:
		return transport.Reason{Code: transport.Refused, Text: "the zone with the lower number dials"}
	case p == nil || h.from.Epoch > p.Process.Epoch:
		return transport.Reason{Code: transport.Refused, Text: "this zone does not know the process yet: try again"}
	case h.from.Epoch < p.Process.Epoch:
		return transport.Reason{Code: transport.Replaced, Text: "a later process has the zone"}
	case conn.MTU() < leastMTU:
		return transport.Reason{Code: transport.Refused, Text: "the connection's packets are too small"}
	}
	transport.SetUntrusted(conn, false)
	if p.link != nil {
		l.drop(p, transport.Reason{Code: transport.Replaced, Text: "the process has connected anew"}, now)
	}
	l.begin(p, conn, now)
	return transport.Reason{}
}

// refuse closes a connection that has no link.
func (l *Links) refuse(conn transport.Conn, reason transport.Reason, now time.Duration) {
	address := conn.RemoteAddr()
	conn.Close(reason)
	s := &l.strangers
	s.refused++
	s.unlogged++
	if s.logged && now-s.loggedAt < time.Second {
		return
	}
	l.config.Log.Warn("tandem: refused a connection to the port for zones", "address", address, "reason", reason.String(), "since the last line", s.unlogged)
	s.unlogged, s.logged, s.loggedAt = 0, true, now
}
