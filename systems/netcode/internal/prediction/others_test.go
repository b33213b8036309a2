package prediction_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/prediction"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

// releaseAfter is for how many ticks another player's input is assumed to continue. It is small, so
// that older states are common.
const releaseAfter = 8

// exact is a tolerance for rounding only. With a greater one the prediction may differ from the
// truth by the tolerance, and less than that decides in which tick a push begins.
const exact = 1e-9

func guess(last control, ticks int) control {
	if ticks > releaseAfter {
		return control{}
	}
	return last
}

func newCrowd() (*prediction.Predictor[pusher, control], *prediction.Bodies[pusher, control, ball]) {
	p := prediction.NewPredictor(prediction.Config[pusher, control]{Step: stepPusher, Distance: pusherDistance, Tolerance: exact, Rules: rules})
	b := prediction.NewBodies(prediction.BodiesConfig[pusher, control, ball]{
		Step: stepBalls, Distance: ballDistance, Tolerance: exact, Max: 2,
		Others: prediction.Others[pusher, control]{Step: stepPusher, Guess: guess, Distance: pusherDistance, Tolerance: exact, Max: 2},
	})
	prediction.Accompany(p, 2, b) // the own number lies between those of the others
	return p, b
}

// crowd is a world of three pushers on a line, one of them the own player, and two balls. It is a
// value.
type crowd struct {
	pushers [3]pusher // numbers 1, 2, 3
	balls   [2]ball
}

func (c crowd) step(in [3]control, t tick.Tick) crowd {
	g := prediction.Group[pusher, control, ball]{}
	for i := range c.pushers {
		c.pushers[i] = stepPusher(c.pushers[i], in[i], t)
		g.Players = append(g.Players, prediction.Actor[pusher, control]{Number: uint16(i + 1), State: &c.pushers[i], Input: in[i]})
	}
	for i, b := range c.balls {
		g.Bodies = append(g.Bodies, prediction.Body[ball]{ID: snapshot.ID(i + 1), State: b})
	}
	stepBalls(&g, t)
	for i := range c.balls {
		c.balls[i] = g.Bodies[i].State
	}
	return c
}

// The prediction at any time must be the world of the newest states, with the own inputs since and
// the others' last ones repeated. Lost states must not change the present.
func TestOthersGoOnAsTheyDid(t *testing.T) {
	surprises, quiet, still := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		p, b := newCrowd()
		const begin = 100
		world := crowd{pushers: [3]pusher{{X: -3}, {X: 0.3}, {X: 4}}, balls: [2]ball{{X: -1.5}, {X: 2}}}
		past := map[tick.Tick]crowd{begin: world}
		inputs := map[tick.Tick][3]control{}
		p.Start(begin, world.pushers[1])
		p.Reconcile(begin, world.pushers[1])
		moves := rapid.SampledFrom([]int8{-1, 0, 1})
		now, news, held := tick.Tick(begin), tick.Tick(begin), [3]control{}
		for range rapid.IntRange(60, 200).Draw(t, "ticks") {
			for i := range held {
				if rapid.IntRange(0, 14).Draw(t, "change") == 0 {
					held[i].Move = moves.Draw(t, "move")
				}
			}
			inputs[now] = held
			world = world.step(held, now)
			p.Advance(now, held[1])
			now++
			past[now] = world
			// Older states arrive now and then, of all members at once, and never in the wrong
			// order.
			at := now.Add(-rapid.IntRange(5, 30).Draw(t, "age"))
			if rapid.IntRange(0, 3).Draw(t, "arrives") > 0 || !at.IsNewer(news) {
				continue
			}
			first := news == begin
			news = at
			for i := range world.balls {
				if first {
					b.Add(snapshot.ID(i+1), 0, at, past[at].balls[i])
				} else {
					b.Note(snapshot.ID(i+1), at, past[at].balls[i])
				}
			}
			for _, i := range []int{0, 2} {
				if !b.NoteOther(snapshot.ID(10+i), uint16(i+1), at, past[at].pushers[i], inputs[at-1][i]) {
					t.Fatalf("tick %d: news of tick %d were refused", now, at)
				}
			}
			surprises += b.Others.Surprised()
			if p.Reconcile(at, past[at].pushers[1]).Depth == 0 {
				quiet++
			}
			want := past[at]
			for k := at; k != now; k++ {
				in := inputs[k]
				for _, i := range []int{0, 2} {
					in[i] = guess(inputs[at-1][i], int(k.Sub(at))+1)
				}
				if in[0] == (control{}) && inputs[at-1][0] != in[0] {
					still++
				}
				want = want.step(in, k)
			}
			same := func(what string, got, want float64) {
				if !(math.Abs(got-want) <= 1000*exact) {
					t.Fatalf("tick %d, news of %d: %s is predicted at %v, want %v", now, at, what, got, want)
				}
			}
			same("the own player", p.State().X, want.pushers[1].X)
			for i := range want.balls {
				got, _ := b.State(snapshot.ID(i + 1))
				same("a ball", got.X, want.balls[i].X)
			}
			for _, i := range []int{0, 2} {
				got, _ := b.Others.State(snapshot.ID(10 + i))
				if known, in := b.Others.Known(snapshot.ID(10 + i)); !b.Others.Ready(snapshot.ID(10+i)) || !in || known != at {
					t.Fatalf("tick %d: another player is not in, or known of tick %d and not %d", now, known, at)
				}
				same("another player", got.State.X, want.pushers[i].X)
			}
		}
	})
	if surprises == 0 || quiet == 0 || still == 0 {
		t.Errorf("%d surprises, %d times none, %d ticks in which somebody was believed to have let go: the test shows too little", surprises, quiet, still)
	}
}

