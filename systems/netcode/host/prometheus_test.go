package host

import (
	"math"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// The text for Prometheus is that of testdata/metrics.txt, byte for byte. If it is meant to change,
// put the text that the test prints there.
func TestPrometheusText(t *testing.T) {
	var k ticks
	for i, took := range []time.Duration{200 * time.Microsecond, 3 * ms, 3 * ms, 4 * ms, 5 * ms, 700 * ms} {
		k.add(time.Duration(i)*time.Second, took, 1)
	}
	f := figures{
		server: netcode.ServerStats{
			Players: 12, Away: 1, Waiting: 2, Entities: 433, Joined: 40, Resumed: 3, Left: 27, Refused: 5, Kicked: 1, Malformed: 9,
			SentBytes: 123456789012, Sent: 345678901, ReceivedBytes: 2345678901, Snapshots: 216000, LeastRate: 4321.5, MostQueue: 87 * ms, Draining: true,
		},
		listeners: transport.ListenerStats{Accepted: 50, Refused: 6, Failed: 7, Pending: 3, Hellos: 70000, Challenges: 60000, Unanswered: 9000, Strays: 800},
		steps:     6, dropped: 1500 * ms,
		game: map[string]any{
			"shots": uint64(17), "ratio": 0.25, "below": -3, "open": true, "map": "harbour", "broken": func() {},
			"a \"quoted\"\nname\\": int8(1),
		},
		recent: k.recent(10 * time.Second), all: k.all(),
	}
	f.server.Causes[netcode.RateFree], f.server.Causes[netcode.RateShared] = 10, 2
	text := string(f.prometheus())
	golden, err := os.ReadFile(filepath.Join("testdata", "metrics.txt"))
	if err != nil || text != string(golden) {
		t.Errorf("%v; the text is\n%s", err, text)
	}
	checkExposition(t, text)
}

// checkExposition checks a text by the rules of the format, and returns the values of its samples.
func checkExposition(t testing.TB, text string) map[string]float64 {
	t.Helper()
	line := regexp.MustCompile(`^([a-z_]+)(\{[a-z]+="((?:[^"\\\n]|\\["\\n])*)"\})? (\S+)$`)
	samples, kinds, helped, family := map[string]float64{}, map[string]string{}, "", ""
	last := math.Inf(-1) // of a histogram's buckets
	if !strings.HasSuffix(text, "\n") {
		t.Error("the last line does not end")
	}
	for l := range strings.Lines(text) {
		l = strings.TrimSuffix(l, "\n")
		if name, ok := strings.CutPrefix(l, "# HELP "); ok {
			helped, _, _ = strings.Cut(name, " ")
			continue
		}
		if rest, ok := strings.CutPrefix(l, "# TYPE "); ok {
			name, kind, _ := strings.Cut(rest, " ")
			if name != helped || kinds[name] != "" {
				t.Errorf("%s: the type of %s follows the help of %s, or comes twice", l, name, helped)
			}
			if (kind == "counter") != strings.HasSuffix(name, "_total") {
				t.Errorf("%s: names of counters alone end in _total", l)
			}
			family, kinds[name] = name, kind
			continue
		}
		m := line.FindStringSubmatch(l)
		if m == nil {
			t.Errorf("%q is no sample", l)
			continue
		}
		v, err := strconv.ParseFloat(m[4], 64)
		if _, twice := samples[m[1]+m[2]]; err != nil || twice {
			t.Errorf("%s: %v, or it comes twice", l, err)
		}
		samples[m[1]+m[2]] = v
		base := m[1]
		if kinds[family] == "histogram" {
			base = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(m[1], "_bucket"), "_sum"), "_count")
		}
		if base != family {
			t.Errorf("%s stands among the samples of %s", l, family)
		}
		if strings.HasSuffix(m[1], "_bucket") {
			bound, err := strconv.ParseFloat(m[3], 64)
			if err != nil || bound <= last {
				t.Errorf("%s: the bound is not above %v", l, last)
			}
			last = bound
		}
	}
	for i, before := 0, 0.0; i < len(tickBounds); i++ {
		name := `tandem_tick_seconds_bucket{le="` + strconv.FormatFloat(tickBounds[i].Seconds(), 'f', -1, 64) + `"}`
		if v, ok := samples[name]; !ok || v < before {
			t.Errorf("%s is %v after %v", name, v, before)
		} else {
			before = v
		}
	}
	if all := samples["tandem_tick_seconds_count"]; samples[`tandem_tick_seconds_bucket{le="+Inf"}`] != all || !math.IsInf(last, 1) {
		t.Errorf("the last bucket does not hold all %v ticks", all)
	}
	return samples
}

// Any text may be the name of a game's figure, and is read back as it was.
func TestPrometheusLabels(t *testing.T) {
	back := strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\n`, "\n")
	rapid.Check(t, func(r *rapid.T) {
		name := rapid.OneOf(rapid.String(), rapid.StringMatching(`[\\"\n a]{0,8}`)).Draw(r, "name")
		f := figures{game: map[string]any{name: 5}}
		samples := checkExposition(t, string(f.prometheus()))
		for sample, v := range samples {
			if value, ok := strings.CutPrefix(sample, `tandem_game{name="`); ok {
				if got := back.Replace(strings.TrimSuffix(value, `"}`)); v != 5 || got != strings.ToValidUTF8(name, "\uFFFD") {
					r.Fatalf("%q is read as %q, with %v", name, got, v)
				}
				return
			}
		}
		r.Fatalf("%q is missing", name)
	})
}

// A server's own figures are served, and agree with what it has done.
func TestPrometheusOfAServer(t *testing.T) {
	h := open(t, Config{})
	handler := h.Metrics()
	v := serve(t, h, nil)
	v.join(h.Token())
	v.join("a stranger's token")
	v.run(time.Second)
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	if got := w.Header().Get("Content-Type"); got != "text/plain; version=0.0.4; charset=utf-8" {
		t.Errorf("the type of the text is %q", got)
	}
	got := checkExposition(t, w.Body.String())
	for name, want := range map[string]float64{"tandem_players": 1, "tandem_joined_total": 1, "tandem_refused_total": 1, "tandem_draining": 0, "tandem_tick_seconds_count": float64(h.steps)} {
		if got[name] != want {
			t.Errorf("%s is %v, want %v", name, got[name], want)
		}
	}
	if got["tandem_sent_bytes_total"] < 1000 || got["tandem_tick_seconds_sum"] <= 0 || got[`tandem_tick_recent_seconds{quantile="1"}`] <= 0 {
		t.Errorf("%v", got)
	}
}
