package clocksync

import (
	"math/rand/v2"
	"testing"
	"time"
)

// On a line of each loss the meter ends at the result of Redundancy, and few inputs are missed.
func TestLossMeterFollowsTheLoss(t *testing.T) {
	for _, test := range []struct {
		loss        float64
		least, most int
		want        [2]int
	}{
		{0, 1, 8, [2]int{1, 1}}, {0.01, 1, 8, [2]int{2, 2}}, {0.05, 1, 8, [2]int{3, 3}}, {0.15, 1, 8, [2]int{4, 4}}, {0.3, 1, 8, [2]int{6, 6}},
		{0.3, 1, 5, [2]int{5, 5}}, {0, 3, 5, [2]int{3, 3}}, {0.15, 2, 2, [2]int{2, 2}},
	} {
		rng := rand.New(rand.NewPCG(7, uint64(test.loss*1000)))
		m := NewLossMeter(test.least, test.most)
		for k := range 120 * 60 {
			m.Packet(rng.Float64() < test.loss)
			n := m.Redundancy(Grid{}.Edge(int64(k)))
			if n < test.least || n > test.most {
				t.Fatalf("%+v: a redundancy of %d", test, n)
			}
			if k > 60*60 && (n < test.want[0] || n > test.want[1]) {
				t.Fatalf("%+v: a redundancy of %d after %d packets, with a loss of %.3f", test, n, k, m.Loss())
			}
		}
	}
}

// The redundancy rises with lost packets, and falls by one at a time, five seconds apart.
func TestLossMeterRaisesAtOnceAndLowersSlowly(t *testing.T) {
	m := NewLossMeter(1, 8)
	now := time.Duration(0)
	run := func(n int, lost bool) int {
		for range n {
			now += frame
			m.Packet(lost)
			m.Redundancy(now)
		}
		return m.Redundancy(now)
	}
	if n := m.Redundancy(now); n != 2 {
		t.Errorf("a redundancy of %d before anything is known, want 2", n)
	}
	if n := run(60*60, false); n != 1 {
		t.Errorf("a redundancy of %d without loss, want 1", n)
	}
	if n := run(60, true); n != 3 {
		t.Errorf("a redundancy of %d when 60 of the last 1800 were lost, want 3", n)
	}
	last, changed := 3, now
	for k := 0; last > 1; k++ {
		n := run(1, false)
		if n > last || n < last-1 || n < last && now-changed < RedundancyFor {
			t.Fatalf("from %d to %d after %v", last, n, now-changed)
		}
		if n != last {
			last, changed = n, now
		}
		if k > 600*60 {
			t.Fatal("ten minutes later it is not lowered")
		}
	}
}
