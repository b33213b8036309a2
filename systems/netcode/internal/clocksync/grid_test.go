package clocksync

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

func TestGridEdges(t *testing.T) {
	for _, test := range []struct {
		rate int
		k    int64
		want time.Duration
	}{
		{60, 0, 0},
		{60, 1, 16666666},
		{60, 2, 33333333},
		{60, 3, 50 * time.Millisecond},
		{60, -1, -16666667}, // floor(-16666666.67)
		{60, -3, -50 * time.Millisecond},
		{60, 10 * 3600 * 60, 10 * time.Hour}, // 60 Hz after ten hours
		{30, 1, 33333333},
		{7, 7 * 86400 * 365, 365 * 24 * time.Hour},
		{1000, 1, time.Millisecond},
		{1, 1 << 32, (1 << 32) * time.Second},
		{0, 60, time.Second}, // the default rate
	} {
		g, err := NewGrid(test.rate)
		if err != nil {
			t.Fatal(err)
		}
		if got := g.Edge(test.k); got != test.want {
			t.Errorf("%d Hz: Edge(%d) = %d ns, want %d", test.rate, test.k, got, test.want)
		}
	}
	if (Grid{}).Rate() != DefaultRate {
		t.Errorf("the zero grid has %d steps per second, want %d", Grid{}.Rate(), DefaultRate)
	}
	for _, rate := range []int{-1, 1001} {
		if _, err := NewGrid(rate); err == nil {
			t.Errorf("NewGrid(%d) gives no error", rate)
		}
	}
}

func TestGridIndexInvertsEdge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, _ := NewGrid(rapid.IntRange(1, 1000).Draw(t, "rate"))
		k := rapid.Int64Range(-1<<33, 1<<33).Draw(t, "k")
		edge := g.Edge(k)
		if got := g.Index(edge); got != k {
			t.Fatalf("Index(Edge(%d)) = %d", k, got)
		}
		if got := g.Index(edge - 1); got != k-1 {
			t.Fatalf("Index(Edge(%d)-1) = %d", k, got)
		}
		at := time.Duration(rapid.Int64Range(-1<<60, 1<<60).Draw(t, "time"))
		if i := g.Index(at); g.Edge(i) > at || g.Edge(i+1) <= at {
			t.Fatalf("%v is not in step %d, %v to %v", at, i, g.Edge(i), g.Edge(i+1))
		}
	})
}

func TestGridTicksRoundsToTheNearest(t *testing.T) {
	g := Grid{}
	for _, test := range []struct {
		d    time.Duration
		want int64
	}{
		{0, 0}, {8 * ms, 0}, {9 * ms, 1}, {time.Second, 60}, {-8 * ms, 0}, {-9 * ms, -1}, {-time.Second, -60}, {time.Hour, 216000},
	} {
		if got := g.Ticks(test.d); got != test.want {
			t.Errorf("Ticks(%v) = %d, want %d", test.d, got, test.want)
		}
	}
}

func TestUnwrap(t *testing.T) {
	for _, test := range []struct {
		t    tick.Tick
		near int64
		want int64
	}{
		{5, 3, 5},
		{3, 5, 3},
		{2, math.MaxUint32, 1<<32 + 2},
		{math.MaxUint32, 1 << 32, math.MaxUint32},
		{7, 5<<32 + 9, 5<<32 + 7},
		{math.MaxUint32, 0, -1},
	} {
		if got := Unwrap(test.t, test.near); got != test.want {
			t.Errorf("Unwrap(%d, %d) = %d, want %d", test.t, test.near, got, test.want)
		}
		if got := (Grid{}).Tick(test.want); got != test.t {
			t.Errorf("Tick(%d) = %d, want %d", test.want, got, test.t)
		}
	}
}
