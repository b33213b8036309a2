package dtls

import (
	"bytes"
	"net"
	"net/netip"
	"os"
	"sync"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/queue"
)

const (
	// laneQueue is the most datagrams of one client that wait for the library.
	laneQueue = 128
	// maxPlain is the most datagrams that are not encrypted that a client may send, and maxPlainSize their size, in which a handshake with its repetitions has
	// ample room: the library would keep up to 2 MB of fragments of messages for anybody who sends from the client's address.
	maxPlain     = 32
	maxPlainSize = 1200
)

// lane is one client's part of the server's socket. To the library it is a net.PacketConn of its own.
type lane struct {
	front  *front
	id     connID           // on the client's records
	random [randomSize]byte // of the client's hello
	origin netip.AddrPort   // where the hello came from
	via    []byte           // the way back, which is the hello's as long as the connection lives: a client sends to one of the server's addresses

	mu      sync.Mutex
	in      queue.Queue[netip.AddrPort]
	plain   int  // datagrams of the handshake so far
	known   bool // the client has proved to hold the keys: nothing unencrypted is taken any more
	lost    int  // datagrams for which there was no room
	expired bool
	closed  bool
	last    net.Addr // the last sender, so that it need not be allocated again

	ready chan struct{} // holds something when ReadFrom has to look
}

func newLane(f *front, id connID, from netip.AddrPort, via []byte, h hello) *lane {
	return &lane{
		front: f, id: id, random: [randomSize]byte(h.random), origin: from, via: bytes.Clone(via),
		in: queue.New[netip.AddrPort](laneQueue), ready: make(chan struct{}, 1),
	}
}

// push hands a datagram over, unless it may not pass or there is no room.
func (l *lane) push(from netip.AddrPort, b []byte, encrypted bool) {
	l.mu.Lock()
	switch {
	case l.closed:
	case !encrypted && (l.known || l.plain >= maxPlain || len(b) > maxPlainSize):
	case !l.in.Push(from, b):
		l.lost++
	case !encrypted:
		l.plain++
	}
	l.mu.Unlock()
	l.signal()
}

func (l *lane) signal() {
	select {
	case l.ready <- struct{}{}:
	default:
	}
}

// takeLost returns how many datagrams were lost since the last call.
func (l *lane) takeLost() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := l.lost
	l.lost = 0
	return n
}

// ReadFrom implements net.PacketConn. One goroutine at a time reads.
func (l *lane) ReadFrom(b []byte) (int, net.Addr, error) {
	for {
		l.mu.Lock()
		switch {
		case l.closed:
			l.mu.Unlock()
			return 0, nil, net.ErrClosed
		case l.expired:
			l.mu.Unlock()
			return 0, nil, os.ErrDeadlineExceeded
		}
		n, from, ok := l.in.Pop(b)
		if ok {
			if last, same := l.last.(address); !same || netip.AddrPort(last) != from {
				l.last = address(from)
			}
			addr := l.last
			l.mu.Unlock()
			return n, addr, nil
		}
		l.mu.Unlock()
		<-l.ready
	}
}

// WriteTo implements net.PacketConn. What the network does not take is lost, like anything else on UDP.
func (l *lane) WriteTo(b []byte, to net.Addr) (int, error) {
	l.mu.Lock()
	closed := l.closed
	l.mu.Unlock()
	if closed {
		return 0, net.ErrClosed
	}
	_ = l.front.socket.write(b, netip.AddrPort(to.(address)), l.via)
	return len(b), nil
}

// Close implements net.PacketConn.
func (l *lane) Close() error {
	l.front.remove(l)
	l.mu.Lock()
	l.closed = true
	l.in.Release()
	l.mu.Unlock()
	l.signal()
	return nil
}

// SetReadDeadline implements net.PacketConn for the two times that the library sets: one long past, which ends reading, and none.
func (l *lane) SetReadDeadline(t time.Time) error {
	l.mu.Lock()
	l.expired = !t.IsZero()
	l.mu.Unlock()
	l.signal()
	return nil
}

// SetWriteDeadline implements net.PacketConn. WriteTo does not wait.
func (l *lane) SetWriteDeadline(time.Time) error { return nil }

// SetDeadline implements net.PacketConn.
func (l *lane) SetDeadline(t time.Time) error { return l.SetReadDeadline(t) }

// LocalAddr implements net.PacketConn.
func (l *lane) LocalAddr() net.Addr { return l.front.socket.LocalAddr() }

// authenticated tells that a record of the client was genuine.
func (l *lane) authenticated() {
	l.mu.Lock()
	first := !l.known
	l.known = true
	l.mu.Unlock()
	if first {
		l.front.forgetAddress(l)
	}
}
