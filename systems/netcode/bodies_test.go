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
	"github.com/tandem-ecs/tandem/systems/netcode/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/prediction"
	"github.com/tandem-ecs/tandem/systems/netcode/snapshot"
	"github.com/tandem-ecs/tandem/systems/netcode/tick"
)

// The boxes of these tests: round ones on the plain, which runners push and which push them back.

type box struct{ X, Z, VX, VZ float32 }

const (
	kindBox   = 4
	boxTouch  = 1.0 // m from a runner's middle to a box's
	boxBetter = 0.6 // of an overlap, the share that the box gives way by
	boxDrag   = 5.0 // m/s²
)

func poseBox(b box) components.Pose3D { return components.At3D(b.X, 0.5, b.Z) }

// stepBoxes lets runners push boxes, boxes each other, and all of them give way to each other.
func stepBoxes(g *prediction.Group[runner, input, box], _ tick.Tick) {
	const dt = 1.0 / tickRate
	for i := range g.Bodies {
		b := &g.Bodies[i].State
		for _, p := range g.Players {
			n, overlap := apart(b.X-p.State.X, b.Z-p.State.Z, boxTouch)
			if overlap <= 0 {
				continue
			}
			b.X, b.Z = b.X+n[0]*overlap*boxBetter, b.Z+n[1]*overlap*boxBetter
			p.State.X, p.State.Z = p.State.X-n[0]*overlap*(1-boxBetter), p.State.Z-n[1]*overlap*(1-boxBetter)
			if v := runSpeed*(float32(p.Input.X)*n[0]+float32(p.Input.Z)*n[1]) - b.VX*n[0] - b.VZ*n[1]; v > 0 {
				b.VX, b.VZ = b.VX+n[0]*v*0.8, b.VZ+n[1]*v*0.8
			}
		}
		for k := range g.Bodies[:i] {
			o := &g.Bodies[k].State
			if n, overlap := apart(b.X-o.X, b.Z-o.Z, 1.2); overlap > 0 {
				b.X, b.Z, o.X, o.Z = b.X+n[0]*overlap/2, b.Z+n[1]*overlap/2, o.X-n[0]*overlap/2, o.Z-n[1]*overlap/2
				if v := (o.VX-b.VX)*n[0] + (o.VZ-b.VZ)*n[1]; v > 0 {
					b.VX, b.VZ, o.VX, o.VZ = b.VX+n[0]*v, b.VZ+n[1]*v, o.VX-n[0]*v, o.VZ-n[1]*v
				}
			}
		}
	}
	for i := range g.Bodies {
		b := &g.Bodies[i].State
		if speed := float32(math.Hypot(float64(b.VX), float64(b.VZ))); speed <= boxDrag*dt {
			b.VX, b.VZ = 0, 0
		} else {
			b.VX, b.VZ = b.VX*(1-boxDrag*dt/speed), b.VZ*(1-boxDrag*dt/speed)
		}
		b.X, b.Z = b.X+b.VX*dt, b.Z+b.VZ*dt
	}
}

func apart(x, z, touch float32) (n mgl32.Vec2, overlap float32) {
	d := float32(math.Hypot(float64(x), float64(z)))
	if d < 1e-4 {
		return mgl32.Vec2{1, 0}, touch
	}
	return mgl32.Vec2{x / d, z / d}, touch - d
}

// boxCodec writes the velocity; where a box is, its pose says.
type boxCodec struct{}

const boxQuantum = 1.0 / 64

func (boxCodec) Quantize(b box) box {
	round := func(v float32) float32 {
		return float32(math.Round(float64(min(max(v, -500), 500)/boxQuantum))) * boxQuantum
	}
	return box{VX: round(b.VX), VZ: round(b.VZ)}
}

func (boxCodec) Encode(w *packet.Writer, b box, _ *box) {
	w.Bool(b.VX != 0 || b.VZ != 0)
	if b.VX != 0 || b.VZ != 0 {
		w.Int(int64(b.VX/boxQuantum), 16)
		w.Int(int64(b.VZ/boxQuantum), 16)
	}
}

func (boxCodec) Decode(r *packet.Reader, _ *box) (b box) {
	if r.Bool() {
		b.VX, b.VZ = float32(r.Int(16))*boxQuantum, float32(r.Int(16))*boxQuantum
	}
	return b
}

