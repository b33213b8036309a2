package websocket

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

func TestReasonAsText(t *testing.T) {
	for _, want := range []transport.Reason{{Code: transport.Left}, {Code: transport.Kicked, Text: "sent too fast"}, {Code: 255, Text: "of a newer build"}} {
		if got := parseText(textOf(want)); got != want {
			t.Errorf("%q came back as %q", want, got)
		}
		if got, ok := ofStatus(statusOf(want), cut(want)); !ok || got != want {
			t.Errorf("%q came back from the close frame as %q", want, got)
		}
	}
	long := transport.Reason{Code: transport.Kicked, Text: strings.Repeat("é", 100)}
	if got := parseText(textOf(long)); got.Code != long.Code || len(got.Text) != transport.MaxReasonText || !strings.HasPrefix(long.Text, got.Text) {
		t.Errorf("a long text came back as %q", got)
	}
	for _, bad := range []string{"", "4002", "4000 x", "4256 x", "400 x", "+402 x", "x002 x", "40021 x"} {
		if got := parseText([]byte(bad)); got.Code != transport.Failed {
			t.Errorf("%q gave %q", bad, got)
		}
	}
}

func FuzzParseText(f *testing.F) {
	f.Add([]byte("4002 sent too fast"))
	f.Add([]byte("4001 "))
	f.Add([]byte("\xff"))
	f.Fuzz(func(t *testing.T, b []byte) {
		r := parseText(b)
		if r.Code == transport.NoReason || len(r.Text) > transport.MaxReasonText || !utf8.ValidString(r.Text) || strings.ContainsAny(r.Text, "\n\r\x00\x1b") {
			t.Errorf("%q gave %q", b, r)
		}
		if again := parseText(textOf(r)); again != r {
			t.Errorf("%q came back as %q", r, again)
		}
	})
}
