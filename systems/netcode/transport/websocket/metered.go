//go:build !js

package websocket

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/admission"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/mailbox"
)

// maxBarren is the maximum number of frames and messages without a datagram that a client may send
// at once. More of them end the connection. One per second is not counted. This package's clients
// and browsers send none. Proxies ping now and then.
const maxBarren = 64

var errOverdone = errors.New("websocket: the client sent too much that is no data")

// metered is a client's connection below the library, which would answer any number of pings and
// read any number of empty frames. Data beyond the client's budget waits. None of it is lost, and
// TCP slows the client down.
type metered struct {
	net.Conn
	head   []byte // bytes that arrived together with the request
	worker *mailbox.Worker
	start  time.Time
	frames frames

	mu       sync.Mutex
	budget   admission.Budget // of frames
	barren   admission.Bucket
	overdone bool

	closed chan struct{}
	once   sync.Once
}

// hijack returns a response writer from which the library takes the connection, and that
// connection.
func hijack(w http.ResponseWriter, c Config) (*hijacker, *metered) {
	m := &metered{
		start: time.Now(), budget: admission.NewBudget(c.ClientFrames, c.ClientBytes),
		barren: admission.NewBucket(Rate{PerSecond: 1, Burst: maxBarren}), closed: make(chan struct{}),
	}
	return &hijacker{ResponseWriter: w, metered: m}, m
}

// hijacker is a response writer whose connection is metered.
type hijacker struct {
	http.ResponseWriter
	metered *metered
	status  int // of the answer; 0: there is none
}

// WriteHeader implements http.ResponseWriter.
func (h *hijacker) WriteHeader(status int) {
	h.status = status
	h.ResponseWriter.WriteHeader(status)
}

// Hijack implements http.Hijacker.
func (h *hijacker) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffered, err := http.NewResponseController(h.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	narrow(conn)
	h.metered.Conn = conn
	if n := buffered.Reader.Buffered(); n > 0 {
		head, _ := buffered.Reader.Peek(n)
		h.metered.head = bytes.Clone(head)
	}
	buffered.Reader.Reset(h.metered)
	return h.metered, buffered, nil
}

// narrow bounds the kernel's buffer of a connection from here on. A page may fill a larger one.
func narrow(c net.Conn) {
	if outer, ok := c.(*tls.Conn); ok {
		c = outer.NetConn()
	}
	if gated, ok := c.(*gated); ok {
		c = gated.Conn
	}
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetWriteBuffer(sendBuffer)
	}
}

// WriteHeaderNow is for writers that hold headers back until it is called. The library calls it.
func (h *hijacker) WriteHeaderNow() {
	if w, ok := h.ResponseWriter.(interface{ WriteHeaderNow() }); ok {
		w.WriteHeaderNow()
	}
}

// Read implements net.Conn. It waits before it returns data beyond the budget.
func (m *metered) Read(b []byte) (n int, err error) {
	if n = copy(b, m.head); n > 0 {
		m.head = m.head[n:]
	} else if n, err = m.Conn.Read(b); n == 0 {
		return 0, err
	}
	begun, empty := m.frames.scan(b[:n])
	if !m.fruitless(empty) {
		return 0, errOverdone
	}
	m.mu.Lock()
	// A read counts as a frame, too: a record of TLS costs time, however small it is.
	wait := m.budget.Spend(time.Since(m.start), max(begun, 1), n, m.worker.Cost())
	m.mu.Unlock()
	if wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-m.closed:
			return 0, net.ErrClosed
		}
	}
	return n, err
}

// fruitless counts n frames or messages without a datagram. Too many end the connection, and it
// returns false.
func (m *metered) fruitless(n int) bool {
	m.mu.Lock()
	if n > 0 && m.barren.Spend(time.Since(m.start), n) > 0 {
		m.overdone = true
	}
	over := m.overdone
	m.mu.Unlock()
	if over {
		m.worker.Overdone()
	}
	return !over
}

// Close implements net.Conn.
func (m *metered) Close() error {
	m.once.Do(func() { close(m.closed) })
	return m.Conn.Close()
}
