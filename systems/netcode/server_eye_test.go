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

const kindCamera = 40

// spectatorsJoin makes Joined take every player but the first few for a spectator without an
// entity.
func spectatorsJoin(c *netcode.ServerConfig[runner, input], m **match, players int) {
	joined := c.Joined
	c.Joined = func(p *serverPlayer) (runner, arche.Entity) {
		if len((*m).joined) < players {
			return joined(p)
		}
		(*m).joined = append((*m).joined, p)
		return runner{}, arche.Entity{}
	}
}

func drawnEntity(w *arche.World) arche.Entity {
	spawn := generic.NewMap2[components.Transform3D, components.Visual3D](w)
	return spawn.New()
}

// avenue is crates in a row that move a little in every step, 2 m apart along x.
func (m *match) avenue(n int) []arche.Entity {
	var row []arche.Entity
	for i := range n {
		row = append(row, m.crate(kindCrate, components.At3D(float32(2*i), 0, 2)))
	}
	m.engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
		for i, e := range row {
			if m.engine.World().Alive(e) {
				m.transform(e).Set(components.At3D(float32(2*i), float32(m.engine.Time().Tick%60)/100, 2))
			}
		}
	}))
	return row
}

// A spectator that follows a runner is shown what the runner is shown, and its snapshots take as
// many bytes. When the runner's entity is despawned, the spectator is shown everything, since it
// has no entity, until it has another Eye. With an entity of its own it then sees around that.
func TestSpectatorsFollowAPlayer(t *testing.T) {
	for _, withEntity := range []bool{false, true} {
		var m *match
		m = newMatch(t, func(c *netcode.ServerConfig[runner, input]) {
			c.Interest = netcode.Interest{Radius: 10, Leave: 12}
			if !withEntity {
				spectatorsJoin(c, &m, 1)
			}
		})
		row := m.avenue(60)
		a := m.join(perfect(), nil)
		m.run(time.Second, nil)
		met := map[netcode.EntityID]bool{}
		b := m.join(perfect(), func(c *netcode.ClientConfig[runner, input]) {
			c.Spawn = func(w *arche.World, r netcode.Replicated, _ bool) arche.Entity {
				met[r.ID] = true
				return drawnEntity(w)
			}
		})
		m.run(time.Second, nil)
		m.mustPlay()
		spectator := m.of(b)
		if withEntity {
			spectator.Teleport(runner{X: -500})
		}
		runs := m.of(a).Entity
		spectator.Eye = runs
		m.of(a).Teleport(runner{X: 20})
		m.run(2*time.Second, nil)
		clear(met)
		before := [2]uint64{a.client.Stats().ReceivedBytes, b.client.Stats().ReceivedBytes}
		a.input = func(netcode.Tick) input { return input{X: 1} }
		m.run(4*time.Second, func() {
			x := m.of(a).State.X
			for i, e := range row {
				distance := math.Hypot(float64(float32(2*i)-x), 2)
				if shown := spectator.Knows(e); distance < 9 && !shown || distance > 13 && shown {
					t.Fatalf("the crate at %.1f m from the runner: shown %v", distance, shown)
				}
			}
		})
		a.input = func(netcode.Tick) input { return input{} }
		bytes := [2]float64{float64(a.client.Stats().ReceivedBytes - before[0]), float64(b.client.Stats().ReceivedBytes - before[1])}
		if ratio := bytes[1] / bytes[0]; ratio < 0.6 || ratio > 1.25 {
			t.Errorf("the runner has received %.0f bytes, the spectator %.0f", bytes[0], bytes[1])
		}
		// It ran 24 m from 20 m: no crate beyond 56 m was near, with the band and a step.
		for i, e := range row {
			if met[m.id(e)] && (2*i < 6 || 2*i > 58) {
				t.Errorf("the crate at %d m was sent to the spectator", 2*i)
			}
		}
		if seen := b.client.Replica(m.id(runs)); seen.IsZero() {
			t.Error("the spectator does not see the runner that it follows")
		}
		shown := func() (n int) {
			for _, e := range row {
				if spectator.Knows(e) {
					n++
				}
			}
			return n
		}
		m.of(a).Entity = arche.Entity{}
		m.engine.World().RemoveEntity(runs)
		m.run(time.Second, nil)
		if want := map[bool]int{false: len(row), true: 0}[withEntity]; shown() != want {
			t.Errorf("own entity %v, without the runner: %d crates are shown, want %d", withEntity, shown(), want)
		}
		spectator.Eye = row[0]
		m.run(time.Second, nil)
		if n := shown(); n < 5 || n > 7 {
			t.Errorf("%d crates are shown around the first one", n)
		}
		m.mustPlay()
	}
}

