package netcode_test

import (
	"math"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode"
)

var networks = []struct {
	name string
	path func(seed uint64) (p linkPath)
}{
	{"clean", func(uint64) linkPath { return perfect() }},
	{"seeds", func(seed uint64) linkPath { return seeds(seed) }},
}

// What the own player runs into answers in the tick in which he touches it, as he is drawn and as
// it is drawn, and the server comes to the same.
func TestBoxAnswersAtOnce(t *testing.T) {
	for _, network := range networks {
		for seed := range uint64(5) {
			m := newMatchOf(t, boxProtocol(t, boxes()), nil)
			a := m.join(network.path(seed+1), nil)
			m.run(time.Second, nil) // the player stands at (0, 2)
			e := m.box(box{X: 5, Z: 2.25})
			there := m.record(e)
			var now netcode.Tick
			a.input = func(at netcode.Tick) input { now = at; return input{} }
			m.run(4*time.Second, nil)
			m.mustPlay()
			replica := a.replicaOf(m, e)
			rest := a.visual(replica)
			a.input = func(at netcode.Tick) input { now = at; return input{X: 1} }
			before := a.client.Stats()
			touched, moved := time.Duration(0), time.Duration(0)
			worst, compared := 0.0, 0
			type pose struct {
				at netcode.Tick
				p  mgl32.Vec3
			}
			var predicted []pose
			m.run(2*time.Second, func() {
				own, seen := a.visual(a.client.Entity()), a.visual(replica)
				if d := rest.Sub(own); touched == 0 && math.Hypot(float64(d[0]), float64(d[2])) < boxTouch-1e-3 {
					touched = m.now
				}
				if moved == 0 && seen.Sub(rest).Len() > 1e-3 {
					moved = m.now
				}
				predicted = append(predicted, pose{now + 1, a.logical(replica)})
			})
			m.run(time.Second, nil)
			for _, p := range predicted {
				if truth, ok := there[p.at]; ok {
					compared++
					worst = max(worst, float64(truth.Sub(p.p).Len()))
				}
			}
			if touched == 0 || moved == 0 {
				t.Fatalf("%s %d: touched at %v, moved at %v: nothing has happened", network.name, seed, touched, moved)
			}
			if late := moved - touched; late > time.Second/tickRate || late < -time.Second/tickRate {
				t.Errorf("%s %d: the box moved %v after it was touched, want the same tick", network.name, seed, late)
			}
			if worst > 0.01 || compared < 100 {
				t.Errorf("%s %d: predicted %.4f m beside the server's place at the same tick (%d compared)", network.name, seed, worst, compared)
			}
			after := a.client.Stats()
			if n := after.BodyCorrections - before.BodyCorrections + after.Corrections - before.Corrections; n > 0 {
				t.Errorf("%s %d: %d corrections in a deterministic scene, the last of the box by %v, of the player by %v", network.name, seed, n, after.BodyError, after.CorrectionError)
			}
			if seed == 0 {
				t.Logf("%s: the box moved %v after the touch; at most %.4f m beside the server over %d ticks; %d predicted", network.name, moved-touched, worst, compared, after.Predicted)
			}
		}
	}
}

// wander pushes whatever is around: eight directions, changed every 40 ticks, but never far away
// from where he began.
func (p *player) wander(seed uint64) func(netcode.Tick) input {
	return func(at netcode.Tick) input {
		if s, _ := p.client.State(); math.Hypot(float64(s.X), float64(s.Z)) > 6 {
			return input{X: -sign(s.X), Z: -sign(s.Z)}
		}
		x := (uint64(at)/40 + seed*7919) * 0x9e3779b97f4a7c15 >> 32
		return input{X: int8(x%3) - 1, Z: int8(x/3%3) - 1}
	}
}

// sign is the direction of a distance that is worth a step.
func sign(x float32) int8 {
	switch {
	case x > 0.15:
		return 1
	case x < -0.15:
		return -1
	}
	return 0
}

