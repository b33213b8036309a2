package netcode

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/components"
)

type trail struct {
	X, VX float32
	Ticks uint8 `range:"0,99"`
}

func trailCodec() shotCodec[trail] { return shotCodec[trail]{StructComponent[trail]()} }

// A record takes 14 bits and the path: a bit for entities with poses, a bit for a launch long ago,
// eight of the tick, three of the number and a bit for a path that was replaced.
func TestShotRecordBits(t *testing.T) {
	size := func(v shotRecord[trail], base *shotRecord[trail]) int {
		w := NewWriter(make([]byte, 100))
		trailCodec().Encode(&w, v, base)
		return w.Len()
	}
	first := shotRecord[trail]{path: trail{1, 2, 3}, tick: 700, since: 700, n: 5}
	const path = 32 + 32 + 7
	if got := size(first, nil); got != 14+path {
		t.Errorf("%d bits, want %d", got, 14+path)
	}
	replaced := first
	replaced.path.X, replaced.since = 4, 710
	if got := size(replaced, &first); got != 2+8+1+32+1+1 {
		t.Errorf("a replaced path takes %d bits", got)
	}
	old := first
	old.wide = true
	if got := size(old, &first); got != 2+3 {
		t.Errorf("a launch long ago takes %d bits", got)
	}
	if got := size(shotRecord[trail]{path: trail{1, 2, 3}, plain: true}, nil); got != 1+path {
		t.Errorf("a record of an entity with poses takes %d bits", got)
	}
}

// A pose with a number that is not finite ends the flight, whichever number it is.
func TestFlightsEndWhereNothingCanBeDrawn(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, test := range []struct {
		name  string
		pose  components.Pose3D
		flies bool
	}{
		{"a scale that is left out", components.Pose3D{Position: mgl32.Vec3{1, 2, 3}}, true},
		{"a position", components.At3D(nan, 0, 0), false},
		{"a rotation", components.Pose3D{Rotation: mgl32.Quat{W: inf}}, false},
		{"a scale", components.Pose3D{Scale: mgl32.Vec3{1, nan, 1}}, false},
	} {
		k := shotKind[int8, int8, trail]{Shots: Shots[int8, int8, trail]{
			Path: func(trail, float64) (components.Pose3D, bool) { return test.pose, true },
		}}
		if _, flies := k.at(trail{}, 1); flies != test.flies {
			t.Errorf("%s: in flight %v", test.name, flies)
		}
	}
}

// Records of any age arrive with their ticks, also those that are sent as changes to older ones.
func TestShotRecordsKeepTheirTicks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now := Tick(rapid.Uint32().Draw(t, "now"))
		sent := shotRecord[trail]{tick: now, since: now, n: uint8(rapid.IntRange(0, 7).Draw(t, "n"))}
		var known, base *shotRecord[trail] // of the client, of the server
		for range 6 {
			now = now.Add(rapid.IntRange(1, 300).Draw(t, "later"))
			sent.wide = now.Sub(sent.tick) > 255
			if at := now.Add(-rapid.IntRange(1, 200).Draw(t, "ago")); at.IsNewer(sent.since) && rapid.Bool().Draw(t, "replaced") {
				sent.since = at
				sent.path.X++
			}
			w := NewWriter(make([]byte, 100))
			trailCodec().Encode(&w, sent, base)
			r := NewReader(w.Bytes())
			got := trailCodec().Decode(&r, known)
			if r.Err() != nil || w.Len() != 8*len(w.Bytes())-r.Remaining() {
				t.Fatalf("%v; %d of %d bits were read", r.Err(), 8*len(w.Bytes())-r.Remaining(), w.Len())
			}
			got = trailCodec().Settle(got, now)
			if got != sent || trailCodec().Settle(got, now) != got {
				t.Fatalf("%+v arrives as %+v", sent, got)
			}
			if rapid.Bool().Draw(t, "acknowledged") {
				server := sent
				known, base = &got, &server
			}
		}
	})
}

