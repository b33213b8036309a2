package netcode_test

import (
	"math"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode"
)

// The rafts of these tests are round bodies. A runner that walks against one pushes it. A runner
// that presses dash beside one boards it, and stands in its frame until it walks over the edge.

const (
	raftTouch = 2.0 // m from a runner's middle to a raft's
	raftReach = 2.3 // the greatest distance for boarding
	raftEdge  = 2.6 // the least distance at which a passenger is ashore
)

// stepRafts moves rafts, and takes runners aboard and ashore.
func stepRafts(g *netcode.BodyGroup[runner, input, box], _ netcode.Tick) {
	const dt = 1.0 / tickRate
	for i := range g.Bodies {
		b := &g.Bodies[i].State
		for _, p := range g.Players {
			if p.State.On != netcode.NoEntity || p.State.Dash > 0 {
				continue
			}
			n, overlap := apart(b.X-p.State.X, b.Z-p.State.Z, raftTouch)
			if overlap <= 0 {
				continue
			}
			p.State.X, p.State.Z = p.State.X-n[0]*overlap, p.State.Z-n[1]*overlap
			if v := 2*(float32(p.Input.X)*n[0]+float32(p.Input.Z)*n[1]) - b.VX*n[0] - b.VZ*n[1]; v > 0 {
				b.VX, b.VZ = b.VX+n[0]*v, b.VZ+n[1]*v
			}
		}
		if speed := float32(math.Hypot(float64(b.VX), float64(b.VZ))); speed <= boxDrag*dt {
			b.VX, b.VZ = 0, 0
		} else {
			b.VX, b.VZ = b.VX*(1-boxDrag*dt/speed), b.VZ*(1-boxDrag*dt/speed)
		}
		b.X, b.Z = b.X+b.VX*dt, b.Z+b.VZ*dt
	}
	for _, p := range g.Players {
		s := p.State
		if s.On == netcode.NoEntity {
			for i := range g.Bodies {
				b := &g.Bodies[i]
				if x, z := s.X-b.State.X, s.Z-b.State.Z; s.Dash > 0 && math.Hypot(float64(x), float64(z)) < raftReach {
					s.On, s.X, s.Z, s.Dash = b.ID, x, z, 0
					break
				}
			}
		}
		if s.On == netcode.NoEntity {
			continue
		}
		there := false
		for i := range g.Bodies {
			if b := &g.Bodies[i]; b.ID == s.On {
				s.HX, s.HZ, there = b.State.X, b.State.Z, true
			}
		}
		if !there || math.Hypot(float64(s.X), float64(s.Z)) > raftEdge {
			s.On, s.X, s.Z, s.HX, s.HZ = netcode.NoEntity, s.X+s.HX, s.Z+s.HZ, 0, 0
		}
	}
}

func raftProtocol(t testing.TB, change func(*netcode.Bodies[runner, input, box])) *protocol {
	t.Helper()
	game := runnerGame()
	game.Tolerance = 0.01
	game.MovementBase = func(s runner) netcode.MovementBase { return netcode.MovementBase{Body: s.On} }
	game.Distance = func(a, b runner) float64 {
		if a.On != b.On {
			return 1
		}
		return runnersApart(a, b)
	}
	p := newProtocolFor(t, netcode.Config{}, game)
	b := boxes()
	b.Step, b.Pose = stepRafts, func(b box) components.Pose3D { return components.At3D(b.X, 0, b.Z) }
	if change != nil {
		change(&b)
	}
	netcode.PredictBodies(p, "raft", b)
	return p
}

// raftMatch returns a match with a raft, a runner in front of it, a watcher, and a pusher behind
// it.
func raftMatch(t testing.TB, p *protocol, path func(seed uint64) linkPath, seed uint64) (m *match, raft arche.Entity, rider, watcher, pusher *player) {
	m = newMatchOf(t, p, nil)
	for i, who := range []**player{&rider, &watcher, &pusher} {
		*who = m.join(path(3*seed+uint64(i)+1), nil)
	}
	raft = m.box(box{X: 0, Z: 20})
	m.run(3*time.Second, nil)
	m.mustPlay()
	m.of(rider).Teleport(runner{X: 4, Z: 17.8})
	m.of(watcher).Teleport(runner{X: 6, Z: 18})
	m.of(pusher).Teleport(runner{X: -3, Z: 20})
	m.run(3*time.Second, nil)
	return m, raft, rider, watcher, pusher
}

