//go:build !js

package webtransport

import "net"

// ListenOn is Listen on any socket, which the listener then owns.
func ListenOn(socket net.PacketConn, c Config) (*Listener, error) {
	return listenOn(socket, c.withDefaults())
}

// Visitors returns how many connections there are, from their first packet on, and how many of them
// are being made.
func (l *Listener) Visitors() (all, half int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.taken, l.half
}
