//go:build !js

package websocket

import (
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
)

// forwarded returns the address that the proxy has written for its client, and which header names
// it. The zero address without an error means that the proxy names no client: there is no header,
// or it says "unknown" or a name in the place of the address.
//
// Only the last element of the last line is the proxy's own. All before it may be the client's. A
// proxy that writes one of the two headers passes on the other one as the client has written it, so
// two headers have to agree.
func forwarded(h http.Header) (client netip.AddrPort, header string, err error) {
	older, writesOlder, err := lastOfOlder(h.Values(headerOlder))
	if err != nil {
		return netip.AddrPort{}, headerOlder, err
	}
	newer, writesNewer, err := lastOfNewer(h.Values(headerNewer))
	switch {
	case err != nil:
		return netip.AddrPort{}, headerNewer, err
	case !writesNewer:
		return older, headerOlder, nil
	case !writesOlder:
		return newer, headerNewer, nil
	case older.Addr() != newer.Addr():
		return netip.AddrPort{}, headerNewer, errDiffer
	}
	return older, headerOlder, nil
}

// The headers in which proxies write the addresses of clients.
const (
	headerOlder = "X-Forwarded-For"
	headerNewer = "Forwarded" // RFC 7239
)

var errDiffer = errors.New("it differs from X-Forwarded-For, and the proxy cannot have written both")

// lastOfOlder returns the address of the last element of X-Forwarded-For.
func lastOfOlder(lines []string) (client netip.AddrPort, written bool, err error) {
	if len(lines) == 0 {
		return client, false, nil
	}
	text := lines[len(lines)-1]
	text = strings.Trim(text[strings.LastIndexByte(text, ',')+1:], " \t")
	if n := len(text); n >= 2 && text[0] == '"' && text[n-1] == '"' {
		text = text[1 : n-1]
	}
	if text == "unix:" { // as nginx writes a client on a socket of the machine
		text = "unknown"
	}
	client, err = parseNode(text)
	return client, true, err
}

// lastOfNewer returns the address of the last element of Forwarded.
func lastOfNewer(lines []string) (client netip.AddrPort, written bool, err error) {
	if len(lines) == 0 {
		return client, false, nil
	}
	node, written, err := lastFor(lines[len(lines)-1])
	if err == nil && written {
		client, err = parseNode(node)
	}
	return client, written, err
}

var (
	errSyntax = errors.New("it is not of the form of RFC 7239")
	errTwice  = errors.New("its last element names two clients")
)

// lastFor returns the value of the parameter "for" of the last element of a line of Forwarded (RFC
// 7239, section 4), without its quotes. The line is read from its begin, since a comma within
// quotes separates nothing. Values without quotes may have brackets and colons, as some proxies
// write them.
func lastFor(text string) (value string, written bool, err error) {
	for begun := false; ; {
		text = strings.TrimLeft(text, " \t")
		if text != "" && text[0] != ',' && text[0] != ';' {
			var name, v string
			if name, v, text, err = cutPair(text); err != nil {
				return "", false, err
			}
			begun = true
			if strings.EqualFold(name, "for") {
				if written {
					return "", false, errTwice
				}
				value, written = v, true
			}
			text = strings.TrimLeft(text, " \t")
		}
		switch {
		case text == "" && begun:
			return value, written, nil
		case text == "": // an empty element says nothing
			return "", false, errSyntax
		case text[0] == ',':
			value, written, begun = "", false, false
		case text[0] != ';':
			return "", false, errSyntax
		}
		text = text[1:]
	}
}

// cutPair cuts a parameter and its value off the begin of a text.
func cutPair(text string) (name, value, rest string, err error) {
	name, rest, ok := strings.Cut(text, "=")
	if !ok || name == "" || strings.ContainsFunc(name, func(r rune) bool { return !isToken(r) }) {
		return "", "", "", errSyntax
	}
	if !strings.HasPrefix(rest, `"`) {
		end := strings.IndexAny(rest, " \t,;\"")
		if end < 0 {
			end = len(rest)
		}
		return name, rest[:end], rest[end:], nil
	}
	var b strings.Builder
	for i := 1; i < len(rest); i++ {
		switch c := rest[i]; {
		case c == '"':
			return name, b.String(), rest[i+1:], nil
		case c == '\\' && i+1 < len(rest):
			i++
		}
		b.WriteByte(rest[i])
	}
	return "", "", "", errSyntax // the quotes have no end
}

// isToken reports whether a character may be part of a token (RFC 9110, 5.6.2).
func isToken(r rune) bool { return isAlphanumeric(r) || strings.ContainsRune("!#$%&'*+-.^_`|~", r) }

func isAlphanumeric(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
}

// parseNode returns the address of a client as a proxy writes it: with a port or without, one of
// IPv6 with brackets or without. A port that is not given is 0, as is one that the proxy replaces
// by a name. The zero address stands for a client whose address the proxy replaces by a name (RFC
// 7239, section 6).
func parseNode(text string) (netip.AddrPort, error) {
	name, port, hasPort := text, "", false
	bracketed := strings.HasPrefix(text, "[")
	if bracketed {
		inner, rest, ok := strings.Cut(text[1:], "]")
		if port, hasPort = strings.CutPrefix(rest, ":"); !ok || !hasPort && rest != "" {
			return netip.AddrPort{}, notAnAddress(text)
		}
		name = inner
	} else if strings.Count(text, ":") == 1 { // more than one is an address of IPv6
		name, port, hasPort = strings.Cut(text, ":")
	}
	n := uint64(0)
	if hasPort && !isReplaced(port) {
		var err error
		if n, err = strconv.ParseUint(port, 10, 16); err != nil {
			return netip.AddrPort{}, fmt.Errorf("%+.40q is no port", port)
		}
	}
	if !bracketed && (strings.EqualFold(name, "unknown") || isReplaced(name)) {
		return netip.AddrPort{}, nil
	}
	addr, err := netip.ParseAddr(name)
	if err != nil {
		return netip.AddrPort{}, notAnAddress(text)
	}
	return netip.AddrPortFrom(addr.WithZone("").Unmap(), uint16(n)), nil
}

func notAnAddress(text string) error { return fmt.Errorf("%+.40q is no address", text) }

// isReplaced reports whether a text is a name that a proxy writes in the place of an address or a
// port.
func isReplaced(text string) bool {
	return len(text) > 1 && text[0] == '_' &&
		!strings.ContainsFunc(text, func(r rune) bool { return !isAlphanumeric(r) && r != '.' && r != '_' && r != '-' })
}
