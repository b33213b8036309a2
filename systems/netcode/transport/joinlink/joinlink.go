// Package joinlink reads and writes join links. A join link is the one line that a server prints
// and that a player needs to join it.
//
//	tandem://203.0.113.7:7777#7Nq0…Zz4+Xo3bq…        encrypted datagrams on UDP (package dtls)
//	tandem+wss://play.example.org:443/arena#+Xo3bq…  WebSocket with TLS (package websocket)
//	tandem+wt://203.0.113.7:8080/webtransport#EYZE…+Xo3bq…  WebTransport (package webtransport)
//	tandem+ws://127.0.0.1:8080/#+Xo3bq…              WebSocket without: only behind a proxy, or on one machine
//
// The part behind the # is the fingerprint of the server's certificate and, behind the +, the
// token. The client identifies the server by the fingerprint, and the server identifies an invited
// client by the token. Both may be missing if the transport does not need them. Browsers do not
// send the part behind a #, and neither do these transports: the fingerprint stays with the client,
// and the token is sent in the encrypted channel.
//
// A link is a secret as long as its token is valid: any player that has it may join.
package joinlink

import (
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// Transport is the transport of the connection.
type Transport uint8

const (
	DTLS Transport = iota // encrypted datagrams on UDP
	WS                    // WebSocket without encryption
	WSS                   // WebSocket with TLS
	WT                    // WebTransport; the fingerprint is that of the web server's certificate
)

var schemes = [...]string{DTLS: "tandem", WS: "tandem+ws", WSS: "tandem+wss", WT: "tandem+wt"}

// String returns the link's scheme: "tandem", "tandem+ws", "tandem+wss" or "tandem+wt".
func (t Transport) String() string {
	if int(t) < len(schemes) {
		return schemes[t]
	}
	return "unknown"
}

// These are the limits of the parts of a link, in bytes.
const (
	maxToken = 512
	maxPath  = 256
	maxHost  = 253 // of DNS
	maxLink  = 16 + maxHost + 2 + 6 + maxPath + 1 + fingerprintText + 1 + maxToken
)

// Link is a join link in parts.
type Link struct {
	Transport   Transport
	Host        string      // DNS name in ASCII, or IP address without brackets and without a zone
	Port        uint16      // never 0
	Path        string      // of WS, WSS and WT: begins with "/"; of DTLS empty
	Fingerprint Fingerprint // of the server's certificate; zero for none, which DTLS does not allow
	Token       string      // letters, digits and -._~ only; may be empty
}

// Address returns host and port for a dialer, with brackets around an IPv6 address.
func (l Link) Address() string { return net.JoinHostPort(l.Host, strconv.Itoa(int(l.Port))) }

// URL returns the address of a WS, WSS or WT link for its dialer, without fingerprint and token:
// ws://, wss:// or https://. For a DTLS link it returns the empty text.
func (l Link) URL() string {
	scheme := strings.TrimPrefix(l.Transport.String(), "tandem+")
	switch l.Transport {
	case DTLS:
		return ""
	case WT:
		scheme = "https"
	}
	return scheme + "://" + l.Address() + l.Path
}

// String returns the link. If [Link.Validate] refuses the link, the result cannot be used.
func (l Link) String() string {
	secrets := ""
	if !l.Fingerprint.IsZero() {
		secrets = l.Fingerprint.String()
	}
	if l.Token != "" {
		secrets += "+" + l.Token
	}
	if secrets != "" {
		secrets = "#" + secrets
	}
	return l.Transport.String() + "://" + l.Address() + l.Path + secrets
}

// Validate returns an error that names what is wrong with the link, or nil. The error never quotes
// the token.
func (l Link) Validate() error {
	switch {
	case int(l.Transport) >= len(schemes):
		return fmt.Errorf("joinlink: transport %d is unknown: use joinlink.DTLS, WS, WSS or WT", l.Transport)
	case !validHost(l.Host):
		return fmt.Errorf("joinlink: %q is no host: use an IP address or a DNS name in ASCII (xn--… for others)", l.Host)
	case l.Port == 0:
		return fmt.Errorf("joinlink: the port is 0: give the one on which the server listens")
	case l.Transport == DTLS && l.Path != "":
		return fmt.Errorf("joinlink: a %s:// link has no path, and this one has %q: take it out", l.Transport, l.Path)
	case l.Transport != DTLS && !validPath(l.Path):
		return fmt.Errorf("joinlink: %q is no path: begin with /, use at most %d printable ASCII characters, and none of \" # %% ? < > \\ ^ ` { | }", l.Path, maxPath)
	case l.Transport == DTLS && l.Fingerprint.IsZero():
		return fmt.Errorf("joinlink: the link has no fingerprint, without which anybody could pose as the server: copy the whole line that the server printed")
	case l.Transport == WS && !l.Fingerprint.IsZero():
		return fmt.Errorf("joinlink: a %s:// link has a fingerprint, but no certificate that it could belong to: use %s://", WS, WSS)
	case len(l.Token) > maxToken || strings.ContainsFunc(l.Token, func(r rune) bool { return !unreserved(r) }):
		return fmt.Errorf("joinlink: the token is damaged: want at most %d letters, digits and -._~: copy the whole line that the server printed", maxToken)
	}
	return nil
}

// Parse reads a link. Spaces around it are ignored. Errors name the remedy, and never quote the
// token.
func Parse(text string) (Link, error) {
	text = strings.TrimSpace(text)
	if len(text) > maxLink {
		return Link{}, fmt.Errorf("joinlink: %d characters are too many for a join link: copy only the line that begins with tandem", len(text))
	}
	address, secrets, _ := strings.Cut(text, "#")
	var l Link
	scheme, rest, ok := strings.Cut(address, "://")
	t := slices.IndexFunc(schemes[:], func(s string) bool { return strings.EqualFold(s, scheme) })
	if !ok || t < 0 {
		return Link{}, fmt.Errorf("joinlink: %q is no join link: it begins with tandem://, tandem+ws://, tandem+wss:// or tandem+wt://; copy the whole line that the server printed", address)
	}
	l.Transport = Transport(t)
	if i := strings.IndexByte(rest, '/'); i >= 0 {
		rest, l.Path = rest[:i], rest[i:]
	} else if l.Transport != DTLS {
		l.Path = "/"
	}
	host, port, err := net.SplitHostPort(rest)
	if err != nil {
		return Link{}, fmt.Errorf("joinlink: %q is not of the form HOST:PORT, with [ ] around an IPv6 address: copy the whole line that the server printed", rest)
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 || strconv.FormatUint(n, 10) != port {
		return Link{}, fmt.Errorf("joinlink: %q is no port: want 1 to 65535", port)
	}
	l.Host, l.Port = host, uint16(n)
	fingerprint, token, _ := strings.Cut(secrets, "+")
	if fingerprint != "" {
		if l.Fingerprint, err = ParseFingerprint(fingerprint); err != nil {
			return Link{}, err
		}
	}
	l.Token = token
	if err := l.Validate(); err != nil {
		return Link{}, err
	}
	return l, nil
}

func validHost(host string) bool {
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.Zone() == ""
	}
	if host == "" || len(host) > maxHost || strings.Trim(host, ".-") != host {
		return false
	}
	return !strings.ContainsFunc(host, func(r rune) bool { return !unreserved(r) || r == '~' })
}

func validPath(path string) bool {
	if len(path) > maxPath || !strings.HasPrefix(path, "/") {
		return false
	}
	return !strings.ContainsFunc(path, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("\"#%?<>\\^`{|}", r) })
}

// unreserved reports whether the character stands for itself everywhere in a URL (RFC 3986, 2.3).
func unreserved(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '-' || r == '.' || r == '_' || r == '~'
}
