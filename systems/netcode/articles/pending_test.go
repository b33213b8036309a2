package articles

import (
	"fmt"
	"math"
	"testing"
)

// walk moves a tenth of a unit for each step of an input.
func walk(x float64, in int, _ Tick) float64 { return x + 0.1*float64(in) }

func TestPendingDropsInputsThatTheServerApplied(t *testing.T) {
	var p Pending[int]
	for i := range 6 {
		p.Push(Tick(math.MaxUint32-2).Add(i), 1) // ids wrap after the third
	}
	for _, test := range []struct {
		drop Tick
		want int
	}{
		{math.MaxUint32 - 3, 6}, // before the first
		{math.MaxUint32 - 2, 5},
		{math.MaxUint32 - 2, 5}, // again
		{0, 2},                  // past the wrap
		{math.MaxUint32, 2},     // an older one
		{77, 2},                 // never sent
		{3, 2},                  // the next to be sent
		{2, 0},
	} {
		p.DropThrough(test.drop)
		got := Replay(&p, 0, walk) / 0.1
		if p.Len() != test.want || math.Abs(got-float64(test.want)) > 1e-9 {
			t.Errorf("after DropThrough(%d): %d to replay, moved %v steps, want %d", test.drop, p.Len(), got, test.want)
		}
	}
	p.Push(50, 1) // any id follows an empty list
	if p.DropThrough(49); p.Len() != 1 {
		t.Error("an older id drops the first input of a new list")
	}
}

// Each input is replayed at its own id.
func TestReplayPassesTheIDs(t *testing.T) {
	var p Pending[int]
	for id := Tick(7); id < 12; id++ {
		p.Push(id, int(id))
	}
	p.DropThrough(8)
	n := Replay(&p, 0, func(n int, in int, id Tick) int {
		if in != int(id) {
			t.Errorf("input %d is replayed as that of id %d", in, id)
		}
		return n + 1
	})
	if n != 3 {
		t.Errorf("%d inputs replayed, want 3", n)
	}
}

// The client's own inputs as in Multiplayer Platformer Log #3: keep them, drop those that the
// server has applied, replay the rest.
func ExamplePending() {
	var pending Pending[int]
	for id := range Tick(5) {
		pending.Push(id, 1)
	}
	pending.DropThrough(2) // "last applied: 2", with the state after it
	state := Replay(&pending, 0.3, walk)
	fmt.Printf("%d replayed: %.1f\n", pending.Len(), state)
	// Output: 2 replayed: 0.5
}
