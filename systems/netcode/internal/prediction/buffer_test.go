package prediction_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/prediction"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

func newBuffer(t testing.TB, next tick.Tick, c prediction.BufferConfig[control]) *prediction.Buffer[control] {
	t.Helper()
	c.Rules = rules
	return prediction.NewBuffer(next, c)
}

// verdict is what became of an input that arrived.
type verdict int

const (
	accepted verdict = iota
	duplicate
	late
	early
	expired
)

// put adds an input to a buffer, and returns which of the counters it has raised.
func put(b *prediction.Buffer[control], t tick.Tick, in control) verdict {
	before := b.Stats()
	b.Put(t, in)
	after := b.Stats()
	for v, raised := range [...]uint64{after.Accepted - before.Accepted, after.Duplicate - before.Duplicate, after.Late - before.Late, after.Early - before.Early, after.Expired - before.Expired} {
		if raised == 1 {
			return verdict(v)
		}
	}
	return -1
}

func TestVerdicts(t *testing.T) {
	const server = tick.Tick(math.MaxUint32) // the next to run is 0
	for _, test := range []struct {
		ahead int // relative to the server's tick
		want  verdict
	}{
		{1, accepted},
		{prediction.Ahead, accepted},
		{prediction.Ahead + 1, early},
		{1000, early},
		{math.MaxInt32, early},
		{0, late},
		{-31, late},
		{-32, expired},
		{-1000, expired},
		{math.MinInt32 + 1, expired},
	} {
		b := newBuffer(t, server.Add(1), prediction.BufferConfig[control]{})
		if got := put(b, server.Add(test.ahead), control{Move: 1}); got != test.want {
			t.Errorf("an input %d ticks ahead got verdict %d, want %d", test.ahead, got, test.want)
		}
		again := duplicate
		if test.want > late {
			again = test.want
		}
		if got := put(b, server.Add(test.ahead), control{Move: -1}); got != again {
			t.Errorf("the same again, %d ticks ahead, got verdict %d, want %d", test.ahead, got, again)
		}
	}
}

func TestRepeatsThenNeutral(t *testing.T) {
	b := newBuffer(t, 100, prediction.BufferConfig[control]{})
	for range 5 {
		if in, source := b.Next(); in != (control{}) || source != prediction.Idle {
			t.Errorf("before the first input a tick ran %v from source %d, want the neutral one", in, source)
		}
	}
	b.Put(107, control{1, 3})
	for range 2 { // 105 and 106: nothing to repeat yet
		if _, source := b.Next(); source != prediction.Idle {
			t.Errorf("before the first input's tick the source is %d, want idle", source)
		}
	}
	if in, source := b.Next(); in != (control{1, 3}) || source != prediction.Received {
		t.Errorf("tick 107 ran %v from source %d", in, source)
	}
	for i := range 20 {
		want, from := control{Move: 1}, prediction.Repeated
		if i >= prediction.MaxRepeats {
			want, from = control{}, prediction.Idle
		}
		if in, source := b.Next(); in != want || source != from {
			t.Errorf("tick %d without input ran %v from source %d, want %v from %d", i, in, source, want, from)
		}
		if got := b.Feedback().Starved; got != min(i+1, prediction.MaxStarved) {
			t.Errorf("the client is told of %d starved ticks, want %d", got, i+1)
		}
	}
	if s := b.Stats(); s.Ticks != 21 || s.Received != 1 || s.Repeated != uint64(prediction.MaxRepeats) || s.Idle != uint64(20-prediction.MaxRepeats) || math.Abs(s.Missed()-20.0/21) > 1e-9 {
		t.Errorf("statistics are %+v", s)
	}
	b.Put(b.Tick(), control{Move: -1})
	if in, _ := b.Next(); in.Move != -1 || b.Feedback().Starved != 0 {
		t.Errorf("the next input ran as %v, starved %d", in, b.Feedback().Starved)
	}
}

func TestLatePressRunsOnceInTheNextTick(t *testing.T) {
	b := newBuffer(t, 10, prediction.BufferConfig[control]{})
	b.Put(10, control{Move: 1})
	b.Next()
	b.Next() // 11 is missed: repeated
	b.Put(12, control{Move: 1, Press: 1})
	if v := put(b, 11, control{Move: -1, Press: 2}); v != late {
		t.Errorf("verdict %d, want late", v)
	}
	b.Put(11, control{Move: -1, Press: 2})
	if in, _ := b.Next(); in != (control{1, 3}) {
		t.Errorf("tick 12 ran %v, want its own input and the late press", in)
	}
	b.Put(11, control{Move: -1, Press: 2})
	if in, _ := b.Next(); in != (control{Move: 1}) {
		t.Errorf("tick 13 ran %v, want no press: not repeated, nor merged twice", in)
	}
}

