package host

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

const ms = time.Millisecond

func TestPercentilesOfTheLastMinute(t *testing.T) {
	var k ticks
	if got := k.recent(0); got != (percentiles{}) {
		t.Errorf("without a tick: %v", got)
	}
	k.add(time.Second, time.Hour, 1) // slow, and long ago
	for i := range 100 {
		k.add(62*time.Second, time.Duration(100-i)*ms, 1)
	}
	want := percentiles{51 * ms, 96 * ms, 100 * ms, 100 * ms}
	if got := k.recent(62 * time.Second); got != want {
		t.Errorf("1 to 100 ms: %v, want %v", got, want)
	}
	k.add(63*time.Second, 7*ms, 1000) // one update that ran many steps counts for each
	if got := k.recent(63 * time.Second); got.p50 != 7*ms || got.most != 100*ms {
		t.Errorf("with 1000 steps of 7 ms: %v", got)
	}
	if got := k.recent(122*time.Second + 1); got.most != 7*ms {
		t.Errorf("a minute later: %v", got)
	}
	if got := k.recent(123 * time.Second); got != (percentiles{}) {
		t.Errorf("a minute without a tick: %v", got)
	}
	if all := k.all(); all.count != 1101 || all.sum != time.Hour+5050*ms+7000*ms {
		t.Errorf("in all %d ticks and %v", all.count, all.sum)
	}
}

// The ring keeps the newest ticks. The histogram counts all of them, each below the bounds that it
// does not exceed.
func TestTicksAgainstAList(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		var k ticks
		var all []time.Duration
		now := time.Duration(0)
		for range rapid.IntRange(0, 40).Draw(r, "updates") {
			took := rapid.OneOf(rapid.SampledFrom(tickBounds[:]), rapid.Map(rapid.Int64Range(0, int64(time.Second)), func(n int64) time.Duration { return time.Duration(n) })).Draw(r, "took")
			steps := rapid.SampledFrom([]int{1, 2, 500}).Draw(r, "steps")
			now += ms
			k.add(now, took, steps)
			for range steps {
				all = append(all, took)
			}
		}
		h := k.all()
		total := uint64(0)
		for i, bound := range tickBounds {
			total += h.buckets[i]
			want := uint64(0)
			for _, d := range all {
				if d <= bound {
					want++
				}
			}
			if total != want {
				r.Fatalf("%d ticks took at most %v, want %d", total, bound, want)
			}
		}
		newest := slices.Clone(all[max(0, len(all)-len(k.ring)):])
		slices.Sort(newest)
		if got := k.recent(now); len(newest) > 0 && (got.most != newest[len(newest)-1] || got.p95 != newest[len(newest)*95/100]) {
			r.Fatalf("%v of %d ticks", got, len(newest))
		}
	})
}

func TestTicksAllocateNothing(t *testing.T) {
	var k ticks
	now := time.Duration(0)
	if n := testing.AllocsPerRun(1000, func() { now += ms; k.add(now, 3*ms, 2) }); n != 0 {
		t.Errorf("%.0f allocations for a tick", n)
	}
}

// BenchmarkTicks measures the recording of a tick, and the percentiles of a full ring.
func BenchmarkTicks(b *testing.B) {
	var k ticks
	now := time.Duration(0)
	b.Run("add", func(b *testing.B) {
		for b.Loop() {
			now += time.Microsecond
			k.add(now, time.Duration(now%(20*ms)), 1)
		}
	})
	b.Run("recent", func(b *testing.B) {
		for b.Loop() {
			k.recent(now)
		}
	})
}
