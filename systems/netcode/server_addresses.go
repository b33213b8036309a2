package netcode

import (
	"fmt"
	"net/netip"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/address"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// A join link that many have may fall into a stranger's hands, who could take all places by it. So
// the places that one address may have are bounded; those of players who are awaited back count,
// too.

// customerPrefix returns whose an address is, as far as it tells: an address of IPv4, or the /56 of
// IPv6 that one customer usually gets. Invalid: nobody's in particular. These are addresses of this
// machine and of private networks, which no stranger has, and behind which, where a proxy of one's
// ownState is between, everybody may be; and names of transports without addresses.
func customerPrefix(addr string) netip.Prefix {
	at, ok := address.Parse(addr)
	if !ok || at.IsLoopback() || at.IsPrivate() || at.IsLinkLocalUnicast() || at.IsUnspecified() {
		return netip.Prefix{}
	}
	if at.Is4() {
		return netip.PrefixFrom(at, 32)
	}
	return address.Network(at)
}

// networkOf returns the network that an address is of, as transports count it. Invalid: where
// customerPrefix is.
func networkOf(addr string) netip.Prefix { return networkOfCustomer(customerPrefix(addr)) }

// networkOfCustomer returns the network that a customer is of. Invalid: where the customer is.
func networkOfCustomer(customer netip.Prefix) netip.Prefix { return address.Network(customer.Addr()) }

// crowded says why nobody joins from an address any more, or nothing.
func (s *Server[S, I]) addressFull(addr string) Reason {
	customer := customerPrefix(addr)
	if s.config.MaxPerAddress < 0 || !customer.IsValid() {
		return Reason{}
	}
	n := 0
	for _, p := range s.players {
		if p != nil && p.customer == customer {
			n++
		}
	}
	if n < s.config.MaxPerAddress {
		return Reason{}
	}
	return Reason{Code: transport.Refused, Text: fmt.Sprintf("%d play from your address already; the server's operator can allow more", n)}
}
