package prediction_test

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/prediction"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

// The game of these tests: a pusher on a line, and balls. They push each other.

type pusher struct{ X, V float64 }

type ball struct{ X, V float64 }

func stepPusher(s pusher, in control, _ tick.Tick) pusher {
	s.V = 6 * float64(in.Move)
	s.X += s.V / rate
	return s
}

// stepBalls depends on the order of the balls, as most games do.
func stepBalls(g *prediction.Group[pusher, control, ball], _ tick.Tick) {
	for i := range g.Bodies {
		b := &g.Bodies[i].State
		for _, p := range g.Players {
			if d := b.X - p.State.X; math.Abs(d) < 1 {
				b.V = math.Copysign(4, d)
				p.State.X -= math.Copysign((1-math.Abs(d))/2, d)
			}
		}
		for k := range g.Bodies[:i] {
			if d := b.X - g.Bodies[k].State.X; math.Abs(d) < 1 {
				b.V, g.Bodies[k].State.V = g.Bodies[k].State.V, b.V
			}
		}
		b.V *= 0.98
		b.X += b.V / rate
	}
}

func pusherDistance(a, b pusher) float64 { return math.Abs(a.X-b.X) + math.Abs(a.V-b.V) }
func ballDistance(a, b ball) float64     { return math.Abs(a.X-b.X) + math.Abs(a.V-b.V) }

const near = 1e-3

func newGroup(max int) (*prediction.Predictor[pusher, control], *prediction.Bodies[pusher, control, ball]) {
	p := prediction.NewPredictor(prediction.Config[pusher, control]{Step: stepPusher, Distance: pusherDistance, Tolerance: near, Rules: rules})
	b := prediction.NewBodies(prediction.BodiesConfig[pusher, control, ball]{Step: stepBalls, Distance: ballDistance, Tolerance: near, Max: max})
	prediction.Accompany(p, 1, b)
	return p, b
}

// serve runs the same world on a server, which has the input of every tick.
func serve(s pusher, balls []ball, in control, t tick.Tick) pusher {
	g := prediction.Group[pusher, control, ball]{}
	for i, b := range balls {
		g.Bodies = append(g.Bodies, prediction.Body[ball]{ID: snapshot.ID(i + 1), State: b})
	}
	s = stepPusher(s, in, t)
	g.Players = []prediction.Actor[pusher, control]{{Number: 1, State: &s, Input: in}}
	stepBalls(&g, t)
	for i := range balls {
		balls[i] = g.Bodies[i].State
	}
	return s
}

// A ball that the player runs into must move in that tick, and the server's later state of it must
// change nothing.
func TestBodiesMoveWithThePlayer(t *testing.T) {
	const lag = 15
	replays := 0
	p, b := newGroup(0)
	p.Start(0, pusher{})
	for i, at := range []float64{3, 5} {
		if !b.Add(snapshot.ID(i+1), 7, 0, ball{X: at}) {
			t.Fatal("a ball was not taken in")
		}
	}
	server, balls := pusher{}, []ball{{X: 3}, {X: 5}}
	type world struct {
		s     pusher
		balls [2]ball
	}
	past := map[tick.Tick]world{0: {server, [2]ball{{X: 3}, {X: 5}}}}
	for k := range tick.Tick(400) {
		in := strafe(k / 3)
		p.Advance(k, in)
		server = serve(server, balls, in, k)
		past[k+1] = world{server, [2]ball(balls)}
		if k >= lag {
			at := k + 1 - lag
			b.Note(1, at, past[at].balls[0])
			b.Note(2, at, past[at].balls[1])
			c := p.Reconcile(at, past[at].s)
			if c.Outcome != prediction.Confirmed && k > lag {
				t.Fatalf("tick %d: %v, off by %v", k, c.Outcome, c.Error)
			}
			if c.Depth > 0 {
				replays++
			}
		}
		if k > lag {
			for i := range balls {
				if got, _ := b.State(snapshot.ID(i + 1)); got != balls[i] {
					t.Fatalf("tick %d: ball %d is predicted at %+v, the server will have it at %+v", k, i, got, balls[i])
				}
			}
			if p.State() != server {
				t.Fatalf("tick %d: the player is predicted at %+v, the server will have him at %+v", k, p.State(), server)
			}
		}
	}
	if balls[0].X == 3 || balls[1].X == 5 {
		t.Error("nobody pushed anything: the test shows nothing")
	}
	if replays != 1 {
		t.Errorf("%d replays, want one, of the balls that were added", replays)
	}
}