func restoreBox(b box, pose components.Pose3D) box {
	b.X, b.Z = pose.Position[0], pose.Position[2]
	return b
}

func boxDistance(a, b box) float64 {
	return math.Hypot(float64(a.X-b.X), float64(a.Z-b.Z)) + math.Hypot(float64(a.VX-b.VX), float64(a.VZ-b.VZ))/10
}

func boxes() netcode.Bodies[runner, input, box] {
	return netcode.Bodies[runner, input, box]{
		Kinds: []uint16{kindBox}, Step: stepBoxes, Pose: poseBox, Codec: boxCodec{}, Distance: boxDistance, Tolerance: 0.01, Snap: 5, Near: 8, Leave: 10,
		StandIn: func(r netcode.Replicated, pose components.Pose3D, _ mgl32.Vec3, _ input) (runner, bool) {
			return runner{X: pose.Position[0], Z: pose.Position[2]}, r.Kind == kindRun
		},
		Restore: restoreBox,
	}
}

// boxProtocol has boxes beside all that newProtocol has. Runners who are pushed back by what travels rounded can be predicted as well as that.
func boxProtocol(t testing.TB, b netcode.Bodies[runner, input, box]) *protocol {
	t.Helper()
	game := runnerGame()
	game.Tolerance = 0.01
	p := newProtocolFor(t, snapshot.Config{}, game)
	netcode.Predict(p, "box", b)
	return p
}

// box adds one on the server.
func (m *match) box(b box) arche.Entity {
	l := components.NewLogical(poseBox(b))
	spawn := generic.NewMap3[components.Transform3D, netcode.Replicated, box](m.engine.World())
	return spawn.NewWith(&l, &netcode.Replicated{Kind: kindBox}, &b)
}

func (m *match) boxOf(e arche.Entity) *box {
	w := m.engine.World()
	return (*box)(w.Get(e, arche.ComponentID[box](w)))
}

// record notes where the server has a box after each tick.
func (m *match) record(e arche.Entity) map[tick.Tick]mgl32.Vec3 {
	at := map[tick.Tick]mgl32.Vec3{}
	m.engine.Add(ecs.FixedEnd, ecs.SystemFunc(func(w *arche.World) {
		if w.Alive(e) {
			at[m.server.Tick()+1] = m.transform(e).Get().Position
		}
	}))
	return at
}

// replicaOf is a client's entity of one of the server's.
func (p *player) replicaOf(m *match, e arche.Entity) arche.Entity { return p.client.Replica(m.id(e)) }

var networks = []struct {
	name string
	path func(seed uint64) (p linkPath)
}{
	{"clean", func(uint64) linkPath { return perfect() }},
	{"seeds", func(seed uint64) linkPath { return seeds(seed) }},
}