// towards runs at an entity that is predicted.
func (p *player) towards(e arche.Entity) input {
	s, _ := p.client.State()
	d := p.logical(e)
	return input{X: sign(d[0] - s.X), Z: sign(d[2] - s.Z)}
}

// Nobody is corrected in a world that one player moves alone, whatever the network: there is
// nothing to be wrong about but what rounding loses.
func TestOnePlayerAmongBoxes(t *testing.T) {
	for _, network := range networks {
		corrections, players, worst, seconds := uint64(0), uint64(0), 0.0, 0.0
		for seed := range uint64(6) {
			m := newMatchOf(t, boxProtocol(t, boxes()), nil)
			a := m.join(network.path(seed+1), nil)
			m.run(time.Second, nil)
			var all []arche.Entity
			for i := range 12 {
				all = append(all, m.box(box{X: float32(i%4)*2.5 - 4, Z: float32(i/4)*2.5 - 1}))
			}
			m.run(5*time.Second, nil)
			m.mustPlay()
			a.input = a.wander(seed)
			before := a.client.Stats()
			m.run(20*time.Second, func() {
				st := a.client.Stats()
				worst = max(worst, st.BodyError)
			})
			after := a.client.Stats()
			corrections += after.BodyCorrections - before.BodyCorrections
			players += after.Corrections - before.Corrections
			seconds += 20
			moved := 0
			for i, e := range all {
				if start := (mgl32.Vec3{float32(i%4)*2.5 - 4, 0.5, float32(i/4)*2.5 - 1}); m.transform(e).Get().Position.Sub(start).Len() > 0.5 {
					moved++
				}
			}
			if moved < 3 {
				t.Errorf("%s %d: %d boxes were moved: the walk shows too little", network.name, seed, moved)
			}
		}
		t.Logf("%s: %d steps with a corrected box and %d corrections of the player in %v s, at most %.4f m", network.name, corrections, players, seconds, worst)
		// What comes near anew begins at a rounded state, and what it is pushed against passes the
		// difference on.
		if float64(corrections) > seconds/4 || float64(players) > seconds/4 || worst > 0.1 {
			t.Errorf("%s: too many", network.name)
		}
	}
}

// A box that is kicked away, or left behind, goes back to being interpolated, and one that comes
// back is predicted again: neither is seen.
func TestBoxesComeAndGo(t *testing.T) {
	for _, network := range networks {
		for seed := range uint64(5) {
			b := boxes()
			b.Near, b.Leave = 2.5, 3
			m := newMatchOf(t, boxProtocol(t, b), nil)
			a := m.join(network.path(seed+1), nil)
			m.run(time.Second, nil)
			e := m.box(box{X: 4, Z: 2})
			var fastest float32 // m/s, as it moves, who pushes it included
			before := m.transform(e).Get().Position
			m.engine.Add(ecs.FixedEnd, ecs.SystemFunc(func(*arche.World) {
				now := m.transform(e).Get().Position
				fastest = max(fastest, now.Sub(before).Len()*tickRate)
				before = now
			}))
			m.run(4*time.Second, nil)
			m.mustPlay()
			replica := a.replicaOf(m, e)
			if n := a.client.Stats().Predicted; n != 0 {
				t.Fatalf("%s %d: %d boxes are predicted at a distance of 4 m", network.name, seed, n)
			}
			// He dashes into it and stops; it glides away; he follows, turns round and leaves it.
			begin := netcode.Tick(m.engine.Time().Tick) + 30
			a.input = func(at netcode.Tick) input {
				switch at := at.Sub(begin); {
				case at < 0:
					return input{}
				case at < 55:
					return input{X: 1, Dash: true}
				case at < 120:
					return input{}
				case at < 200:
					return input{X: 1}
				}
				return input{X: -1}
			}
			changes, was := 0, 0
			last, worst := a.visual(replica), float32(0)
			m.run(6*time.Second, func() {
				if n := a.client.Stats().Predicted; n != was {
					was = n
					changes++
				}
				seen := a.visual(replica)
				worst = max(worst, seen.Sub(last).Len())
				last = seen
			})
			if limit := fastest/120 + 0.03; worst > limit {
				t.Errorf("%s %d: the box moved %.4f m in a frame, want at most %.4f", network.name, seed, worst, limit)
			}
			if changes < 2 || changes%2 != 0 || fastest < 5 {
				t.Errorf("%s %d: %d changes between predicted and interpolated at %.1f m/s: the scene shows too little", network.name, seed, changes, fastest)
			}
			if d := last.Sub(m.transform(e).Get().Position).Len(); d > 0.01 {
				t.Errorf("%s %d: the box ends %.3f m from where the server has it", network.name, seed, d)
			}
			if seed == 0 {
				t.Logf("%s: at most %.4f m in a frame, of which %.4f its own motion; %d changes", network.name, worst, fastest/120, changes)
			}
		}
	}
}

