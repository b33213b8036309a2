package dtls

import (
	"net"
	"net/netip"
)

// address is a UDP address as the library wants it. Unlike *net.UDPAddr it can be compared.
type address netip.AddrPort

func (a address) Network() string { return "udp" }
func (a address) String() string  { return netip.AddrPort(a).String() }

// socket is the server's UDP socket.
type socket interface {
	read(b []byte) (int, netip.AddrPort, error)
	write(b []byte, to netip.AddrPort) error
	LocalAddr() net.Addr
	Close() error
}

// udpSocket is a socket of the operating system. It allocates nothing.
type udpSocket struct{ *net.UDPConn }

func (s udpSocket) read(b []byte) (int, netip.AddrPort, error) {
	n, from, err := s.ReadFromUDPAddrPort(b)
	return n, netip.AddrPortFrom(from.Addr().Unmap(), from.Port()), err
}

func (s udpSocket) write(b []byte, to netip.AddrPort) error {
	_, err := s.WriteToUDPAddrPort(b, to)
	return err
}

// packetSocket is any other socket, with addresses like those of UDP.
type packetSocket struct{ net.PacketConn }

func (s packetSocket) read(b []byte) (int, netip.AddrPort, error) {
	n, addr, err := s.ReadFrom(b)
	if err != nil {
		return n, netip.AddrPort{}, err
	}
	from, err := netip.ParseAddrPort(addr.String())
	return n, netip.AddrPortFrom(from.Addr().Unmap(), from.Port()), err
}

func (s packetSocket) write(b []byte, to netip.AddrPort) error {
	_, err := s.WriteTo(b, net.UDPAddrFromAddrPort(to))
	return err
}

func socketOf(conn net.PacketConn) socket {
	if udp, ok := conn.(*net.UDPConn); ok {
		return udpSocket{udp}
	}
	return packetSocket{conn}
}
