package prediction_test

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/prediction"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

func newArrivals(t testing.TB, c prediction.ArrivalConfig[control]) *prediction.Arrivals[control] {
	t.Helper()
	c.Rules = rules
	return prediction.NewArrivals(c)
}

func count(a *prediction.Arrivals[control]) (n int) {
	for {
		if _, ok := a.Next(); !ok {
			return n
		}
		n++
	}
}

func TestInputsBeyondTheNextNetworkTickArePostponed(t *testing.T) {
	a := newArrivals(t, prediction.ArrivalConfig[control]{Step: 20 * ms})
	for id := range tick.Tick(5) {
		a.Put(id, control{Move: 1})
	}
	a.Advance(0, 50*ms)
	if got := count(a); got != 2 { // the third would end at 60 ms
		t.Errorf("%d ran before the network tick at 50 ms, want 2", got)
	}
	if last, ok := a.Last(); !ok || last != 1 || a.Delta(50*ms) != 10*ms || a.Waiting() != 3 {
		t.Errorf("last %d, %v, state %v old, %d waiting, want 1, 10 ms and 3", last, ok, a.Delta(50*ms), a.Waiting())
	}
	a.Advance(50*ms, 100*ms)
	if got := count(a); got != 3 || a.Delta(100*ms) != 0 {
		t.Errorf("%d ran before the next, the state is %v old, want 3 and 0", got, a.Delta(100*ms))
	}
}

func TestDeltaCarriesTheAgeOfTheState(t *testing.T) {
	a := newArrivals(t, prediction.ArrivalConfig[control]{Step: 10 * ms, Bank: 10})
	if _, ok := a.Last(); ok || a.Delta(time.Second) != 0 {
		t.Error("a last id or an age before the first input")
	}
	a.Put(0, control{})
	a.Advance(time.Second, time.Second+50*ms)
	count(a)
	// The player's clock stands at 1.01 s: no further input has arrived.
	for _, test := range []struct{ now, want time.Duration }{{1050, 40}, {1100, 90}, {1150, 100}, {9000, 100}} {
		a.Advance(test.now*ms, test.now*ms)
		if got := a.Delta(test.now * ms); got != test.want*ms {
			t.Errorf("at %v the state is %v old, want %v: no more than the bank", test.now*ms, got, test.want*ms)
		}
	}
	if got, want := a.Stats().Forfeited, (9000-100-1010)*ms; got != want {
		t.Errorf("%v forfeited, want %v", got, want)
	}
}

func TestArrivalsRunEachIDOnce(t *testing.T) {
	a := newArrivals(t, prediction.ArrivalConfig[control]{Step: 10 * ms, Bank: 50})
	for _, id := range []tick.Tick{math.MaxUint32 - 1, math.MaxUint32, math.MaxUint32, 1, 0, 0, math.MaxUint32 - 1, 2} {
		a.Put(id, control{Move: int8(1), Press: 1 << (id % 8)})
	}
	a.Put(2000, control{Press: 0xff})           // too far ahead to be true
	a.Put(math.MaxUint32-2000, control{})       // and too far behind
	a.Put(math.MaxUint32-300, control{Move: 1}) // old
	a.Advance(0, 500*ms)
	var state body
	for {
		in, ok := a.Next()
		if !ok {
			break
		}
		state = step(state, in, 0)
	}
	s := a.Stats()
	if s.Run != 4 || s.Duplicate != 4 || s.Late != 1 || s.Invalid != 2 {
		t.Errorf("statistics are %+v, want 4 run, 4 duplicate, 1 late, 2 invalid", s)
	}
	if want := [8]uint16{1, 1, 1, 0, 0, 0, 1, 1}; state.Pressed != want {
		t.Errorf("pressed %v, want %v: the press of the overtaken input runs, too", state.Pressed, want)
	}
}

func TestDroppedInputsLoseNoPressAndCountAsDone(t *testing.T) {
	a := newArrivals(t, prediction.ArrivalConfig[control]{Step: 10 * ms, Bank: 3})
	for id := range tick.Tick(8) {
		a.Put(id, control{Press: 1 << id})
	}
	a.Advance(0, 100*ms)
	var state body
	for {
		in, ok := a.Next()
		if !ok {
			break
		}
		state = step(state, in, 0)
	}
	if want := [8]uint16{1, 1, 1, 1, 1, 1, 1, 1}; state.Pressed != want {
		t.Errorf("pressed %v, want each once", state.Pressed)
	}
	if last, _ := a.Last(); last != 7 || a.Stats().Dropped != 5 || a.Stats().Run != 3 || a.Stats().Excess != 0 {
		t.Errorf("the last id is %d, statistics %+v, want 7, with 3 run and 5 dropped", last, a.Stats())
	}
}

