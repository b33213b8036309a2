package transport

import (
	"strings"
	"time"
)

// Merge returns one listener that accepts from several: a host that plays along on a loopback while
// others join over the network, or one game on UDP and WebSocket. Closing it closes them all.
func Merge(listeners ...Listener) Listener {
	if len(listeners) == 0 {
		panic("transport: Merge of no listeners; give it at least one")
	}
	return merged(listeners)
}

type merged []Listener

func (m merged) Poll(now time.Duration) {
	for _, l := range m {
		l.Poll(now)
	}
}

func (m merged) Accept() (Conn, bool) {
	for _, l := range m {
		if c, ok := l.Accept(); ok {
			return c, true
		}
	}
	return nil, false
}

// Addr lists all addresses, separated by commas.
func (m merged) Addr() string {
	all := make([]string, len(m))
	for i, l := range m {
		all[i] = l.Addr()
	}
	return strings.Join(all, ",")
}

func (m merged) Close(reason Reason) {
	for _, l := range m {
		l.Close(reason)
	}
}

// Done returns a channel that is closed when all listeners with such a channel have closed theirs.
func (m merged) Done() <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, l := range m {
			if l, ok := l.(interface{ Done() <-chan struct{} }); ok {
				<-l.Done()
			}
		}
	}()
	return done
}

func (m merged) Stats() (sum ListenerStats) {
	for _, l := range m {
		s := l.Stats()
		sum.Accepted += s.Accepted
		sum.Refused += s.Refused
		sum.Failed += s.Failed
		sum.Pending += s.Pending
		sum.Hellos += s.Hellos
		sum.Challenges += s.Challenges
		sum.Unanswered += s.Unanswered
		sum.Strays += s.Strays
	}
	return sum
}
