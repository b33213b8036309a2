package linksim

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestRateLimitWithBoundedQueue(t *testing.T) {
	// 8-byte datagrams at 8000 bytes per second: one per millisecond passes. One is offered every
	// 0.5 ms, so half of them must be dropped.
	const n = 10_000
	l := mustLink(t, "rate=8000 queue=80")
	out := stream(l, n, ms/2)
	for i := 1; i < len(out); i++ {
		if gap := out[i].at - out[i-1].at; gap != ms {
			t.Fatalf("arrivals %d and %d are %v apart, want exactly 1 ms", i-1, i, gap)
		}
		if wait := out[i].at - out[i].sent; wait > 11*ms {
			t.Fatalf("%+v waited %v, want at most the queue of 10 and itself: 11 ms", out[i], wait)
		}
	}
	if got, want := len(out), n/2; got < want || got > want+12 {
		t.Errorf("%d passed, want %d and a queue", got, want)
	}
	if got := l.Stats(); got.Dropped != uint64(n-len(out)) {
		t.Errorf("%d dropped, want %d", got.Dropped, n-len(out))
	}
}

func TestOneDatagramLargerThanTheQueuePasses(t *testing.T) {
	if out := stream(mustLink(t, "rate=1000 queue=5"), 2, time.Second); len(out) != 2 || out[0].at != 8*ms {
		t.Errorf("got %+v, want two arrivals, the first after 8 ms", out)
	}
}

func TestInFlightIsBounded(t *testing.T) {
	l := mustLink(t, "delay=1h dup=100%")
	refused := 0
	for range 2 * maxInFlight {
		if !l.Push(0, []byte{1}) {
			refused++
		}
	}
	if l.Len() > maxInFlight || refused == 0 || l.Stats().Dropped != uint64(refused) {
		t.Errorf("%d in flight and %d refused, want at most %d", l.Len(), refused, maxInFlight)
	}
}

// The link equals a naive model: each datagram that arrives was pushed, arrives no earlier than
// after the path's least delay and in order of arrival, and every datagram is counted.
func TestLinkAccountsForEverything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawCondition(t)
		l, err := NewLink(c)
		if err != nil {
			t.Fatal(err)
		}
		n := rapid.IntRange(1, 300).Draw(t, "datagrams")
		interval := time.Duration(rapid.IntRange(0, int(50*ms)).Draw(t, "interval"))
		out := stream(l, n, interval)
		last := time.Duration(0)
		for _, a := range out {
			if a.id < 0 || a.id >= n || a.at < a.sent || a.at < last {
				t.Fatalf("%+v after %v in %s", a, last, c)
			}
			last = a.at
		}
		s := l.Stats()
		refused := uint64(n) - s.Pushed
		gone := s.Dropped - refused
		if !c.Ordered {
			gone += s.Lost + s.BurstLost + s.CutLost
		}
		if s.Delivered != uint64(len(out)) || s.Pushed+s.Duplicated != s.Delivered+gone || l.Len() != 0 {
			t.Fatalf("%+v does not add up in %s", s, c)
		}
	})
}

func TestLinkAllocatesNothingInSteadyState(t *testing.T) {
	for _, text := range []string{"delay=100ms jitter=20ms loss=10% dup=10% reorder=10% burst=2%/10%:0%/90% seed=1", "delay=100ms loss=10% rate=200000 ordered seed=1"} {
		l := mustLink(t, text)
		now, datagram := time.Duration(0), make([]byte, 1200)
		step := func() {
			now += 5 * ms
			l.Push(now, datagram)
			for {
				if _, _, ok := l.Pop(now); !ok {
					return
				}
			}
		}
		for range 20_000 {
			step()
		}
		if allocs := testing.AllocsPerRun(2000, step); allocs != 0 {
			t.Errorf("%s: %v allocations per step, want 0", text, allocs)
		}
	}
}

func BenchmarkLink(b *testing.B) {
	l := mustLink(b, "delay=100ms jitter=10ms loss=15% dup=5% seed=7")
	datagram := make([]byte, 1200)
	now := time.Duration(0)
	b.ReportAllocs()
	for b.Loop() {
		now += 10 * ms
		l.Push(now, datagram)
		for {
			if _, _, ok := l.Pop(now); !ok {
				break
			}
		}
	}
}
