package prediction_test

import (
	"cmp"
	"math"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/prediction"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

// cheat is a way in which a client on ticks tries to be faster.
type cheat struct {
	name string
	// newest returns the newest tick of packet i of n that the client sends before the server runs
	// a tick.
	newest func(next tick.Tick, k int64, i, n int) tick.Tick
}

var cheats = []cheat{
	{"a fast clock", func(_ tick.Tick, k int64, i, n int) tick.Tick { return tick.Tick(k*int64(n) + int64(i) + 5) }},
	{"as far ahead as allowed", func(next tick.Tick, _ int64, i, n int) tick.Tick {
		return next.Add(prediction.Ahead - n + i)
	}},
	{"one tick again and again", func(next tick.Tick, _ int64, _, _ int) tick.Tick { return next.Add(1) }},
	{"always too far ahead", func(next tick.Tick, _ int64, i, _ int) tick.Tick { return next.Add(prediction.Ahead + i) }},
	{"always too late", func(next tick.Tick, _ int64, i, _ int) tick.Tick { return next.Add(-1 - i) }},
}

func TestCase26SpeedHackOnTicks(t *testing.T) {
	for _, times := range []int{2, 10, 1000} {
		for _, c := range cheats {
			b := prediction.NewBuffer(0, prediction.BufferConfig[control]{Rules: rules})
			state, kicked := body{}, int64(-1)
			p := prediction.NewPending[control](0)
			var inputs prediction.Inputs[control]
			for k := int64(0); k < 10*second; k++ {
				for i := range times {
					if !b.Admit() { // before decoding, so that refusing is cheap
						continue
					}
					p.Reset()
					p.Push(c.newest(b.Tick(), k, i, times), control{Move: 1, Press: uint8(i)})
					decode(t, encode(p), &inputs)
					b.Receive(&inputs, grid.Edge(k))
				}
				in, _ := b.Next()
				state = step(state, in, tick.Tick(k))
				if b.Kick() && kicked < 0 {
					kicked = k
				}
			}
			if limit := 1.01 * speed * 10; state.X > limit {
				t.Errorf("%s, %d times: ran %.2f m in 10 s, want at most %.1f", c.name, times, state.X, limit)
			}
			st := b.Stats()
			if st.Excess == 0 && times > 2 {
				t.Errorf("%s, %d times: nothing counted as excess: %+v", c.name, times, st)
			}
			if times > 2 && (kicked < 0 || kicked > 3*second) {
				t.Errorf("%s, %d times: kicked at tick %d, want within 3 s", c.name, times, kicked)
			}
		}
	}
}

func TestCase26SpeedHackOnArrival(t *testing.T) {
	for _, times := range []int{1, 2, 10, 1000} {
		a := prediction.NewArrivals(prediction.ArrivalConfig[control]{Rules: rules})
		state, id, kicked := body{}, tick.Tick(math.MaxUint32-100), int64(-1)
		for k := int64(0); k < 10*second; k++ {
			now := grid.Edge(k)
			for range times {
				a.Put(id, control{Move: 1})
				id++
			}
			state = drain(a, state, now, grid.Edge(k/3*3+3))
			if a.Kick() && kicked < 0 {
				kicked = k
			}
		}
		if limit := 1.01 * speed * 10; state.X > limit || state.X < 0.98*speed*10 {
			t.Errorf("%d times: ran %.2f m in 10 s, want at most %.1f, and no less than others", times, state.X, limit)
		}
		st := a.Stats()
		if a.Waiting() > 6 {
			t.Errorf("%d times: %d inputs wait, want at most 6", times, a.Waiting())
		}
		if want := uint64((times - 1) * 10 * second); st.Dropped+st.Shed+10 < want || st.Dropped > want {
			t.Errorf("%d times: dropped %d and shed %d, want all but 600: %d", times, st.Dropped, st.Shed, want)
		}
		if (times > 1) != (kicked >= 0) {
			t.Errorf("%d times: kicked at tick %d", times, kicked)
		}
		last, _ := a.Last()
		if behind := int(id.Sub(last)); behind > 7*times {
			t.Errorf("%d times: the last id is %d behind, want at most what came in 7 ticks: dropped inputs are done with", times, behind)
		}
	}
}

// drain runs the inputs that may run now, and returns the state after them.
func drain(a *prediction.Arrivals[control], state body, now, horizon time.Duration) body {
	a.Advance(now, horizon)
	for {
		in, ok := a.Next()
		if !ok {
			return state
		}
		state = step(state, in, 0)
	}
}

// After a silence of 10 s, 300 inputs arrive one packet after another, in one tick of the server.
// The player must not move further than its bank allows.
func TestCase27TimeBanking(t *testing.T) {
	burst := func(a *prediction.Arrivals[control], length time.Duration, n int) (moved, after float64) {
		silence := length + 10*time.Second // after one input
		step := func(now, horizon time.Duration) (x float64) {
			a.Advance(now, horizon)
			for {
				in, ok := a.Next()
				if !ok {
					return x
				}
				x += float64(in.Move) * length.Seconds() * speed
			}
		}
		a.Put(0, control{})
		for k := range int64(10 * second) {
			step(grid.Edge(k), grid.Edge(k/6*6+6))
		}
		for i := range n {
			a.Put(tick.Tick(1+i), control{Move: 1})
		}
		moved = step(silence, silence+100*ms)
		for k := int64(10*second + 8); k < 20*second; k++ {
			after += step(grid.Edge(k), grid.Edge(k/6*6+6))
		}
		return moved, after
	}
	for _, test := range []struct {
		name   string
		config prediction.ArrivalConfig[control]
		inputs int
		moved  float64 // in the tick that processes the burst
		later  float64 // at most, in the 10 s that follow
	}{
		{"60 Hz", prediction.ArrivalConfig[control]{Rules: rules}, 300, 0.6, 0.6},
		{"30 Hz", prediction.ArrivalConfig[control]{Rules: rules, Step: time.Second / 30}, 300, 0.6, 0.6},
		{"the article's 33 ms", prediction.ArrivalConfig[control]{Rules: rules, Step: 33 * ms}, 300, 3 * 0.033 * speed, 0.6},
		// The rule as published fails: 306 inputs run at once.
		{"the article's rule", prediction.ArrivalConfig[control]{Step: 33 * ms, Bank: prediction.Unlimited}, 400, 60.588, 100},
	} {
		test.config.Step = cmp.Or(test.config.Step, time.Second/60)
		a := prediction.NewArrivals(test.config)
		moved, later := burst(a, test.config.Step, test.inputs)
		t.Logf("%s: %d inputs after 10 s of silence move %.3f m in one tick, %.3f m later", test.name, test.inputs, moved, later)
		if math.Abs(moved-test.moved) > 1e-6 || later > test.later+1e-6 {
			t.Errorf("%s: moved %.4f m at once and %.4f m later, want %.4f and at most %.1f", test.name, moved, later, test.moved, test.later)
		}
	}
	// On ticks no time can be saved up: of the 300 inputs only those whose tick is reached run, one
	// in each tick.
	b := prediction.NewBuffer(0, prediction.BufferConfig[control]{Rules: rules})
	b.Put(0, control{})
	for range 10 * second {
		b.Next()
	}
	next := b.Tick()
	for i := range 300 {
		b.Put(next.Add(i-268), control{Move: 1})
	}
	if in, source := b.Next(); in.Move != 1 || source != prediction.Received {
		t.Errorf("the tick of the burst ran %v from %v, want one input", in, source)
	}
}

func TestCheatingAllocatesNothing(t *testing.T) {
	b := prediction.NewBuffer(0, prediction.BufferConfig[control]{Rules: rules})
	a := prediction.NewArrivals(prediction.ArrivalConfig[control]{Rules: rules})
	k, id := int64(0), tick.Tick(0)
	step := func() {
		for i := range 100 {
			b.Put(b.Tick().Add(i-50), control{Move: 1, Press: 1})
			a.Put(id, control{Move: 1, Press: 1})
			id++
		}
		b.Next()
		a.Advance(grid.Edge(k), grid.Edge(k+3))
		for {
			if _, ok := a.Next(); !ok {
				break
			}
		}
		k++
	}
	for range 100 {
		step()
	}
	if allocs := testing.AllocsPerRun(100, step); allocs != 0 {
		t.Errorf("%v allocations per tick of a cheater, want 0", allocs)
	}
}
