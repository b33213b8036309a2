package netcode_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// crowd is a world in which all data of relevance changes all the time.
type crowd struct {
	m       *match
	rng     *rand.Rand
	all     []arche.Entity
	body    []arche.Entity // of players
	unseen  []arche.Entity // parents of others, not replicated
	hidden  map[arche.Entity]bool
	near    []map[arche.Entity]bool            // by player: the result of the naive rule
	last    map[arche.Entity]components.Pose3D // of replicated ones, after a step: finite
	parents generic.Map1[components.Parent]
	always  generic.Map1[netcode.AlwaysRelevant]
	marks   generic.Map1[netcode.Replicated]

	// IDs of the components, since looking them up takes longer than the rules
	parent, alwaysID, mark arche.ID
}

func (c *crowd) anywhere() components.Pose3D {
	const edge = 40
	at := mgl32.Vec3{c.rng.Float32()*2*edge - edge, c.rng.Float32()*10 - 5, c.rng.Float32()*2*edge - edge}
	switch c.rng.IntN(60) {
	case 0:
		at[c.rng.IntN(3)] = float32(math.NaN())
	case 1:
		at[c.rng.IntN(3)] *= 1e30
	case 2:
		at = mgl32.Vec3{}
	}
	pose := components.Identity3D()
	pose.Position = at
	return pose
}

// root is an entity's topmost replicated parent.
func (c *crowd) root(e arche.Entity) arche.Entity {
	w := c.m.engine.World()
	for w.Has(e, c.parent) {
		above := c.parents.Get(e).Entity
		if above.IsZero() || !w.Alive(above) || !w.Has(above, c.mark) {
			break
		}
		e = above
	}
	return e
}

// place composes the poses of an entity and of all of its ancestors.
func (c *crowd) place(e arche.Entity) mgl32.Vec3 {
	w := c.m.engine.World()
	pose := c.shown(e)
	for w.Has(e, c.parent) {
		if e = c.parents.Get(e).Entity; e.IsZero() || !w.Alive(e) {
			break
		}
		pose = c.shown(e).Mul(pose)
	}
	return pose.Position
}

// shown returns the pose that clients are shown of an entity: if it is not finite, the last one
// that was, and for one that never had any a zero.
func (c *crowd) shown(e arche.Entity) components.Pose3D {
	if pose := c.m.transform(e).Get(); pose.IsFinite() || !c.m.engine.World().Has(e, c.mark) {
		return pose
	}
	return c.last[e]
}

// remember notes the poses after a step.
func (c *crowd) remember() {
	w := c.m.engine.World()
	for _, list := range [][]arche.Entity{c.all, c.body} {
		for _, e := range list {
			if !w.Alive(e) || !w.Has(e, c.mark) {
				delete(c.last, e)
			} else if pose := c.m.transform(e).Get(); pose.IsFinite() {
				c.last[e] = pose
			}
		}
	}
}

// change makes a random change to the world.
func (c *crowd) change() {
	w := c.m.engine.World()
	e := c.all[c.rng.IntN(len(c.all))]
	switch c.rng.IntN(13) {
	case 0, 1, 2:
		c.m.transform(e).Set(c.anywhere())
	case 3, 4:
		pose := c.m.transform(e).Get()
		pose.Position = pose.Position.Add(mgl32.Vec3{c.rng.Float32()*4 - 2, 0, c.rng.Float32()*4 - 2})
		c.m.transform(e).Set(pose)
	case 5: // below an earlier one, so that there are no cycles
		var above arche.Entity
		if k := slices.Index(c.all, e); k > 0 && c.rng.IntN(3) > 0 {
			above = c.all[c.rng.IntN(k)]
		} else if c.rng.IntN(2) == 0 {
			above = c.unseen[c.rng.IntN(len(c.unseen))]
		}
		if depth := 0; !above.IsZero() {
			for up := above; c.root(up) != up && depth < 6; up = c.parents.Get(up).Entity {
				depth++
			}
			if depth == 6 {
				return
			}
		}
		if !w.Has(e, c.parent) {
			c.parents.Assign(e, &components.Parent{Entity: above})
		} else if above.IsZero() && c.rng.IntN(2) == 0 {
			c.parents.Remove(e)
		} else {
			c.parents.Get(e).Entity = above
		}
	case 6:
		c.marks.Get(e).Owner = uint16(c.rng.IntN(4)) // none, players and one that does not exist
	case 7:
		if w.Has(e, c.alwaysID) {
			c.always.Remove(e)
		} else if c.rng.IntN(4) == 0 {
			c.always.Assign(e, &netcode.AlwaysRelevant{})
		}
	case 8:
		c.hidden[e] = !c.hidden[e]
	case 9:
		c.m.transform(c.unseen[c.rng.IntN(len(c.unseen))]).Set(components.At3D(c.rng.Float32()*20, 0, 0))
	case 10:
		if slices.ContainsFunc(c.all, func(k arche.Entity) bool { // an entity without children
			return w.Has(k, c.parent) && c.parents.Get(k).Entity == e
		}) {
			return
		}
		for _, near := range c.near {
			delete(near, e)
		}
		delete(c.hidden, e)
		if c.rng.IntN(2) == 0 { // gets another archetype, with another ID
			c.marks.Get(e).Archetype++
			delete(c.last, e)
			return
		}
		c.all = slices.DeleteFunc(c.all, func(k arche.Entity) bool { return k == e })
		w.RemoveEntity(e)
		c.all = append(c.all, c.m.crate(kindCrate, c.anywhere()))
	case 11:
		for i, p := range c.m.joined {
			if i == c.rng.IntN(2) {
				p.State.X, p.State.Z = c.rng.Float32()*60-30, c.rng.Float32()*60-30
			}
		}
	case 12: // a player looks around another entity, which may be despawned later
		p := c.m.joined[c.rng.IntN(len(c.m.joined))]
		switch p.Eye = (arche.Entity{}); c.rng.IntN(8) {
		case 0:
		case 1:
			p.Eye = c.unseen[c.rng.IntN(len(c.unseen))]
		default:
			p.Eye = e
		}
	}
}

