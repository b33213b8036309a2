package admission_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/admission"
)

// Whatever is requested and when, a bucket gives no more than its burst and its rate, except for
// the last tokens that it takes at once and owes. It also gives no less.
func TestBucketKeepsItsRate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := admission.Rate{PerSecond: rapid.IntRange(1, 1000).Draw(t, "rate"), Burst: rapid.IntRange(1, 1000).Draw(t, "burst")}
		b := admission.NewBucket(rate)
		start := time.Duration(rapid.Int64Range(0, 1e15).Draw(t, "start"))
		now, given, last := start, 0, 0
		for range rapid.IntRange(1, 200).Draw(t, "steps") {
			now += time.Duration(rapid.Int64Range(0, 2e8).Draw(t, "pause"))
			n := rapid.IntRange(1, 50).Draw(t, "tokens")
			budget := float64(rate.Burst) + now.Seconds()*float64(rate.PerSecond) - start.Seconds()*float64(rate.PerSecond)
			if b.Allow(now, n) {
				given, last = given+n, n
			} else if float64(given) < float64(rate.Burst)-1.01 {
				t.Fatalf("refused after %d, with a burst of %d", given, rate.Burst)
			}
			if float64(given-last) > budget+0.01 {
				t.Fatalf("gave %d and the last %d by %v, want %.1f", given-last, last, now-start, budget)
			}
		}
	})
}

func TestBucketReportsTheWait(t *testing.T) {
	b := admission.NewBucket(admission.Rate{PerSecond: 10, Burst: 5})
	now := time.Hour
	for i, want := range []time.Duration{0, 0, 0, 0, 0, 100 * time.Millisecond, 200 * time.Millisecond} {
		if got := b.Spend(now, 1); got != want {
			t.Errorf("token %d: %v, want %v", i+1, got, want)
		}
	}
	now += 200 * time.Millisecond
	if b.Allow(now-time.Millisecond, 1) {
		t.Error("gave one while it owed")
	}
	now += 100 * time.Millisecond
	if !b.Allow(now, 1) || b.Allow(now, 1) {
		t.Error("after 300 ms there is one, and no more")
	}
	if got := b.Spend(now+time.Minute, 5); got != 0 {
		t.Errorf("after a minute it owes for %v, want a whole burst again", got)
	}
}
