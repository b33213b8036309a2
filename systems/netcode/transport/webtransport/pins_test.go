package webtransport

import (
	"slices"
	"strings"
	"testing"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/joinlink"
)

func TestPins(t *testing.T) {
	a, b := joinlink.FingerprintOf([]byte("a")), joinlink.FingerprintOf([]byte("b"))
	for _, want := range [][]joinlink.Fingerprint{{a}, {a, b}, {b, a, a, b, a, b, a, b}} {
		if got, err := parsePins(string(appendPins(nil, want))); err != nil || !slices.Equal(got, want) {
			t.Errorf("%v came back as %v, error %v", want, got, err)
		}
	}
	if got, err := parsePins(a.String()); err != nil || len(got) != 1 {
		t.Errorf("without an end of the line: %v, error %v", got, err)
	}
	line := a.String() + "\n"
	for _, bad := range []string{
		"", "\n", "404 page not found\n", a.String()[:42], line + "\n", line + " ", strings.Repeat(line, maxPins+1), strings.Repeat("A", 43), strings.Repeat("x", 1<<20),
		strings.ReplaceAll(line, "\n", "\r\n"), "<!doctype html>",
	} {
		if got, err := parsePins(bad); err == nil {
			t.Errorf("%.60q gave %v", bad, got)
		}
	}
}

func FuzzParsePins(f *testing.F) {
	one := joinlink.FingerprintOf([]byte("one")).String()
	f.Add(one + "\n")
	f.Add(one + "\n" + one)
	f.Add("not found")
	f.Fuzz(func(t *testing.T, text string) {
		pins, err := parsePins(text)
		if err != nil {
			return
		}
		if len(pins) == 0 || len(pins) > maxPins {
			t.Fatalf("%q gave %d fingerprints", text, len(pins))
		}
		if again := string(appendPins(nil, pins)); strings.TrimSuffix(again, "\n") != strings.TrimSuffix(text, "\n") {
			t.Fatalf("%q came back as %q", text, again)
		}
	})
}

func TestReasonOfACloseCode(t *testing.T) {
	for _, want := range []transport.Reason{{Code: transport.Left}, {Code: transport.Kicked, Text: "sent too fast"}, {Code: 255, Text: "of a newer build"}} {
		if got := reasonOf(uint32(want.Code), textOf(want)); got != want {
			t.Errorf("%q came back as %q", want, got)
		}
	}
	if got := reasonOf(2, "a\x1b[31m\nb"); got.Text != "a?[31m?b" {
		t.Errorf("control characters came out: %q", got.Text)
	}
	for _, code := range []uint32{0, 256, 1 << 31} {
		if got := reasonOf(code, "x"); got.Code != transport.Failed {
			t.Errorf("code %d gave %q", code, got)
		}
	}
	if got := reasonOf(1, strings.Repeat("x", 200)); got.Code != transport.Failed {
		t.Errorf("a long text gave %q", got)
	}
}

// A fingerprint over http:// would not be compared with anything: the dialer says so at once.
func TestFingerprintNeedsHTTPS(t *testing.T) {
	c := Dial("http://127.0.0.1:1/", Config{Fingerprint: joinlink.Fingerprint{1}})
	<-c.Done()
	c.Poll(0)
	if reason := c.CloseReason(); reason.Code != transport.Unauthorized || !strings.Contains(reason.Text, "https") {
		t.Errorf("it ends with %v", reason)
	}
}