// Late presses are merged in the order in which they happened. Of presses that exclude each other
// the last one must count.
func TestLatePressesKeepTheirOrder(t *testing.T) {
	last := prediction.Rules[control]{Merge: func(into, presses control) control {
		if presses.Press != 0 {
			into.Press = presses.Press
		}
		return into
	}}
	b := prediction.NewBuffer(100, prediction.BufferConfig[control]{Rules: last})
	for range 4 {
		b.Next()
	}
	p := prediction.NewPending[control](0)
	for i := range 5 { // up to 104, which runs next
		p.Push(tick.Tick(100+i), control{Press: uint8(i) % 4})
	}
	var in prediction.Inputs[control]
	decode(t, encode(p), &in)
	b.Receive(&in, grid.Edge(104))
	if got, _ := b.Next(); got.Press != 3 {
		t.Errorf("press %d ran, want 3, the last", got.Press)
	}
}

func TestWithoutMergeLatePressesAreLost(t *testing.T) {
	b := prediction.NewBuffer(10, prediction.BufferConfig[control]{})
	b.Put(9, control{Press: 1})
	if in, _ := b.Next(); in.Press != 0 || b.Stats().Presses != 0 {
		t.Errorf("ran %v", in)
	}
}

func TestAcknowledges(t *testing.T) {
	b := newBuffer(t, 100, prediction.BufferConfig[control]{})
	if b.Feedback().Heard {
		t.Error("heard something before anything was sent")
	}
	for _, test := range []struct {
		put  tick.Tick
		want tick.Tick
	}{{101, 99}, {103, 99}, {100, 101}, {102, 103}} {
		b.Put(test.put, control{})
		if got := b.Feedback().Ack; got != test.want {
			t.Errorf("after input %d acknowledged %d, want %d", test.put, got, test.want)
		}
	}
	for range 10 {
		b.Next()
	}
	b.Put(105, control{}) // late; 104 never comes
	if got := b.Feedback().Ack; got != 103 {
		t.Errorf("acknowledged %d, want 103: a press of 104 may still count", got)
	}
	for b.Tick() != 104+prediction.Window+1 {
		b.Next()
	}
	if got := b.Feedback().Ack; got != 105 {
		t.Errorf("acknowledged %d, want 105: for 104 it is too late", got)
	}
}

func TestResetDropsTheOldConnection(t *testing.T) {
	b := newBuffer(t, 10, prediction.BufferConfig[control]{})
	for i := range 5 {
		b.Put(tick.Tick(10+i), control{1, 1})
	}
	b.Next()
	b.Put(9, control{Press: 2})
	b.Reset(b.Tick())
	if in, source := b.Next(); in != (control{}) || source != prediction.Idle || b.Feedback() != (prediction.Feedback{}) {
		t.Errorf("after Reset a tick ran %v from source %d, feedback %+v", in, source, b.Feedback())
	}
	if v := put(b, 12, control{}); v != accepted {
		t.Errorf("a new input for a tick of the old connection got verdict %d", v)
	}
	if in, source := b.Next(); in != (control{}) || source != prediction.Received {
		t.Errorf("the new input ran as %v from source %d: a press of the old connection is left", in, source)
	}
}

func TestAdmitBoundsPacketsAndRecovers(t *testing.T) {
	b := newBuffer(t, 0, prediction.BufferConfig[control]{Kick: prediction.Policy{Excess: 100, Ticks: 100}})
	admitted := 0
	for range 200 {
		if b.Admit() {
			admitted++
		}
	}
	if admitted != 128 || b.Stats().Refused != 72 || b.Kick() {
		t.Errorf("%d of 200 admitted at once, kick %v, want 128 and no kick yet", admitted, b.Kick())
	}
	for range 10 {
		b.Next()
	}
	for range 30 {
		if b.Admit() {
			admitted++
		}
	}
	if admitted != 128+20 {
		t.Errorf("%d admitted after 10 ticks, want 20 more", admitted-128)
	}
	for range 50 {
		b.Admit()
	}
	if !b.Kick() {
		t.Errorf("no kick after %d in excess", b.Stats().Excess)
	}
}