// What the server does to a box that nobody could foresee is in the simulation at once, and in the
// picture as an offset that fades; a teleport is a jump in both.
func TestBoxIsCorrected(t *testing.T) {
	m := newMatchOf(t, boxProtocol(t, boxes()), nil)
	a := m.join(seeds(4), nil)
	m.run(time.Second, nil)
	e := m.box(box{X: 3, Z: 2})
	m.run(5*time.Second, nil)
	m.mustPlay()
	replica := a.replicaOf(m, e)
	if n := a.client.Stats().Predicted; n != 1 {
		t.Fatalf("%d boxes are predicted", n)
	}
	m.boxOf(e).Z += 1
	since, first := time.Duration(-1), 0.0
	m.run(3*time.Second, func() {
		l, v := float64(a.logical(replica)[2]), float64(a.visual(replica)[2])
		if math.Abs(l-2) > 0.01 && math.Abs(l-3) > 0.01 {
			t.Fatalf("the simulation has the box at %.3f, neither where it was nor where it is", l)
		}
		if since < 0 && l > 2.5 {
			since, first = m.now, l-v
			if first < 0.7 {
				t.Fatalf("in the first picture after the correction the offset is %.3f m, want nearly 1", first)
			}
		}
		if since >= 0 && m.now-since >= time.Second && math.Abs(l-v) > 0.1*first {
			t.Fatalf("%v after the correction %.3f m of %.3f are left, want at most a tenth", m.now-since, l-v, first)
		}
	})
	if since < 0 {
		t.Fatal("there was no correction")
	}
	m.boxOf(e).Z += 1.5
	m.transform(e).Teleport(poseBox(*m.boxOf(e)))
	m.run(3*time.Second, func() {
		if z := a.visual(replica)[2]; z > 3.01 && z < 4.49 {
			t.Fatalf("the box is seen at %.3f, in the middle of a teleport", z)
		}
	})
	if z := a.visual(replica)[2]; z < 4.49 {
		t.Errorf("the box is seen at %.3f, want 4.5", z)
	}
}

// A box that the client has pushed and nobody else has comes back: of what rests on the server no
// news comes, and that is news.
func TestBoxThatNobodyPushed(t *testing.T) {
	for _, network := range networks {
		m := newMatchOf(t, boxProtocol(t, boxes()), nil)
		a := m.join(network.path(5), nil)
		m.run(time.Second, nil)
		e := m.box(box{X: 1.2, Z: 2})
		m.run(5*time.Second, nil)
		m.mustPlay()
		replica, frozen := a.replicaOf(m, e), m.of(a).State
		held := true
		m.engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
			if held { // the server lets him do nothing, and he does not know why
				m.of(a).State = frozen
				*m.boxOf(e) = box{X: 1.2, Z: 2}
			}
		}))
		a.input = func(netcode.Tick) input { return input{X: 1} }
		far := float32(0)
		m.run(2*time.Second, func() { far = max(far, a.logical(replica)[0]-1.2) })
		if far < 0.5 || far > 4 {
			t.Errorf("%s: the box is predicted up to %.2f m ahead, want some way and not any", network.name, far)
		}
		a.input = func(netcode.Tick) input { return input{} }
		m.run(2*time.Second, nil)
		if d := a.logical(replica).Sub(mgl32.Vec3{1.2, 0.5, 2}).Len(); d > 0.01 {
			t.Errorf("%s: two seconds later the box is %.3f m from where it is", network.name, d)
		}
	}
}

