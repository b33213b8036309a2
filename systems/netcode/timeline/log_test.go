package timeline_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/systems/netcode/timeline"
)

// A log holds the newest events in the order of their times, like a sorted slice. Adding allocates
// nothing.
func TestLogIsASortedRing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(1, 20).Draw(t, "size")
		l := timeline.New(size)
		var model []timeline.Event
		dropped := uint64(0)
		for i, at := range rapid.SliceOfN(rapid.IntRange(0, 30), 0, 80).Draw(t, "times") {
			e := timeline.Event{At: time.Duration(i/3 + at), N: uint32(i)}
			l.Add(e)
			model = append(model, e)
			slices.SortStableFunc(model, func(a, b timeline.Event) int { return int(a.At - b.At) })
			if len(model) > size {
				model = model[1:]
				dropped++
			}
			if got := slices.Collect(l.Events()); !slices.Equal(got, model) || l.Len() != len(model) || l.Dropped() != dropped {
				t.Fatalf("after %d events the log holds %v, want %v", i+1, got, model)
			}
		}
		from, to := rapid.IntRange(-1, 60).Draw(t, "from"), rapid.IntRange(-1, 60).Draw(t, "to")
		clip := slices.Collect(l.Clip(time.Duration(from), time.Duration(to)).Events())
		want := slices.DeleteFunc(slices.Clone(model), func(e timeline.Event) bool { return e.At < time.Duration(from) || e.At > time.Duration(to) })
		if !slices.Equal(clip, want) {
			t.Fatalf("the clip from %d to %d holds %v, want %v", from, to, clip, want)
		}
		if all := l.Clip(math.MinInt64, math.MaxInt64); all.Len() != len(model) {
			t.Fatalf("the whole has %d events, want %d", all.Len(), len(model))
		}
	})
	l := timeline.New(100)
	at := time.Duration(0)
	if n := testing.AllocsPerRun(1000, func() { at++; l.Add(timeline.Event{At: at}) }); n > 0 {
		t.Errorf("an event allocates %v times", n)
	}
	l.Clear()
	if from, to := l.Span(); l.Len() != 0 || l.Dropped() != 0 || from != 0 || to != 0 {
		t.Error("a cleared log is not empty")
	}
}
