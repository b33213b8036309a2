package netcode_test

import (
	"math"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"

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

// A box that the own player runs into reacts in the tick in which the player touches it. Player and
// box are drawn so, and the server's result is the same.
func TestBoxRespondsAtOnce(t *testing.T) {
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

// wander pushes all bodies around: eight directions, changed every 40 ticks, but never far from the
// player's first place.
func (p *player) wander(seed uint64) func(netcode.Tick) input {
	return func(at netcode.Tick) input {
		if s, _ := p.client.State(); math.Hypot(float64(s.X), float64(s.Z)) > 6 {
			return input{X: -sign(s.X), Z: -sign(s.Z)}
		}
		x := (uint64(at)/40 + seed*7919) * 0x9e3779b97f4a7c15 >> 32
		return input{X: int8(x%3) - 1, Z: int8(x/3%3) - 1}
	}
}

// sign is the direction of a distance, 0 for one shorter than a step.
func sign(x float32) int8 {
	switch {
	case x > 0.15:
		return 1
	case x < -0.15:
		return -1
	}
	return 0
}

// towards runs towards a predicted entity.
func (p *player) towards(e arche.Entity) input {
	s, _ := p.client.State()
	d := p.logical(e)
	return input{X: sign(d[0] - s.X), Z: sign(d[2] - s.Z)}
}

// No client is corrected in a world that one player moves alone, on any network. Only rounding can
// make its prediction wrong.
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
		// A body that becomes near begins at a rounded state, and passes the difference on to all
		// bodies that touch it.
		if float64(corrections) > seconds/4 || float64(players) > seconds/4 || worst > 0.1 {
			t.Errorf("%s: too many", network.name)
		}
	}
}

// A box that is kicked away, or left behind, is interpolated again, and one that is near again is
// predicted again. Neither change is visible.
func TestBoxesComeAndGo(t *testing.T) {
	for _, network := range networks {
		for seed := range uint64(5) {
			b := boxes()
			b.Near, b.Leave = 2.5, 3
			m := newMatchOf(t, boxProtocol(t, b), nil)
			a := m.join(network.path(seed+1), nil)
			m.run(time.Second, nil)
			e := m.box(box{X: 4, Z: 2})
			var fastest float32 // m/s, of a moving box, its pusher's speed included
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
			// The player dashes into the box and stops. The box glides away. The player follows,
			// turns round and leaves it.
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

// Two players and twenty boxes are pushed, corrected, shown and hidden on the articles' network.
// Nothing is allocated.
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
