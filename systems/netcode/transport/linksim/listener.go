package linksim

import "github.com/tandem-ecs/tandem/systems/netcode/transport"

// innerListener is the listener below the paths.
type innerListener = transport.Listener

// Listener is a [transport.Listener] whose connections each pass a simulated path. The paths are
// alike but have independent draws, so that the clients of one server do not lose the same
// datagrams.
type Listener struct {
	innerListener
	path  Path
	count uint64
}

var _ transport.Listener = (*Listener)(nil)

// WrapListener returns the listener behind the path, as its own end sees it, or the error of
// [Condition.Validate].
func WrapListener(l transport.Listener, path Path) (*Listener, error) {
	if err := path.validate(); err != nil {
		return nil, err
	}
	return &Listener{innerListener: l, path: path}, nil
}

// Accept implements [transport.Listener]. It returns a *[Conn].
func (l *Listener) Accept() (transport.Conn, bool) {
	c, ok := l.innerListener.Accept()
	if !ok {
		return nil, false
	}
	l.count++
	return wrap(c, l.path, l.count), true
}
