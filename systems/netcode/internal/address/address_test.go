package address_test

import (
	"net/netip"
	"testing"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/address"
)

func TestNetworks(t *testing.T) {
	for text, want := range map[string]string{
		"203.0.113.7:4000":            "203.0.113.0/24",
		"203.0.113.7":                 "203.0.113.0/24",
		"[::ffff:203.0.113.7]:1":      "203.0.113.0/24",
		"[2001:db8:1:2ff:1::9%eth]:1": "2001:db8:1:200::/56",
		"2001:db8::1":                 "2001:db8::/56",
	} {
		at, ok := address.Parse(text)
		if network := address.Network(at); !ok || network != netip.MustParsePrefix(want) {
			t.Errorf("%s is of %v, want %s", text, network, want)
		}
	}
	for _, text := range []string{"", "loopback 1", "host:80", ":80"} {
		if at, ok := address.Parse(text); ok || at.IsValid() || address.Network(at).IsValid() {
			t.Errorf("%q is read as %v", text, at)
		}
	}
}