// A predicted box that goes away on the server goes on the client, in the middle of a push, and its
// place is taken by another one.
func TestPredictedBoxIsDespawned(t *testing.T) {
	for seed := range uint64(5) {
		m := newMatchOf(t, boxProtocol(t, boxes()), nil)
		a := m.join(seeds(seed+1), nil)
		m.run(time.Second, nil)
		e := m.box(box{X: 2, Z: 2})
		m.run(4*time.Second, nil)
		m.mustPlay()
		a.input = func(netcode.Tick) input { return input{X: 1} }
		m.run(700*time.Millisecond, nil)
		id := m.id(e)
		if m.boxOf(e).X == 2 {
			t.Fatal("nobody pushed the box")
		}
		m.engine.World().RemoveEntity(e)
		next := m.box(box{X: -3, Z: 2})
		m.run(2*time.Second, nil)
		if got := a.client.Replica(id); !got.IsZero() {
			t.Errorf("seed %d: the box is still there: %v", seed, got)
		}
		a.input = func(netcode.Tick) input { return input{X: -1} }
		m.run(5*time.Second, nil)
		if m.boxOf(next).X > -4 {
			t.Errorf("seed %d: the other box was not pushed: it is at %v", seed, *m.boxOf(next))
		}
		if s, p := a.client.State(); !p || math.Abs(float64(s.X-m.of(a).State.X)) > 4 {
			t.Errorf("seed %d: the player is predicted at %v, the server has him at %v", seed, s, m.of(a).State)
		}
	}
}

// wildCodec is one that lets through what it should refuse.
type wildCodec struct {
	boxCodec
	wild *float32
}

func (c wildCodec) Decode(r *netcode.Reader, base *box) box {
	b := c.boxCodec.Decode(r, base)
	if *c.wild != 0 {
		b.VX = *c.wild
	}
	return b
}

// Nothing that a server can say of a body breaks the prediction of anything else, for longer than
// it says so.
func TestWildBodies(t *testing.T) {
	for _, wild := range []float32{float32(math.NaN()), float32(math.Inf(1)), 3e38, -1e30, 1e9} {
		b, value := boxes(), float32(0)
		m := newMatchOf(t, boxProtocol(t, b), nil)
		b.Codec = wildCodec{wild: &value}
		honest := m.protocol
		m.protocol = boxProtocol(t, b)
		a := m.join(seeds(1), nil)
		m.protocol = honest
		m.run(time.Second, nil)
		e, other := m.box(box{X: 2, Z: 2}), m.box(box{X: -2, Z: 2})
		m.run(4*time.Second, nil)
		m.mustPlay()
		a.input = func(at netcode.Tick) input {
			if at/60%2 == 0 {
				return input{X: 1}
			}
			return input{X: -1}
		}
		sound := func() {
			for _, e := range []arche.Entity{a.client.Entity(), a.replicaOf(m, e), a.replicaOf(m, other)} {
				if p := a.visual(e); !(p.Len() < 200) {
					t.Fatalf("%v: something is drawn at %v", wild, p)
				}
			}
			if s, _ := a.client.State(); !(math.Abs(float64(s.X)) < 1e3) {
				t.Fatalf("%v: the player is predicted at %v", wild, s)
			}
		}
		m.run(2*time.Second, sound)
		value = wild
		m.run(3*time.Second, sound)
		value = 0
		m.run(3*time.Second, sound)
		for _, e := range []arche.Entity{e, other} {
			if d := a.logical(a.replicaOf(m, e)).Sub(m.transform(e).Get().Position).Len(); d > 3 {
				t.Errorf("%v: when all is well again a box is %.2f m from where the server has it", wild, d)
			}
		}
	}
}

