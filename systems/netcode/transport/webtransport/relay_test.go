//go:build !js

package webtransport_test

import (
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// relay forwards the encrypted packets between one client and a server over a simulated path, in
// real time.
type relay struct {
	front, back *net.UDPConn
	server      *net.UDPAddr
	start       time.Time
	deaf        atomic.Bool // nothing reaches the client any more

	mu       sync.Mutex
	client   *net.UDPAddr
	up, down *linksim.Link
	wake     chan struct{}
	closed   chan struct{}
	wg       sync.WaitGroup
}

func newRelay(t testing.TB, server string, path linksim.Path) *relay {
	t.Helper()
	addr, err := net.ResolveUDPAddr("udp", server)
	if err != nil {
		t.Fatal(err)
	}
	r := &relay{front: localSocket(t), back: localSocket(t), server: addr, start: time.Now(), wake: make(chan struct{}, 1), closed: make(chan struct{})}
	if r.up, r.down, err = path.Links(); err != nil {
		t.Fatal(err)
	}
	r.wg.Go(func() { r.read(r.front, r.up, true) })
	r.wg.Go(func() { r.read(r.back, r.down, false) })
	r.wg.Go(r.deliver)
	t.Cleanup(func() {
		close(r.closed)
		r.front.Close()
		r.back.Close()
		r.wg.Wait()
	})
	return r
}

func (r *relay) addr() string { return r.front.LocalAddr().String() }

// read puts what arrives at a socket on the path.
func (r *relay) read(socket *net.UDPConn, link *linksim.Link, up bool) {
	buf := make([]byte, 2048)
	for {
		n, from, err := socket.ReadFromUDP(buf)
		if err != nil {
			return
		}
		r.mu.Lock()
		if up {
			r.client = from
		}
		link.Push(time.Since(r.start), buf[:n])
		r.mu.Unlock()
		select {
		case r.wake <- struct{}{}:
		default:
		}
	}
}

// deliver forwards what has reached the end of the path.
func (r *relay) deliver() {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		r.mu.Lock()
		now := time.Since(r.start)
		next := now + time.Hour
		for _, link := range []*linksim.Link{r.up, r.down} {
			for b, _, ok := link.Pop(now); ok; b, _, ok = link.Pop(now) {
				if link == r.up {
					r.back.WriteToUDP(b, r.server)
				} else if r.client != nil && !r.deaf.Load() {
					r.front.WriteToUDP(b, r.client)
				}
			}
			if at, ok := link.Next(); ok {
				next = min(next, at)
			}
		}
		r.mu.Unlock()
		timer.Reset(next - now)
		select {
		case <-timer.C:
		case <-r.wake:
		case <-r.closed:
			return
		}
	}
}
