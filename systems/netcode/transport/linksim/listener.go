package linksim

import (
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// Listener is a [transport.Listener] whose connections each pass a simulated path. The paths are
// alike but have independent draws, so that the clients of one server do not lose the same
// datagrams.
type Listener struct {
	inner transport.Listener
	path  Path
	count uint64
}

var _ transport.Listener = (*Listener)(nil)

// WrapListener returns the listener behind the path, as its own end sees it, or the error of
// [Condition.Validate].
func WrapListener(inner transport.Listener, path Path) (*Listener, error) {
	if err := path.validate(); err != nil {
		return nil, err
	}
	return &Listener{inner: inner, path: path}, nil
}

// Poll implements [transport.Listener].
func (l *Listener) Poll(now time.Duration) { l.inner.Poll(now) }

// Accept implements [transport.Listener]. It returns a *[Conn].
func (l *Listener) Accept() (transport.Conn, bool) {
	inner, ok := l.inner.Accept()
	if !ok {
		return nil, false
	}
	l.count++
	return wrap(inner, l.path, l.count), true
}

// Addr implements [transport.Listener].
func (l *Listener) Addr() string { return l.inner.Addr() }

// Close implements [transport.Listener].
func (l *Listener) Close(reason transport.Reason) { l.inner.Close(reason) }

// Done returns the inner listener's channel of that name, or a closed one, as [Conn.Done] does.
func (l *Listener) Done() <-chan struct{} { return done(l.inner) }

// Stats implements [transport.Listener].
func (l *Listener) Stats() transport.ListenerStats { return l.inner.Stats() }