// naive is the definition of a group's replay: it keeps everything for ever, in maps.
type naive struct {
	now     tick.Tick
	inputs  map[tick.Tick]control
	player  map[tick.Tick]pusher
	members map[snapshot.ID]*naiveMember
	latest  tick.Tick
	oldest  tick.Tick
}

type naiveMember struct {
	since, known tick.Tick
	truth        *ball // if wrong
	fresh        bool
	at           map[tick.Tick]ball
}

func (n *naive) ids() []snapshot.ID {
	ids := make([]snapshot.ID, 0, len(n.members))
	for id := range n.members {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// run computes all members at tick t+1 from their states at t.
func (n *naive) run(t tick.Tick, fresh bool) (pusher, map[snapshot.ID]ball) {
	g := prediction.Group[pusher, control, ball]{}
	for _, id := range n.ids() {
		if m := n.members[id]; m.since <= t && (!m.fresh || fresh && m.truth != nil) {
			g.Bodies = append(g.Bodies, prediction.Body[ball]{ID: id, State: m.at[t]})
		}
	}
	s := stepPusher(n.player[t], n.inputs[t], t)
	g.Players = []prediction.Actor[pusher, control]{{Number: 1, State: &s, Input: n.inputs[t]}}
	stepBalls(&g, t)
	out := map[snapshot.ID]ball{}
	for _, b := range g.Bodies {
		out[b.ID] = b.State
	}
	return s, out
}

func (n *naive) advance(in control) {
	n.inputs[n.now] = in
	s, balls := n.run(n.now, false)
	n.now++
	n.player[n.now] = s
	for id, b := range balls {
		n.members[id].at[n.now] = b
	}
	n.oldest = max(n.oldest, n.now-prediction.DefaultHistory)
}

func (n *naive) note(id snapshot.ID, t tick.Tick, state ball) {
	m := n.members[id]
	if m == nil || t <= m.known || t < n.oldest || t > n.now || !m.fresh && t < m.since {
		return
	}
	m.known = t
	switch {
	case m.fresh:
		m.since, m.truth = t, &state
		m.at[t] = state
	case ballDistance(m.at[t], state) <= near:
		m.truth = nil
	default:
		m.truth = &state
	}
}

func (n *naive) reconcile(t tick.Tick, state pusher) {
	if t <= n.latest || t > n.now || t < n.oldest {
		return
	}
	n.latest = t
	n.oldest = max(n.oldest, t-32)
	wrong := !(pusherDistance(n.player[t], state) <= near)
	from, replay := t, wrong
	for _, m := range n.members {
		if m.truth != nil && m.known < n.oldest {
			m.truth = nil
		}
		if m.truth != nil && (!replay || m.known < from) {
			from, replay = m.known, true
		}
	}
	if !replay {
		return
	}
	if wrong {
		n.player[t] = state
	}
	for _, m := range n.members {
		if m.truth != nil {
			m.at[m.known] = *m.truth
		}
	}
	for k := from; k < n.now; k++ {
		s, balls := n.run(k, true)
		if k+1 > t {
			n.player[k+1] = s
		}
		for id, b := range balls {
			if k+1 > n.members[id].known {
				n.members[id].at[k+1] = b
			}
		}
	}
	for _, m := range n.members {
		if m.truth != nil {
			m.truth, m.fresh = nil, false
		}
	}
}

// Bodies must give the same result as the definition, for states in any order.
func TestBodiesAgainstTheDefinition(t *testing.T) {
	replays, deep := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		p, b := newGroup(4)
		const begin = 1000
		p.Start(begin, pusher{})
		p.Reconcile(begin, pusher{})
		n := &naive{
			now: begin, oldest: begin, latest: begin,
			inputs: map[tick.Tick]control{}, player: map[tick.Tick]pusher{begin: {}}, members: map[snapshot.ID]*naiveMember{},
		}
		noise := rapid.SampledFrom([]float64{0, 0, 0, 1e-4, 0.05, 1})
		for range rapid.IntRange(50, 300).Draw(t, "steps") {
			switch op := rapid.IntRange(0, 9).Draw(t, "op"); {
			case op < 5:
				in := control{Move: int8(rapid.IntRange(-1, 1).Draw(t, "move"))}
				p.Advance(n.now, in)
				n.advance(in)
			case op == 5:
				id := snapshot.ID(rapid.IntRange(1, 6).Draw(t, "id"))
				at := n.now.Add(-min(rapid.IntRange(0, 70).Draw(t, "age"), int(n.now-begin)))
				state := ball{X: float64(rapid.IntRange(-30, 30).Draw(t, "x")) / 10}
				want := n.members[id] == nil && len(n.members) < 4 && at >= n.oldest
				if got := b.Add(id, 0, at, state); got != want {
					t.Fatalf("Add at %d of %d to %d: %v, want %v", at, n.oldest, n.now, got, want)
				}
				if want {
					n.members[id] = &naiveMember{since: at, known: at, truth: &state, fresh: true, at: map[tick.Tick]ball{at: state}}
				}
			case op == 6:
				id := snapshot.ID(rapid.IntRange(1, 6).Draw(t, "id"))
				b.Remove(id)
				delete(n.members, id)
			case op == 7:
				id := snapshot.ID(rapid.IntRange(1, 6).Draw(t, "id"))
				if m := n.members[id]; m != nil {
					at := n.now.Add(-min(rapid.IntRange(0, 70).Draw(t, "age"), int(n.now-begin)))
					state := m.at[at]
					state.X += noise.Draw(t, "dx")
					b.Note(id, at, state)
					n.note(id, at, state)
				}
			default:
				at := n.now.Add(-min(rapid.IntRange(0, 70).Draw(t, "age"), int(n.now-begin)))
				state := n.player[at]
				state.X += noise.Draw(t, "dx")
				if c := p.Reconcile(at, state); c.Depth > 0 {
					replays++
					deep = max(deep, c.Depth)
				}
				n.reconcile(at, state)
			}
			if p.State() != n.player[n.now] {
				t.Fatalf("tick %d: the player is at %+v, want %+v", n.now, p.State(), n.player[n.now])
			}
			for id, m := range n.members {
				want := m.at[n.now]
				if m.fresh {
					want = *cmp.Or(m.truth, &ball{})
					if m.truth == nil { // it waits for a state
						continue
					}
				}
				if got, ok := b.State(id); !ok || got != want {
					t.Fatalf("tick %d: ball %d is at %+v, want %+v", n.now, id, got, want)
				}
			}
			if b.Len() != len(n.members) {
				t.Fatalf("%d members, want %d", b.Len(), len(n.members))
			}
		}
	})
	if replays == 0 || deep < 20 {
		t.Errorf("%d replays, the deepest of %d ticks: the test shows too little", replays, deep)
	}
}

