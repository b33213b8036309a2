package custody

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// With any pauses of the owner, of the store and of the watcher, and with clocks whose rates
// differ by up to a tenth each way: when the watcher says that the lease is over, the owner has
// stopped, and it never goes on.
func TestLeaseEndsBeforeAnotherBegins(t *testing.T) {
	ended := 0
	rapid.Check(t, func(t *rapid.T) {
		rate := rapid.Float64Range(0.9, 1.1)
		ownRate, otherRate := rate.Draw(t, "owner's clock"), rate.Draw(t, "other's clock")
		shift := time.Duration(rapid.Int64Range(0, 1e12).Draw(t, "other's zero"))
		var now time.Duration // of neither clock
		own := func() time.Duration { return time.Duration(float64(now) * ownRate) }
		other := func() time.Duration { return time.Duration(float64(now)*otherRate) + shift }
		pause := rapid.Int64Range(0, int64(9*time.Second))

		lease, revision, stopped := NewLease(own()), uint64(1), false
		var watch Watch
		watch.See(revision, other())
		for range 30 {
			start := own()
			now += time.Duration(pause.Draw(t, "until the store writes"))
			if lease.Held(own()) && rapid.Bool().Draw(t, "written") {
				revision++
				now += time.Duration(pause.Draw(t, "until the owner knows"))
				lease.Renewed(start, own())
			}
			if rapid.Bool().Draw(t, "seen") {
				watch.See(revision, other())
			}
			held := lease.Held(own())
			if held && stopped {
				t.Fatal("the owner goes on after its lease was over")
			}
			stopped = !held
			watch.See(revision, other())
			if watch.Over(other()) {
				if held {
					t.Fatal("both may go on")
				}
				ended++
			}
		}
	})
	if ended == 0 && !testing.Short() {
		t.Error("no lease has ended")
	}
}

// The bounds themselves.
func TestLeaseBounds(t *testing.T) {
	l := NewLease(0)
	l.Renewed(3*time.Second, 5*time.Second)
	var w Watch
	if w.Over(time.Hour) {
		t.Error("a record that was never seen is over")
	}
	w.See(7, time.Second)
	for _, c := range []struct {
		at         time.Duration
		held, over bool
	}{
		{15*time.Second - 1, true, false}, {15 * time.Second, false, false},
		{16*time.Second - 1, false, false}, {16 * time.Second, false, true},
	} {
		if l.Held(c.at) != c.held || w.Over(c.at) != c.over {
			t.Errorf("at %v the lease is held: %v, over: %v; want %v, %v", c.at, l.Held(c.at), w.Over(c.at), c.held, c.over)
		}
	}
	if l.Renewed(15*time.Second, 16*time.Second); l.Held(16 * time.Second) {
		t.Error("a late renewal brings a lease back")
	}
}
