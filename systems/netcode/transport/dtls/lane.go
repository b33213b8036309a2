package dtls

import (
	"bytes"
	"net"
	"net/netip"
	"os"
	"sync"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/admission"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/fifo"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/mailbox"
)

const (
	// laneQueue is the maximum number of datagrams of one client that wait for the library.
	laneQueue = 128
	// maxPlain is the maximum number of datagrams of a client that pass before it has proved to
	// hold the keys, and maxPlainSize their maximum size. A handshake with its repetitions needs
	// far fewer. They are the unencrypted datagrams, and the encrypted ones until the handshake is
	// done. The library would keep up to 2 MB of them for any sender at the client's address.
	maxPlain     = 32
	maxPlainSize = 1200
	// maxBarren is the maximum number of genuine records without a datagram that a client may send
	// after the handshake. An honest client sends a dozen at most: it repeats the end of its
	// handshake until the server's arrives. The library keeps the fragments of any further
	// handshake as long as the connection exists, up to 2 MB, and answers each of them.
	maxBarren = 64
)

// lane is one client's part of the server's socket. The library uses it as a net.PacketConn.
type lane struct {
	front  *front
	id     connID           // on the client's records
	random [randomSize]byte // of the client's hello
	origin netip.AddrPort   // where the hello came from
	// via is the return path. It is the hello's as long as the connection exists, since a client
	// sends to one of the server's addresses.
	via []byte

	mu    sync.Mutex
	in    fifo.Queue[netip.AddrPort]
	plain int // datagrams of the handshake so far
	// known is set when the client has proved to hold the keys. Nothing unencrypted is accepted any
	// more.
	known   bool
	worker  *mailbox.Worker  // nil until the handshake is done
	barren  int              // genuine records without a datagram since then
	budget  admission.Budget // since then
	expired bool
	closed  bool
	last    net.Addr // the last sender, to avoid a new allocation

	ready chan struct{} // holds a value if ReadFrom has to check the queue
}

func newLane(f *front, id connID, from netip.AddrPort, via []byte, h hello) *lane {
	return &lane{
		front: f, id: id, random: [randomSize]byte(h.random), origin: from, via: bytes.Clone(via),
		in: fifo.New[netip.AddrPort](laneQueue), ready: make(chan struct{}, 1),
		budget: admission.NewBudget(f.config.ClientDatagrams, f.config.ClientBytes),
	}
}

// open notes that the handshake is done. From now on the worker's connection has a budget.
func (l *lane) open(w *mailbox.Worker) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.worker = w
}

// push queues a datagram for the library, if it may pass and there is room. The time is on any
// monotonic epoch.
func (l *lane) push(now time.Duration, from netip.AddrPort, b []byte, encrypted bool) {
	l.mu.Lock()
	if !l.closed && l.passes(now, len(b), encrypted) && !l.in.Push(from, b) && l.worker != nil {
		l.worker.Lost()
	}
	l.mu.Unlock()
	l.signal()
}

// passes counts a datagram of size bytes, and reports whether it may pass.
func (l *lane) passes(now time.Duration, size int, encrypted bool) bool {
	if encrypted && l.worker != nil {
		ok := l.budget.Allow(now, 1, size, l.worker.Cost())
		if !ok {
			l.worker.Lost()
		}
		return ok
	}
	if !encrypted && l.known || l.plain >= maxPlain || size > maxPlainSize {
		return false
	}
	l.plain++
	return true
}

func (l *lane) signal() {
	select {
	case l.ready <- struct{}{}:
	default:
	}
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

// WriteTo implements net.PacketConn. A datagram that the network does not accept is lost, like any
// other on UDP.
func (l *lane) WriteTo(b []byte, to net.Addr) (int, error) {
	l.mu.Lock()
	closed, open := l.closed, l.worker != nil
	l.mu.Unlock()
	if closed {
		return 0, net.ErrClosed
	}
	// After the handshake the library answers each genuine record of a handshake with its last
	// flight, which begins with this record.
	if open && b[0] == typeChangeCipherSpec {
		l.fruitless()
	}
	_ = l.front.socket.write(b, netip.AddrPort(to.(address)), l.via)
	return len(b), nil
}

// fruitless counts a genuine record without a datagram. Such a record cannot be forged, so too many
// of them end the connection.
func (l *lane) fruitless() {
	l.mu.Lock()
	l.barren++
	over := l.barren > maxBarren
	l.mu.Unlock()
	if over {
		l.worker.Overdone()
	}
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

// SetReadDeadline implements net.PacketConn for the two times that the library sets: one long past,
// which ends reading, and none.
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

// authenticated notes that a record of the client was genuine.
func (l *lane) authenticated() {
	l.mu.Lock()
	first := !l.known
	l.known = true
	l.mu.Unlock()
	if first {
		l.front.forgetAddress(l)
	}
}
