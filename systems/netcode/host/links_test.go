package host

import (
	"errors"
	"strings"
	"testing"

	"github.com/tandem-ecs/tandem/systems/netcode/transport/joinlink"
)

// Links have the public host, in whichever form an IPv6 address was given. Text that is no host is
// refused with the remedy, before anything listens.
func TestPublicHosts(t *testing.T) {
	for text, want := range map[string]string{
		"":                  "198.51.100.1",
		"play.example.org":  "play.example.org",
		"203.0.113.7":       "203.0.113.7",
		"2001:db8::7":       "2001:db8::7",
		"[2001:db8::7]":     "2001:db8::7",
		"::ffff:192.0.2.1":  "::ffff:192.0.2.1",
		"[::1]":             "::1",
		"xn--bcher-kva.org": "xn--bcher-kva.org",
	} {
		s, err := Config{Public: text}.complete()
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		link, err := s.linkTo("198.51.100.1:7777", joinlink.Link{Transport: joinlink.WS, Path: "/"})
		if err != nil || link.Host != want {
			t.Errorf("%q: the link is %+v, %v", text, link, err)
		}
		if again, err := joinlink.Parse(link.String()); err != nil || again != link {
			t.Errorf("%q: %s is read as %+v, %v", text, link, again, err)
		}
	}
	for text, want := range map[string]string{
		"play.example.org:7777":     "port that is listened on",
		"203.0.113.7:7777":          "port that is listened on",
		"[2001:db8::7]:7777":        "port that is listened on",
		"[2001:db8::7":              "port that is listened on",
		"[play.example.org]":        "port that is listened on",
		"[203.0.113.7]":             "port that is listened on",
		"fe80::1%eth0":              "zone",
		"[fe80::1%eth0]":            "zone",
		"0.0.0.0":                   "no address to be found at",
		"[::]":                      "no address to be found at",
		"tandem://play.example.org": "no link",
		"play.example.org/arena":    "no link",
		"bücher.org":                "ASCII",
		" ":                         "no host",
	} {
		err := Config{Public: text}.Validate()
		var wrong *ConfigError
		if !errors.As(err, &wrong) || wrong.Field != "Public" || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want an error with %q", text, err, want)
		}
	}
}
