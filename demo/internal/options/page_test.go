package options

import (
	"strings"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/settings"
)

func TestPage(t *testing.T) {
	o, err := ParsePage([][2]string{{"scene", "orbits"}, {"hz", "5"}, {"speed", "0.5"}, {"split", ""}, {"overlay", "captions"}}, false)
	if err != nil {
		t.Fatal(err)
	}
	if o.Scene != "orbits" || o.Rate != 5 || o.Speed != 0.5 || !o.Split || o.Overlay != settings.OverlayCaptions || o.Cap != 0 {
		t.Errorf("got %+v", o.Settings)
	}
	m, err := ParsePage([][2]string{{"latency", "200ms"}, {"predict", "false"}, {"hz", "30"}, {"autopilot", ""}, {"fps", "20"}}, true)
	if err != nil {
		t.Fatal(err)
	}
	if m.Scene != settings.Arena || m.Link.Latency != 200*time.Millisecond || m.Predict || m.Rate != 30 || !m.Autopilot || m.Cap != 20 {
		t.Errorf("got %+v", m.Settings)
	}
	if r, err := ParsePage([][2]string{{"replay", "a b.replay"}, {"at", "1m30s"}, {"speed", "0.25"}, {"timeline", ""}}, false); err != nil || r.Recording != "a b.replay" || r.At != 90*time.Second || r.Speed != 0.25 || !r.Timeline || r.Scene != settings.Arena {
		t.Errorf("a replay: %+v, %v", r, err)
	}
	if m, err = ParsePage(nil, true); err != nil || m.Rate != 60 || m.Link != (settings.Link{}) {
		t.Errorf("without parameters: %+v, %v", m.Settings, err)
	}
	if o, err = ParsePage(nil, false); err != nil || o.Settings != func() settings.Settings { s := settings.Default(); s.Cap, s.Split = 0, true; return s }() {
		t.Errorf("without parameters: %+v, %v", o.Settings, err)
	}
}

// A wrong address gets an answer in words.
func TestWrongPages(t *testing.T) {
	for _, c := range []struct {
		name, value string
		match       bool
		want        string
	}{
		{"scene", "moon", false, "the scenes are orbits"},
		{"replay", "", false, "-replay needs a value"},
		{"scene", "arena", false, "open the link"},
		{"hz", "0", false, "1 to 1000"},
		{"hz", "fast", false, "a whole number"},
		{"hz", "", false, "needs a value"},
		{"speed", "-1", false, "above 0"},
		{"record", "x.gif", false, "there is no flag -record"},
		{"trace", "x.csv", false, "there is no flag -trace"},
		{"dir", "x", false, "there is no flag -dir"},
		{"size", "100x100", false, "there is no flag -size"},
		{"frame-times", "/etc/passwd", false, "there is no flag -frame-times"},
		{"headless", "", false, "there is no flag -headless"},
		{"seconds", "1", true, "there is no flag -seconds"},
		{"h", "", false, "the key H"},
		{"", "", false, "flag"},
		{"=x", "", false, "bad flag syntax"},
		{"hz", "5", true, "10 to 240"},
		{"loss", "0.95", true, "0 to 0.9"},
		{"kind", "x", true, "choose one of"},
		{"scene", "lanes", true, "there is no flag -scene"},
	} {
		_, err := ParsePage([][2]string{{c.name, c.value}}, c.match)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s=%s, match %v: %v, want %q", c.name, c.value, c.match, err, c.want)
		}
	}
}
