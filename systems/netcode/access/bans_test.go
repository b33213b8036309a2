package access_test

import (
	"errors"
	"strings"
	"testing"
	"unicode"

	"github.com/tandem-ecs/tandem/systems/netcode/access"
)

func TestBans(t *testing.T) {
	var l access.List
	for _, token := range []string{"a", "b"} {
		if err := l.Add([]byte(token), access.Invitation{Uses: -1}); err != nil {
			t.Fatal(err)
		}
	}
	mustBan := func(token []byte, addr, reason string) access.Ban {
		t.Helper()
		b, err := l.Ban(noon, token, addr, reason)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	mustBan([]byte("a"), "", "aims too well\x1b[2J\nand boasts")
	mustBan(nil, "203.0.113.7:5000", "")
	mustBan(nil, "[2001:db8:1:2::5]:77", "")
	whole := mustBan(nil, "198.51.100.0/24", "")
	mustBan(nil, "::ffff:192.0.2.128/121", "")
	for _, c := range []struct {
		addr, token string
		resumes     bool
		banned      bool
	}{
		{"192.0.2.1:1", "a", false, true}, {"192.0.2.1:1", "a", true, true}, {"192.0.2.1:1", "b", false, false},
		{"203.0.113.7:9", "b", false, true}, {"203.0.113.7", "b", true, true}, {"[::ffff:203.0.113.7]:9", "b", false, true}, {"203.0.113.8:9", "b", false, false},
		{"[2001:db8:1:2:ffff::1]:9", "b", false, true}, {"[2001:db8:1:3::5]:9", "b", false, false},
		{"198.51.100.200:1", "b", false, true}, {"loopback:3", "b", false, false},
		{"192.0.2.200:1", "b", false, true}, {"192.0.2.100:1", "b", false, false},
	} {
		var banned *access.BannedError
		if err := l.Check(noon, c.addr, []byte(c.token), none, c.resumes); errors.As(err, &banned) != c.banned {
			t.Errorf("%s with %s: %v, want banned: %v", c.addr, c.token, err, c.banned)
		} else if banned != nil && strings.ContainsFunc(banned.Error(), func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Errorf("%q would upset a terminal", banned.Error())
		}
	}
	if !l.Unban(whole.ID) || l.Unban(whole.ID) || l.Check(noon, "198.51.100.200:1", []byte("b"), none, false) != nil {
		t.Error("the ban of the network was not lifted once")
	}
	for _, bad := range []string{"loopback:3", "203.0.113", "name.example.org:1"} {
		if _, err := l.Ban(noon, nil, bad, ""); err == nil {
			t.Errorf("%q was taken for an address", bad)
		}
	}
	if _, err := l.Ban(noon, nil, "", "nobody"); err == nil {
		t.Error("nobody was banned")
	}
	if n := len(l.Bans()); n != 4 {
		t.Errorf("%d bans, want 4", n)
	}
}
