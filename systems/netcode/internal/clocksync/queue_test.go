package clocksync

import (
	"testing"
	"time"
)

// queued plays a world of 10 ms each way whose directions have queues, and returns the share of the
// inputs missed between two moments.
func queued(t *testing.T, seed uint64, up, down func(t time.Duration) time.Duration, from, to time.Duration) (missed float64, w *world) {
	w = newWorld(t, seed)
	w.client.SetRedundancy(1)
	w.fixedDelay = 150 * ms
	w.redundancy = 20
	for _, p := range []*virtualPath{w.up, w.down} {
		p.Jitter, p.Ordered = ms, true
	}
	w.Every(0, 5*ms, func() { w.up.Delay, w.down.Delay = 20*ms+up(w.Now), 20*ms+down(w.Now) })
	w.start()
	w.Run(from)
	first := w.newest
	w.Run(to)
	n, total := w.missed(first, w.server(w.Now)-time.Second)
	return float64(n) / float64(total), w
}

func noQueue(time.Duration) time.Duration { return 0 }

// A download fills the way down for half a minute. No input is missed later on, and almost none
// meanwhile.
func TestDownloadsCostNoInputs(t *testing.T) {
	for _, q := range []queue{
		{from: 60 * time.Second, full: 62 * time.Second, until: 90 * time.Second, empty: 96 * time.Second, height: 6 * time.Second, tooth: 3 * time.Second, period: 20 * time.Second},
		{from: 60 * time.Second, full: 70 * time.Second, until: 90 * time.Second, empty: 92 * time.Second, height: 2500 * ms, tooth: 1200 * ms, period: 7 * time.Second},
		{from: 60 * time.Second, full: 61 * time.Second, until: 90 * time.Second, empty: 91 * time.Second, height: 700 * ms, tooth: 350 * ms, period: 3 * time.Second},
	} {
		missed, w := queued(t, 1, noQueue, q.at, 10*time.Second, q.empty+90*time.Second)
		off := w.client.reference.At(w.local(w.Now)) - w.server(w.Now)
		t.Logf("%v: %.2f %% missed, the reference is off by %v in the end", q.height, 100*missed, off)
		if missed > 0.02 || off.Abs() > 20*ms {
			t.Errorf("%+v: %.2f %% of the inputs missed, the reference off by %v", q, 100*missed, off)
		}
	}
}

// Each minute an upload makes the way up longer by half a second within five seconds, gives it a
// sawtooth for 20 s, and ends within one second (after Gettys and Nichols, Bufferbloat, 2012). At
// most 4 % of the inputs are missed.
func TestLeadFollowsAGrowingQueue(t *testing.T) {
	for seed := uint64(1); seed <= 5; seed++ {
		upload := func(t time.Duration) time.Duration {
			t -= t.Truncate(time.Minute)
			q := queue{from: 25 * time.Second, full: 30 * time.Second, until: 50 * time.Second, empty: 51 * time.Second, height: 500 * ms, tooth: 90 * ms, period: 1500 * ms}
			return q.at(t)
		}
		missed, _ := queued(t, seed, upload, noQueue, 10*time.Second, 190*time.Second)
		t.Logf("seed %d: %.2f %% missed", seed, 100*missed)
		if missed > 0.04 {
			t.Errorf("seed %d: %.2f %% of the inputs missed", seed, 100*missed)
		}
	}
}
