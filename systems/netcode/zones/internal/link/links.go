package link

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/custody"
)

// Links are the links of one process to those of all other zones. Create them with [New]. One
// goroutine calls their methods. In steady state nothing allocates.
type Links struct {
	config  Config
	handler Handler
	peers   []*peer // by rising zones
	pending []pendingConn
	gone    []custody.Process // their Closed is due
	strangers
	in, out [transport.MaxMTU]byte // the datagrams that are read and written
	busy    bool                   // in a method that calls the handler
	closed  bool
}

// peer is another process and the link to it.
type peer struct {
	Peer
	link *link // nil: none is open
	dialing
}

// New returns Links without a peer.
func New(c Config) (*Links, error) {
	switch {
	case c.Self.Epoch == 0:
		return nil, errors.New("link: Config.Self has no epoch: take the zone first")
	case c.Key == [32]byte{}:
		return nil, errors.New("link: Config.Key is zero: give 32 random bytes")
	case c.Listener == nil, c.Dial == nil, c.Handler == nil:
		return nil, errors.New("link: Config needs a Listener, Dial and a Handler")
	case c.Rate < 0 || c.Rate > 0 && c.Rate < leastRate:
		return nil, fmt.Errorf("link: Config.Rate is %d: give at least %d bytes a second, or 0", c.Rate, leastRate)
	}
	c.Rate = cmp.Or(c.Rate, defaultRate)
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return &Links{config: c, handler: c.Handler}, nil
}

// SetPeers sets the present processes of the other zones. A link to another process is closed, and
// Handler.Closed follows in the next Poll or Flush. The own zone is left out. Of several processes
// of a zone the one of the highest epoch counts.
func (l *Links) SetPeers(present []Peer) {
	if l.busy {
		panic("link: SetPeers within a call of the Handler: call it after Poll or Flush")
	}
	if l.closed {
		return
	}
	sorted := slices.Clone(present)
	slices.SortFunc(sorted, func(a, b Peer) int {
		return cmp.Or(cmp.Compare(a.Process.Zone, b.Process.Zone), cmp.Compare(b.Process.Epoch, a.Process.Epoch))
	})
	sorted = slices.CompactFunc(sorted, func(a, b Peer) bool { return a.Process.Zone == b.Process.Zone })
	peers := make([]*peer, 0, len(sorted))
	for _, p := range sorted {
		if p.Process.Zone == l.config.Self.Zone {
			continue
		}
		kept := l.find(p.Process.Zone)
		if kept == nil || kept.Process != p.Process {
			kept = &peer{}
		}
		kept.Peer = p
		peers = append(peers, kept)
	}
	for _, old := range l.peers {
		if slices.Contains(peers, old) {
			continue
		}
		reason := transport.Reason{Code: transport.Left, Text: "another process has the zone, or the world has the zone no more"}
		old.hangUp(reason)
		if old.link != nil {
			old.link.conn.Close(reason)
			old.link = nil
			l.gone = append(l.gone, old.Process)
		}
	}
	l.peers = peers
}

// find returns the peer of a zone, or nil.
func (l *Links) find(z custody.Zone) *peer {
	i, ok := slices.BinarySearchFunc(l.peers, z, func(p *peer, z custody.Zone) int { return cmp.Compare(p.Process.Zone, z) })
	if !ok {
		return nil
	}
	return l.peers[i]
}

// open returns the open link to a zone, or nil.
func (l *Links) open(z custody.Zone) *link {
	if p := l.find(z); p != nil {
		return p.link
	}
	return nil
}

// Poll receives what has arrived, accepts and dials. now is the caller's clock, which nothing
// adjusts, read right before.
func (l *Links) Poll(now time.Duration) {
	if !l.enter("Poll") {
		return
	}
	l.accept(now)
	for _, p := range l.peers {
		if p.link == nil {
			l.dial(p, now)
		}
		if p.link != nil {
			l.receive(p, now)
		}
	}
	l.busy = false
}

// Flush sends what waits. Call it once at the end of a step, after Poll. now is the caller's clock
// as in Poll, read anew, and world the time of the common ticks at now.
func (l *Links) Flush(now, world time.Duration) {
	if !l.enter("Flush") {
		return
	}
	for _, p := range l.peers {
		if p.link != nil {
			p.link.conn.Poll(now) // sets the time of what is sent
			l.flush(p.link, now, world)
		}
	}
	l.busy = false
}

// enter begins a method that calls the handler, and reports the links that SetPeers has closed.
func (l *Links) enter(name string) bool {
	if l.busy {
		panic("link: " + name + " within a call of the Handler: return from it first")
	}
	if l.closed {
		return false
	}
	l.busy = true
	for _, z := range l.gone {
		l.handler.Closed(z)
	}
	l.gone = l.gone[:0]
	return true
}

// Send queues a copy of data as a message to a zone. The next Flush sends it. The errors are
// ErrNoLink, ErrBackpressure and ErrTooLarge; nothing was queued then.
func (l *Links) Send(to custody.Zone, data []byte) error {
	k := l.open(to)
	switch {
	case len(data) > MaxMessage:
		return ErrTooLarge
	case k == nil:
		return ErrNoLink
	case !k.messages.push(data):
		return ErrBackpressure
	}
	k.stats.MessagesSent++
	return nil
}

// Open reports whether there is a link to a zone.
func (l *Links) Open(z custody.Zone) bool { return l.open(z) != nil }

// Ahead returns how far the common ticks of another zone are ahead of world, the own time at now.
// It reports false without a link, and for about the first 300 ms of one.
func (l *Links) Ahead(z custody.Zone, now, world time.Duration) (ahead time.Duration, ok bool) {
	if k := l.open(z); k != nil {
		return k.clock.ahead(now, world)
	}
	return 0, false
}

// Stats returns the counters of the link to a zone. They are zero if there is none.
func (l *Links) Stats(z custody.Zone) Stats {
	k := l.open(z)
	if k == nil {
		return Stats{}
	}
	s, e := k.stats, k.endpoint.Stats()
	s.RTT, s.Sent, s.SentBytes = k.clock.rtt, e.Sent, e.SentBytes
	s.Lost, s.Resent, s.Waiting = e.Lost, e.Resent, k.messages.waiting()
	return s
}

// Close closes all links and the listener with a reason. Messages that wait are lost. It calls
// Handler.Closed for each link. A second call does nothing.
func (l *Links) Close(reason transport.Reason) {
	if !l.enter("Close") {
		return
	}
	for _, p := range l.peers {
		p.hangUp(reason)
		if p.link != nil {
			p.link.conn.Close(reason)
			p.link = nil
			l.handler.Closed(p.Process)
		}
	}
	for i := range l.pending {
		l.pending[i].conn.Close(reason)
	}
	l.config.Listener.Close(reason)
	l.peers, l.pending, l.busy, l.closed = nil, nil, false, true
}
