package netcode

import (
	"fmt"
	"net/netip"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/address"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// One person with a public join link could take all places. So the places of one address are
// bounded. Places of players that are expected back count as well.

// customerPrefix returns the prefix of one customer: an address of IPv4, or the /56 of IPv6 that a
// provider usually gives. It is invalid for names of transports without addresses, and for
// addresses of this machine and of private networks: all clients may have them behind a proxy of
// the operator's own.
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

// networkOf returns the network of an address, as transports count it. It is invalid if that of
// customerPrefix is.
func networkOf(addr string) netip.Prefix { return networkOfCustomer(customerPrefix(addr)) }

// networkOfCustomer returns the network of a customer. It is invalid if the customer is.
func networkOfCustomer(customer netip.Prefix) netip.Prefix { return address.Network(customer.Addr()) }

// addressFull returns the reason to refuse another player of an address, or no reason.
func (s *Server[S, I]) addressFull(addr string) Reason {
	customer := customerPrefix(addr)
	if s.config.MaxPerAddress < 0 || !customer.IsValid() {
		return Reason{}
	}
	n := 0
	for p := range s.all {
		if p.customer == customer {
			n++
		}
	}
	if n < s.config.MaxPerAddress {
		return Reason{}
	}
	return Reason{Code: transport.Refused, Text: fmt.Sprintf("%d play from your address already; the server's operator can allow more", n)}
}