// Stepping, replaying and changing the members of a group must not allocate.
func TestBodiesAllocateNothing(t *testing.T) {
	p, b := newGroup(4)
	p.Start(0, pusher{})
	k, replayed := tick.Tick(0), 0
	advance := func() {
		p.Advance(k, strafe(k))
		k++
		id := snapshot.ID(k%6 + 1)
		if k%7 == 0 && !b.Remove(id) {
			b.Add(id, 0, k.Add(-min(12, int(k))), ball{X: float64(id)})
		}
		if k > 20 {
			b.Note(id, k.Add(-10), ball{X: float64(id) + float64(k%3)})
			replayed += p.Reconcile(k.Add(-10), pusher{X: float64(k % 5)}).Depth
		}
	}
	for range 200 {
		advance()
	}
	replayed = 0
	if allocs := testing.AllocsPerRun(2000, advance); allocs != 0 {
		t.Errorf("%v allocations per tick, want 0", allocs)
	}
	if replayed == 0 {
		t.Error("nothing was replayed")
	}
}

// BenchmarkReplay measures a replay of the whole history of 64 ticks, with a step function that
// does almost nothing.
func BenchmarkReplay(b *testing.B) {
	for _, bodies := range []int{0, 4, 16, 64} {
		b.Run(strconv.Itoa(bodies)+" bodies", func(b *testing.B) {
			p := prediction.NewPredictor(prediction.Config[pusher, control]{Step: stepPusher, Distance: pusherDistance, Tolerance: near, Rules: rules})
			group := prediction.NewBodies(prediction.BodiesConfig[pusher, control, ball]{
				Step: func(g *prediction.Group[pusher, control, ball], _ tick.Tick) {
					for i := range g.Bodies {
						g.Bodies[i].State.X += g.Bodies[i].State.V / rate
					}
				},
				Distance: ballDistance, Max: max(bodies, 1),
			})
			prediction.Accompany(p, 1, group)
			p.Start(0, pusher{})
			for i := range bodies {
				group.Add(snapshot.ID(i+1), 0, 0, ball{X: float64(i)})
			}
			k := tick.Tick(0)
			for range 100 {
				p.Advance(k, strafe(k))
				k++
			}
			b.ReportAllocs()
			for b.Loop() {
				p.Advance(k, strafe(k))
				k++
				p.Reconcile(k.Add(-63), pusher{X: float64(k)})
			}
		})
	}
}
