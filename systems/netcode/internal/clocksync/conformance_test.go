package clocksync

import (
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// The numbered cases are those of the netcode's conformance suite. Unless stated otherwise, each
// runs a whole client and a whole server over a link of 100 +- 10 ms each way, with 60 ticks, 60
// frames and 30 snapshots a second. Each has 20 seeds, of which the worst counts.

const seeds = 20

// Conformance case 1: host mode. Without delay and loss no input may be missed, and the lead is the
// cost of the frames.
func TestCase1HostMode(t *testing.T) {
	for _, delay := range []time.Duration{0, ms} {
		w := newWorld(t, 1)
		w.client.SetRedundancy(1)
		w.redundancy = 1
		w.up.Delay, w.up.Jitter, w.down.Delay, w.down.Jitter = delay, 0, delay, 0
		w.start()
		w.Run(time.Minute)
		missed, total := w.missed(w.first, w.server(w.Now)-time.Second)
		if missed > 0 || total < 3500 {
			t.Errorf("delay %v: %d of %d inputs missed", delay, missed, total)
		}
		if lead := w.client.Stats().Lead; lead > delay+20*ms {
			t.Errorf("delay %v: a lead of %v, want little more than a frame", delay, lead)
		}
		if len(w.jumps) != 1 {
			t.Errorf("delay %v: %+v", delay, w.jumps)
		}
	}
}

// viewError returns the error of the view for a world with a fixed delay.
func viewError(w *world, view, truth time.Duration) time.Duration {
	return (view - (truth - w.view.Delay())).Abs()
}

// Conformance case 11: 500 ppm. Half an hour, error at most 5 ms after ten seconds, stretch within
// 0.2 % of 1 in the median.
func TestCase11HalfAnHourOf500PPM(t *testing.T) {
	for _, ppm := range []float64{500, -500} {
		var worst time.Duration
		var stretches []float64
		for seed := uint64(1); seed <= seeds; seed++ {
			w := newWorld(t, seed)
			w.ppm, w.fixedDelay = ppm, 150*ms
			w.onStep = func(view, truth time.Duration) {
				if w.Now < 10*time.Second {
					return
				}
				worst = max(worst, viewError(w, view, truth))
				stretches = append(stretches, math.Abs(w.client.simulation.stretch-1-w.client.Reference().Drift()))
			}
			w.start()
			length := time.Minute
			if seed == 1 && !testing.Short() {
				length = 30 * time.Minute
			}
			w.Run(length)
			if len(w.jumps) != 1 || len(w.changes) != 0 {
				t.Errorf("%+v ppm, seed %d: %v %v", ppm, seed, w.jumps, w.changes)
			}
		}
		slices.Sort(stretches)
		median := stretches[len(stretches)/2]
		t.Logf("%+v ppm: worst view-time error %v, median of the stretch %.3f %% off", ppm, worst, 100*median)
		if worst > 5*ms || median > 0.002 {
			t.Errorf("%+v ppm: view-time error %v, median stretch off by %v", ppm, worst, median)
		}
	}
}

// Conformance case 12: 2000 ppm, two minutes, from the first drawn frame on. The view-time error's
// 99th percentile stays under 10 ms.
func TestCase12At2000PPM(t *testing.T) {
	for _, ppm := range []float64{2000, -2000} {
		for _, loss := range []float64{0, 0.15} {
			if ppm < 0 && loss > 0 {
				continue
			}
			var p99, worst time.Duration
			for seed := uint64(1); seed <= seeds; seed++ {
				w := newWorld(t, seed)
				w.ppm, w.fixedDelay = ppm, 150*ms
				w.up.Loss, w.down.Loss = loss, loss
				var errors []time.Duration
				w.onStep = func(view, truth time.Duration) { errors = append(errors, viewError(w, view, truth)) }
				w.start()
				w.Run(2 * time.Minute)
				slices.Sort(errors)
				p99 = max(p99, errors[len(errors)*99/100])
				worst = max(worst, errors[len(errors)-1])
			}
			t.Logf("%+v ppm, loss %v: view-time error p99 %v, worst %v", ppm, loss, p99, worst)
			if p99 > 10*ms {
				t.Errorf("%+v ppm, loss %v: the view-time error's 99th percentile is %v", ppm, loss, p99)
			}
		}
	}
}

// Conformance case 13: a change of route. The view has its final lag, within 10 ms, after at most
// 2.5 s if the link became slower and 12 s if it became quicker. Inputs are in time again within a
// second. (The delay follows the lateness of the last 2 s here.)
func TestCase13RouteChange(t *testing.T) {
	for _, test := range []struct {
		up, down time.Duration
		loss     float64
		within   time.Duration
	}{
		{100 * ms, 100 * ms, 0, 2500 * ms},
		{0, 100 * ms, 0, 2500 * ms},
		{0, 100 * ms, 0.15, 2500 * ms},
		{100 * ms, 0, 0, 2500 * ms},
		{-100 * ms, -100 * ms, 0, 12 * time.Second},
		{0, -100 * ms, 0, 12 * time.Second},
		{0, -100 * ms, 0.15, 12 * time.Second},
		{-100 * ms, 0, 0, 12 * time.Second},
	} {
		var settled, late time.Duration
		slowest, fastest := 1.0, 1.0
		for seed := uint64(1); seed <= seeds; seed++ {
			w := newWorld(t, seed)
			w.up.Delay, w.down.Delay = 150*ms, 150*ms
			w.up.Loss, w.down.Loss = test.loss, test.loss
			w.start()
			w.Run(30 * time.Second)
			change := w.Now
			type point struct{ at, lag time.Duration }
			var points []point
			last := w.view.Time()
			w.onStep = func(view, truth time.Duration) {
				points = append(points, point{w.Now - change, truth - view})
				slowest, fastest = min(slowest, w.view.Rate()), max(fastest, w.view.Rate())
				if view < last {
					t.Fatalf("%+v, seed %d: the view ran back by %v", test, seed, last-view)
				}
				last = view
				if w.meter.age < 0 {
					late = max(late, w.Now-change)
				}
			}
			w.up.Delay += test.up
			w.down.Delay += test.down
			w.Run(change + 24*time.Second)
			var sum, n time.Duration
			for _, p := range points {
				if p.at > 14*time.Second {
					sum, n = sum+p.lag, n+1
				}
			}
			for _, p := range points {
				if (p.lag - sum/n).Abs() > 10*ms {
					settled = max(settled, p.at)
				}
			}
			// The clock jumps ahead after inputs have been late for 200 ms.
			if n := len(w.jumps); n > 2 || n == 2 && (test.up <= 0 || w.jumps[1].Ticks < 1 || w.jumps[1].Ticks > 15) {
				t.Errorf("%+v, seed %d: %v", test, seed, w.jumps)
			}
		}
		t.Logf("%+v: the view settles within %v at rates of %.3f to %.3f, inputs are late for %v", test, settled, slowest, fastest, late)
		if settled > test.within {
			t.Errorf("%+v: settled within %v", test, settled)
		}
		if slowest < 0.9 || fastest > 1.1 {
			t.Errorf("%+v: rates of %v to %v", test, slowest, fastest)
		}
		if late > time.Second {
			t.Errorf("%+v: inputs are late for %v", test, late)
		}
	}
}

// Conformance case 15: a jump of the wall clock has no effect, because nothing here can read one.
func TestCase15NothingReadsAClock(t *testing.T) {
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	readers := []string{"Now", "Since", "Until", "Sleep", "After", "Tick", "NewTimer", "NewTicker", "AfterFunc"}
	checked := 0
	for _, file := range files {
		if !strings.HasSuffix(file.Name(), ".go") || strings.HasSuffix(file.Name(), "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		checked++
		ast.Inspect(parsed, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok && x.Name == "time" && slices.Contains(readers, s.Sel.Name) {
					t.Errorf("%s uses time.%s", file.Name(), s.Sel.Name)
				}
			}
			return true
		})
	}
	if checked < 10 {
		t.Errorf("only %d files were checked", checked)
	}
}

