package dtls_test

import (
	"net"
	"testing"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/dtls"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/joinlink"
)

// A listener's link leads to it: to the given host, or to the address on which it listens, or to
// this machine if it listens on all addresses.
func TestLink(t *testing.T) {
	for _, c := range []struct{ listen, host, want string }{
		{"127.0.0.1:0", "", "127.0.0.1"},
		{"127.0.0.1:0", "play.example.org", "play.example.org"},
		{"127.0.0.1:0", "2001:db8::7", "2001:db8::7"},
		{":0", "", "127.0.0.1"},
		{"0.0.0.0:0", "", "127.0.0.1"},
		{"[::1]:0", "", "::1"},
	} {
		l, err := dtls.Listen(c.listen, dtls.Config{})
		if err != nil && c.listen == "[::1]:0" {
			continue // a machine without IPv6
		} else if err != nil {
			t.Fatal(err)
		}
		_, port, err := net.SplitHostPort(l.Addr())
		if err != nil {
			t.Fatal(err)
		}
		link, err := joinlink.Parse(l.Link(c.host, "let-me-in").String())
		if err != nil {
			t.Errorf("%s, %q: %v", c.listen, c.host, err)
		} else if want := net.JoinHostPort(c.want, port); link.Address() != want || link.Fingerprint != l.Fingerprint() || link.Token != "let-me-in" || link.Transport != joinlink.DTLS {
			t.Errorf("%s, %q: %v, want it to lead to %s", c.listen, c.host, link, want)
		}
		if bad := l.Link("no host", ""); bad.Validate() == nil {
			t.Errorf("%v is valid", bad)
		}
		l.Close(transport.Reason{Code: transport.Shutdown})
	}
}
