//go:build !js

package webtransport

import (
	"net"

	"golang.org/x/net/ipv4"
)

// pass reports whether the library may read a packet of so many bytes from the sender.
type pass func(from net.Addr, n int) bool

// guard returns the socket for the library, which reads only the packets that may pass. The library
// reads a *net.UDPConn in batches and with the address of this machine to which each packet was
// sent. It may read any other one packet by packet.
func guard(socket net.PacketConn, pass pass) net.PacketConn {
	if udp, ok := socket.(*net.UDPConn); ok {
		return &guardedUDP{UDPConn: udp, batch: ipv4.NewPacketConn(udp), pass: pass}
	}
	return &guarded{socket, pass}
}

// guardedUDP is a socket of the operating system.
type guardedUDP struct {
	*net.UDPConn
	batch *ipv4.PacketConn
	pass  pass
}

// ReadBatch reads packets on systems that have batches. A packet that may not pass becomes an empty
// one, which the library drops: buffers belong to places in the batch.
func (s *guardedUDP) ReadBatch(packets []ipv4.Message, flags int) (int, error) {
	n, err := s.batch.ReadBatch(packets, flags)
	for i := range packets[:max(n, 0)] {
		if !s.pass(packets[i].Addr, packets[i].N) {
			packets[i].N = 0
		}
	}
	return n, err
}

// ReadFrom reads a packet on the other systems.
func (s *guardedUDP) ReadFrom(b []byte) (int, net.Addr, error) {
	return readFrom(s.UDPConn, b, s.pass)
}

// guarded is any other socket.
type guarded struct {
	net.PacketConn
	pass pass
}

// ReadFrom implements net.PacketConn.
func (s *guarded) ReadFrom(b []byte) (int, net.Addr, error) { return readFrom(s.PacketConn, b, s.pass) }

// readFrom reads the next packet that may pass.
func readFrom(s net.PacketConn, b []byte, pass pass) (int, net.Addr, error) {
	for {
		n, from, err := s.ReadFrom(b)
		if err != nil || pass(from, n) {
			return n, from, err
		}
	}
}

// SetReadBuffer and SetWriteBuffer are what the library misses, and would log, on a socket that is
// not of the operating system.
func (s *guarded) SetReadBuffer(int) error  { return nil }
func (s *guarded) SetWriteBuffer(int) error { return nil }