// Conformance case 15, the epochs of the monotonic clocks: they have no effect. The same run with
// another epoch gives the same clocks, to the nanosecond.
func TestCase15EpochsDoNotMatter(t *testing.T) {
	run := func(epoch time.Duration) (view, offset time.Duration, stats Stats) {
		w := newWorld(t, 3)
		w.localEpoch = epoch
		w.start()
		w.Run(time.Minute)
		return w.view.Time(), w.client.reference.Offset(w.local(w.Now)), w.client.Stats()
	}
	view, offset, stats := run(0)
	for _, epoch := range []time.Duration{time.Hour, 10_000 * time.Hour} {
		v, o, s := run(epoch)
		if v != view || o+epoch != offset || s != stats {
			t.Errorf("epoch %v: view %v, offset %v, %+v; want %v, %v, %+v", epoch, v, o, s, view, offset-epoch, stats)
		}
	}
}

// Conformance case 24, the clock's share: at 15 % loss with each input in four packets, at most 0.1
// % are missed (0.05 % are lost in all four). The path need not be symmetric.
func TestCase24InputsArriveInTime(t *testing.T) {
	for _, test := range []struct {
		name     string
		up, down time.Duration
		jitter   time.Duration
		loss     float64
		n        int
		frame    time.Duration
	}{
		{"base", 100 * ms, 100 * ms, 10 * ms, 0, 3, frame},
		{"the seeds' condition", 100 * ms, 100 * ms, 10 * ms, 0.15, 4, frame},
		{"150 up, 50 down", 150 * ms, 50 * ms, 10 * ms, 0, 3, frame},
		{"50 up, 150 down", 50 * ms, 150 * ms, 10 * ms, 0, 3, frame},
		{"150 up, 50 down, lossy", 150 * ms, 50 * ms, 10 * ms, 0.15, 4, frame},
		{"jittery", 100 * ms, 100 * ms, 50 * ms, 0, 3, frame},
		{"local network", ms, ms, 100 * time.Microsecond, 0, 1, frame},
		{"144 frames a second", 100 * ms, 100 * ms, 10 * ms, 0, 3, time.Second / 144},
		{"50 frames a second", 100 * ms, 100 * ms, 10 * ms, 0, 3, time.Second / 50},
		{"8 frames a second", 100 * ms, 100 * ms, 10 * ms, 0, 3, 125 * ms},
	} {
		missed, total, least, most := 0, 0, time.Hour, time.Duration(0)
		for seed := uint64(1); seed <= seeds; seed++ {
			w := newWorld(t, seed)
			w.client.SetRedundancy(test.n)
			w.redundancy, w.frame = test.n, test.frame
			w.up.Delay, w.down.Delay = test.up, test.down
			w.up.Jitter, w.down.Jitter = test.jitter, test.jitter
			w.up.Loss, w.down.Loss = test.loss, test.loss
			w.start()
			w.Run(10 * time.Second)
			from := w.newest
			w.Run(40 * time.Second)
			m, n := w.missed(from, w.server(w.Now)-time.Second)
			missed, total = missed+m, total+n
			least, most = min(least, w.meter.age), max(most, w.meter.age)
			if len(w.jumps) != 1 {
				t.Errorf("%s, seed %d: %+v", test.name, seed, w.jumps)
			}
		}
		share := float64(missed) / float64(total)
		t.Logf("%s: %.3f %% missed, inputs are %v to %v early in the end", test.name, 100*share, least, most)
		if share > 0.001 || total < seeds*1500 {
			t.Errorf("%s: %d of %d inputs missed", test.name, missed, total)
		}
	}
}
