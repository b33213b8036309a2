package link

import (
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

const (
	helloInterval = 100 * time.Millisecond
	// patience is how long a connection may take until the link is open.
	patience = 5 * time.Second
	// A process dials again after leastWait at first, and twice as long each time that it fails.
	leastWait, mostWait = 250 * time.Millisecond, 2 * time.Second
)

// dialing is the state of a process that dials a peer.
type dialing struct {
	conn  transport.Conn // until the link is open; nil: none
	since time.Duration  // when it was dialed
	asked time.Duration  // when it sent a hello
	hello bool           // it has sent one

	wait   time.Duration // before the next attempt
	next   time.Duration // when it may begin
	logged string        // the failure that was logged last
}

// hangUp ends an attempt.
func (d *dialing) hangUp(reason transport.Reason) {
	if d.conn != nil {
		d.conn.Close(reason)
		d.conn = nil
	}
}

// later sets when the next attempt may begin.
func (d *dialing) later(now time.Duration) {
	d.wait = min(max(2*d.wait, leastWait), mostWait)
	d.next = now + d.wait
}

// dial takes the next step towards a link to a peer, if this end is the one that dials.
func (l *Links) dial(p *peer, now time.Duration) {
	if p.Process.Zone < l.config.Self.Zone {
		return
	}
	d := &p.dialing
	if d.conn == nil {
		if now < d.next {
			return
		}
		conn, err := l.config.Dial(p.Peer)
		if err != nil {
			l.failed(p, now, err.Error())
			return
		}
		d.conn, d.since, d.hello = conn, now, false
	}
	d.conn.Poll(now)
	if d.conn.State() == transport.Open {
		for range perPoll {
			n, ok := d.conn.Recv(l.in[:])
			if !ok {
				break
			}
			if isAnswer(l.in[:n], p.Process, l.config.Self) {
				conn := d.conn
				d.conn = nil
				l.begin(p, conn, now)
				return
			}
		}
		if !d.hello || now-d.asked >= helloInterval {
			h := hello{l.config.Protocol, l.config.Self, p.Process}
			_ = d.conn.Send(appendHello(l.out[:0], h, &p.Key)) // sent again if it is lost
			d.hello, d.asked = true, now
		}
	}
	switch {
	case d.conn.State() == transport.Closed:
		l.failed(p, now, d.conn.CloseReason().String())
	case now-d.since > patience:
		l.failed(p, now, "no answer")
	}
}

// failed ends an attempt. It logs each cause once, until a link has been open.
func (l *Links) failed(p *peer, now time.Duration, cause string) {
	p.hangUp(transport.Reason{Code: transport.TimedOut, Text: "no answer to the hello"})
	p.later(now)
	if cause != p.logged {
		p.logged = cause
		l.config.Log.Warn("tandem: no link to a zone yet", "zone", p.Name, "address", p.Address, "cause", cause)
	}
}
