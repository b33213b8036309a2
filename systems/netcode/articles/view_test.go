package articles

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

const frame = time.Second / 60

func TestViewStartsExactly(t *testing.T) {
	v := NewView()
	if got := v.Advance(5*time.Second, time.Hour, 100*ms); got != time.Hour-100*ms || v.Time() != got || v.Lag() != 100*ms || v.Rate() != 1 {
		t.Errorf("the view starts at %v, lag %v, rate %v", got, v.Lag(), v.Rate())
	}
}

func TestViewRunsAtTheRateOfTheReference(t *testing.T) {
	for _, ppm := range []int{0, 2000, -2000} {
		v := NewView()
		for now := time.Duration(0); now < 10*time.Second; now += frame {
			reference := now + now*time.Duration(ppm)/1e6
			view := v.Advance(now, reference, 150*ms)
			if off := (view - (reference - 150*ms)).Abs(); off > 600*time.Microsecond {
				t.Fatalf("%+d ppm: off by %v at %v, want at most 0.25 s * 2000 ppm", ppm, off, now)
			}
		}
	}
}

func TestViewSlewsTheDelay(t *testing.T) {
	for _, test := range []struct {
		from, to    time.Duration
		least, most time.Duration // until the delay is right within 10 ms
		slow, fast  float64       // rates
	}{
		// 75 ms at 10 %, then 25 exp(-t/0.25)
		{100 * ms, 200 * ms, 900 * ms, 1100 * ms, 0.9, 1.0001},
		{100 * ms, 400 * ms, 2900 * ms, 3100 * ms, 0.9, 1.0001},         // 275 ms at 10 %
		{200 * ms, 100 * ms, 9 * time.Second, 9500 * ms, 0.9999, 1.011}, // 1 %
		{100 * ms, 105 * ms, 0, 0, 0.975, 1.0001},
	} {
		v := NewView()
		slowest, fastest, settled := 1.0, 1.0, time.Duration(0)
		last := v.Advance(0, time.Hour, test.from)
		for now := frame; now < 20*time.Second; now += frame {
			view := v.Advance(now, time.Hour+now, test.to)
			if view < last {
				t.Fatalf("%+v: the view ran back by %v", test, last-view)
			}
			last = view
			slowest, fastest = min(slowest, v.Rate()), max(fastest, v.Rate())
			if (v.Lag() - test.to).Abs() > 10*ms {
				settled = now
			}
		}
		if settled < test.least || settled > test.most {
			t.Errorf("%+v: settled within %v", test, settled)
		}
		if slowest < test.slow || fastest > test.fast {
			t.Errorf("%+v: rates %v to %v", test, slowest, fastest)
		}
		if off := (v.Lag() - test.to).Abs(); off > 100*time.Microsecond {
			t.Errorf("%+v: a lag of %v in the end", test, v.Lag())
		}
	}
}

// A delay that rises for a moment stays raised for a while.
func TestViewLowersSlowlyAfterAPeak(t *testing.T) {
	v := NewView()
	v.Advance(0, 0, 100*ms)
	v.Advance(frame, frame, 150*ms)
	for now := 2 * frame; now <= time.Second+frame; now += frame {
		v.Advance(now, now, 100*ms)
	}
	if got := v.Delay(); (got - 140*ms).Abs() > 10*time.Microsecond {
		t.Errorf("a delay of %v one second after a peak of 150 ms, want 140", got)
	}
}

func TestViewIgnoresTimesThatPassed(t *testing.T) {
	v := NewView()
	v.Advance(time.Second, time.Second, 100*ms)
	want := v.Advance(time.Second+frame, time.Second+frame, 100*ms)
	for _, now := range []time.Duration{time.Second + frame, time.Second, -time.Hour} {
		if got := v.Advance(now, 7*time.Hour, 100*ms); got != want || v.Jump() != 0 {
			t.Errorf("at %v: the view moved from %v to %v", now, want, got)
		}
	}
	v.Advance(0, 0, 200*ms) // but the delay counts
	if v.Delay() != 200*ms {
		t.Errorf("a delay of %v, want 200 ms", v.Delay())
	}
	if got := v.Advance(time.Second+2*frame, time.Second+2*frame, -5*time.Hour); got < want || v.Delay() < 199*ms {
		t.Errorf("a negative wish moved the view from %v to %v, delay %v", want, got, v.Delay())
	}
}