// What the own player runs into answers in the tick in which he touches it, as he is drawn and as it is drawn, and the server comes to the same.
func TestBoxAnswersAtOnce(t *testing.T) {
	for _, network := range networks {
		for seed := range uint64(5) {
			m := newMatchOf(t, boxProtocol(t, boxes()), nil)
			a := m.join(network.path(seed+1), nil)
			m.run(time.Second, nil) // the player stands at (0, 2)
			e := m.box(box{X: 5, Z: 2.25})
			there := m.record(e)
			var now tick.Tick
			a.input = func(at tick.Tick) input { now = at; return input{} }
			m.run(4*time.Second, nil)
			m.mustPlay()
			replica := a.replicaOf(m, e)
			rest := a.visual(replica)
			a.input = func(at tick.Tick) input { now = at; return input{X: 1} }
			before := a.client.Stats()
			touched, moved := time.Duration(0), time.Duration(0)
			worst, compared := 0.0, 0
			type pose struct {
				at tick.Tick
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

// wander pushes whatever is around: eight directions, changed every 40 ticks, but never far away from where he began.
func (p *player) wander(seed uint64) func(tick.Tick) input {
	return func(at tick.Tick) input {
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

// Nobody is corrected in a world that one player moves alone, whatever the network: there is nothing to be wrong about but what rounding loses.
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
		// What comes near anew begins at a rounded state, and what it is pushed against passes the difference on.
		if float64(corrections) > seconds/4 || float64(players) > seconds/4 || worst > 0.1 {
			t.Errorf("%s: too many", network.name)
		}
	}
}

// twoAtABox begins a match of two who stand on either side of a box along z, a on the lesser, and records where it is.
func twoAtABox(t testing.TB, first, second linkPath) (m *match, a, b *player, e arche.Entity, there map[tick.Tick]mgl32.Vec3) {
	t.Helper()
	m = newMatchOf(t, boxProtocol(t, boxes()), nil)
	a, b = m.join(first, nil), m.join(second, nil)
	m.run(time.Second, nil) // at (0, 2) and (0, 4)
	e = m.box(box{X: 0, Z: 3})
	there = m.record(e)
	m.run(4*time.Second, nil)
	m.mustPlay()
	if m.of(a).State.Z > m.of(b).State.Z {
		a, b = b, a
	}
	return m, a, b, e, there
}

// stubborn pushes a box and never gives up: he runs at it from where he is, but now and then he rests, or walks to the side.
func (p *player) stubborn(e arche.Entity, whim uint64) func(tick.Tick) input {
	return func(at tick.Tick) input {
		x := (uint64(at+tick.Tick(whim*17))/45 + whim*7919) * 0x9e3779b97f4a7c15 >> 40
		switch x % 8 {
		case 0:
			return input{}
		case 1:
			return input{X: int8(x/8%3) - 1}
		}
		return p.towards(e)
	}
}

// motions are how far something moved from frame to frame.
type motions []mgl32.Vec3

// beyond returns by how much the picture of something moved further in a frame than what is pictured moved in any frame within half a second, and in how many frames that was more than a limit.
func (seen motions) beyond(truth motions, limit float64) (most float64, over int) {
	const half = 60 // frames
	for i := 1; i < len(seen); i++ {
		fastest := float32(0)
		for k := max(i-half, 1); k < min(i+half, len(truth)); k++ {
			fastest = max(fastest, truth[k].Sub(truth[k-1]).Len())
		}
		d := float64(seen[i].Sub(seen[i-1]).Len() - fastest)
		if most = max(most, d); d > limit {
			over++
		}
	}
	return most, over
}

// Two push one box from both sides, and change their minds. Each is predicted to go on as he did, and pushes the box in the other's prediction, too; so nobody is wrong for longer than the news of a
// change takes, and what is seen never leaps.
func TestTwoPlayersPushOneBox(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine and much work: runs where the race detector does not")
	}
	for _, network := range networks {
		const seconds = 20
		var most, sum, leap, worst float64
		overs := 0
		least := uint64(math.MaxUint64)
		for seed := range uint64(20) {
			m, a, b, e, there := twoAtABox(t, network.path(2*seed+1), network.path(2*seed+2))
			var now tick.Tick
			replica, whims := a.replicaOf(m, e), a.stubborn(a.replicaOf(m, e), 2*seed)
			a.input = func(at tick.Tick) input { now = at; return whims(at) }
			b.input = b.stubborn(b.replicaOf(m, e), 2*seed+1)
			before := a.client.Stats()
			var seen, truth motions
			predicted := map[tick.Tick]mgl32.Vec3{}
			m.run(seconds*time.Second, func() {
				seen = append(seen, a.visual(replica))
				predicted[now+1] = a.logical(replica)
			})
			after := a.client.Stats()
			m.run(time.Second, nil)
			first := m.server.Tick() - (seconds+1)*tickRate
			for at := first; at != m.server.Tick(); at++ { // two frames for each tick
				p, next := there[at], there[at+1]
				truth = append(truth, p, p.Add(next).Mul(0.5))
			}
			for at, p := range predicted {
				if truth, ok := there[at]; ok {
					worst = max(worst, float64(truth.Sub(p).Len()))
				}
			}
			corrections := after.BodyCorrections - before.BodyCorrections
			rate := float64(corrections) / seconds
			beyond, over := seen.beyond(truth, 0.0105)
			overs += over
			most, sum, leap, least = max(most, rate), sum+rate, max(leap, beyond), min(least, corrections)
		}
		t.Logf("%s: %.1f corrections a second, at most %.1f; at most %.3f m beside the server at the same tick, at most %.4f m in a frame beyond true motion, more than 1 cm in %d of %d frames",
			network.name, sum/20, most, worst, leap, overs, 20*seconds*120)
		if most > 9 {
			t.Errorf("%s: up to %.1f corrections a second, want less than half of the snapshots'", network.name, most)
		}
		if leap > 0.035 || overs > 20*seconds*120/200 {
			t.Errorf("%s: the box moved up to %.4f m further in a frame than it does, more than 1 cm in %d frames; want at most 0.035, and one frame in 200", network.name, leap, overs)
		}
		// One is predicted to run one way for a quarter of a second, and runs the other.
		if worst > 2*runSpeed*0.3 {
			t.Errorf("%s: up to %.2f m beside the server", network.name, worst)
		}
		if least == 0 {
			t.Errorf("%s: in one of the scenes nothing was corrected: the two did not meet", network.name)
		}
	}
}

// Two push one box from both sides, and neither gives way: that is predicted, and nobody is corrected once both have begun.
func TestTwoPlayersLeanOnOneBox(t *testing.T) {
	for _, network := range networks {
		for seed := range uint64(5) {
			m, a, b, e, there := twoAtABox(t, network.path(2*seed+1), network.path(2*seed+2))
			var now [2]tick.Tick
			a.input = func(at tick.Tick) input { now[0] = at; return input{Z: 1} }
			b.input = func(at tick.Tick) input { now[1] = at; return input{Z: -1} }
			m.run(time.Second, nil)
			before := [2]netcode.ClientStats{a.client.Stats(), b.client.Stats()}
			m.run(20*time.Second, nil)
			at, predicted := now, [2]mgl32.Vec3{}
			for i, p := range []*player{a, b} {
				after := p.client.Stats()
				if n := after.BodyCorrections - before[i].BodyCorrections + after.Corrections - before[i].Corrections; n > 2 {
					t.Errorf("%s %d: %d corrections of client %d in 20 s of steady pushing, the last by %.3f m", network.name, seed, n, i, after.BodyError)
				}
				predicted[i] = p.logical(p.replicaOf(m, e))
			}
			m.run(time.Second, nil)
			for i := range predicted {
				if d := predicted[i].Sub(there[at[i]+1]).Len(); d > 0.02 {
					t.Errorf("%s %d: client %d predicts the box %.3f m beside the server's place at the same tick", network.name, seed, i, d)
				}
			}
		}
	}
}

// A box that is kicked away, or left behind, goes back to being interpolated, and one that comes back is predicted again: neither is seen.
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
			begin := tick.Tick(m.engine.Time().Tick) + 30
			a.input = func(at tick.Tick) input {
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

// What the server does to a box that nobody could foresee is in the simulation at once, and in the picture as an offset that fades; a teleport is a jump in both.
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

// A box that the client has pushed and nobody else has comes back: of what rests on the server no news comes, and that is news.
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
		a.input = func(tick.Tick) input { return input{X: 1} }
		far := float32(0)
		m.run(2*time.Second, func() { far = max(far, a.logical(replica)[0]-1.2) })
		if far < 0.5 || far > 4 {
			t.Errorf("%s: the box is predicted up to %.2f m ahead, want some way and not any", network.name, far)
		}
		a.input = func(tick.Tick) input { return input{} }
		m.run(2*time.Second, nil)
		if d := a.logical(replica).Sub(mgl32.Vec3{1.2, 0.5, 2}).Len(); d > 0.01 {
			t.Errorf("%s: two seconds later the box is %.3f m from where it is", network.name, d)
		}
	}
}

// A predicted box that goes away on the server goes on the client, in the middle of a push, and its place is taken by another one.
func TestPredictedBoxIsDespawned(t *testing.T) {
	for seed := range uint64(5) {
		m := newMatchOf(t, boxProtocol(t, boxes()), nil)
		a := m.join(seeds(seed+1), nil)
		m.run(time.Second, nil)
		e := m.box(box{X: 2, Z: 2})
		m.run(4*time.Second, nil)
		m.mustPlay()
		a.input = func(tick.Tick) input { return input{X: 1} }
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
		a.input = func(tick.Tick) input { return input{X: -1} }
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

func (c wildCodec) Decode(r *packet.Reader, base *box) box {
	b := c.boxCodec.Decode(r, base)
	if *c.wild != 0 {
		b.VX = *c.wild
	}
	return b
}

// Nothing that a server can say of a body breaks the prediction of anything else, for longer than it says so.
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
		a.input = func(at tick.Tick) input {
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

// Two players and twenty boxes, pushed, corrected, coming and going, on the articles' network: nothing is allocated.
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

// A predicted box that is loaded onto a lift is sent away at once, is seen on it after one jump at most, and is a box again where it is set down. Nothing steps it meanwhile.
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