func TestKickPolicyForgives(t *testing.T) {
	b := newBuffer(t, 0, prediction.BufferConfig[control]{Kick: prediction.Policy{Excess: 10, Ticks: 100}})
	never := newBuffer(t, 0, prediction.BufferConfig[control]{Kick: prediction.Policy{Excess: -1}})
	p := prediction.NewPending[control](0)
	far := func(b *prediction.Buffer[control]) {
		p.Reset()
		p.Push(b.Tick().Add(600), control{})
		var in prediction.Inputs[control]
		decode(t, encode(p), &in)
		b.Receive(&in, grid.Edge(int64(b.Tick())))
	}
	for i := range 500 { // the policy forgives one in ten ticks
		if i%10 == 0 {
			far(b)
		}
		far(never)
		b.Next()
		never.Next()
	}
	if b.Kick() || never.Kick() || b.Stats().Excess != 50 {
		t.Errorf("kick %v and %v after 50 too early in 500 ticks", b.Kick(), never.Kick())
	}
	for range 12 {
		far(b)
	}
	if !b.Kick() {
		t.Error("no kick after 12 too early at once")
	}
}

// The path and both machines stall for half a second at a time. A client must be that far ahead,
// and a server that catches up receives the inputs of the end of the stall before its first tick.
// Neither may count as excess.
func TestStallsAreNoExcess(t *testing.T) {
	b := newBuffer(t, 0, prediction.BufferConfig[control]{})
	p := prediction.NewPending[control](0)
	for k := range 20 * second {
		if k%second == 0 { // a second's packets, and then its ticks
			for i := range second {
				p.Reset()
				p.Push(tick.Tick(k+i+100), control{})
				var in prediction.Inputs[control]
				decode(t, encode(p), &in)
				b.Receive(&in, grid.Edge(int64(k+second)))
			}
		}
		b.Next()
	}
	if s := b.Stats(); b.Kick() || s.Excess != 0 || s.Early < 10*second {
		t.Errorf("kick %v after %d inputs that came too early: %+v", b.Kick(), s.Early, s)
	}
}

// The buffer must run the same inputs as a naive model with unbounded memory.
func TestBufferRunsEveryInputOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		start := tick.Tick(rapid.Uint32().Draw(t, "start"))
		b := prediction.NewBuffer(start, prediction.BufferConfig[control]{Rules: rules})
		next := 0
		arrived := map[int]control{} // relative to start; only inputs within reach on their arrival
		presses := uint8(0)
		last, starved, first := control{}, 0, math.MaxInt
		t.Repeat(map[string]func(*rapid.T){
			"put": func(t *rapid.T) {
				k := next + rapid.IntRange(-40, 40).Draw(t, "ahead")
				in := control{int8(rapid.IntRange(-1, 1).Draw(t, "move")), rapid.Uint8().Draw(t, "press")}
				want := accepted
				_, there := arrived[k]
				switch {
				case k >= next+prediction.Ahead:
					want = early
				case k < next-prediction.Window:
					want = expired
				case there:
					want = duplicate
				case k < next:
					want = late
					presses |= in.Press
				}
				if want == accepted || want == late {
					arrived[k] = in
					if first > next || first == math.MaxInt {
						first = min(first, k)
					}
				}
				if got := put(b, start.Add(k), in); got != want {
					t.Fatalf("input %d at %d got verdict %d, want %d", k, next, got, want)
				}
			},
			"next": func(t *rapid.T) {
				in, source := b.Next()
				want, from := control{}, prediction.Idle
				if got, ok := arrived[next]; ok {
					want, from = got, prediction.Received
					last, starved = got, 0
				} else if first <= next {
					if starved++; starved <= prediction.MaxRepeats {
						want, from = control{Move: last.Move}, prediction.Repeated
					}
				}
				want.Press |= presses
				presses = 0
				if in != want || source != from {
					t.Fatalf("tick %d ran %v from %d, want %v from %d", next, in, source, want, from)
				}
				next++
			},
			"": func(t *rapid.T) {
				f := b.Feedback()
				if f.Heard != (len(arrived) > 0) {
					t.Fatalf("heard is %v", f.Heard)
				}
				if !f.Heard {
					return
				}
				ack := max(-1, next-prediction.Window-1)
				for {
					if _, ok := arrived[ack+1]; !ok {
						break
					}
					ack++
				}
				if f.Ack != start.Add(ack) {
					t.Fatalf("acknowledged %d, want %d", f.Ack.Sub(start), ack)
				}
			},
		})
	})
}
