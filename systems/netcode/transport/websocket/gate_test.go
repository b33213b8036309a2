package websocket

import (
	"net"
	"testing"

	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/admission"
)

// A quarter more TCP connections than those of the game are accepted, and at least one more, so
// that there is an answer for those that the game has no place for.
func TestGate(t *testing.T) {
	for conns, want := range map[int]int{1: 2, 3: 4, 8: 10} {
		l := NewHandler(Config{MaxConns: conns})
		g := gate{of: l, admission: admission.New(l.config.Upgrades, l.config.NetworkUpgrades)}
		for g.open < 20 && g.allow(from{}) {
		}
		if g.open != want || l.Stats().Refused != 1 {
			t.Errorf("MaxConns %d: %d connections are open and %d refused, want %d and 1", conns, g.open, l.Stats().Refused, want)
		}
		g.release()
		if !g.allow(from{}) {
			t.Errorf("MaxConns %d: there is no room after one has ended", conns)
		}
	}
}

// from is a connection of which only the address is asked.
type from struct{ net.Conn }

func (from) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 1} }
