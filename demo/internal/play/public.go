package play

import (
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"

	"github.com/tandem-ecs/tandem/systems/netcode/transport/joinlink"
)

// checkPublic completes the host of -public, which links then have: an address of IPv6 may stand in brackets, as in a URL, or without.
func (s *serving) checkPublic() error {
	if s.public == "" {
		return nil
	}
	host := s.public
	if inner, ok := strings.CutPrefix(host, "["); ok {
		if inner, ok = strings.CutSuffix(inner, "]"); ok && strings.Contains(inner, ":") {
			host = inner
		}
	}
	at, err := netip.ParseAddr(host)
	const such = "such as play.example.org, 203.0.113.7 or 2001:db8::7"
	switch {
	case err == nil && at.Zone() != "":
		return badf("-public %q: an address with a zone is of use on this machine only; give one without, %s", s.public, such)
	case err == nil && at.IsUnspecified():
		return badf("-public %q: that is no address to be found at; give the one that others reach, %s", s.public, such)
	case err == nil:
	case strings.ContainsAny(host, "/#@"):
		return badf("-public %q: it takes a host alone, %s, and no link", s.public, such)
	case strings.ContainsAny(host, ":[]"):
		return badf("-public %q: it takes a host alone, %s; links have the port that is listened on", s.public, such)
	}
	if err := (joinlink.Link{Transport: joinlink.WS, Host: host, Port: 1, Path: "/"}).Validate(); err != nil {
		return badf("-public %q: %w", s.public, err)
	}
	s.public = host
	return nil
}

// linkOf completes the link of a listener that has got its address.
func (s *serving) linkOf(addr string, link joinlink.Link) (joinlink.Link, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return link, err
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	if s.public != "" {
		host = s.public
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return link, fmt.Errorf("the listener's address %s has no port: %w", addr, err)
	}
	link.Host, link.Port = host, uint16(n)
	if err := link.Validate(); err != nil {
		return link, badf("-public: %w", err)
	}
	return link, nil
}
