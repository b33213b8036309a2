package linksim

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// drawCondition draws any valid condition, with times short enough to run through.
func drawCondition(t *rapid.T) Condition {
	p := rapid.OneOf(rapid.Just(0.0), rapid.Float64Range(0, 1))
	d := rapid.OneOf(rapid.Just(time.Duration(0)), rapid.Custom(func(t *rapid.T) time.Duration {
		return time.Duration(rapid.Int64Range(0, int64(400*ms)).Draw(t, "ns"))
	}))
	c := Condition{
		Delay: d.Draw(t, "delay"), Jitter: d.Draw(t, "jitter"), Loss: p.Draw(t, "loss"),
		Burst:     Burst{p.Draw(t, "enter"), p.Draw(t, "leave"), p.Draw(t, "good"), p.Draw(t, "bad")},
		Duplicate: p.Draw(t, "dup"), Reorder: p.Draw(t, "reorder"), ReorderBy: d.Draw(t, "by"),
		Rate: rapid.SampledFrom([]int{0, 1000, 123_456}).Draw(t, "rate"), Queue: rapid.SampledFrom([]int{0, 100, 5000}).Draw(t, "queue"),
		Ordered: rapid.Bool().Draw(t, "ordered"), Seed: rapid.Uint64().Draw(t, "seed"),
	}
	for range rapid.IntRange(0, 3).Draw(t, "events") {
		e := Event{Kind: Kind(rapid.IntRange(0, 2).Draw(t, "kind")), At: 5 * d.Draw(t, "at"), By: d.Draw(t, "for")}
		if e.Kind == Route && rapid.Bool().Draw(t, "shorter") {
			e.By = -e.By
		}
		c.Script = append(c.Script, e)
	}
	return c
}

func TestTextRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := drawCondition(t)
		got, err := Parse(want.String())
		if err != nil {
			t.Fatalf("%s: %v", want, err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%s came back as %s", want, got)
		}
		path := Path{want, drawCondition(t)}
		back, err := ParsePath(path.String())
		if err != nil || !reflect.DeepEqual(back, path) {
			t.Fatalf("%s came back as %s, error %v", path, back, err)
		}
	})
}

func TestText(t *testing.T) {
	for _, test := range []struct {
		text string
		want Condition
	}{
		{"seed=0", Condition{}},
		{"delay=100ms jitter=10ms loss=15% seed=7", Condition{Delay: 100 * ms, Jitter: 10 * ms, Loss: 0.15, Seed: 7}},
		{"burst=2%/12.5%:0%/100% seed=1", Condition{Burst: Burst{0.02, 0.125, 0, 1}, Seed: 1}},
		{"loss=0.07% dup=100% reorder=5%/50ms seed=2", Condition{Loss: 0.0007, Duplicate: 1, Reorder: 0.05, ReorderBy: 50 * ms, Seed: 2}},
		{"rate=32000 queue=8000 ordered route=20s:+100ms route=25s:-100ms stall=30s:2s cut=40s:500ms seed=3", Condition{
			Rate: 32000, Queue: 8000, Ordered: true, Seed: 3, Script: []Event{
				{Route, 20 * time.Second, 100 * ms}, {Route, 25 * time.Second, -100 * ms}, {Stall, 30 * time.Second, 2 * time.Second}, {Cut, 40 * time.Second, 500 * ms},
			}}},
	} {
		if got := test.want.String(); got != test.text {
			t.Errorf("String() = %q, want %q", got, test.text)
		}
		if got, err := Parse(test.text); err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("Parse(%q) = %+v, %v, want %+v", test.text, got, err, test.want)
		}
	}
}

func TestParseSaysWhatIsWrong(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"speed=3", "use delay, jitter"},
		{"delay=100", "unit"},
		{"delay=-5ms", "0 to"},
		{"loss=15", "probability"},
		{"loss=NaN", "probability"},
		{"loss=1e1%", "probability"},
		{"loss=1% loss=2%", "twice"},
		{"burst=1%", "good-to-bad"},
		{"cut=10s", "a time and a duration"},
		{"cut=10s:-1s", "0 to"},
		{"ordered=yes", "no value"},
		{"rate=-1", "rate"},
		{"seed=-1", "seed"},
	} {
		_, err := Parse(test.text)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("Parse(%q) gave %v, want an error with %q", test.text, err, test.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("delay=100ms jitter=10ms loss=15% seed=7")
	f.Add("burst=2%/12.5%:0%/100% dup=30% reorder=5%/50ms rate=32000 queue=8000 ordered | route=20s:+100ms stall=30s:2s cut=40s:500ms")
	f.Fuzz(func(t *testing.T, text string) {
		path, err := ParsePath(text)
		if err != nil {
			return
		}
		again, err := ParsePath(path.String())
		if err != nil || !reflect.DeepEqual(again, path) {
			t.Errorf("%q became %q, which reads as %q, error %v", text, path, again, err)
		}
	})
}
