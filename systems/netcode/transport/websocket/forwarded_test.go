//go:build !js

package websocket

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"
)

// The address is that of the proxy's own element, in every form that RFC 7239 and common proxies
// write. Elements that a client has written before it have no effect, or refuse the client.
func TestForwarded(t *testing.T) {
	const refused, none = "refused", "none"
	for _, test := range []struct {
		older, newer []string // lines of X-Forwarded-For and of Forwarded
		want         string
	}{
		{nil, nil, none},
		{[]string{"203.0.113.7"}, nil, "203.0.113.7:0"},
		{[]string{"203.0.113.7:4711"}, nil, "203.0.113.7:4711"},
		{[]string{"2001:db8::1"}, nil, "[2001:db8::1]:0"},
		{[]string{"[2001:db8::1]"}, nil, "[2001:db8::1]:0"},
		{[]string{"[2001:db8::1]:4711"}, nil, "[2001:db8::1]:4711"},
		{[]string{`"[2001:db8::1]:4711"`}, nil, "[2001:db8::1]:4711"},
		{[]string{"[203.0.113.7]:4711"}, nil, "203.0.113.7:4711"},
		{[]string{"::ffff:203.0.113.7"}, nil, "203.0.113.7:0"},
		{[]string{"[::ffff:203.0.113.7]:4711"}, nil, "203.0.113.7:4711"},
		{[]string{"fe80::1%eth0"}, nil, "[fe80::1]:0"},
		{[]string{"[fe80::1%25eth0]:4711"}, nil, "[fe80::1]:4711"},
		{[]string{"1.2.3.4, 203.0.113.7"}, nil, "203.0.113.7:0"},
		{[]string{"1.2.3.4,\t 203.0.113.7:4711 \t"}, nil, "203.0.113.7:4711"},
		{[]string{"1.2.3.4", "5.6.7.8,2001:db8::1"}, nil, "[2001:db8::1]:0"},
		{[]string{"nonsense, 203.0.113.7"}, nil, "203.0.113.7:0"},
		{[]string{"unknown"}, nil, none},
		{[]string{"unknown, 203.0.113.7"}, nil, "203.0.113.7:0"},
		{[]string{"203.0.113.7, unix:"}, nil, none},
		{[]string{"203.0.113.7, _gazonk"}, nil, none},

		{[]string{"nonsense"}, nil, refused},
		{[]string{""}, nil, refused},
		{[]string{"203.0.113.7,"}, nil, refused},
		{[]string{"203.0.113.7", ""}, nil, refused},
		{[]string{"203.0.113.7:"}, nil, refused},
		{[]string{"203.0.113.7:65536"}, nil, refused},
		{[]string{"203.0.113.7:+1"}, nil, refused},
		{[]string{"203.0.113.7:http"}, nil, refused},
		{[]string{"203.0.113"}, nil, refused},
		{[]string{"203.0.113.007"}, nil, refused},
		{[]string{"[2001:db8::1"}, nil, refused},
		{[]string{"[2001:db8::1]4711"}, nil, refused},
		{[]string{"[2001:db8::1]:"}, nil, refused},
		{[]string{"[unknown]"}, nil, refused},
		{[]string{"203.0.113.7 5.6.7.8"}, nil, refused},
		{[]string{"for=203.0.113.7"}, nil, refused},

		{nil, []string{"for=203.0.113.7"}, "203.0.113.7:0"},
		{nil, []string{`for="203.0.113.7"`}, "203.0.113.7:0"},
		{nil, []string{`FoR="[2001:db8::1]:4711"`}, "[2001:db8::1]:4711"},
		{nil, []string{`for="[2001:db8::1]"`}, "[2001:db8::1]:0"},
		{nil, []string{"for=[2001:db8::1]:4711"}, "[2001:db8::1]:4711"},
		{nil, []string{"for=203.0.113.7:4711;proto=https"}, "203.0.113.7:4711"},
		{nil, []string{`for="203.0.113.7:_port"`}, "203.0.113.7:0"},
		{nil, []string{`for="\203.0.113.7"`}, "203.0.113.7:0"},
		{nil, []string{"by=10.0.0.1;for=203.0.113.7;host=example.com;proto=http"}, "203.0.113.7:0"},
		{nil, []string{"by=10.0.0.1 ; for=203.0.113.7 ;; host=example.com"}, "203.0.113.7:0"},
		{nil, []string{"for=1.2.3.4, for=203.0.113.7"}, "203.0.113.7:0"},
		{nil, []string{"for=1.2.3.4, for=5.6.7.8", `,, for="2001:db8::1"`}, "[2001:db8::1]:0"},
		{nil, []string{`for=1.2.3.4;by="a, for=5.6.7.8", for=203.0.113.7`}, "203.0.113.7:0"},
		{nil, []string{`for=1.2.3.4;by="\", for=5.6.7.8", for=203.0.113.7`}, "203.0.113.7:0"},
		{nil, []string{"for=unknown"}, none},
		{nil, []string{`for="Unknown:4711"`}, none},
		{nil, []string{"for=1.2.3.4, for=_hidden"}, none},
		{nil, []string{"for=1.2.3.4, by=10.0.0.1"}, none},
		{nil, []string{"proto=https"}, none},

		{nil, []string{""}, refused},
		{nil, []string{"for=203.0.113.7,"}, refused},
		{nil, []string{";"}, refused},
		{nil, []string{"for"}, refused},
		{nil, []string{"for="}, refused},
		{nil, []string{"=203.0.113.7"}, refused},
		{nil, []string{"203.0.113.7"}, refused},
		{nil, []string{"for=203.0.113.7;for=5.6.7.8"}, refused},
		{nil, []string{"for=203.0.113.7 by=10.0.0.1"}, refused},
		{nil, []string{`for="203.0.113.7`}, refused},
		{nil, []string{`for="203.0.113.7\`}, refused},
		{nil, []string{`for="203.0.113.7"x`}, refused},
		{nil, []string{"for=nonsense"}, refused},
		// A client that opens quotes cannot hide what the proxy adds.
		{nil, []string{`for=1.2.3.4;x=", for=203.0.113.7`}, refused},
		{nil, []string{`for=1.2.3.4;x=", for="[2001:db8::1]:4711"`}, refused},
		{nil, []string{`for=1.2.3.4;x="\, for="[2001:db8::1]:4711";by="_a"`}, refused},

		// A proxy that writes one of the headers passes on the other.
		{[]string{"203.0.113.7"}, []string{"for=203.0.113.7"}, "203.0.113.7:0"},
		{[]string{"1.2.3.4, 203.0.113.7:4711"}, []string{"for=5.6.7.8, for=203.0.113.7"}, "203.0.113.7:4711"},
		{[]string{"203.0.113.7"}, []string{"proto=https"}, "203.0.113.7:0"},
		{[]string{"203.0.113.7"}, []string{"for=1.2.3.4"}, refused},
		{[]string{"203.0.113.7"}, []string{"for=unknown"}, refused},
		{[]string{"unknown"}, []string{"for=1.2.3.4"}, refused},
		{[]string{"unknown"}, []string{"for=_hidden"}, none},
		{[]string{"203.0.113.7"}, []string{"nonsense"}, refused},
		{[]string{"nonsense"}, []string{"for=203.0.113.7"}, refused},
	} {
		at, _, err := forwarded(http.Header{headerOlder: test.older, headerNewer: test.newer})
		got := at.String()
		switch {
		case err != nil:
			got = refused
		case !at.IsValid():
			got = none
		}
		if got != test.want {
			t.Errorf("X-Forwarded-For %q, Forwarded %q: %s (%v), want %s", test.older, test.newer, got, err, test.want)
		}
	}
}

// Whatever a client sends, an honest proxy's element behind it gives the proxy's address, or the
// client is refused.
func FuzzForwarded(f *testing.F) {
	for _, seed := range []string{
		"", "1.2.3.4", `for=1.2.3.4;x="`, `for="\`, `for=1.2.3.4;x="\", by=a`, "unknown", "_x", "[::1", "for=1.2.3.4,", "1.2.3.4,", `"`, "for=a;;;,,,", "fe80::1%,",
	} {
		f.Add(seed)
	}
	want := netip.MustParseAddrPort("203.0.113.7:4711")
	f.Fuzz(func(t *testing.T, text string) {
		for _, line := range []string{text, text + `, for="203.0.113.7:4711"`, text + `, for=203.0.113.7:4711;by="_a";proto=https`} {
			at, _, err := forwarded(http.Header{headerNewer: {line}})
			if err != nil {
				if at.IsValid() || len(err.Error()) > 300 {
					t.Fatalf("%q: %v with %v", line, at, err)
				}
				continue
			}
			if at.Addr().Zone() != "" || at.Addr().Is4In6() {
				t.Fatalf("%q: %v", line, at)
			}
			// An escape at the end would swallow the comma, and then the quotes have no end.
			if line != text && at != want {
				t.Fatalf("%q: %v, want that of the proxy", line, at)
			}
		}
		if at, _, err := forwarded(http.Header{headerOlder: {text + ", 203.0.113.7:4711"}}); err != nil || at != want {
			t.Fatalf("X-Forwarded-For %q: %v, %v", text, at, err)
		}
		if at, _, err := forwarded(http.Header{headerOlder: {"203.0.113.7:4711"}, headerNewer: {text}}); err == nil && at != want {
			t.Fatalf("beside X-Forwarded-For, Forwarded %q: %v", text, at)
		}
		if strings.Contains(text, ",") {
			return
		}
		if at, _, err := forwarded(http.Header{headerOlder: {text}}); err == nil && at.IsValid() {
			if again, err := parseNode(at.String()); err != nil || again != at {
				t.Fatalf("%q is read as %v, and that as %v, %v", text, at, again, err)
			}
		}
	})
}
