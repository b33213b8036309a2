package prediction_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/prediction"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

func predictor(c prediction.Config[body, control]) *prediction.Predictor[body, control] {
	c.Step, c.Distance, c.Rules = step, distance, rules
	return prediction.NewPredictor(c)
}

func TestReconcile(t *testing.T) {
	// Ten ticks forward from 100: x grows by 0.1 per tick.
	run := func(c prediction.Config[body, control]) *prediction.Predictor[body, control] {
		p := predictor(c)
		p.Start(100, body{})
		for k := tick.Tick(100); k < 110; k++ {
			p.Advance(k, control{Move: 1})
		}
		return p
	}
	for _, test := range []struct {
		name    string
		config  prediction.Config[body, control]
		tick    tick.Tick
		x       float64
		outcome prediction.Outcome
		depth   int
		after   float64
		next    tick.Tick
	}{
		{"right", prediction.Config[body, control]{Tolerance: 1e-9}, 104, 0.4, prediction.Confirmed, 0, 1, 110},
		{"within the tolerance", prediction.Config[body, control]{Tolerance: 0.02}, 104, 0.41, prediction.Confirmed, 0, 1, 110},
		{"outside the tolerance", prediction.Config[body, control]{Tolerance: 0.02}, 104, 0.43, prediction.Corrected, 6, 1.03, 110},
		{"wrong at the present", prediction.Config[body, control]{Tolerance: 1e-9}, 110, 5, prediction.Corrected, 0, 5, 110},
		{"not a number", prediction.Config[body, control]{Tolerance: 1e-9}, 109, math.NaN(), prediction.Corrected, 1, math.NaN(), 110},
		{"from the future", prediction.Config[body, control]{}, 120, 7, prediction.Jumped, 0, 7, 120},
		{"at the start", prediction.Config[body, control]{}, 100, 3, prediction.Corrected, 10, 4, 110},
		{"before the start", prediction.Config[body, control]{}, 99, 3, prediction.Stale, 0, 1, 110},
		{"older than the history", prediction.Config[body, control]{History: 8}, 101, 3, prediction.Stale, 0, 1, 110},
		{"as old as the history", prediction.Config[body, control]{History: 8}, 102, 3, prediction.Corrected, 8, 3.8, 110},
	} {
		p := run(test.config)
		c := p.Reconcile(test.tick, body{X: test.x})
		same := func(a, b float64) bool { return math.Abs(a-b) < 1e-9 || math.IsNaN(a) && math.IsNaN(b) }
		if c.Outcome != test.outcome || c.Depth != test.depth || !same(c.After.X, test.after) || !same(c.Before.X, 1) {
			t.Errorf("%s: %v at depth %d from %v to %v, want %v at %d from 1 to %v", test.name, c.Outcome, c.Depth, c.Before.X, c.After.X, test.outcome, test.depth, test.after)
		}
		if !same(p.State().X, test.after) || p.Tick() != test.next {
			t.Errorf("%s: at %v in tick %d, want %v in %d", test.name, p.State().X, p.Tick(), test.after, test.next)
		}
		if again := p.Reconcile(test.tick, body{X: 99}); again.Outcome != prediction.Stale {
			t.Errorf("%s: the same tick again is %v, want stale", test.name, again.Outcome)
		}
	}
}

func TestCorrectedHistoryIsTheNewPrediction(t *testing.T) {
	p := predictor(prediction.Config[body, control]{Tolerance: 1e-9})
	p.Start(0, body{})
	for k := range tick.Tick(10) {
		p.Advance(k, control{Move: 1})
	}
	if c := p.Reconcile(3, body{X: 5}); c.Outcome != prediction.Corrected || c.Depth != 7 || c.Error != 4.7 {
		t.Errorf("%v at depth %d, off by %v, want corrected at 7, off by 4.7", c.Outcome, c.Depth, c.Error)
	}
	if c := p.Reconcile(7, body{X: 5.4}); c.Outcome != prediction.Confirmed {
		t.Errorf("the state four ticks after a correction is %v, off by %v: the history must be corrected, too", c.Outcome, c.Error)
	}
}

func TestSkippedTicksRepeatTheInput(t *testing.T) {
	p := predictor(prediction.Config[body, control]{})
	p.Start(10, body{})
	p.Advance(10, control{Move: 1, Press: 1})
	got := p.Advance(15, control{Move: -1, Press: 2}) // 11 to 14 are made up
	if math.Abs(got.X-0.4) > 1e-9 || got.Pressed != [8]uint16{1, 1} {
		t.Errorf("the state is %v, want x = 0.4 and each button pressed once", got)
	}
	for id, want := range map[tick.Tick]control{10: {1, 1}, 11: {Move: 1}, 14: {Move: 1}, 15: {-1, 2}} {
		if in, ok := p.Pending().At(id); !ok || in != want {
			t.Errorf("input %d is %v, %v, want %v: made-up inputs are sent, too", id, in, ok, want)
		}
	}
}