// On a line that cannot carry everything, the entities near the Eye are newer than the others. The
// player's own entity has no say then.
func TestTheEyeSetsPriorities(t *testing.T) {
	m := newMatch(t, func(c *netcode.ServerConfig[runner, input]) { c.Bandwidth = 4 << 10 })
	var far, near []arche.Entity
	for i := range 100 {
		near = append(near, m.crate(kindCrate, components.At3D(float32(i%10), 0, float32(i/10))))
		far = append(far, m.crate(kindCrate, components.At3D(500+float32(i%10), 0, float32(i/10))))
	}
	m.engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
		for i := range near {
			for k, e := range []arche.Entity{near[i], far[i]} { // at 1 m/s upwards
				m.transform(e).Set(components.At3D(500*float32(k)+float32(i%10), float32(m.engine.Time().StepEnd.Seconds()), float32(i/10)))
			}
		}
	}))
	a := m.join(perfect(), nil)
	m.run(4*time.Second, nil)
	m.mustPlay()
	late := func(all []arche.Entity) (sum float64) {
		for _, e := range all {
			state, _ := a.client.Newest(m.id(e))
			sum += float64(m.transform(e).Get().Position[1]-state.Position[1]) / float64(len(all))
		}
		return sum
	}
	measure := func() (nearLate, farLate float64) {
		m.run(2*time.Second, nil)
		n := 0.0
		m.run(4*time.Second, func() { nearLate, farLate, n = nearLate+late(near), farLate+late(far), n+1 })
		return nearLate / n, farLate / n
	}
	for _, eye := range []arche.Entity{{}, far[55], {}} {
		m.of(a).Eye = eye
		nearLate, farLate := measure()
		if eye.IsZero() && farLate < 2*nearLate || !eye.IsZero() && nearLate < 2*farLate {
			t.Errorf("the Eye is %v: those near the player are %.2f s old, those 500 m away %.2f s", eye, nearLate, farLate)
		}
	}
}

// A free camera is an own entity that Relevant shows to its owner only. Its player moves it, it is
// predicted, and the player sees around it. Others receive nothing about it.
func TestFreeCamera(t *testing.T) {
	var m *match
	m = newMatch(t, func(c *netcode.ServerConfig[runner, input]) {
		c.Interest = netcode.Interest{Radius: 10, Leave: 12}
		c.Relevant = func(p *serverPlayer, e arche.Entity) bool {
			w := m.engine.World()
			r := (*netcode.Replicated)(w.Get(e, arche.ComponentID[netcode.Replicated](w)))
			return r.Archetype != kindCamera || r.Owner == p.Number()
		}
		joined := c.Joined
		c.Joined = func(p *serverPlayer) (runner, arche.Entity) {
			if len(m.joined) == 0 {
				return joined(p)
			}
			m.joined = append(m.joined, p)
			return runner{}, m.crate(kindCamera, components.At3D(0, 0, 0))
		}
	})
	row := m.avenue(60)
	spawned := map[uint16]int{}
	a := m.join(seeds(4), func(c *netcode.ClientConfig[runner, input]) {
		c.Spawn = func(w *arche.World, r netcode.Replicated, _ bool) arche.Entity {
			spawned[r.Archetype]++
			return drawnEntity(w)
		}
	})
	m.run(3*time.Second, nil)
	b := m.join(seeds(5), nil)
	m.run(4*time.Second, nil)
	m.mustPlay()
	b.input = func(netcode.Tick) input { return input{X: 1} }
	m.run(8*time.Second, nil)
	b.input = func(netcode.Tick) input { return input{} }
	m.run(2*time.Second, nil)
	camera := m.of(b)
	if camera.State.X < 40 || b.client.Entity().IsZero() {
		t.Fatalf("the camera is at %.1f", camera.State.X)
	}
	if drawn := b.visual(b.client.Entity()); mgl32.Abs(drawn[0]-camera.State.X) > 0.05 {
		t.Errorf("the camera is drawn at %.2f, and is at %.2f", drawn[0], camera.State.X)
	}
	for i, e := range row {
		distance := math.Abs(float64(float32(2*i) - camera.State.X))
		if shown := camera.Knows(e); distance < 9 && !shown || distance > 13 && shown {
			t.Errorf("the crate at %.1f m from the camera: shown %v", distance, shown)
		}
	}
	if spawned[kindCamera] > 0 || m.of(a).Knows(camera.Entity) || spawned[kindCrate] == 0 {
		t.Errorf("the other player has spawned %v", spawned)
	}
}

