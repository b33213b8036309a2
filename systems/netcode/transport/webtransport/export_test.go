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

// Stuff fills the library's queue of datagrams for each client, and keeps it full for as long as
// the client acknowledges none.
func (l *Listener) Stuff() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, v := range l.visitors {
		for range 200 {
			go v.conn.SendDatagram(make([]byte, MTU))
		}
	}
}
