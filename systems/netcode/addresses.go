package netcode

import (
	"fmt"
	"net/netip"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// A join link that many have may fall into a stranger's hands, who could take all places by it. So the places that one address may have are bounded; those of players who are awaited back count, too.

// customerOf returns whose an address is, as far as it tells: an address of IPv4, or the /56 of IPv6 that one customer usually gets. Invalid: nobody's in particular. These are addresses of this machine and
// of private networks, which no stranger has, and behind which, where a proxy of one's own is between, everybody may be; and names of transports without addresses.
func customerOf(addr string) netip.Prefix {
	at, err := netip.ParseAddr(addr)
	if withPort, e := netip.ParseAddrPort(addr); e == nil {
		at, err = withPort.Addr(), nil
	}
	at = at.Unmap()
	if err != nil || at.IsLoopback() || at.IsPrivate() || at.IsLinkLocalUnicast() || at.IsUnspecified() {
		return netip.Prefix{}
	}
	bits := 32
	if at.Is6() {
		bits = 56
	}
	customer, _ := at.WithZone("").Prefix(bits)
	return customer
}

// networkOf returns the network that an address is of, as transports count it: a /24 of IPv4, of which a stranger may have all, or a /56 of IPv6. Invalid: where customerOf is.
func networkOf(addr string) netip.Prefix {
	network := customerOf(addr)
	if network.Addr().Is4() {
		network, _ = network.Addr().Prefix(24)
	}
	return network
}

// crowded says why nobody joins from an address any more, or nothing.
func (s *Server[S, I]) crowded(addr string) transport.Reason {
	customer := customerOf(addr)
	if s.config.MaxPerAddress < 0 || !customer.IsValid() {
		return transport.Reason{}
	}
	n := 0
	for _, p := range s.players {
		if p != nil && p.customer == customer {
			n++
		}
	}
	if n < s.config.MaxPerAddress {
		return transport.Reason{}
	}
	return transport.Reason{Code: transport.Refused, Text: fmt.Sprintf("%d play from your address already; the server's operator can allow more", n)}
}