func TestFarSkipBeginsAnew(t *testing.T) {
	p := predictor(prediction.Config[body, control]{})
	p.Start(10, body{})
	p.Advance(10, control{Move: 1})
	got := p.Advance(5000, control{Move: 1})
	if math.Abs(got.X-0.2) > 1e-9 || p.Tick() != 5001 || p.Pending().Unacknowledged() != 1 {
		t.Errorf("at %v in tick %d with %d pending, want 0.2, 5001 and 1", got.X, p.Tick(), p.Pending().Unacknowledged())
	}
}

func TestAfterALongStallNothingIsRepeated(t *testing.T) {
	p := predictor(prediction.Config[body, control]{})
	p.Start(10, body{})
	p.Advance(10, control{Move: 1})
	p.Reconcile(900, body{X: 3}) // the server has continued without the client
	if got := p.Advance(905, control{Move: -1}); math.Abs(got.X-2.9) > 1e-9 {
		t.Errorf("at %v, want 2.9: the server took the neutral input", got.X)
	}
}

func TestClockThatWentBackKeepsSentInputs(t *testing.T) {
	p := predictor(prediction.Config[body, control]{})
	p.Start(0, body{})
	for k := range tick.Tick(20) {
		p.Advance(k, control{Move: 1})
	}
	if got := p.Advance(15, control{Move: -1, Press: 4}); math.Abs(got.X-1.6) > 1e-9 || p.Tick() != 16 {
		t.Errorf("at %v in tick %d, want 1.6 in 16: the server has input 15 already", got.X, p.Tick())
	}
	for k := tick.Tick(16); k < 20; k++ {
		p.Advance(k, control{Move: -1})
	}
	if got := p.Advance(20, control{Move: -1}); math.Abs(got.X-1.9) > 1e-9 || got.Pressed[2] != 1 {
		t.Errorf("state %v, want x = 1.9 and the press of the time in between", got)
	}
	if in, _ := p.Pending().At(20); in != (control{-1, 4}) {
		t.Errorf("input 20 is %v, want the press added to it", in)
	}
	// The clock goes back, and ahead again beyond the inputs that were sent.
	p.Advance(18, control{})
	if got := p.Advance(23, control{}); math.Abs(got.X-1.7) > 1e-9 || p.Tick() != 24 {
		// 19: +1, 20: -1, 21 and 22: -1 repeated, 23: 0
		t.Errorf("at %v in tick %d, want 1.7 in 24", got.X, p.Tick())
	}
}

func TestPredictorMisuse(t *testing.T) {
	for name, f := range map[string]func(){
		"Advance before Start": func() { predictor(prediction.Config[body, control]{}).Advance(0, control{}) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s did not panic", name)
				}
			}()
			f()
		}()
	}
}

func TestReconcileBeforeStartStarts(t *testing.T) {
	p := predictor(prediction.Config[body, control]{})
	if p.Started() {
		t.Error("started before any state")
	}
	c := p.Reconcile(7, body{X: 2})
	if !p.Started() || c.Outcome != prediction.Jumped || c.Before != c.After || p.Tick() != 7 || p.State().X != 2 {
		t.Errorf("%v at tick %d, state %v, from %v to %v", c.Outcome, p.Tick(), p.State(), c.Before, c.After)
	}
}

func TestClockThatWentBackTooFarBeginsAnew(t *testing.T) {
	for _, test := range []struct {
		to    tick.Tick
		jumps bool
	}{{4, false}, {3, true}} { // 4 is the last confirmed tick: nothing before it can change
		p := predictor(prediction.Config[body, control]{})
		p.Start(0, body{})
		for k := range tick.Tick(10) {
			p.Advance(k, control{Move: 1})
		}
		p.Reconcile(4, body{X: 8})
		x := p.State().X
		p.Advance(test.to, control{Move: -1})
		want := 8.1 // with input 4 as it was
		if test.jumps {
			want = x - 0.1
		}
		if got := p.State().X; math.Abs(got-want) > 1e-9 || p.Tick() != test.to+1 {
			t.Errorf("back to %d: at %v in tick %d, want %v", test.to, got, p.Tick(), want)
		}
	}
}

