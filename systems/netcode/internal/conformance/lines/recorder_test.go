package lines

import (
	"math"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/conformance/rates"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/prediction"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

const (
	ms     = time.Millisecond
	way    = 20 * ms
	length = 40 * time.Second
	lag    = 100 * ms
)

// play feeds a recorder with a made-up run of 40 s: 30 snapshots a second that take 20 ms, and a
// view at 60 Hz that is 100 ms behind. change may alter them.
func play(change func(r *recorder, now time.Duration, sent *linksim.Passage, f *rates.Frame)) Figures {
	r := &recorder{c: &Case{Length: length}}
	r.stamps = [][]time.Duration{nil}
	inputs := prediction.BufferStats{}
	for i := range int(length / tickLength) {
		now := time.Duration(i) * tickLength
		p := linksim.Passage{Number: uint64(i), Sent: now, Begun: now, Left: now + ms, At: now + way, Bytes: 100}
		f := rates.Frame{Now: now, Playing: true, Shown: now - lag, View: now - lag, Stats: netcode.ClientStats{Delay: lag}}
		stamp := time.Duration(-1)
		if i%2 == 0 {
			stamp = now
		}
		change(r, now, &p, &f)
		r.stamps[0] = append(r.stamps[0], stamp)
		r.down(0, p)
		r.upwards(p)
		r.Step(now, f.View, f.Playing)
		r.Frame(&f)
		inputs.Ticks++
		inputs.Received++
		if now > 20*time.Second && i%10 == 0 {
			inputs.Received--
		}
		r.Turn(now, inputs)
	}
	return r.finish()
}

func nothing(*recorder, time.Duration, *linksim.Passage, *rates.Frame) {}

func TestFiguresOfACalmRun(t *testing.T) {
	f := play(nothing)
	near := func(what string, got, want, within float64) {
		t.Helper()
		if math.Abs(got-want) > within {
			t.Errorf("%s %v, want %v", what, got, want)
		}
	}
	near("starved", f[Starved], 0, 0)
	near("lag", f[Lag50], lag.Seconds(), 0)
	// A snapshot is present from the second step after its own on, and is the newest one for two
	// steps. Then it is three ticks old, and the sampled state is drawn a tick later.
	near("oracle", f[Oracle], lag.Seconds()/(4*tickLength).Seconds(), 0.001)
	near("missed", f[Missed], 0.1*20/30, 0.002)
	near("missed in the last minute", f[MissedAtEnd], 0.1*20/30, 0.002)
	near("queue", f[Queue95], 0.001, 1e-9)
	near("down", f[Down], 6, 0.01)
	near("clock", f[Clock]+f[CalmClock], 0, 0)
	near("the rest", f[Wrong]+f[Reconnects]+f[Recovery], 0, 0)
}

func TestStarvedStepsAreCounted(t *testing.T) {
	// For one of the thirty seconds that count, the view is half a second ahead of all snapshots.
	f := play(func(_ *recorder, now time.Duration, _ *linksim.Passage, f *rates.Frame) {
		if now > 20*time.Second && now <= 21*time.Second {
			f.View = now + time.Second/2
		}
	})
	if math.Abs(f[Starved]-1.0/30) > 0.001 {
		t.Errorf("starved %v, want a thirtieth", f[Starved])
	}
	if calm := play(nothing); f[Oracle] < calm[Oracle] {
		t.Errorf("an oracle that may starve as much is %v, one that may not %v", f[Oracle], calm[Oracle])
	}
}

func TestClockCountsWhenCalm(t *testing.T) {
	// Round trips are 140 ms until second 20 and 40 ms from then on. The clock is 70 ms off until
	// second 29 and 10 ms from then on.
	f := play(func(_ *recorder, now time.Duration, p *linksim.Passage, f *rates.Frame) {
		if now < 20*time.Second {
			p.At = now + 70*ms
		}
		f.Stats.Delay += 10 * ms
		if now < 29*time.Second {
			f.Stats.Delay += 60 * ms
		}
	})
	if f[Clock] != 0.070 || f[CalmClock] != 0.010 {
		t.Errorf("the clock is off by %v and %v when calm, want 70 and 10 ms", f[Clock], f[CalmClock])
	}
}

// For ten seconds after a silence the clock may be wrong, since the round trips before it prove
// nothing. A session without a clock has no figure.
func TestClockAfterASilence(t *testing.T) {
	f := play(func(_ *recorder, now time.Duration, p *linksim.Passage, f *rates.Frame) {
		p.Lost = now > 12*time.Second && now < 20*time.Second
		switch {
		case now < 20*time.Second:
		case now < 21*time.Second:
			f.Stats.Delay = 0
		case now < 30*time.Second:
			f.Stats.Delay += 60 * ms
		default:
			f.Stats.Delay += 10 * ms
		}
	})
	if f[Clock] != 0.060 || f[CalmClock] != 0.010 {
		t.Errorf("the clock is off by %v and %v when calm, want 60 and 10 ms", f[Clock], f[CalmClock])
	}
}

func TestRecoveryAfterASilence(t *testing.T) {
	f := play(func(r *recorder, now time.Duration, p *linksim.Passage, f *rates.Frame) {
		r.c.silent = 25 * time.Second
		p.Lost = now > 20*time.Second && now < 25*time.Second
		f.Playing = now < 20*time.Second || now > 26*time.Second
	})
	if math.Abs(f[Recovery]-1) > 2.0/tickRate {
		t.Errorf("after the silence it took %v, want 1 s", f[Recovery])
	}
}

// The worse figures of two players behind one bottleneck count. The use of the line is that of both
// together.
func TestMatchMeasuresBoth(t *testing.T) {
	for _, shared := range []bool{false, true} {
		c := &Case{Length: length, shared: shared, Hard: hard{rates.WarmUp, length, 1000}}
		players := []*recorder{{c: c}}
		if shared {
			players = append(players, &recorder{c: c})
		}
		for client, r := range players {
			bytes := []int{100, 300}[client]
			down := newLink(t)
			r.Dialled(down, newLink(t))
			for i := range int(length / tickLength) {
				now := time.Duration(i) * tickLength
				late := time.Duration(client) * 50 * ms
				f := rates.Frame{Now: now, Playing: true, Shown: now - lag - late, View: now - lag - late}
				r.Sent(0, make([]byte, bytes), now)
				if !down.Push(now, make([]byte, bytes)) {
					t.Fatal("the link is full")
				}
				for _, _, ok := down.Pop(now); ok; _, _, ok = down.Pop(now) {
				}
				r.Turn(now, prediction.BufferStats{Ticks: uint64(i), Received: uint64(i)})
				r.Step(now, f.View, true)
				r.Frame(&f)
			}
		}
		want := Figures{Lag50: lag.Seconds(), Down: 0.1 * tickRate, HardUse: 100 * tickRate / 1000}
		if shared {
			want = Figures{Lag50: (lag + 50*ms).Seconds(), Down: 0.1 * tickRate, HardUse: 400 * tickRate / 1000, Jain: 0.8}
		}
		f := finish(players)
		if f[Lag50] != want[Lag50] || math.Abs(f[Down]/want[Down]-1) > 0.01 || math.Abs(f[HardUse]/want[HardUse]-1) > 0.01 || math.Abs(f[Jain]-want[Jain]) > 0.001 {
			t.Errorf("shared %v: %+v, want %+v", shared, f, want)
		}
	}
}

func newLink(t *testing.T) *linksim.Link {
	t.Helper()
	l, err := linksim.NewLink(linksim.Condition{Delay: way})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestRecoveryAfterAGap(t *testing.T) {
	for _, test := range []struct{ gap, want time.Duration }{{time.Second, 2 * time.Second}, {2 * time.Second, 0}, {300 * ms, 0}} {
		f := play(func(_ *recorder, now time.Duration, p *linksim.Passage, f *rates.Frame) {
			end := 20*time.Second + test.gap
			if now > 20*time.Second && now < end {
				p.At = end + way
			}
			if now > 20*time.Second && now < end+way+2*time.Second {
				f.Shown, f.View = f.Shown-200*ms, f.View-200*ms
			}
		})
		if math.Abs(f[Recovery]-test.want.Seconds()) > 2.0/tickRate {
			t.Errorf("after a gap of %v it took %v, want %v", test.gap, f[Recovery], test.want)
		}
	}
}

func TestFramesThatAreWrong(t *testing.T) {
	f := play(func(_ *recorder, now time.Duration, _ *linksim.Passage, f *rates.Frame) {
		switch {
		case now > 20*time.Second && now <= 21*time.Second:
			f.Off[rates.Flips] = 0.6
		case now > 21*time.Second && now <= 22*time.Second:
			f.Off[rates.Circle] = 0.6 // of 20 m/s
		case now > 22*time.Second && now <= 23*time.Second:
			f.Playing = false
			f.Stats.Reconnects = 1
		}
	})
	if math.Abs(f[Wrong]-2.0/30) > 0.001 || f[Reconnects] != 0 {
		t.Errorf("%v wrong and %v reconnects; want a fifteenth and, as none is left at the end, 0", f[Wrong], f[Reconnects])
	}
}

func TestHardTimes(t *testing.T) {
	r := &recorder{c: &Case{Length: length, Hard: hard{15 * time.Second, 25 * time.Second, 10_000}}, stamps: [][]time.Duration{nil}}
	for i := range 400 {
		now := time.Duration(i) * 100 * ms
		p := linksim.Passage{Sent: now, Begun: now, Left: now + 5*ms, At: now + way, Bytes: 800}
		if now >= 20*time.Second && now < 25*time.Second {
			p.Begun, p.Left, p.Bytes = now+20*ms, now+60*ms, 500
		}
		r.down(0, p)
		r.Frame(&rates.Frame{Now: now, Playing: true, Shown: now - lag, View: now - lag})
	}
	f := r.finish()
	if f[HardQueue95] != 0.060 || f[HardLongest] != 0.040 || math.Abs(f[HardUse]-0.5) > 0.02 || math.Abs(f[Regained]-1) > 0.05 || f[HardLag99] != lag.Seconds() {
		t.Errorf("%+v", f)
	}
}

// The worse of two values is kept for every figure, from either run.
func TestWorst(t *testing.T) {
	a := Figures{Lag95: 2, Missed: 0.1, Jain: 0.9, HardUse: 1, Regained: 1}
	b := Figures{Lag95: 1, Missed: 0.2, Jain: 1, HardUse: 0.5, Regained: 0.7}
	c := b
	b.worst(&a)
	a.worst(&c)
	if a != b || a[Lag95] != 2 || a[Missed] != 0.2 || a[Jain] != 0.9 || a[HardUse] != 0.5 || a[Regained] != 0.7 {
		t.Errorf("%+v and %+v", a, b)
	}
}

func TestMeasureIsRepeatable(t *testing.T) {
	for _, c := range Cases() {
		if c.Name != "handover" {
			continue
		}
		c.Length = 20 * time.Second
		a, b := Measure(&c, 5), Measure(&c, 5)
		if a != b {
			t.Errorf("%s: %+v and %+v", c.Name, a, b)
		}
		if other := Measure(&c, 6); other == a {
			t.Errorf("%s: another seed makes no difference", c.Name)
		}
	}
}