// A spectator becomes a player by a new Entity and a Teleport, and a spectator again, on a bad
// line. Its client then predicts the new entity from the state of the Teleport on. No picture shows
// a motion from one place to the other.
func TestSpectatorsBecomePlayers(t *testing.T) {
	for seed := range uint64(3) {
		var m *match
		m = newMatch(t, func(c *netcode.ServerConfig[runner, input]) { spectatorsJoin(c, &m, 0) })
		a, b := m.join(seeds(10*seed+1), nil), m.join(seeds(10*seed+2), nil)
		m.run(3*time.Second, nil)
		m.mustPlay()
		p := m.of(a)
		if !a.client.Entity().IsZero() || !p.Entity.IsZero() {
			t.Fatal("the spectator has an entity")
		}
		input1 := func(netcode.Tick) input { return input{X: 1} }
		for round, x := range []float32{100, -300} {
			at := runner{X: x, Z: 7}
			p.Entity = m.crate(kindRun, poseRunner(at))
			p.Teleport(at)
			e := p.Entity
			var id netcode.EntityID
			a.input = input1
			first := true
			jumps := [2]int{}
			var last [2]mgl32.Vec3
			watch := func() {
				id = m.id(e)
				for i, c := range []*player{a, b} {
					replica := c.client.Replica(id)
					if replica.IsZero() {
						continue
					}
					seen := c.visual(replica)
					if seen[0] < x-0.1 || seen[0] > p.State.X+6 || mgl32.Abs(seen[2]-7) > 0.1 {
						t.Fatalf("seed %d, round %d, client %d: drawn at %v, on the way from %v to %.2f", seed, round, i, seen, x, p.State.X)
					}
					if last[i] != (mgl32.Vec3{}) && seen.Sub(last[i]).Len() > 2 {
						jumps[i]++
					}
					last[i], first = seen, false
				}
			}
			m.run(4*time.Second, watch)
			m.mustPlay()
			own := a.client.Entity()
			if first || own.IsZero() || own != a.client.Replica(m.id(e)) || b.client.Replica(m.id(e)).IsZero() {
				t.Fatalf("seed %d, round %d: the new entity is not everywhere", seed, round)
			}
			w := a.engine.World()
			if r := (*netcode.Replicated)(w.Get(own, arche.ComponentID[netcode.Replicated](w))); r.Owner != p.Number() {
				t.Errorf("seed %d: the owner is %d", seed, r.Owner)
			}
			corrections := a.client.Stats().Corrections
			m.run(2*time.Second, watch)
			if n := a.client.Stats().Corrections - corrections; n > 0 || jumps[0] > 1 || jumps[1] > 1 {
				t.Errorf("seed %d, round %d: %d corrections of the new player, jumps %v", seed, round, n, jumps)
			}
			if state, _ := a.client.State(); state.X <= p.State.X || p.State.X < x+30 {
				t.Errorf("seed %d, round %d: predicted at %.2f, on the server at %.2f, from %.0f", seed, round, state.X, p.State.X, x)
			}
			p.Entity = arche.Entity{} // a spectator again
			m.engine.World().RemoveEntity(e)
			m.run(2*time.Second, nil)
			if !a.client.Entity().IsZero() || !b.client.Replica(id).IsZero() {
				t.Errorf("seed %d, round %d: the entity is still there", seed, round)
			}
		}
	}
}