// Two players and twenty boxes, pushed, corrected, coming and going, on the articles' network:
// nothing is allocated.
func TestBodiesAllocateNothing(t *testing.T) {
	b := boxes()
	b.Near, b.Leave, b.Max = 4, 5, 6
	m := newMatchOf(t, boxProtocol(t, b), nil)
	players := []*player{m.join(seeds(1), nil), m.join(seeds(2), nil)}
	for i := range 20 {
		m.box(box{X: float32(i%5)*2.5 - 5, Z: float32(i/5)*2.5 - 3})
	}
	for i, p := range players {
		p.input = p.wander(uint64(i))
	}
	m.run(20*time.Second, nil)
	m.mustPlay()
	before := players[0].client.Stats().BodyCorrections
	perTick := testing.AllocsPerRun(10, func() { m.run(time.Second, nil) }) / tickRate
	if perTick > 0.05 {
		t.Errorf("%.2f allocations a tick, server and two clients together", perTick)
	}
	if players[0].client.Stats().BodyCorrections == before {
		t.Error("there was nothing to correct: the test does not cover replays")
	}
	t.Logf("%.3f allocations a tick, %d corrections", perTick, players[0].client.Stats().BodyCorrections-before)
}

// A predicted box that is loaded onto a lift is sent away at once, is seen on it after one jump at
// most, and is a box again where it is set down. Nothing steps it meanwhile.
func TestBoxBecomesCargo(t *testing.T) {
	for _, network := range networks {
		for seed := range uint64(5) {
			m := newMatchOf(t, boxProtocol(t, boxes()), nil)
			a := m.join(network.path(seed+1), nil)
			lift := m.crate(kindLift, liftPath(0))
			m.run(time.Second, nil)
			m.of(a).Teleport(runner{X: 18, Z: 2})
			e := m.box(box{X: 20, Z: 2})
			m.run(4*time.Second, nil)
			m.mustPlay()
			replica := a.replicaOf(m, e)
			if n := a.client.Stats().Predicted; n != 1 {
				t.Fatalf("%s %d: %d boxes are predicted", network.name, seed, n)
			}
			parents := generic.NewMap1[components.Parent](m.engine.World())
			held := m.transform(lift).Get().Inverse().Mul(m.transform(e).Get())
			parents.Assign(e, &components.Parent{Entity: lift})
			m.transform(e).Set(held)
			*m.boxOf(e) = box{X: 20, Z: 2, VX: 5} // which nobody runs
			gone := time.Duration(0)
			begin, last, jumps := m.now, a.world(replica), 0
			m.run(3*time.Second, func() {
				if gone == 0 && a.client.Stats().Predicted == 0 {
					gone = m.now - begin
				}
				at := a.world(replica)
				if at.Sub(last).Len() > 0.15 { // the lift goes at 4.7 m/s
					jumps++
				}
				last = at
			})
			if gone == 0 || gone > 600*time.Millisecond {
				t.Errorf("%s %d: the box is predicted for %v after it was loaded", network.name, seed, gone)
			}
			if jumps > 1 { // who is given another parent by hand jumps
				t.Errorf("%s %d: the box jumps %d times", network.name, seed, jumps)
			}
			if d := a.logical(replica).Sub(held.Position).Len(); d > 0.01 {
				t.Errorf("%s %d: the box is %.3f m from its place on the lift", network.name, seed, d)
			}
			if got := m.transform(e).Get().Position; got != held.Position {
				t.Errorf("%s %d: on the server the box has moved on the lift to %v", network.name, seed, got)
			}
			parents.Remove(e)
			*m.boxOf(e) = box{X: 20, Z: 2}
			m.transform(e).Teleport(poseBox(*m.boxOf(e)))
			m.run(2*time.Second, nil)
			if n := a.client.Stats().Predicted; n != 1 {
				t.Errorf("%s %d: set down, %d boxes are predicted", network.name, seed, n)
			}
		}
	}
}
