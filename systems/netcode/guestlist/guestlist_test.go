package guestlist_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/tandem-ecs/tandem/systems/netcode/guestlist"
)

var noon = time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)

func TestTokens(t *testing.T) {
	var l guestlist.List
	at := "203.0.113.7:4000"
	if err := l.Check(noon, at, []byte("any"), none, false); !errors.Is(err, guestlist.ErrToken) {
		t.Errorf("an empty list says %v", err)
	}
	for _, add := range []struct {
		token string
		terms guestlist.Token
	}{{"all", guestlist.Token{Uses: -1}}, {"twice", guestlist.Token{Uses: 2}}, {"hour", guestlist.Token{Uses: -1, Expires: noon.Add(time.Hour)}}} {
		if err := l.Add([]byte(add.token), add.terms); err != nil {
			t.Fatal(err)
		}
	}
	check := func(token string, now time.Time, want error) {
		t.Helper()
		if err := l.Check(now, at, []byte(token), none, false); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", token, err, want)
		}
	}
	check("all", noon.AddDate(100, 0, 0), nil)
	for range 5 { // looking does not use it up
		check("twice", noon, nil)
	}
	for i := range byte(2) {
		l.Joined([]byte("twice"), none, key(i))
	}
	check("twice", noon, guestlist.ErrHeld)
	for i, changes := range []bool{true, true, false} {
		if l.Heard([]byte("twice"), key(byte(i))) != changes {
			t.Error("Heard reports wrongly whether something has changed")
		}
	}
	check("twice", noon, guestlist.ErrUsed)
	check("hour", noon.Add(time.Hour-1), nil)
	check("hour", noon.Add(time.Hour), guestlist.ErrExpired)
	if err := l.Check(noon, at, []byte("twice"), none, true); err != nil {
		t.Errorf("who comes back to his place needs no new invitation: %v", err)
	}
	l.Prune(noon.Add(2 * time.Hour))
	check("twice", noon, guestlist.ErrUsed) // its players are in
	l.Left([]byte("twice"), key(0), false)
	l.Left([]byte("twice"), key(1), false)
	l.Prune(noon.Add(2 * time.Hour))
	check("twice", noon, guestlist.ErrToken)
	check("hour", noon, guestlist.ErrToken)
	check("all", noon, nil)
	if !l.Shared([]byte("all")) || l.Shared([]byte("twice")) {
		t.Error("only the first is everybody's")
	}
}

