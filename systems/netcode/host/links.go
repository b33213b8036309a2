package host

import (
	"net/netip"
	"strconv"
	"strings"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/address"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/joinlink"
)

// publicHost returns the host that links name. An IPv6 address may stand in brackets, as in a URL.
func publicHost(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	host := text
	if strings.HasPrefix(host, "[") && strings.HasSuffix(host, "]") && strings.Contains(host, ":") {
		host = host[1 : len(host)-1]
	}
	wrong := func(format string, values ...any) (string, error) {
		return "", invalid("Public", strconv.Quote(text), format, values...)
	}
	at, err := netip.ParseAddr(host)
	const such = "such as play.example.org, 203.0.113.7 or 2001:db8::7"
	switch {
	case err == nil && at.Zone() != "":
		return wrong("an address with a zone is of use on this machine only; give one without, %s", such)
	case err == nil && at.IsUnspecified():
		return wrong("that is no address to be found at; give the one that others reach, %s", such)
	case err == nil:
	case strings.ContainsAny(host, "/#@"):
		return wrong("it takes a host alone, %s, and no link", such)
	case strings.ContainsAny(host, ":[]"):
		return wrong("it takes a host alone, %s; links have the port that is listened on", such)
	}
	if err := (joinlink.Link{Transport: joinlink.WS, Host: host, Port: 1, Path: "/"}).Validate(); err != nil {
		return wrong("%w", err)
	}
	return host, nil
}

// linkTo completes the link of a listener with its address.
func (s *settings) linkTo(addr string, link joinlink.Link) (joinlink.Link, error) {
	link.Host, link.Port = address.InLink(addr, s.Public)
	if err := link.Validate(); err != nil {
		return link, invalid("Public", "", "%w", err)
	}
	return link, nil
}

// PageLink returns the address of the page that WebSocket.Page serves, with the token behind the #,
// or the empty text without a page. Browsers do not send the part behind the #.
func (h *Host) PageLink() string { return h.pageLink(h.token) }

func (h *Host) pageLink(token string) string {
	if h.settings.WebSocket.Page == nil {
		return ""
	}
	l := h.links[len(h.links)-1] // that of WebSocket comes last
	scheme, usual := "http", uint16(80)
	if l.Transport == joinlink.WSS {
		scheme, usual = "https", 443
	}
	query := h.settings.WebSocket.PageQuery
	if query != "" {
		query = "?" + query
	}
	return scheme + "://" + withoutPort(l.Address(), usual) + h.settings.prefix + "/" + query + "#" + token
}

// withoutPort returns an address HOST:PORT without its port, if that is the usual one.
func withoutPort(address string, usual uint16) string {
	return strings.TrimSuffix(address, ":"+strconv.Itoa(int(usual)))
}
