package dtls_test

import (
	"bytes"
	"net"
	"sync"
	"testing"
	"time"
)

// relay is a NAT between one client and a server: it forwards datagrams, keeps copies, and can
// change the address that the server sees.
type relay struct {
	front  *net.UDPConn // the client's side
	server *net.UDPAddr

	mu     sync.Mutex
	back   *net.UDPConn // the server's side
	client *net.UDPAddr
	up     [][]byte // datagrams that the client sent
	down   [][]byte // datagrams that the server sent
	drop   func(b []byte, up bool) bool
	wg     sync.WaitGroup

	flushed chan struct{}
}

func newRelay(t testing.TB, server string) *relay {
	t.Helper()
	addr, err := net.ResolveUDPAddr("udp", server)
	if err != nil {
		t.Fatal(err)
	}
	r := &relay{front: localSocket(t), server: addr}
	r.rebind(t)
	r.wg.Add(1)
	go r.fromClient()
	t.Cleanup(func() {
		r.front.Close()
		r.mu.Lock()
		r.back.Close()
		r.mu.Unlock()
		r.wg.Wait()
	})
	return r
}

func (r *relay) addr() string { return r.front.LocalAddr().String() }

// rebind changes the address that the server sees. The previous one is closed.
func (r *relay) rebind(t testing.TB) {
	t.Helper()
	back := localSocket(t)
	r.mu.Lock()
	if r.back != nil {
		r.back.Close()
	}
	r.back = back
	r.mu.Unlock()
	r.wg.Add(1)
	go r.fromServer(back)
}

func (r *relay) fromClient() {
	defer r.wg.Done()
	buf := make([]byte, 2048)
	for {
		n, from, err := r.front.ReadFromUDP(buf)
		if err != nil {
			return
		}
		r.mu.Lock()
		if string(buf[:n]) == flushed {
			if r.flushed != nil {
				close(r.flushed)
				r.flushed = nil
			}
			r.mu.Unlock()
			continue
		}
		r.client = from
		if len(r.up) < 4096 {
			r.up = append(r.up, bytes.Clone(buf[:n]))
		}
		if r.drop == nil || !r.drop(buf[:n], true) {
			r.back.WriteToUDP(buf[:n], r.server)
		}
		r.mu.Unlock()
	}
}

func (r *relay) fromServer(back *net.UDPConn) {
	defer r.wg.Done()
	buf := make([]byte, 2048)
	for {
		n, from, err := back.ReadFromUDP(buf)
		if err != nil {
			return
		}
		if from.String() != r.server.String() {
			continue
		}
		r.mu.Lock()
		if len(r.down) < 4096 {
			r.down = append(r.down, bytes.Clone(buf[:n]))
		}
		if r.drop == nil || !r.drop(buf[:n], false) {
			r.front.WriteToUDP(buf[:n], r.client)
		}
		r.mu.Unlock()
	}
}

// inject sends a datagram in the name of the client or of the server.
func (r *relay) inject(b []byte, up bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if up {
		r.back.WriteToUDP(b, r.server)
	} else {
		r.front.WriteToUDP(b, r.client)
	}
}

// flushed is the datagram of flush, which the relay does not forward.
const flushed = "that is all so far"

// flush waits until the relay has received all that the client has sent so far.
func (r *relay) flush(t testing.TB) {
	t.Helper()
	seen := make(chan struct{})
	r.mu.Lock()
	r.flushed = seen
	r.mu.Unlock()
	s := localSocket(t)
	defer s.Close()
	until(t, "the relay has seen everything", func() bool { // the socket may overflow
		s.WriteToUDP([]byte(flushed), r.front.LocalAddr().(*net.UDPAddr))
		select {
		case <-seen:
			return true
		default:
			return false
		}
	})
}

// recorded returns copies of all datagrams of the client and of the server.
func (r *relay) recorded() (up, down [][]byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([][]byte(nil), r.up...), append([][]byte(nil), r.down...)
}

func (r *relay) setDrop(f func(b []byte, up bool) bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.drop = f
}

// pause gives datagrams that are under way the time to arrive, so that a test sees their effect. No
// test needs it to pass.
func pause() { time.Sleep(50 * time.Millisecond) }
