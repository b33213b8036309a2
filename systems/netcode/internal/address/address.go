// Package address says of the addresses that transports write whose they are: guests, limits and
// bans must agree on it.
package address

import "net/netip"

// Parse reads "host:port" or a bare address, one of IPv4 within IPv6 as of IPv4; other transports'
// names are none.
func Parse(text string) (netip.Addr, bool) {
	if at, err := netip.ParseAddrPort(text); err == nil {
		return at.Addr().Unmap().WithZone(""), true
	}
	at, err := netip.ParseAddr(text)
	return at.Unmap().WithZone(""), err == nil
}

// Network returns the network that an address is of: a /24 of IPv4, of which a stranger may have
// all, or a /56 of IPv6, which is what one household or site usually gets. Invalid for the zero
// address.
func Network(at netip.Addr) netip.Prefix {
	at = at.Unmap()
	bits := 56
	if at.Is4() {
		bits = 24
	}
	network, _ := at.Prefix(bits) // both are of the address's length
	return network
}

// InLink returns the host and the port that a join link names for a listener's address HOST:PORT.
// The host is the public one, if it is not empty. Otherwise it is that of the address, or this
// machine's 127.0.0.1 if the listener listens on all addresses.
func InLink(listener, public string) (host string, port uint16) {
	at, err := netip.ParseAddrPort(listener)
	switch {
	case public != "":
		host = public
	case err != nil || at.Addr().IsUnspecified():
		host = "127.0.0.1"
	default:
		host = at.Addr().Unmap().WithZone("").String()
	}
	return host, at.Port()
}