// raftRide is a match in which a raft is pushed past a runner, which boards it, walks about and
// leaves it.
type raftRide struct {
	*match
	raft                   arche.Entity
	rider, watcher, pusher *player
	// the rider's world position on the server after each tick
	there map[netcode.Tick]mgl32.Vec3
	at    mgl32.Vec3 // the present one
	began netcode.Tick
	// of the rider, as seen by itself, by the watcher and by the pusher
	ways          [3]motions
	boarded, left int
	carried       float32 // m
}

func newRaftRide(t testing.TB, p *protocol, path func(seed uint64) linkPath, seed uint64) *raftRide {
	t.Helper()
	r := &raftRide{}
	r.match, r.raft, r.rider, r.watcher, r.pusher = raftMatch(t, p, path, seed)
	r.there, r.began = map[netcode.Tick]mgl32.Vec3{}, r.server.Tick()
	r.at = r.serverWorld(r.of(r.rider).Entity)
	r.engine.Add(ecs.FixedEnd, ecs.SystemFunc(func(*arche.World) {
		r.at = r.serverWorld(r.of(r.rider).Entity)
		r.there[r.server.Tick()+1] = r.at
	}))
	begin, id := netcode.Tick(r.engine.Time().Tick), r.id(r.raft)
	r.pusher.input = func(at netcode.Tick) input {
		replica := r.pusher.client.Replica(id)
		if at := at.Sub(begin); at > 10 && at < 600 && !replica.IsZero() {
			s, _ := r.pusher.client.State()
			return input{X: 1, Z: sign(r.pusher.logical(replica)[2] - s.Z)}
		}
		return input{}
	}
	r.rider.input = func(at netcode.Tick) input {
		s, _ := r.rider.client.State()
		replica := r.rider.client.Replica(id)
		switch k := at.Sub(begin) - int32(7*seed); {
		case k < 240 && s.On == netcode.NoEntity && !replica.IsZero(): // the raft passes the rider
			box := r.rider.logical(replica)
			return input{Dash: math.Hypot(float64(box[0]-s.X), float64(box[2]-s.Z)) < raftReach}
		case k > 300 && k < 310:
			return input{X: 1}
		case k > 330 && k < 340:
			return input{X: -1}
		case k > 400 && k < 440:
			return input{Z: -1}
		}
		return input{}
	}
	return r
}

// ride runs the match and observes the rider.
func (r *raftRide) ride(d time.Duration) {
	body := r.of(r.rider).Entity
	own, seen, push := r.rider.client.Entity(), r.watcher.client.Replica(r.id(body)), r.pusher.client.Replica(r.id(body))
	last := r.at
	r.run(d, func() {
		if on := r.of(r.rider).State.On != netcode.NoEntity; on != (r.boarded > r.left) {
			if on {
				r.boarded++
			} else {
				r.left++
			}
		}
		if r.boarded > r.left {
			r.carried += r.at.Sub(last).Len()
		}
		last = r.at
		r.ways[0] = append(r.ways[0], r.rider.world(own))
		r.ways[1] = append(r.ways[1], r.watcher.world(seen))
		r.ways[2] = append(r.ways[2], r.pusher.world(push))
	})
}

// beyond returns by how much further the passenger was seen to move in a frame than it moved, by
// itself and by the others.
func (r *raftRide) beyond() (most [3]float64) {
	var truth motions
	for at := r.began; at != r.server.Tick(); at++ { // two frames for each tick
		p, next := r.there[at], r.there[at+1]
		truth = append(truth, p, p.Add(next).Mul(0.5))
	}
	for i, way := range r.ways {
		most[i], _ = way.beyond(truth, 0)
	}
	return most
}

// ends checks that all clients see the passenger at its position on the server.
func (r *raftRide) ends(name string, seed uint64) {
	r.t.Helper()
	body := r.of(r.rider).Entity
	for i, p := range []*player{r.rider, r.watcher, r.pusher} {
		if d := p.world(p.client.Replica(r.id(body))).Sub(r.at).Len(); d > 0.01 {
			r.t.Errorf("%s %d: in the end client %d sees the rider %.3f m from its place", name, seed, i, d)
		}
	}
}

// leap is the most that a passenger may be seen to move in a frame of a 120th of a second beyond
// its true motion, in m.
const leap = 0.05