// want returns, by the rules one by one, the entities that a player may be shown.
func (c *crowd) want(i int, p *netcode.Player[runner, input], limit netcode.Interest) map[arche.Entity]bool {
	w := c.m.engine.World()
	all := append(slices.Clone(c.all), c.body...)
	claimed := map[arche.Entity]bool{} // roots
	for _, e := range all {
		if c.marks.Get(e).Owner == p.Number() || w.Has(e, c.alwaysID) {
			claimed[c.root(e)] = true
		}
	}
	eye := p.Eye
	if eye.IsZero() || !w.Alive(eye) {
		eye = p.Entity
	}
	before, near, shown := c.near[i], make(map[arche.Entity]bool, len(all)), make(map[arche.Entity]bool, len(all))
	for _, e := range all {
		root := c.root(e)
		reach := limit.Radius
		if before[root] {
			reach = limit.Leave
		}
		at := c.place(root)
		lost := at[0] != at[0] || at[1] != at[1] || at[2] != at[2]
		switch {
		case eye.IsZero():
			near[e] = true
		case lost: // its position is unknown; it alone is shown to the players with a claim on it
			near[e] = c.marks.Get(e).Owner == p.Number() || w.Has(e, c.alwaysID)
		default:
			near[e] = claimed[root] || at.Sub(c.place(eye)).Len() <= reach
		}
	}
	for _, e := range all {
		ok := true
		for up := e; ok; up = c.parents.Get(up).Entity {
			ok = near[up] && !c.hidden[up]
			if c.root(up) == up {
				break
			}
		}
		shown[e] = ok
	}
	c.near[i] = near
	return shown
}