func TestBans(t *testing.T) {
	var l guestlist.List
	for _, token := range []string{"a", "b"} {
		if err := l.Add([]byte(token), guestlist.Token{Uses: -1}); err != nil {
			t.Fatal(err)
		}
	}
	mustBan := func(token []byte, addr, reason string) guestlist.Ban {
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
		var banned *guestlist.BannedError
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

// A list that was written down and read again says the same, and so does its text; numbers of bans are not given twice.
func TestText(t *testing.T) {
	var l, again guestlist.List
	_ = l.Add([]byte("secret-token"), guestlist.Token{Uses: 3, Expires: noon.Add(time.Hour)})
	_ = l.Add([]byte("all"), guestlist.Token{Uses: -1})
	_, _ = l.Ban(noon, []byte("worn"), "203.0.113.7:1", "why \"not\"")
	last, _ := l.Ban(noon, nil, "2001:db8::1", "")
	l.Unban(last.ID)
	text, err := l.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "secret-token") {
		t.Error("the text tells a token")
	}
	if err := again.UnmarshalText(text); err != nil {
		t.Fatal(err)
	}
	if text2, _ := again.MarshalText(); string(text2) != string(text) {
		t.Errorf("read again it is\n%s\ninstead of\n%s", text2, text)
	}
	for _, c := range []struct{ addr, token string }{{"192.0.2.1:1", "secret-token"}, {"192.0.2.1:1", "all"}, {"192.0.2.1:1", "worn"}, {"203.0.113.7:1", "all"}} {
		for _, now := range []time.Time{noon, noon.Add(2 * time.Hour)} {
			a, b := l.Check(now, c.addr, []byte(c.token), none, false), again.Check(now, c.addr, []byte(c.token), none, false)
			if (a == nil) != (b == nil) || a != nil && a.Error() != b.Error() {
				t.Errorf("%v: %v before, %v after", c, a, b)
			}
		}
	}
	if b, _ := again.Ban(noon, []byte("x"), "", ""); b.ID <= last.ID {
		t.Errorf("the number %d is given a second time", b.ID)
	}
	before, _ := again.MarshalText()
	hex := strings.Repeat("0a", 32)
	for _, bad := range []string{"", "{", `{"tokens":[{"token":"` + hex + `","uses":1,"keys":["xyz"]}]}`, `{"tokens":[{"token":"` + hex + `","uses":1,"keys":["` + hex + `","` + hex + `"]}]}`,
		`{"tokens":[{"token":"` + hex + `","uses":1},{"token":"` + hex + `","uses":1,"keys":["` + hex + `"]}]}`,
		`{"tokens":[{"token":"` + hex + `","uses":1,"keys":["` + strings.Join(manyKeys(guestlist.MaxKeys+1), `","`) + `"]}]}`, `{"bans":[{"id":1}]}`, `{"bans":[{"id":0,"network":"1.2.3.4"}]}`, `{"tokens":[{"token":"xyz"}]}`, `{"bans":[{"id":1,"token":"00"}]}`, `{"unknown":1}`,
		`{"bans":[{"id":1,"network":"here"}]}`, `{"bans":[]}{"bans":[{"id":1,"network":"1.2.3.4"}]}`, `{"bans":[]}]`} {
		if again.UnmarshalText([]byte(bad)) == nil {
			t.Errorf("%s was taken", bad)
		}
	}
	if after, _ := again.MarshalText(); string(after) != string(before) {
		t.Error("a bad text has changed the list")
	}
	if err := again.UnmarshalText([]byte(`{"last_id":-7}`)); err != nil {
		t.Error(err)
	}
	if b, _ := again.Ban(noon, []byte("x"), "", ""); b.ID != 1 {
		t.Errorf("the first ban has the number %d", b.ID)
	}
}

// A list does not grow without bound.
func TestBounds(t *testing.T) {
	var l guestlist.List
	var err error
	for i := 0; err == nil && i <= guestlist.MaxBans; i++ {
		_, err = l.Ban(noon, []byte{byte(i), byte(i >> 8)}, "", strings.Repeat("é", 200))
	}
	if err == nil || len(l.Bans()) != guestlist.MaxBans || len(l.Bans()[0].Reason) > 100 {
		t.Errorf("%d bans with reasons of %d bytes: %v", len(l.Bans()), len(l.Bans()[0].Reason), err)
	}
	err = nil
	for i := 0; err == nil && i <= guestlist.MaxTokens; i++ {
		err = l.Add([]byte{byte(i), byte(i >> 8)}, guestlist.Token{})
	}
	if err == nil {
		t.Error("any number of tokens were taken")
	}
}

// A list is the same after a restart, to the last bit: what has a monotonic reading of this process's clock would end at another time than what is written down, where the clock is set or the
// host sleeps.
func TestTimesAreDates(t *testing.T) {
	var l, again guestlist.List
	now := time.Now()
	for i, expires := range []time.Time{{}, now.Add(time.Hour), now.In(time.FixedZone("east", 3600)).Add(time.Minute)} {
		if err := l.Add([]byte{byte(i)}, guestlist.Token{Uses: 1, Expires: expires}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := l.Ban(now, nil, "203.0.113.7", ""); err != nil {
		t.Fatal(err)
	}
	text, err := l.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	if err := again.UnmarshalText(text); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(l, again) {
		t.Errorf("the list is\n%+v\nand after a restart\n%+v", l, again)
	}
}

func FuzzText(f *testing.F) {
	f.Add(`{"bans":[{"id":1,"network":"1.2.3.4/8","since":"2030-01-01T00:00:00Z"}],"tokens":[],"last_id":4}`)
	f.Add(`{"tokens":[{"token":"` + strings.Repeat("0a", 32) + `","uses":1,"keys":["` + strings.Repeat("0b", 32) + `"]}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		var l, again guestlist.List
		if l.UnmarshalText([]byte(text)) != nil {
			return
		}
		out, err := l.MarshalText()
		if err != nil {
			t.Skip(err) // a year beyond what JSON writes
		}
		if err := again.UnmarshalText(out); err != nil {
			t.Fatalf("%s\nbecomes\n%s\n%v", text, out, err)
		}
	})
}
