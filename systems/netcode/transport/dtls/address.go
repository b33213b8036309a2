package dtls

import (
	"net"
	"net/netip"
)

// address is a UDP address in the form that the library needs. Unlike *net.UDPAddr it can be
// compared.
type address netip.AddrPort

func (a address) Network() string { return "udp" }
func (a address) String() string  { return netip.AddrPort(a).String() }

// socket is the server's UDP socket. The argument via selects the address of the machine from which
// an answer is sent, since a client accepts answers only from the address to which it sends. The
// socket returns via with each datagram. It is valid until the next read, and nil if there is only
// one address.
type socket interface {
	read(b []byte) (n int, from netip.AddrPort, via []byte, err error)
	write(b []byte, to netip.AddrPort, via []byte) error
	LocalAddr() net.Addr
	Close() error
}

// udpSocket is a socket of the operating system with one address, or on a system that does not
// report addresses. It allocates nothing.
type udpSocket struct{ *net.UDPConn }

func (s udpSocket) read(b []byte) (int, netip.AddrPort, []byte, error) {
	n, from, err := s.ReadFromUDPAddrPort(b)
	return n, netip.AddrPortFrom(from.Addr().Unmap(), from.Port()), nil, err
}

func (s udpSocket) write(b []byte, to netip.AddrPort, _ []byte) error {
	_, err := s.WriteToUDPAddrPort(b, to)
	return err
}

func socketOf(udp *net.UDPConn) socket {
	if s := manySocketOf(udp); s != nil {
		return s
	}
	return udpSocket{udp}
}