// Conformance case 30: a clock that stepped is followed at once, with a report, and never by
// running fast. Small steps are slewed.
func TestViewFollowsSteps(t *testing.T) {
	for _, test := range []struct {
		step  time.Duration
		jumps bool
	}{{2 * time.Second, true}, {-2 * time.Second, true}, {501 * ms, true}, {400 * ms, false}, {-400 * ms, false}, {20 * ms, false}} {
		v := NewView()
		v.Advance(0, time.Hour, 150*ms)
		v.Advance(frame, time.Hour+frame, 150*ms)
		before := v.Time()
		view := v.Advance(2*frame, time.Hour+2*frame+test.step, 150*ms)
		if test.jumps {
			if v.Jump() != test.step || (view-before-test.step-frame).Abs() > time.Microsecond {
				t.Errorf("%v: the view moved by %v and reports %v", test.step, view-before, v.Jump())
			}
		} else if v.Jump() != 0 || view < before+frame*9/10 || view > before+frame*11/10 {
			t.Errorf("%v: the view moved by %v and reports %v", test.step, view-before, v.Jump())
		}
		if v.Rate() < 0.9 || v.Rate() > 1.1 {
			t.Errorf("%v: a rate of %v", test.step, v.Rate())
		}
		v.Advance(3*frame, time.Hour+3*frame+test.step, 150*ms)
		if v.Jump() != 0 {
			t.Errorf("%v: a second jump of %v", test.step, v.Jump())
		}
		if test.jumps && (v.Lag()-150*ms).Abs() > time.Microsecond {
			t.Errorf("%v: a lag of %v after the jump", test.step, v.Lag())
		}
	}
}

// For any reference and any wanted delay, the rate stays within 0.9 and 1.1, and the view never
// runs back except in a reported jump.
func TestViewProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := NewView()
		now := time.Duration(rapid.Int64Range(-1<<50, 1<<50).Draw(t, "now"))
		wild := rapid.Int64Range(-1<<58, 1<<58)
		mild := rapid.Int64Range(-int64(time.Second), int64(time.Second))
		reference := time.Duration(wild.Draw(t, "reference"))
		last := v.Advance(now, reference, time.Duration(mild.Draw(t, "wanted")))
		for range rapid.IntRange(1, 100).Draw(t, "frames") {
			dt := time.Duration(rapid.OneOf(rapid.Int64Range(0, int64(50*ms)), rapid.Int64Range(-int64(time.Second), int64(time.Hour))).Draw(t, "dt"))
			reference += max(dt, 0) + time.Duration(rapid.OneOf(rapid.Int64Range(-int64(ms), int64(ms)), mild).Draw(t, "error"))
			if rapid.IntRange(0, 19).Draw(t, "kick") == 0 {
				reference = time.Duration(wild.Draw(t, "reference"))
			}
			view := v.Advance(now+dt, reference, time.Duration(rapid.OneOf(mild, wild).Draw(t, "wanted")))
			advance := view - last - v.Jump()
			moved := max(dt, 0)
			if float64(advance) < 0.9*float64(moved)-1 || float64(advance) > 1.1*float64(moved)+1 {
				t.Fatalf("the view moved by %v in %v (jump %v)", advance, moved, v.Jump())
			}
			if v.Jump() == 0 && view < last {
				t.Fatalf("the view ran back by %v", last-view)
			}
			if v.Jump().Abs() > 0 && v.Jump().Abs() <= 500*ms {
				t.Fatalf("a jump of %v", v.Jump())
			}
			now, last = now+moved, view
		}
	})
}

func TestViewAllocatesNothing(t *testing.T) {
	v := NewView()
	now := time.Duration(0)
	if n := testing.AllocsPerRun(1000, func() {
		now += frame
		v.Advance(now, now, 100*ms)
	}); n > 0 {
		t.Errorf("%v allocations per frame", n)
	}
}
