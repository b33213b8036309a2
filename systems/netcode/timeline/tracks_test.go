package timeline_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
	"github.com/tandem-ecs/tandem/systems/netcode/timeline"
)

const ms = time.Millisecond

// logOf returns a log of events, in any order.
func logOf(events ...timeline.Event) *timeline.Log {
	l := timeline.New(len(events) + 1)
	for _, e := range events {
		l.Add(e)
	}
	return l
}

// anyLog draws a log of everything. Errors may be infinite, and no number, as in a client's log.
func anyLog(t *rapid.T) *timeline.Log {
	value := rapid.Float32Range(-2, 2)
	wrong := rapid.SampledFrom([]float32{0, 1, 1e30, float32(math.Inf(1)), float32(math.NaN())})
	number := rapid.OneOf(rapid.Uint32Range(0, 300), rapid.Uint32())
	kinds := rapid.IntRange(1, int(timeline.Frame))
	times := rapid.IntRange(0, 13_000)
	var events []timeline.Event
	for range rapid.IntRange(0, 60).Draw(t, "events") {
		e := timeline.Event{
			Kind: timeline.Kind(kinds.Draw(t, "kind")), Flags: timeline.Flags(number.Draw(t, "flags") % 64), At: time.Duration(times.Draw(t, "at")) * ms,
			A: value.Draw(t, "a"), B: value.Draw(t, "b"), C: value.Draw(t, "c"), D: 1, N: number.Draw(t, "n"),
		}
		if e.Kind == timeline.State || e.Kind == timeline.Mispredicted {
			e.A = wrong.Draw(t, "error")
		}
		if e.N%8 == 7 {
			e.A = math.MaxFloat32
		}
		if e.Kind >= timeline.Sample && e.Kind <= timeline.Mispredicted {
			e.Body = 1<<16 + 1 + snapshot.ID(e.N%2)
		}
		events = append(events, e)
	}
	l := logOf(events...)
	l.Names[1<<16+1] = `"</script><player> & 'co'"` + "\n"
	return l
}

func find(t *testing.T, tracks []timeline.Track, name string) timeline.Track {
	t.Helper()
	i := slices.IndexFunc(tracks, func(x timeline.Track) bool { return x.Name == name })
	if i < 0 {
		t.Fatalf("there is no track %q", name)
	}
	return tracks[i]
}

// Snapshots are under way from their departure to their arrival. Between the numbers that came,
// those that never came are lost, also in a storm of reordering. Another connection begins anew.
func TestLostSnapshots(t *testing.T) {
	var events []timeline.Event
	for n := range 40 {
		if n == 7 || n == 20 || n == 21 || n == 22 {
			continue
		}
		e := timeline.Event{Kind: timeline.Snapshot, At: time.Duration(100+50*n) * ms, N: uint32(math.MaxUint32 - 10 + n), B: 0.08}
		if n%5 == 0 { // late, behind the next two
			e.At, e.A, e.B = e.At+120*ms, 0.12, 0.2
		}
		events = append(events, e)
	}
	for n := range 3 {
		events = append(events, timeline.Event{Kind: timeline.Snapshot, At: time.Duration(4000+50*n) * ms, N: uint32(1<<20 + n)})
	}
	line := find(t, logOf(events...).Tracks(), "line")
	var lost, under []timeline.Slice
	for _, s := range line.Slices {
		if s.Name == "lost" {
			lost = append(lost, s)
		} else {
			under = append(under, s)
		}
	}
	if len(under) != len(events) || under[0].To-under[0].From != 200*ms && under[0].To-under[0].From != 80*ms {
		t.Errorf("%d of %d snapshots, the first %v", len(under), len(events), under[0])
	}
	if len(lost) != 2 || lost[0].Text != "1 snapshot" || lost[1].Text != "3 snapshots" {
		t.Fatalf("lost: %+v", lost)
	}
	for i, want := range [][2]time.Duration{{400 * ms, 500 * ms}, {1050 * ms, 1250 * ms}} {
		if d := lost[i].From - want[0]; d < -ms || d > ms || lost[i].To-want[1] > ms || lost[i].To-want[1] < -ms {
			t.Errorf("lost from %v to %v, want %v", lost[i].From, lost[i].To, want)
		}
	}
}

// Steps without data become one slice, from the end of the step before. What is still going on at
// the end of the log ends there. A step over a jump has no speed.
func TestSlicesOfSteps(t *testing.T) {
	var events []timeline.Event
	for n := range 100 {
		e := timeline.Event{Kind: timeline.Drawn, Body: 9, At: time.Duration(10*n) * ms, C: 3}
		if n >= 20 && n < 50 || n >= 90 {
			e.Flags |= timeline.Starved
			e.A = 0.1
		}
		if n >= 40 && n < 50 {
			e.Flags |= timeline.Held
		}
		if n == 60 {
			e.C = -1
			events = append(events, timeline.Event{Kind: timeline.Teleported, Body: 9, At: e.At})
		}
		events = append(events, e)
	}
	l := logOf(events...)
	l.Names[9] = "player-7"
	track := find(t, l.Tracks(), "player-7")
	want := []timeline.Slice{{Name: "starved", From: 190 * ms, To: 490 * ms}, {Name: "held", From: 390 * ms, To: 490 * ms}, {Name: "starved", From: 890 * ms, To: 990 * ms}}
	for i, s := range track.Slices {
		if i >= len(want) || s.Name != want[i].Name || s.From != want[i].From || s.To != want[i].To || !s.Bad {
			t.Errorf("slice %+v", s)
		}
	}
	if rows := track.Rows(); len(track.Slices) != 3 || !slices.Equal(rows, []string{"starved", "held", "teleported"}) {
		t.Errorf("%d slices, rows %v", len(track.Slices), rows)
	}
	for _, c := range track.Charts {
		if c.Name == "drawn speed" {
			if v := c.Lines[0].Points[60].Value; v == v {
				t.Errorf("the step of a jump has the speed %v", v)
			}
		}
	}
}

// Whatever is in a log, tracks are in the order of time, and every name has a row.
func TestTracksAreOrdered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for _, track := range anyLog(t).Tracks() {
			rows := track.Rows()
			if !slices.IsSortedFunc(track.Slices, func(a, b timeline.Slice) int { return int(a.From - b.From) }) || !slices.IsSortedFunc(track.Marks, func(a, b timeline.Mark) int { return int(a.At - b.At) }) {
				t.Fatalf("track %q is not in order", track.Name)
			}
			for _, s := range track.Slices {
				if s.To < s.From || !slices.Contains(rows, s.Name) {
					t.Fatalf("slice %+v, rows %v", s, rows)
				}
			}
			for _, m := range track.Marks {
				if !slices.Contains(rows, m.Name) {
					t.Fatalf("mark %+v, rows %v", m, rows)
				}
			}
			for _, c := range track.Charts {
				for _, l := range c.Lines {
					if !slices.IsSortedFunc(l.Points, func(a, b timeline.Point) int { return int(a.At - b.At) }) {
						t.Fatalf("line %q of %q is not in order", l.Name, c.Name)
					}
				}
			}
		}
	})
}
