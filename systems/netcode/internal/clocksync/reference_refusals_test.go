package clocksync

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// A single impossible answer changes nothing, whatever its stamps are.
func TestReferenceDropsAnAbsurdSample(t *testing.T) {
	for _, lie := range []time.Duration{time.Second, -time.Second, 1 << 59, -1 << 59, 300 * ms} {
		p := newPinged(t, 4)
		p.start()
		p.Run(30 * time.Second)
		before := p.reference.At(p.local(p.Now))
		base, drift := p.reference.MinRTT(), p.reference.Drift()
		s := Sample{p.local(p.Now) - 200*ms, p.server(p.Now) - 100*ms + lie, p.server(p.Now) - 100*ms + lie, p.local(p.Now)}
		if change, err := p.reference.Add(s); err != nil || change != (Change{}) {
			t.Errorf("%v: %v, %v", lie, change, err)
		}
		if got := p.reference.At(p.local(p.Now)); got != before || base != p.reference.MinRTT() || drift != p.reference.Drift() {
			t.Errorf("an answer that is %v off moves the reference by %v", lie, got-before)
		}
		p.onSample = func() {
			if p.off().Abs() > 8*ms {
				t.Errorf("%v: off by %v at %v", lie, p.off(), p.Now)
			}
		}
		p.Run(2 * time.Minute)
	}
}

// Beyond MaxDrift the reference is not smooth, but its error stays bounded.
func TestReferenceBeyondMaxDrift(t *testing.T) {
	p := newPinged(t, 7)
	p.ppm = 10_000
	var worst time.Duration
	p.onSample = func() {
		if p.Now > 5*time.Second {
			worst = max(worst, p.off().Abs())
		}
	}
	p.start()
	p.Run(10 * time.Minute)
	t.Logf("at 10000 ppm the reference is off by up to %v", worst)
	if worst > 300*ms {
		t.Errorf("off by %v at 1 %% of drift", worst)
	}
}

func TestReferenceIgnoresDuplicates(t *testing.T) {
	clean, dirty := newPinged(t, 8), newPinged(t, 8)
	dirty.up.Duplicates, dirty.down.Duplicates = 0.3, 0.3
	// The first copy of each has to be the one of the clean run.
	clean.up.Jitter, clean.down.Jitter, dirty.up.Jitter, dirty.down.Jitter = 0, 0, 0, 0
	clean.start()
	dirty.start()
	for now := time.Duration(0); now < time.Minute; now += 100 * ms {
		clean.Run(now)
		dirty.Run(now)
		if a, b := clean.reference.At(now), dirty.reference.At(now); a != b {
			t.Fatalf("at %v: %v without duplicates, %v with", now, a, b)
		}
	}
	if dirty.refused < 50 || clean.refused != 0 {
		t.Errorf("refused %d duplicates, and %d of none", dirty.refused, clean.refused)
	}
}

func TestReferenceRefusals(t *testing.T) {
	r := NewReference()
	if r.Ready() || r.At(5) != 5 || r.samples.n != 0 {
		t.Error("a new reference is not empty")
	}
	for i := range 20 {
		local := time.Duration(i) * 250 * ms
		if _, err := r.Add(Sample{local, local + time.Hour, local + time.Hour, local + 40*ms}); err != nil {
			t.Fatal(err)
		}
		if r.Ready() != (i >= 2) {
			t.Errorf("after %d samples: Ready() = %v", i+1, r.Ready())
		}
	}
	want := *r
	last := 19 * 250 * ms
	for _, test := range []struct {
		sample Sample
		err    error
	}{
		{Sample{last + 100*ms, 1, 0, last + 200*ms}, ErrStamps},
		{Sample{last + 100*ms, 0, 200 * ms, last + 200*ms}, ErrStamps},
		{Sample{last + 100*ms, -1 << 62, 1 << 62, last + 200*ms}, ErrStamps},
		{Sample{last, time.Hour, time.Hour, last + 21*time.Second}, ErrSlow},
		{Sample{last, time.Hour, time.Hour, last + 39*ms}, ErrOrder},
		{Sample{last - 250*ms, time.Hour, time.Hour, last + 41*ms}, ErrDuplicate},
	} {
		if change, err := r.Add(test.sample); err != test.err || change != (Change{}) {
			t.Errorf("%+v: %v, %v; want %v", test.sample, change, err, test.err)
		}
		if *r != want {
			t.Errorf("%+v: a refused sample changed the reference", test.sample)
		}
	}
}

// For any stamps the reference gives results, and a healthy stream corrects it.
func TestReferenceProperty(t *testing.T) {
	stamp := rapid.OneOf(
		rapid.Int64(),
		rapid.Int64Range(-1<<60, 1<<60),
		rapid.Int64Range(0, int64(time.Minute)),
	)
	rapid.Check(t, func(t *rapid.T) {
		r := NewReference()
		now := time.Duration(0)
		for range rapid.IntRange(0, 60).Draw(t, "absurd") {
			s := Sample{
				time.Duration(stamp.Draw(t, "t1")), time.Duration(stamp.Draw(t, "t2")),
				time.Duration(stamp.Draw(t, "t3")), time.Duration(stamp.Draw(t, "t4")),
			}
			if rapid.Bool().Draw(t, "plausible") {
				// local stamps are valid; the server's can have any value
				now += time.Duration(rapid.Int64Range(0, int64(time.Second)).Draw(t, "dt"))
				s.ClientReceive = now
				s.ClientSend = now - time.Duration(rapid.Int64Range(0, int64(time.Second)).Draw(t, "rtt"))
				s.ServerSend = s.ServerReceive
			}
			if _, err := r.Add(s); err == nil {
				now = max(now, s.ClientReceive)
			}
			if o := r.Offset(now); o.Abs() > 1<<62 || math.IsNaN(r.Drift()) || math.Abs(r.Drift()) > 0.0025 {
				t.Fatalf("after %+v: offset %v, drift %v", s, o, r.Drift())
			}
			if r.samples.n > ringSize || r.run.n > r.samples.n {
				t.Fatalf("%d samples held, %d in a run", r.samples.n, r.run.n)
			}
		}
		now = min(now, 1<<59)
		if r.samples.n > 0 && now < r.samples.at(r.samples.n-1).received {
			return // local time has reached its end
		}
		for range 300 {
			now += 250 * ms
			if _, err := r.Add(Sample{now - 40*ms, now - 20*ms + time.Hour, now - 20*ms + time.Hour, now}); err != nil && err != ErrDuplicate {
				t.Fatal(err)
			}
		}
		if off := (r.At(now) - now - time.Hour).Abs(); off > time.Second {
			t.Fatalf("off by %v after 75 s of healthy answers", off)
		}
	})
}

func TestReferenceAllocatesNothing(t *testing.T) {
	p := newPinged(t, 9)
	p.start()
	p.Run(60 * time.Second)
	now := p.local(p.Now)
	r := p.reference
	if n := testing.AllocsPerRun(1000, func() {
		now += 250 * ms
		if _, err := r.Add(Sample{now - 200*ms, p.Now, p.Now, now}); err != nil && err != ErrOrder {
			t.Error(err)
		}
		if r.At(now) == 0 {
			t.Error("no time")
		}
	}); n != 0 {
		t.Errorf("%v allocations per sample", n)
	}
}