// States that are old, invalid or of too many others must change nothing, and a player that is
// removed must be gone.
func TestOthersAreRefused(t *testing.T) {
	p, b := newCrowd()
	p.Start(100, pusher{})
	for k := tick.Tick(100); k < 110; k++ {
		p.Advance(k, control{})
	}
	nan := pusher{X: math.NaN()}
	for _, c := range []struct {
		what string
		id   snapshot.ID
		at   tick.Tick
		s    pusher
		want bool
	}{
		{"a state of the future", 1, 111, pusher{}, false},
		{"a state from before the beginning", 1, 99, pusher{}, false},
		{"nowhere", 1, 105, nan, false},
		{"the first", 1, 105, pusher{}, true},
		{"no news", 1, 105, pusher{}, false},
		{"the second", 2, 106, pusher{}, true},
		{"one too many", 3, 106, pusher{}, false},
		{"older", 2, 104, pusher{}, false},
		{"newer", 2, 107, pusher{X: 1}, true},
		{"newer, nowhere", 2, 108, nan, false},
	} {
		if got := b.NoteOther(c.id, uint16(c.id), c.at, c.s, control{}); got != c.want {
			t.Errorf("%s: %v, want %v", c.what, got, c.want)
		}
	}
	if b.Others.Ready(2) {
		t.Error("a player that has not been brought to the present is ready")
	}
	p.Reconcile(105, pusher{})
	if s, ok := b.Others.State(2); !ok || !b.Others.Ready(2) || s.State.X != 1 {
		t.Errorf("another player is at %v, %v, want 1", s, ok)
	}
	if !b.Others.Remove(2) || b.Others.Remove(2) || b.Others.Remove(3) {
		t.Error("removed wrongly")
	}
	if !b.NoteOther(3, 3, 106, pusher{}, control{}) {
		t.Error("his place is not free")
	}
}

// Adding, predicting, correcting and removing others must not allocate.
func TestOthersAllocateNothing(t *testing.T) {
	p, b := newCrowd()
	p.Start(0, pusher{})
	b.Add(1, 0, 0, ball{X: 1})
	k, surprises := tick.Tick(0), 0
	advance := func() {
		p.Advance(k, strafe(k))
		k++
		if k > 20 {
			at := k.Add(-10)
			b.Note(1, at, ball{X: float64(k % 3)})
			b.NoteOther(snapshot.ID(1+k/50%3), 1, at, pusher{X: float64(k % 5)}, strafe(k/3))
			b.Others.Remove(snapshot.ID(1 + (k/50+1)%3))
			surprises += b.Others.Surprised()
			p.Reconcile(at, pusher{X: float64(k % 7)})
		}
	}
	for range 200 {
		advance()
	}
	surprises = 0
	if allocs := testing.AllocsPerRun(2000, advance); allocs != 0 {
		t.Errorf("%v allocations per tick, want 0", allocs)
	}
	if surprises == 0 {
		t.Error("nobody was surprising")
	}
}
