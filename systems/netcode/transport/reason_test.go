package transport

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestReasonRoundTrip(t *testing.T) {
	for _, want := range []Reason{{Code: Left}, {Kicked, "sent too fast"}, {Refused, strings.Repeat("é", MaxReasonText/2)}, {Code(200), "from a newer build"}} {
		got, err := ParseReason(want.Append(nil))
		if err != nil || got != want {
			t.Errorf("%q came back as %q, error %v", want, got, err)
		}
	}
}

func TestReasonTextIsMadeHarmless(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"two\nlines\x1b[31m", "two?lines?[31m"},
		{"\xff\xfebroken", "??broken"},
		// cut at a character
		{strings.Repeat("x", MaxReasonText-1) + "éé", strings.Repeat("x", MaxReasonText-1)},
		{strings.Repeat("x", 500), strings.Repeat("x", MaxReasonText)},
	} {
		got, err := ParseReason(Reason{Kicked, test.text}.Append(nil))
		if err != nil || got.Text != test.want {
			t.Errorf("%q became %q, error %v, want %q", test.text, got.Text, err, test.want)
		}
	}
}

func TestReasonNames(t *testing.T) {
	for _, test := range []struct {
		reason Reason
		want   string
	}{
		{Reason{}, "open"},
		{Reason{TimedOut, "nothing for 10 s"}, "timed out: nothing for 10 s"},
		{Reason{Failed, ""}, "failed"},
		{Reason{Code(99), ""}, "code 99"},
	} {
		if got := test.reason.String(); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
	for s, want := range map[State]string{Connecting: "connecting", Open: "open", Closed: "closed", 9: "unknown"} {
		if got := s.String(); got != want {
			t.Errorf("state %d is %q, want %q", s, got, want)
		}
	}
}

func FuzzParseReason(f *testing.F) {
	f.Add([]byte{})
	f.Add(Reason{Kicked, "sent too fast"}.Append(nil))
	f.Add([]byte("\x01\xff\n"))
	f.Fuzz(func(t *testing.T, wire []byte) {
		reason, err := ParseReason(wire)
		if err != nil {
			return
		}
		if reason.Code == NoReason || len(reason.Text) > MaxReasonText || !utf8.ValidString(reason.Text) || strings.ContainsAny(reason.Text, "\n\r\x00\x1b") {
			t.Errorf("%q gave %q", wire, reason)
		}
		if again, err := ParseReason(reason.Append(nil)); err != nil || again != reason {
			t.Errorf("%q came back as %q, error %v", reason, again, err)
		}
	})
}
