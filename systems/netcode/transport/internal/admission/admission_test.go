package admission_test

import (
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/systems/netcode/transport/internal/admission"
)

var wide = admission.Rate{PerSecond: 1_000_000, Burst: 1_000_000}

func TestBurstThenRate(t *testing.T) {
	addr := netip.MustParseAddr("203.0.113.7")
	for name, l := range map[string]*admission.Limiter{
		"each": admission.New(wide, admission.Rate{PerSecond: 10, Burst: 5}),
		"all":  admission.New(admission.Rate{PerSecond: 10, Burst: 5}, wide),
	} {
		count := func(from, to time.Duration) (n int) {
			for now := from; now < to; now += time.Millisecond {
				if l.Allow(now, addr) {
					n++
				}
			}
			return n
		}
		start := time.Hour
		if got := count(start, start+time.Millisecond) + count(start, start+time.Millisecond) + count(start, start+time.Millisecond); got != 3 {
			t.Errorf("%s: %d of 3 in one instant, want all", name, got)
		}
		if got := count(start, start+time.Second); got != 2+9 {
			t.Errorf("%s: %d in the first second, want the burst's other 2 and 9 after it", name, got)
		}
		if got := count(start+time.Second, start+11*time.Second); got != 100 {
			t.Errorf("%s: %d in ten seconds, want 100", name, got)
		}
		if got := count(start+time.Hour, start+time.Hour+time.Second); got < 14 || got > 15 {
			t.Errorf("%s: %d in a second after an hour of rest, want 5 and then 10 per second", name, got)
		}
	}
}

func TestNetworks(t *testing.T) {
	for _, test := range []struct {
		a, b string
		same bool
	}{
		{"203.0.113.7", "203.0.113.250", true},
		{"203.0.113.7", "203.0.114.7", false},
		// This is the same host, seen through a dual-stack socket.
		{"203.0.113.7", "::ffff:203.0.113.9", true},
		{"2001:db8:1:2300::1", "2001:db8:1:23ff:ffff::1", true},
		{"2001:db8:1:2300::1", "2001:db8:1:2400::1", false},
		{"127.0.0.1", "::1", false},
	} {
		// Two networks fall into one bucket by chance once in 4096 tries, but not four times in a
		// row.
		shared := true
		for range 4 {
			l := admission.New(wide, admission.Rate{PerSecond: 1, Burst: 1})
			l.Allow(0, netip.MustParseAddr(test.a))
			shared = shared && !l.Allow(0, netip.MustParseAddr(test.b))
		}
		if shared != test.same {
			t.Errorf("%s and %s share a limit: %v, want %v", test.a, test.b, shared, test.same)
		}
	}
}

// A refusal takes no token: a network that tries to connect all the time gets its rate, and costs
// the others nothing.
func TestRefusalsAreFree(t *testing.T) {
	loud, quiet := netip.MustParseAddr("198.51.100.1"), netip.MustParseAddr("203.0.113.7")
	got := 0
	for range 4 { // see TestNetworks
		l := admission.New(admission.Rate{PerSecond: 100, Burst: 100}, admission.Rate{PerSecond: 10, Burst: 10})
		for now := time.Duration(0); now < 10*time.Second; now += time.Millisecond {
			l.Allow(now, loud)
		}
		if l.Allow(10*time.Second, quiet) {
			got++
		}
	}
	if got == 0 {
		t.Error("a quiet network was refused because of a loud one")
	}
}

// In any window the limiter lets through at most burst + rate * window.
func TestNeverMoreThanTheRate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := admission.Rate{PerSecond: rapid.IntRange(1, 50).Draw(t, "rate"), Burst: rapid.IntRange(1, 50).Draw(t, "burst")}
		l, addr := admission.New(wide, r), netip.MustParseAddr("203.0.113.7")
		var taken []time.Duration
		now := time.Duration(0)
		for range 300 {
			now += time.Duration(rapid.Int64Range(0, int64(100*time.Millisecond)).Draw(t, "dt"))
			if l.Allow(now, addr) {
				taken = append(taken, now)
			}
		}
		for i := range taken {
			for j := i; j < len(taken); j++ {
				window := (taken[j] - taken[i]).Seconds()
				if n := j - i + 1; float64(n) > float64(r.Burst)+float64(r.PerSecond)*window+1e-6 {
					t.Fatalf("%d in %v s at %+v", n, window, r)
				}
			}
		}
	})
}

func TestAllocatesNothing(t *testing.T) {
	l, r, now := admission.New(wide, admission.Rate{PerSecond: 1, Burst: 1}), rand.New(rand.NewPCG(1, 2)), time.Duration(0)
	if allocs := testing.AllocsPerRun(1000, func() {
		now += time.Microsecond
		v := r.Uint32()
		l.Allow(now, netip.AddrFrom4([4]byte{byte(v), byte(v >> 8), byte(v >> 16), byte(v >> 24)}))
	}); allocs != 0 {
		t.Errorf("%v allocations per address, want 0", allocs)
	}
}

func TestRateThatMakesNoSensePanics(t *testing.T) {
	for _, r := range []admission.Rate{{PerSecond: 1}, {Burst: 1}, {-1, 1}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%+v did not panic", r)
				}
			}()
			admission.Check("test", wide, r)
		}()
	}
	admission.Check("test", wide, admission.Rate{}) // which means the default
}