// A machine that stalls sends its delayed inputs in a burst, which must not count as excess. The
// same bursts must count if they are more than one input per step.
func TestBurstsAreNoExcessByThemselves(t *testing.T) {
	for _, burst := range []int{10, 60, 90, 100} {
		// The first three bursts arrive in the time of as many steps as they have inputs, the last
		// in that of 60.
		a := newArrivals(t, prediction.ArrivalConfig[control]{})
		every, id := min(burst, 60), tick.Tick(0)
		if burst == 90 {
			every = 90
		}
		for k := range 60 * second {
			if k%every == every-1 {
				for range burst {
					a.Put(id, control{})
					id++
				}
			}
			drain(a, body{}, grid.Edge(int64(k)), grid.Edge(int64(k+1)))
		}
		if s := a.Stats(); a.Kick() != (burst == 100) || (s.Excess > 0) != (burst == 100) || s.Dropped == 0 {
			t.Errorf("%d every %d steps: kick %v, %+v", burst, every, a.Kick(), s)
		}
	}
}

func TestStandingQueueIsShed(t *testing.T) {
	run := func() (waiting int, s prediction.ArrivalStats) {
		a := newArrivals(t, prediction.ArrivalConfig[control]{Step: 10 * ms, Bank: 10})
		id := tick.Tick(0)
		put := func(n int) {
			for range n {
				a.Put(id, control{Move: 1})
				id++
			}
		}
		put(1)
		for k := range 300 {
			now := time.Duration(k) * 10 * ms
			if k == 10 {
				put(16) // a burst: the saved inputs, and six more
			}
			put(1)
			a.Advance(now, now+10*ms)
			count(a)
		}
		if last, _ := a.Last(); int(id.Sub(last)) != a.Waiting()+1 {
			t.Errorf("the last id is %d of %d with %d waiting", last, id, a.Waiting())
		}
		return a.Waiting(), a.Stats()
	}
	if waiting, s := run(); waiting != 0 || s.Shed == 0 {
		t.Errorf("%d wait at the end, %d shed, want none to wait for ever", waiting, s.Shed)
	}
}

func TestShedInputsCountAsDone(t *testing.T) {
	a := newArrivals(t, prediction.ArrivalConfig[control]{Step: 10 * ms, Bank: 6})
	for id := range tick.Tick(6) {
		a.Put(id, control{Press: 1 << id})
	}
	for now := range time.Duration(3) { // no call of Next meanwhile
		a.Advance(now*time.Second, now*time.Second)
	}
	if last, _ := a.Last(); last != 5 || a.Waiting() != 0 || a.Stats().Shed != 6 {
		t.Errorf("the last id is %d with %d waiting and %d shed, want 5, 0 and 6", last, a.Waiting(), a.Stats().Shed)
	}
	a.Put(6, control{})
	if in, ok := a.Next(); !ok || in.Press != 0x3f {
		t.Errorf("the next ran as %v, %v, want all presses in it", in, ok)
	}
}

// For any inputs at any times, the player must not run faster than the clock plus its bank. Ids
// must run in order and once, and the counters must account for all of them.
func TestArrivalsNeverOutrunTheClock(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bank := rapid.IntRange(1, 20).Draw(t, "bank")
		c := prediction.ArrivalConfig[control]{Step: 10 * ms, Bank: bank, Rules: rules}
		a := prediction.NewArrivals(c)
		now, horizon := time.Duration(0), time.Duration(0)
		id, put := tick.Tick(rapid.Uint32().Draw(t, "first id")), 0
		var times []time.Duration // when inputs ran
		t.Repeat(map[string]func(*rapid.T){
			"put": func(t *rapid.T) {
				for range rapid.IntRange(1, 40).Draw(t, "n") {
					a.Put(id, control{Move: 1})
					id++
					put++
				}
			},
			"advance": func(t *rapid.T) {
				now += time.Duration(rapid.IntRange(0, 300).Draw(t, "ms")) * ms
				for horizon < now {
					horizon += 50 * ms
				}
				a.Advance(now, horizon)
				n := count(a)
				if n > bank {
					t.Fatalf("%d ran at once with a bank of %d", n, bank)
				}
				for range n {
					times = append(times, horizon)
				}
			},
			"": func(t *rapid.T) {
				// In any stretch of time at most its steps and the bank run.
				for i := range times {
					if n, limit := len(times)-i, int((horizon-times[i])/c.Step)+bank; n > limit {
						t.Fatalf("%d ran in %v, want at most %d", n, horizon-times[i], limit)
					}
				}
				s := a.Stats()
				if int(s.Run+s.Dropped+s.Shed)+a.Waiting() != put || a.Waiting() > bank || int(s.Run) != len(times) {
					t.Fatalf("%+v and %d waiting of %d sent", s, a.Waiting(), put)
				}
			},
		})
	})
}

