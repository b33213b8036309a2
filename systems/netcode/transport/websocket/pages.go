//go:build !js

package websocket

import (
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/address"
)

const (
	// pageTime is how long an answer may take: 2.6 MB at 22 kB/s, which is less than a game needs.
	pageTime = 2 * time.Minute
	// networkPages is how many answers one network may have at a time. A browser asks for six.
	networkPages = 32
)

// pages answers requests for Config.Page in such a way that clients that read slowly leave room for
// connections of the game.
type pages struct {
	of *Listener

	mu        sync.Mutex
	total     int
	answering map[netip.Prefix]int // by networks, without zeros
}

// ServeHTTP implements http.Handler.
func (p *pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(pageTime))
	addr := p.of.clientOf(r)
	if r.ContentLength != 0 {
		p.of.turnAway(w, addr, http.StatusBadRequest, "a request for a page has no body")
		return
	}
	network := address.Network(addr.Addr())
	if !p.begin(network) {
		p.of.turnAway(w, addr, http.StatusServiceUnavailable, "too many pages at once")
		return
	}
	defer p.end(network)
	p.of.config.Page.ServeHTTP(w, r)
}

func (p *pages) begin(network netip.Prefix) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.total >= max(1, p.of.config.MaxConns/4) || p.answering[network] >= networkPages {
		return false
	}
	p.total++
	p.answering[network]++
	return true
}

func (p *pages) end(network netip.Prefix) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.total--
	if p.answering[network]--; p.answering[network] == 0 {
		delete(p.answering, network)
	}
}
