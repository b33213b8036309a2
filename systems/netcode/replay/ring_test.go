package replay_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
	"github.com/tandem-ecs/tandem/systems/netcode/replay"
)

// At any moment a clip holds the asked time, begins with a keyframe, and ends with the newest
// frame. The ring keeps no more than its length and two distances of keyframes.
func TestAClipHoldsTheLastSeconds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		length := time.Duration(rapid.IntRange(1, 5000).Draw(t, "length in ms")) * time.Millisecond
		every := rapid.SampledFrom([]int{1, 5, 10, 20, 50}).Draw(t, "ticks between keyframes")
		ticks := rapid.IntRange(1, 300).Draw(t, "ticks")
		ring := replay.NewRing(length)
		if err := ring.Begin(session); err != nil {
			t.Fatal(err)
		}
		for k := range ticks {
			ring.Add(replay.Frame{Tick: tick.Tick(k), Key: k%every == 0, Number: packet.Number(k + 1), Data: []byte{byte(k)}})
		}
		last := time.Duration(rapid.Int64Range(0, int64(length)).Draw(t, "last"))
		tape, err := ring.Clip(last)
		if err != nil {
			t.Fatal(err)
		}
		frames := play(tape.Cursor())
		first, end := frames[0], frames[len(frames)-1]
		if want := max(ticks-1-int(last*10/time.Second), 0); !first.Key || int(first.Tick) > want || int(first.Tick) <= want-every {
			t.Fatalf("the clip of %v at tick %d begins at %d", last, ticks-1, first.Tick)
		}
		if int(end.Tick) != ticks-1 || len(frames) != ticks-int(first.Tick) {
			t.Fatalf("%d frames from %d to %d", len(frames), first.Tick, end.Tick)
		}
		whole, err := ring.Clip(time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		if kept := int(whole.Last().Sub(whole.First())); kept > int(length*10/time.Second)+2*max(every, 10)+10 {
			t.Fatalf("it keeps %d ticks for %v", kept, length)
		}
	})
}

func TestARingWithoutAKeyframe(t *testing.T) {
	ring := replay.NewRing(time.Second)
	if _, err := ring.Clip(time.Second); err == nil {
		t.Fatal("a clip of nothing")
	}
	if err := ring.Begin(session); err != nil {
		t.Fatal(err)
	}
	if err := ring.Begin(session); err == nil {
		t.Fatal("a second recording in one ring")
	}
	for k := range 1000 {
		ring.Add(replay.Frame{Tick: tick.Tick(k), Kind: replay.Message, Data: []byte("chat")})
	}
	if _, err := ring.Clip(time.Second); err == nil {
		t.Fatal("a clip without a keyframe")
	}
}

// The length of a ring is more than nothing and at most a day. A clip of any time holds what there
// is.
func TestLengthsOfRingsAndClips(t *testing.T) {
	for _, length := range []time.Duration{math.MinInt64, -time.Second, 0, 25 * time.Hour, math.MaxInt64} {
		func() {
			defer func() {
				if text := fmt.Sprint(recover()); !strings.Contains(text, "replay: NewRing of ") {
					t.Errorf("a ring of %v: %v", length, text)
				}
			}()
			replay.NewRing(length)
		}()
	}
	ring := replay.NewRing(24 * time.Hour)
	s := session
	s.Rate = 1000
	if err := ring.Begin(s); err != nil {
		t.Fatal(err)
	}
	const ticks = 5000
	for k := range ticks {
		ring.Add(replay.Frame{Tick: tick.Tick(k), Key: k%100 == 0, Number: packet.Number(k + 1)})
	}
	for _, test := range []struct {
		last  time.Duration
		first tick.Tick
	}{{math.MinInt64, 4900}, {-time.Hour, 4900}, {0, 4900}, {time.Second, 3900}, {25 * time.Hour, 0}, {2e6 * time.Hour, 0}, {math.MaxInt64, 0}} {
		tape, err := ring.Clip(test.last)
		if err != nil {
			t.Fatal(err)
		}
		if tape.First() != test.first || tape.Last() != ticks-1 {
			t.Errorf("the clip of %v has the ticks %d to %d, want %d on", test.last, tape.First(), tape.Last(), test.first)
		}
	}
}

// A ring that was stopped ends its recording with the next frame, and keeps what it has.
func TestAStoppedRing(t *testing.T) {
	ring := replay.NewRing(time.Second)
	if err := ring.Begin(session); err != nil {
		t.Fatal(err)
	}
	for k := range 30 {
		if !ring.Add(replay.Frame{Tick: tick.Tick(k), Key: k%10 == 0, Number: packet.Number(k + 1)}) {
			t.Fatalf("the recording ends at tick %d", k)
		}
	}
	ring.Stop()
	ring.Stop()
	if ring.Add(replay.Frame{Tick: 30, Key: true, Number: 31}) {
		t.Error("the recording goes on")
	}
	if tape, err := ring.Clip(time.Second); err != nil || tape.Last() != 29 {
		t.Errorf("the clip: %v", err)
	}
	unused := replay.NewRing(time.Second)
	unused.Stop()
	if unused.Begin(session) == nil {
		t.Error("a stopped ring begins")
	}
}