// The predictor must agree with a naive model, which keeps the last authoritative state and
// everything since, and replays all of it each time.
func TestPredictorReplaysTheTruth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const history = 16
		p := predictor(prediction.Config[body, control]{History: history})
		start := tick.Tick(rapid.Uint32().Draw(t, "start"))
		p.Start(start, body{})
		// All relative to start.
		base, known := 0, body{} // the last authoritative state
		now, next := 0, 0
		inputs := map[int]control{}
		oldest := 0
		carry := uint8(0)
		latest, taken := 0, false
		// truth replays the inputs since the last authoritative state.
		truth := func(upTo int) body {
			b := known
			for k := base; k < upTo; k++ {
				b = step(b, inputs[k], 0)
			}
			return b
		}
		advance := func(in control) {
			if now < next {
				carry |= in.Press
			} else {
				in.Press |= carry
				carry = 0
				inputs[now] = in
				next = now + 1
			}
			now++
			oldest = max(oldest, now-history)
		}
		draw := func(t *rapid.T) control {
			return control{Move: int8(rapid.IntRange(-1, 1).Draw(t, "move")), Press: uint8(rapid.IntRange(0, 255).Draw(t, "press"))}
		}
		t.Repeat(map[string]func(*rapid.T){
			"advance": func(t *rapid.T) {
				in := draw(t)
				p.Advance(start.Add(now), in)
				advance(in)
			},
			"skip": func(t *rapid.T) {
				in, n := draw(t), rapid.IntRange(1, history).Draw(t, "ticks")
				p.Advance(start.Add(now+n), in)
				for range n {
					if now == next {
						inputs[now] = control{Move: inputs[now-1].Move}
						next++
					}
					now++
					oldest = max(oldest, now-history)
				}
				advance(in)
			},
			"back": func(t *rapid.T) {
				if now == oldest {
					t.Skip("nowhere to go")
				}
				in, to := draw(t), rapid.IntRange(oldest, now-1).Draw(t, "to")
				p.Advance(start.Add(to), in)
				now = to
				advance(in)
			},
			"reconcile": func(t *rapid.T) {
				k := rapid.IntRange(oldest-2, now).Draw(t, "tick")
				var b body
				valid := k >= oldest && !(taken && k <= latest)
				if valid {
					b = truth(k)
					if rapid.Bool().Draw(t, "wrong") {
						b.X += 1
					}
				}
				c := p.Reconcile(start.Add(k), b)
				if (c.Outcome == prediction.Stale) == valid {
					t.Fatalf("state %d of %d..%d, latest %d, is %v", k, oldest, now, latest, c.Outcome)
				}
				if valid {
					base, known, latest, taken, oldest = k, b, k, true, k
				}
			},
			"": func(t *rapid.T) {
				if p.Tick() != start.Add(now) {
					t.Fatalf("tick %d, want %d", p.Tick().Sub(start), now)
				}
				if got, want := p.State(), truth(now); distance(got, want) > 1e-9 {
					t.Fatalf("state %v at tick %d, want %v", got, now, want)
				}
			},
		})
	})
}

// Values that Step finds in other places than its arguments can change for ticks that are predicted
// already. Invalidate makes the next reconciliation predict those ticks again, and no others.
func TestInvalidTicksArePredictedAgain(t *testing.T) {
	for _, test := range []struct {
		from  tick.Tick // that the value changes in
		depth int
	}{{0, 7}, {5, 7}, {8, 4}, {11, 1}, {12, 0}, {20, 0}} {
		values, steps := [30]float64{}, 0
		p := prediction.NewPredictor(prediction.Config[body, control]{
			Step: func(b body, _ control, t tick.Tick) body {
				steps++
				b.X += 1 + values[t]
				return b
			},
			Distance: distance, Tolerance: 1e-9,
		})
		p.Start(0, body{})
		for k := range tick.Tick(12) {
			p.Advance(k, control{})
		}
		truth := 5.0
		for k := range values {
			if tick.Tick(k) >= test.from {
				values[k] = 100
				if k < 5 {
					truth += 100
				}
			}
		}
		p.Reconcile(0, body{})
		p.Invalidate(20)
		p.Invalidate(test.from)
		p.Invalidate(20)
		steps = 0
		p.Reconcile(0, body{}) // a stale one
		if c := p.Reconcile(5, body{X: truth}); c.Depth != test.depth || steps != test.depth {
			t.Errorf("a value that has changed in tick %d: %d ticks in %d steps are replayed, want %d", test.from, c.Depth, steps, test.depth)
		}
		want := truth
		for k := 5; k < 12; k++ {
			want += 1 + values[k]
		}
		if got := p.State().X; got != want {
			t.Errorf("a value that has changed in tick %d: the prediction is %v, want %v", test.from, got, want)
		}
		steps = 0
		if c := p.Reconcile(6, body{X: truth + 1 + values[5]}); c.Outcome != prediction.Confirmed || steps != 0 {
			t.Errorf("a value that has changed in tick %d: the next state is %v, after %d steps", test.from, c.Outcome, steps)
		}
	}
}
