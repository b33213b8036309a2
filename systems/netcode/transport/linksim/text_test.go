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
		InOrder: rapid.Bool().Draw(t, "inorder"), Ordered: rapid.Bool().Draw(t, "ordered"), Seed: rapid.Uint64().Draw(t, "seed"),
	}
	if c.Rate == 0 && rapid.Bool().Draw(t, "traced") {
		at := time.Duration(0)
		for range rapid.IntRange(1, 20).Draw(t, "moments") {
			at += time.Duration(rapid.IntRange(0, 3).Draw(t, "gap")) * 7 * ms
			c.Trace = append(c.Trace, at)
		}
		c.Trace = append(c.Trace, at+ms)
	}
	last := Cut
	if c.Rate > 0 || c.Trace != nil {
		last = Reno
		c.CoDel, c.Packets = rapid.Bool().Draw(t, "codel"), rapid.SampledFrom([]int{0, 1, 30}).Draw(t, "packets")
	}
	c.Header = rapid.SampledFrom([]int{0, 66}).Draw(t, "header")
	for range rapid.IntRange(0, 3).Draw(t, "events") {
		e := Event{Kind: Kind(rapid.IntRange(0, int(last)).Draw(t, "kind")), At: 5 * d.Draw(t, "at"), By: d.Draw(t, "for")}
		switch {
		case e.Kind == Route && rapid.Bool().Draw(t, "shorter"):
			e.By = -e.By
		case e.Kind == Capacity && c.Rate == 0:
			continue
		case e.Kind == Capacity:
			e.By, e.To = 0, rapid.SampledFrom([]int{500, 20_000}).Draw(t, "to")
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
				{Kind: Route, At: 20 * time.Second, By: 100 * ms}, {Kind: Route, At: 25 * time.Second, By: -100 * ms}, {Kind: Stall, At: 30 * time.Second, By: 2 * time.Second},
				{Kind: Cut, At: 40 * time.Second, By: 500 * ms},
			}}},
		{"rate=500000 queue=32p codel header=66 rate=1m0s:12500 reno=1m0s:30s seed=4", Condition{
			Rate: 500_000, Packets: 32, CoDel: true, Header: 66, Seed: 4, Script: []Event{
				{Kind: Capacity, At: time.Minute, To: 12_500}, {Kind: Reno, At: time.Minute, By: 30 * time.Second},
			}}},
		{"trace=5ms*2,0s,40ms queue=9000 queue=32p seed=0", Condition{Trace: []time.Duration{5 * ms, 10 * ms, 10 * ms, 50 * ms}, Queue: 9000, Packets: 32}},
		{"jitter=4ms inorder seed=0", Condition{Jitter: 4 * ms, InOrder: true}},
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
		{"rate=1 rate=2", "twice"},
		{"rate=1 trace=5ms", "one bottleneck"},
		{"rate=5s:1000", "to begin with"},
		{"rate=1000 rate=5s:-1", "0 to"},
		{"rate=5s", "invalid"},
		{"reno=1s:2s", "without a bottleneck"},
		{"codel", "without a bottleneck"},
		{"rate=1000 codel=5ms", "no value"},
		{"rate=1000 queue=-1p", "0 to"},
		{"header=2000", "0 to"},
		{"trace=5ms,-1ms", "between its moments"},
		{"trace=5ms*0", "between its moments"},
		{"trace=0s", "above 0"},
		{"trace=1ms*2000000", "at most"},
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
	f.Add("rate=500000 rate=1m0s:12500 reno=1m0s:30s queue=32p codel header=66 | trace=5ms*2,0s,40ms queue=9000")
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
