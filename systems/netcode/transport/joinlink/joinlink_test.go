package joinlink_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/systems/netcode/transport/joinlink"
)

var print43 = joinlink.FingerprintOf([]byte("a certificate"))

func TestLinks(t *testing.T) {
	for _, test := range []struct {
		text         string
		want         joinlink.Link
		address, url string
	}{
		{
			"tandem://203.0.113.7:7777#" + print43.String() + "+Xo3-bq_z",
			joinlink.Link{Host: "203.0.113.7", Port: 7777, Fingerprint: print43, Token: "Xo3-bq_z"}, "203.0.113.7:7777", "",
		},
		{
			"tandem://[2001:db8::1]:65535#" + print43.String(),
			joinlink.Link{Host: "2001:db8::1", Port: 65535, Fingerprint: print43}, "[2001:db8::1]:65535", "",
		},
		{
			"tandem+wss://play.example.org:443/arena/1#+token",
			joinlink.Link{Transport: joinlink.WSS, Host: "play.example.org", Port: 443, Path: "/arena/1", Token: "token"},
			"play.example.org:443", "wss://play.example.org:443/arena/1",
		},
		{
			"tandem+wss://lan:443/#" + print43.String() + "+t",
			joinlink.Link{Transport: joinlink.WSS, Host: "lan", Port: 443, Path: "/", Fingerprint: print43, Token: "t"}, "lan:443", "wss://lan:443/",
		},
		{
			"tandem+wt://lan:8080/webtransport#" + print43.String() + "+t",
			joinlink.Link{Transport: joinlink.WT, Host: "lan", Port: 8080, Path: "/webtransport", Fingerprint: print43, Token: "t"},
			"lan:8080", "https://lan:8080/webtransport",
		},
		{
			"tandem+ws://localhost:8080/",
			joinlink.Link{Transport: joinlink.WS, Host: "localhost", Port: 8080, Path: "/"}, "localhost:8080", "ws://localhost:8080/",
		},
	} {
		got, err := joinlink.Parse(test.text)
		if err != nil || got != test.want {
			t.Errorf("%s gave %+v, error %v", test.text, got, err)
		}
		if got.String() != test.text || got.Address() != test.address || got.URL() != test.url {
			t.Errorf("%s came back as %s with address %s and URL %s", test.text, got, got.Address(), got.URL())
		}
	}
	if got, err := joinlink.Parse(" Tandem+WS://h:1#+x\n"); err != nil || got.String() != "tandem+ws://h:1/#+x" {
		t.Errorf("spaces, capitals in the scheme and a missing path gave %s, error %v", got, err)
	}
}

func TestBadLinksNameTheRemedy(t *testing.T) {
	f := print43.String()
	for _, test := range []struct{ text, want string }{
		{"", "begins with tandem://"},
		{"https://example.org/#" + f, "begins with tandem://"},
		{"203.0.113.7:7777#" + f, "begins with tandem://"},
		{"tandem:203.0.113.7:7777#" + f, "begins with tandem://"},
		{"tandem://203.0.113.7#" + f, "HOST:PORT"},
		{"tandem://2001:db8::1:7777#" + f, "HOST:PORT"},
		{"tandem://:7777#" + f, "no host"},
		{"tandem://[fe80::1%25eth0]:7777#" + f, "no host"},
		{"tandem://spät.example:7777#" + f, "xn--"},
		{"tandem://h:0#" + f, "1 to 65535"},
		{"tandem://h:70000#" + f, "1 to 65535"},
		{"tandem://h:+7#" + f, "1 to 65535"},
		{"tandem://h:07#" + f, "1 to 65535"},
		{"tandem://h:7/x#" + f, "no path"},
		{"tandem://h:7", "no fingerprint"},
		{"tandem://h:7#+token", "no fingerprint"},
		{"tandem://h:7#" + f[:42], "copy the whole line"},
		{"tandem://h:7#" + f[:42] + "!", "copy the whole line"},
		{"tandem://h:7#" + strings.Repeat("A", 43), "copy the whole line"},
		{"tandem://h:7#" + f + "+a b", "token is damaged"},
		{"tandem://h:7#" + f + "+a+b", "token is damaged"},
		{"tandem+ws://h:7/#" + f, "use tandem+wss"},
		{"tandem+ws://h:7/a?b", "no path"},
		{"tandem://h:7#" + f + "+" + strings.Repeat("x", 513), "token is damaged"},
		{"tandem://h:7#" + f + "+" + strings.Repeat("x", 2000), "too many"},
	} {
		got, err := joinlink.Parse(test.text)
		if err == nil || !strings.Contains(err.Error(), test.want) || got != (joinlink.Link{}) {
			t.Errorf("%q gave %+v and the error %v, want one with %q", test.text, got, err, test.want)
		}
	}
}