// The grid gives the same result as the rules for every player and entity one by one, while
// entities move, are attached, change owners, appear and disappear, and players look around other
// entities than their own.
func TestRelevanceByTheRules(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c := &crowd{rng: rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 40)), hidden: map[arche.Entity]bool{}, last: map[arche.Entity]components.Pose3D{}}
		limit := netcode.Interest{Radius: rapid.SampledFrom([]float32{0.5, 8, 20, 300}).Draw(rt, "radius")}
		limit.Leave = limit.Radius * rapid.SampledFrom([]float32{1, 1.3, 2}).Draw(rt, "leave")
		c.m = newMatch(t, func(config *netcode.ServerConfig[runner, input]) {
			config.Interest, config.SnapshotRate = limit, tickRate
			config.Relevant = func(_ *netcode.Player[runner, input], e arche.Entity) bool { return !c.hidden[e] }
			joined := config.Joined
			config.Joined = func(p *netcode.Player[runner, input]) (runner, arche.Entity) {
				state, e := joined(p)
				if len(c.m.joined) == 3 { // a spectator
					c.m.engine.World().RemoveEntity(e)
					return state, arche.Entity{}
				}
				c.body = append(c.body, e)
				return state, e
			}
		})
		w := c.m.engine.World()
		c.parents, c.always = generic.NewMap1[components.Parent](w), generic.NewMap1[netcode.AlwaysRelevant](w)
		c.marks = generic.NewMap1[netcode.Replicated](w)
		c.parent, c.alwaysID, c.mark = arche.ComponentID[components.Parent](w), arche.ComponentID[netcode.AlwaysRelevant](w), arche.ComponentID[netcode.Replicated](w)
		transforms := generic.NewMap1[components.Transform3D](w)
		for range 2 {
			l := components.NewLogical(components.At3D(3, 0, 0))
			c.unseen = append(c.unseen, transforms.NewWith(&l))
		}
		for range rapid.SampledFrom([]int{40, 300}).Draw(rt, "entities") {
			c.all = append(c.all, c.m.crate(kindCrate, c.anywhere()))
		}
		for range 3 {
			c.m.joinByHand()
		}
		for range c.m.joined {
			c.near = append(c.near, map[arche.Entity]bool{})
		}
		settled := false
		for range 100 {
			if settled {
				for range c.rng.IntN(1 + len(c.all)/8) {
					c.change()
				}
			} else { // everything from before the first comparison is beyond its band
				for i := range c.all {
					c.m.transform(c.all[i]).Set(components.At3D(1e6, 0, 0))
				}
				settled = c.rng.IntN(3) == 0
			}
			c.m.now += time.Second / tickRate
			c.m.engine.Update(time.Second / tickRate)
			c.remember()
			for i, p := range c.m.joined {
				for e, want := range c.want(i, p, limit) {
					if got := p.ShownForTest(c.m.id(e)); got != want {
						rt.Fatalf("tick %d, player %d, %v at %v (root at %v), hidden %v: shown %v, want %v",
							c.m.server.Tick(), p.Number(), e, c.m.transform(e).Get().Position, c.place(c.root(e)), c.hidden[e], got, want)
					}
				}
			}
		}
	})
}

// Deciding what is relevant allocates nothing, whichever entities move.
func TestRelevanceAllocatesNothing(t *testing.T) {
	m := crowdOf(t, 2000, 8)
	if n := testing.AllocsPerRun(20, func() { m.server.PlaceForTest(7); m.server.RelevanceForTest() }); n > 0 {
		t.Errorf("%.1f allocations", n)
	}
}

// crowdOf is a plain with so many entities that about a hundred are near to every player, or all if
// there are fewer.
func crowdOf(t testing.TB, entities, players int) *match {
	m := newMatchOf(t, newProtocol(t, netcode.Config{MaxEntities: entities + players, History: 2, Revisions: 2}), func(c *netcode.ServerConfig[runner, input]) {
		c.Interest = netcode.Interest{Radius: 20, Leave: 24}
	})
	rng := rand.New(rand.NewPCG(1, 1))
	edge := float32(math.Sqrt(float64(entities) / 100 * math.Pi * 22 * 22))
	var hello [transport.MaxMTU]byte
	hello[0] = 0x48
	w := netcode.NewWriter(hello[1:])
	m.protocol.WriteHelloForTest(&w)
	var conns []transport.Conn
	for range players {
		conns = append(conns, m.listener.Dial())
	}
	m.run(time.Second/30, nil)
	for _, c := range conns {
		c.Poll(m.now)
		_ = c.Send(hello[:1+len(w.Bytes())])
	}
	m.run(time.Second/30, nil)
	if len(m.joined) != players {
		t.Fatalf("%d of %d players joined", len(m.joined), players)
	}
	for range entities {
		m.crate(kindCrate, components.At3D(rng.Float32()*edge, 0, rng.Float32()*edge))
	}
	for _, p := range m.joined {
		p.State.X, p.State.Z = rng.Float32()*edge, rng.Float32()*edge
	}
	m.run(time.Second/30, nil)
	return m
}

// BenchmarkRelevance compares the grid with a scan of everything, for 64 players, each near about a
// hundred entities. The grid's time includes moving every entity.
func BenchmarkRelevance(b *testing.B) {
	for _, n := range []int{100, 1000, 5000, 20000} {
		m := crowdOf(b, n, 64)
		step := float32(0.1)
		b.Run(fmt.Sprintf("grid/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				step = -step
				m.server.PlaceForTest(step)
				m.server.RelevanceForTest()
			}
		})
		b.Run(fmt.Sprintf("brute/%d", n), func(b *testing.B) {
			for range b.N {
				m.server.BruteForceForTest()
			}
		})
		if grid, brute := m.server.RelevanceForTest(), m.server.BruteForceForTest(); grid != brute {
			b.Errorf("%d entities: the grid shows %d, brute force %d", n, grid, brute)
		}
	}
}
