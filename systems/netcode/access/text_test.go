package access_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/access"
)

// A list that was written and read again gives the same answers and the same text. IDs of bans are
// not given twice.
func TestText(t *testing.T) {
	var l, again access.List
	_ = l.Add([]byte("secret-token"), access.Invitation{Uses: 3, Expires: noon.Add(time.Hour)})
	_ = l.Add([]byte("all"), access.Invitation{Uses: -1})
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
		`{"tokens":[{"token":"` + hex + `","uses":1,"keys":["` + strings.Join(manyIDs(access.MaxResumeIDs+1), `","`) + `"]}]}`, `{"bans":[{"id":1}]}`, `{"bans":[{"id":0,"network":"1.2.3.4"}]}`, `{"tokens":[{"token":"xyz"}]}`, `{"bans":[{"id":1,"token":"00"}]}`, `{"unknown":1}`,
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

// A list is the same after a restart, to the last bit. Times carry no monotonic reading: with one,
// an invitation would end at another time than the written one after the clock was set or the host
// slept.
func TestTimesAreDates(t *testing.T) {
	var l, again access.List
	now := time.Now()
	for i, expires := range []time.Time{{}, now.Add(time.Hour), now.In(time.FixedZone("east", 3600)).Add(time.Minute)} {
		if err := l.Add([]byte{byte(i)}, access.Invitation{Uses: 1, Expires: expires}); err != nil {
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
		var l, again access.List
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
