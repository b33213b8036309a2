package dtls

import (
	"net"
	"net/netip"
)

// LoadCertificate is loadCertificate.
var LoadCertificate = loadCertificate

// ListenOn listens on a socket of a test, whose addresses look like those of UDP.
func ListenOn(conn net.PacketConn, c Config) (*Listener, error) {
	return listenOn(packetSocket{conn}, c)
}

// packetSocket is a socket of a test.
type packetSocket struct{ net.PacketConn }

func (s packetSocket) read(b []byte) (int, netip.AddrPort, []byte, error) {
	n, addr, err := s.ReadFrom(b)
	if err != nil {
		return n, netip.AddrPort{}, nil, err
	}
	from, err := netip.ParseAddrPort(addr.String())
	return n, netip.AddrPortFrom(from.Addr().Unmap(), from.Port()), nil, err
}

func (s packetSocket) write(b []byte, to netip.AddrPort, _ []byte) error {
	_, err := s.WriteTo(b, net.UDPAddrFromAddrPort(to))
	return err
}
