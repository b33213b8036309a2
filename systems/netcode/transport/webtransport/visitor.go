//go:build !js

package webtransport

import (
	"context"
	"net"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/quic-go/quic-go"

	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/admission"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/mailbox"
)

// maxMisused is the maximum number of streams, and of datagrams that are none of ours, of a client
// at once. More of them end the connection. One per second is not counted. This package's clients
// send none.
const maxMisused = 16

// visitor is a client's connection from its first packet on.
type visitor struct {
	listener *Listener
	sent     *sent
	conn     *quic.Conn
	asks     atomic.Bool                    // it has made its request
	worker   atomic.Pointer[mailbox.Worker] // nil: it has no session
	// its handshake is over: it no longer counts as half open
	settled func()

	// under the listener's lock
	addr   netip.AddrPort   // where its packets come from
	budget admission.Budget // of packets
	misuse admission.Bucket
}

type visitorKey struct{}

func visitorOf(ctx context.Context) *visitor {
	v, _ := ctx.Value(visitorKey{}).(*visitor)
	return v
}

// pass takes a packet out of the budget of its sender, or of those of strangers. The library reads
// the packet only if there was enough.
func (l *Listener) pass(from net.Addr, n int) bool {
	addr := addressOf(from)
	now := time.Since(l.start)
	l.mu.Lock()
	defer l.mu.Unlock()
	v := l.visitors[addr]
	if v == nil {
		ok := l.strangers.Allow(now, addr.Addr())
		if !ok {
			l.unanswered++
		}
		return ok
	}
	cost := 1
	if w := v.worker.Load(); w != nil {
		cost = w.Cost()
	}
	return v.budget.Allow(now, 1, n, cost)
}

// follow notes that the client's packets come from another address, such as behind a NAT that drops
// its entry. It also takes the client's own address back after a forged packet with that address,
// whose handshake has failed.
func (v *visitor) follow() {
	addr := addressOf(v.conn.RemoteAddr())
	l := v.listener
	l.mu.Lock()
	defer l.mu.Unlock()
	if addr == v.addr && l.visitors[addr] != nil {
		return
	}
	l.forget(v)
	v.addr = addr
	l.visitors[addr] = v
	v.worker.Load().SetRemote(addr.String())
}

// forget removes the visitor's address. The lock is held.
func (l *Listener) forget(v *visitor) {
	if l.visitors[v.addr] == v {
		delete(l.visitors, v.addr)
	}
}

// misused counts a stream or a datagram that is none of ours. Too many end the connection.
func (v *visitor) misused() {
	l := v.listener
	l.mu.Lock()
	over := !v.misuse.Allow(time.Since(l.start), 1)
	l.mu.Unlock()
	if w := v.worker.Load(); over && w != nil {
		w.Overdone()
	}
}

// addressOf returns the address of a sender, or the zero address if it cannot be read.
func addressOf(addr net.Addr) netip.AddrPort {
	if udp, ok := addr.(*net.UDPAddr); ok {
		at := udp.AddrPort()
		return netip.AddrPortFrom(at.Addr().Unmap().WithZone(""), at.Port())
	}
	return netip.AddrPort{}
}