// The article's own setting, corrected: inputs at 30 Hz over a bad path, and states each 100 ms
// with the last id. The client drops the inputs that have run and replays the rest.
func TestArrivalModeOverALink(t *testing.T) {
	for _, condition := range []string{base, base + " ordered", base + " loss=15%"} {
		worstWrong, worstShed, worstAge := 0, 0.0, time.Duration(0)
		for seed := range uint64(seeds) {
			p := path(t, condition, seed)
			up, down, err := p.Links()
			if err != nil {
				t.Fatal(err)
			}
			a := newArrivals(t, prediction.ArrivalConfig[control]{Step: time.Second / 30, Bank: 6})
			client := prediction.NewPredictor(prediction.Config[body, control]{Step: step, Distance: distance, Tolerance: 1e-9, Rules: rules})
			client.Start(0, body{})
			var server, sent body
			var inputs prediction.Inputs[control]
			wrong, now := 0, time.Duration(0)
			for k := int64(0); k < 60*second; k++ { // the server runs at 60 Hz
				now = grid.Edge(k)
				for {
					datagram, _, ok := up.Pop(now)
					if !ok {
						break
					}
					if !a.Admit() {
						t.Fatalf("an honest packet was refused (%v)", p)
					}
					decode(t, datagram, &inputs)
					a.Receive(&inputs)
				}
				server = drain(a, server, now, grid.Edge((k+5)/6*6))
				last, some := a.Last()
				if k%6 == 0 && some {
					w := packet.NewWriter(make([]byte, 64))
					w.Bits(uint64(last), 32)
					w.Bits(math.Float64bits(server.X), 64)
					for _, n := range server.Pressed {
						w.Bits(uint64(n), 16)
					}
					down.Push(now, w.Bytes())
					worstAge = max(worstAge, a.Delta(now))
				}
				for {
					datagram, _, ok := down.Pop(now)
					if !ok {
						break
					}
					r := packet.NewReader(datagram)
					last := tick.Tick(r.Bits(32))
					b := body{X: math.Float64frombits(r.Bits(64))}
					for i := range b.Pressed {
						b.Pressed[i] = uint16(r.Bits(16))
					}
					client.Pending().Acknowledge(last)
					if client.Reconcile(last.Add(1), b).Outcome == prediction.Corrected {
						wrong++
					}
				}
				if k%2 == 0 { // the client plays at 30 Hz
					in := strafe(tick.Tick(k / 2))
					if k > 55*second {
						in.Press = 0
					}
					sent = step(sent, in, 0)
					client.Advance(tick.Tick(k/2), in)
					up.Push(now, encode(client.Pending()))
				}
			}
			s := a.Stats()
			worstWrong, worstShed = max(worstWrong, wrong), max(worstShed, float64(s.Shed+s.Dropped)/(30*60))
			if got := server.Pressed; got != sent.Pressed || sent.presses() == 0 {
				t.Errorf("the server ran presses %v of %v (%v)", got, sent.Pressed, p)
			}
			if a.Kick() {
				t.Errorf("an honest client is to be kicked: %+v (%v)", s, p)
			}
		}
		t.Logf("%s: %d corrections in 60 s, %.2f %% of the inputs dropped, states at most %v old", condition, worstWrong, 100*worstShed, worstAge)
		if worstAge > 6*time.Second/30 {
			t.Errorf("%s: a state was %v old, want at most the bank of 200 ms", condition, worstAge)
		}
		if condition == base && (worstWrong > 3 || worstShed > 0.002) {
			t.Errorf("%s: %d corrections, %.2f %% dropped, want next to none without loss", condition, worstWrong, 100*worstShed)
		}
	}
}