// A player boards a raft that another player pushes, is carried by it, walks about on it and leaves
// it. No client sees it leap.
func TestRidingARaft(t *testing.T) {
	for _, network := range networks {
		var worst [3]float64
		for seed := range uint64(6) {
			r := newRaftRide(t, raftProtocol(t, nil), network.path, seed)
			r.ride(10 * time.Second)
			if r.boarded != 1 || r.left != 1 || r.carried < 5 {
				t.Errorf("%s %d: the rider boarded %d times, left %d times, and was carried %.1f m: the scene shows too little", network.name, seed, r.boarded, r.left, r.carried)
			}
			if st := r.rider.client.Stats(); st.Corrections > 3 {
				t.Errorf("%s %d: %d corrections, the last by %.3f m", network.name, seed, st.Corrections, st.CorrectionError)
			}
			for i, d := range r.beyond() {
				worst[i] = max(worst[i], d)
			}
			r.ends(network.name, seed)
		}
		t.Logf("%s: beyond true motion at most %.4f m in a frame for the rider, %.4f m for the watcher, %.4f m for the pusher", network.name, worst[0], worst[1], worst[2])
		if max(worst[0], worst[1], worst[2]) > leap {
			t.Errorf("%s: more than %v", network.name, leap)
		}
	}
}

// A raft is despawned under its passenger. The passenger then stands in the world at the same
// place: on the server, on its own screen, and on the others'.
func TestRaftDespawnedUnderItsPassenger(t *testing.T) {
	for _, network := range networks {
		var worst [3]float64
		for seed := range uint64(6) {
			r := newRaftRide(t, raftProtocol(t, nil), network.path, seed)
			r.ride(4*time.Second + time.Duration(seed)*20*time.Millisecond)
			if r.boarded != 1 || r.left != 0 {
				t.Fatalf("%s %d: the rider boarded %d times and left %d times: the scene shows too little", network.name, seed, r.boarded, r.left)
			}
			before := r.at
			r.engine.World().RemoveEntity(r.raft)
			r.ride(time.Second / 10)
			if d := r.at.Sub(before).Len(); d > 0.1 {
				t.Errorf("%s %d: on the server the rider is %.2f m away", network.name, seed, d)
			}
			r.ride(4 * time.Second)
			b := r.beyond()
			for i, d := range b {
				worst[i] = max(worst[i], d)
			}
			r.ends(network.name, seed)
		}
		t.Logf("%s: beyond true motion at most %.4f m in a frame for the rider, %.4f m for the watcher, %.4f m for the pusher", network.name, worst[0], worst[1], worst[2])
		if max(worst[0], worst[1], worst[2]) > leap {
			t.Errorf("%s: more than %v", network.name, leap)
		}
	}
}

// The body that carries the own player is predicted with it, even if the body's centre is beyond
// the distance of prediction, and if nearer bodies fill all places.
func TestRaftIsPredictedWhileItCarries(t *testing.T) {
	for _, scene := range []struct {
		name   string
		change func(*netcode.Bodies[runner, input, box])
	}{
		{"too far", func(b *netcode.Bodies[runner, input, box]) { b.Near, b.Leave = 1.6, 5 }},
		{"no room", func(b *netcode.Bodies[runner, input, box]) { b.Max = 1 }},
	} {
		for seed := range uint64(5) {
			r := newRaftRide(t, raftProtocol(t, scene.change), seeds, seed)
			r.box(box{X: 4, Z: 17.2})
			r.ride(4 * time.Second)
			if r.boarded != 1 || r.left != 0 {
				t.Fatalf("%s %d: the rider boarded %d times and left %d times: the scene shows too little", scene.name, seed, r.boarded, r.left)
			}
			before := r.rider.client.Stats().Corrections
			r.box(box{X: r.at[0] + 1, Z: 17.2})
			r.ride(time.Second / 2)
			if n := r.rider.client.Stats().Corrections - before; n > 2 {
				t.Errorf("%s %d: the rider is corrected %d times while it stands on the raft", scene.name, seed, n)
			}
			r.ride(4 * time.Second)
			b := r.beyond()
			t.Logf("%s %d: %.4f", scene.name, seed, b)
			if max(b[0], b[1], b[2]) > leap {
				t.Errorf("%s %d: the rider is seen to leap by %.3f m", scene.name, seed, b)
			}
			r.ends(scene.name, seed)
		}
	}
}