// FuzzShotRecord decodes records from anywhere. Those that are accepted are written as they were.
func FuzzShotRecord(f *testing.F) {
	c := trailCodec()
	for _, v := range []shotRecord[trail]{{tick: 9, since: 9}, {tick: 900, since: 1000, wide: true, n: 7}, {plain: true, path: trail{1, 2, 3}}} {
		w := NewWriter(make([]byte, 100))
		c.Encode(&w, v, nil)
		f.Add(w.Bytes(), uint32(1000))
	}
	f.Fuzz(func(t *testing.T, data []byte, now uint32) {
		r := NewReader(data)
		first := c.Settle(c.Decode(&r, nil), Tick(now))
		second := c.Settle(c.Decode(&r, &first), Tick(now))
		if r.Err() != nil {
			return
		}
		for _, v := range []shotRecord[trail]{first, second} {
			if !v.plain && (v.tick.IsNewer(Tick(now)) || v.since.IsNewer(Tick(now))) || v.n >= maxLaunches || v.path.Ticks > 99 {
				t.Fatalf("%+v in a snapshot of %d", v, now)
			}
		}
		w := NewWriter(make([]byte, len(data)+200))
		c.Encode(&w, first, nil)
		again := NewReader(w.Bytes())
		if got := c.Settle(c.Decode(&again, nil), Tick(now)); got.path != first.path || got.tick != first.tick || got.n != first.n || got.plain != first.plain {
			t.Fatalf("%+v was written as %+v", first, got)
		}
	})
}

// The paths of a shot take effect in the order of their ticks, in whichever order they arrive, and
// no more of them wait than maxReplaced.
func TestPathsTakeEffectInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := shot[int, int, trail]{since: 100}
		newest := Tick(100)
		for range 100 {
			since := Tick(rapid.IntRange(90, 200).Draw(t, "since"))
			s.take(trail{X: float32(since)}, since)
			if since.IsNewer(newest) {
				newest = since
			}
			if len(s.later) > maxReplaced {
				t.Fatalf("%d paths wait", len(s.later))
			}
			last := s.since
			for _, r := range s.later {
				if !r.since.IsNewer(last) || r.path.X != float32(r.since) {
					t.Fatalf("since %d: %+v", s.since, s.later)
				}
				last = r.since
			}
			if last != newest {
				t.Fatalf("the newest path is of %d, want %d: %+v", last, newest, s.later)
			}
		}
	})
}

// Of two shots the server has not fired the first, and the record of the second is late. The first
// expires as soon as all entities of a later tick are known. It is refused alone: the count of
// launches, which still lacks one, refuses neither the second nor a later one in its place.
func TestAnExpiredShotRefusesNoOther(t *testing.T) {
	k := shotsClient[int, int, trail]{}
	k.close(5, 7) // the server has launched 7 before
	press := func(at Tick) *shot[int, int, trail] {
		k.recent[at] = launchesOf{at, 1}
		return k.enter(at, 0, trail{}, at, true)
	}
	first, second := press(10), press(12)
	k.close(14, 8)
	if first.refused || second.refused || k.counts.open != 5 {
		t.Fatalf("one of two is missing, and refused are %v %v, decided up to %d", first.refused, second.refused, k.counts.open)
	}
	if k.expire(10); first.refused {
		t.Fatal("a shot expires at a tick that is not after its own")
	}
	if k.expire(11); !first.refused || second.refused {
		t.Fatalf("expired are %v %v, want the first alone", first.refused, second.refused)
	}
	third := press(15)
	for _, state := range []struct {
		at       Tick
		launched uint8
	}{{15, 8}, {20, 9}} {
		if k.close(state.at, state.launched); second.refused || third.refused {
			t.Fatalf("with the state of tick %d refused are %v %v, but the server has fired both", state.at, second.refused, third.refused)
		}
		if k.counts.open != state.at {
			t.Fatalf("launches are decided up to %d, want %d", k.counts.open, state.at)
		}
	}
	fourth := press(21)
	if k.close(22, 9); !fourth.refused || second.refused || third.refused {
		t.Errorf("the server has not fired the fourth; refused are %v %v %v", second.refused, third.refused, fourth.refused)
	}
}