// Errors about a link end up in logs and screenshots, so they must not contain its token.
func TestErrorsKeepTheTokenSecret(t *testing.T) {
	for _, text := range []string{"tandem://h:7#+SECRET", "tandem://h:7#SECRET", "tandem://h#x+SECRET", "http://h:7#+SECRET", "tandem://h:7#" + print43.String() + "+SECRET!", "tandem+ws://h:7/%#+SECRET"} {
		if _, err := joinlink.Parse(text); err == nil || strings.Contains(err.Error(), "SECRET") {
			t.Errorf("%q gave the error %v", text, err)
		}
	}
}

func TestUnknownTransport(t *testing.T) {
	l := joinlink.Link{Transport: 9, Host: "h", Port: 1}
	if l.Validate() == nil || l.Transport.String() != "unknown" {
		t.Error("transport 9 is good")
	}
}

func TestEveryValidLinkSurvives(t *testing.T) {
	unreserved := rapid.StringMatching(`[A-Za-z0-9._~-]{0,40}`)
	rapid.Check(t, func(t *rapid.T) {
		l := joinlink.Link{
			Transport: joinlink.Transport(rapid.IntRange(0, 3).Draw(t, "transport")),
			Host:      rapid.StringMatching(`[a-z0-9.:-]{1,20}`).Draw(t, "host"),
			Port:      rapid.Uint16().Draw(t, "port"),
			Token:     unreserved.Draw(t, "token"),
		}
		if l.Transport != joinlink.DTLS {
			l.Path = rapid.StringMatching(`/[a-z0-9/]{0,20}`).Draw(t, "path")
		}
		copy(l.Fingerprint[:], rapid.SliceOfN(rapid.Byte(), 0, 32).Draw(t, "fingerprint"))
		if l.Validate() != nil {
			t.Skip("not valid")
		}
		if got, err := joinlink.Parse(l.String()); err != nil || got != l {
			t.Fatalf("%s came back as %+v, error %v", l, got, err)
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add("tandem://203.0.113.7:7777#" + print43.String() + "+Xo3bq")
	f.Add("tandem+wss://play.example.org:443/arena#+x")
	f.Add("tandem+ws://[::1]:1/")
	f.Add("tandem+wt://h:1/webtransport#" + print43.String() + "+x")
	f.Add("tandem://#+://")
	f.Fuzz(func(t *testing.T, text string) {
		l, err := joinlink.Parse(text)
		if err != nil {
			return
		}
		if err := l.Validate(); err != nil {
			t.Fatalf("%q gave a link that is not valid: %v", text, err)
		}
		if again, err := joinlink.Parse(l.String()); err != nil || again != l {
			t.Fatalf("%q gave %+v, which came back as %+v, error %v", text, l, again, err)
		}
	})
}

func Example() {
	// The server prints a link,
	printed := joinlink.Link{
		Host: "203.0.113.7", Port: 7777,
		Fingerprint: joinlink.FingerprintOf([]byte("the server's certificate in DER form")),
		Token:       "Xo3bqT9",
	}.String()
	fmt.Println(printed)

	// and the client takes it apart.
	link, err := joinlink.Parse(printed)
	fmt.Println(link.Address(), link.Token, err)
	// Output:
	// tandem://203.0.113.7:7777#EYZEF4I8rFn42dOJk9Qyz_GvFNhhYPcCc0TeNS8gkjc+Xo3bqT9
	// 203.0.113.7:7777 Xo3bqT9 <nil>
}
