package snapshot_test

import (
	"math/rand/v2"
	"testing"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

// chaos makes a world change at random, and checks everything that a client of it receives.
type chaos struct {
	*pair
	r       *rand.Rand
	health  snapshot.Component[health]
	colour  snapshot.Component[colour]
	live    []snapshot.ID
	owner   map[snapshot.ID]uint16
	kind    map[snapshot.ID]uint16
	parent  map[snapshot.ID]snapshot.ID
	hp      map[snapshot.ID]health
	paint   map[snapshot.ID]colour
	state   map[snapshot.ID]snapshot.State
	weight  map[snapshot.ID]float32
	history map[tick.Tick]map[snapshot.ID]truth
	present map[snapshot.ID]bool // on the client, by its changes
	samples map[snapshot.ID][]sample
	since   map[snapshot.ID]tick.Tick // of the last Spawned
	split   bool                      // trees may be too large for a packet
	limit   int                       // of living entities
	seen    [3]int                    // ops
	late    int
	whole   tick.Tick // the newest tick that the client has completely
	wholes  int
	shared  *snapshot.Shared
	twin    *snapshot.Encoder // of another client, which shares with the first; nil: none shares
}

func newChaos(t testing.TB, seed uint64, c snapshot.Config, down, up wire) *chaos {
	x := &chaos{
		r:     rand.New(rand.NewPCG(seed, 9)),
		owner: map[snapshot.ID]uint16{}, kind: map[snapshot.ID]uint16{}, parent: map[snapshot.ID]snapshot.ID{}, hp: map[snapshot.ID]health{},
		paint: map[snapshot.ID]colour{}, state: map[snapshot.ID]snapshot.State{}, weight: map[snapshot.ID]float32{},
		history: map[tick.Tick]map[snapshot.ID]truth{}, present: map[snapshot.ID]bool{},
		samples: map[snapshot.ID][]sample{}, since: map[snapshot.ID]tick.Tick{}, limit: 30,
	}
	x.pair = newPair(t, c, func(s *snapshot.Schema) {
		x.health = snapshot.Register(s, "health", healthCodec{})
		x.colour = snapshot.Register(s, "colour", colourCodec{})
	}, seed, down, up)
	x.each = x.check
	if seed%2 == 1 {
		x.shared = snapshot.NewShared(x.world)
		x.encoder, x.twin = x.shared.NewEncoder(), x.shared.NewEncoder()
	}
	return x
}

func (x *chaos) randomState() snapshot.State {
	f := func(scale float32) float32 { return (x.r.Float32() - 0.5) * scale }
	s := snapshot.State{
		Position:      mgl32.Vec3{f(200), f(20), f(200)},
		Rotation:      mgl32.Quat{W: f(1), V: mgl32.Vec3{f(1), f(1), f(1)}}.Normalize(),
		Velocity:      mgl32.Vec3{f(20), f(20), f(20)},
		Angular:       mgl32.Vec3{f(9), f(9), f(9)},
		Discontinuity: uint8(x.r.IntN(256)),
		AtRest:        x.r.IntN(4) == 0,
		Scale:         x.randomScale(),
	}
	return s
}

// randomScale returns a scale that is mostly 1, and else may be zero, a mirror, or of another size
// on each axis.
func (x *chaos) randomScale() snapshot.Scale {
	v := [4]float32{0, -1, 0.5, 3 * x.r.Float32()}
	switch k := x.r.IntN(4); x.r.IntN(8) {
	case 0:
		return snapshot.ScaleOf(mgl32.Vec3{v[k], v[k], v[k]})
	case 1:
		return snapshot.ScaleOf(mgl32.Vec3{v[k], 1, v[(k+1)%4]})
	}
	return snapshot.Scale{}
}

// shake changes the world in one of many ways, or does nothing.
func (x *chaos) shake() {
	if len(x.live) == 0 || len(x.live) < x.limit && x.r.IntN(8) == 0 {
		kind := uint16(x.r.IntN(1 << x.r.IntN(17)))
		id, err := x.world.Spawn(kind)
		if err != nil {
			x.t.Fatal(err)
		}
		x.live, x.kind[id] = append(x.live, id), kind
		x.setState(id, x.randomState())
		x.setWeight(id, float32(x.r.IntN(3)))
		return
	}
	i := x.r.IntN(len(x.live))
	id := x.live[i]
	switch x.r.IntN(12) {
	case 0:
		x.world.Despawn(id)
		x.live = append(x.live[:i], x.live[i+1:]...)
		for c, p := range x.parent {
			if p == id {
				delete(x.parent, c)
			}
		}
		delete(x.parent, id)
	case 1, 2, 3, 4, 5:
		s := x.state[id]
		s.Position = s.Position.Add(s.Velocity.Mul(1.0 / 60))
		s.AtRest = x.r.IntN(10) == 0
		if k := x.r.IntN(6); k < 3 {
			s.Scale[k] -= int16(x.r.IntN(200)) // it shrinks on an axis
		}
		x.setState(id, s)
	case 6:
		x.setState(id, x.randomState())
	case 7:
		x.owner[id] = uint16(x.r.IntN(3))
		x.world.SetOwner(id, x.owner[id])
	case 8:
		if x.r.IntN(3) == 0 {
			delete(x.hp, id)
			x.health.Remove(x.world, id)
			return
		}
		x.hp[id] += health(x.r.IntN(20) - 10)
		x.health.Set(x.world, id, x.hp[id])
	case 9:
		x.paint[id] = colour{uint8(x.r.IntN(256)), uint8(x.r.IntN(256)), uint8(x.r.IntN(256))}
		x.colour.Set(x.world, id, x.paint[id])
	case 10:
		p := snapshot.None
		if x.r.IntN(3) > 0 {
			p = x.live[x.r.IntN(len(x.live))]
		}
		if x.world.SetParent(id, p) == nil {
			x.parent[id] = p
		}
	case 11:
		x.setWeight(id, float32(x.r.IntN(4)))
	}
}

func (x *chaos) setState(id snapshot.ID, s snapshot.State) {
	x.state[id] = s
	x.world.SetState(id, s)
}

func (x *chaos) setWeight(id snapshot.ID, w float32) {
	x.weight[id] = w
	x.encoder.SetRelevance(id, w)
	if x.twin != nil {
		x.twin.SetRelevance(id, w)
	}
}

// step sends to the twin first; the twin's packets arrive at once or never.
func (x *chaos) step() {
	if x.twin != nil {
		x.world.Commit()
		x.shared.Gather()
		n := packet.Number(x.now + 1)
		w := packet.NewWriter(make([]byte, x.budget))
		x.twin.Encode(&w, n, x.now+1)
		if n%3 != 0 {
			x.twin.Delivered(n)
		}
	}
	x.pair.step()
}

// relevant returns the entities that the client may see now, with the values that it must receive.
func (x *chaos) relevant() map[snapshot.ID]truth {
	out := map[snapshot.ID]truth{}
	for _, id := range x.live {
		visible := true
		for up := id; up != snapshot.None; up = x.parent[up] {
			visible = visible && x.weight[up] > 0
		}
		if !visible {
			continue
		}
		t := truth{state: x.schema.Quantize(x.state[id]), info: snapshot.Info{Kind: x.kind[id], Owner: x.owner[id], Parent: x.parent[id]}}
		if v, ok := x.hp[id]; ok {
			t.health = &v
		}
		if v, ok := x.paint[id]; ok {
			v = colourCodec{}.Quantize(v)
			t.colour = &v
		}
		out[id] = t
	}
	return out
}

// run shakes the world for some ticks, then lets everything arrive, and compares.
func (x *chaos) run(ticks, shakes int) {
	advance := func(shakes int) {
		for range x.r.IntN(shakes + 1) {
			x.shake()
		}
		x.history[x.now+1] = x.relevant()
		x.step()
	}
	for range ticks {
		advance(shakes)
	}
	x.down.loss, x.up.loss = 0, 0
	for range 600 {
		advance(0)
	}
	want := x.history[x.now]
	for id, w := range want {
		if err := x.matches(id, w); err != nil {
			x.t.Errorf("at the end: %v", err)
		}
	}
	if len(x.present) != len(want) {
		x.t.Errorf("at the end %d entities are on the client, want %d", len(x.present), len(want))
	}
}

// TestRandomWorldsArriveTrue: over every kind of bad network each record that a client receives is
// true at its tick, and in the end the client has everything. This covers conformance cases 18
// (slots are reused all the time, within a round trip), 21 (trees) and the rest of the protocol.
func TestRandomWorldsArriveTrue(t *testing.T) {
	small := snapshot.Config{MaxEntities: 40, Velocity: snapshot.Range{Max: 16, Resolution: 0.125}, Angular: snapshot.Range{Max: 8, Resolution: 0.25}}
	tight := small
	tight.History, tight.Revisions = 4, 8
	for _, test := range []struct {
		name     string
		config   snapshot.Config
		down, up wire
		budget   int
	}{
		{"at once", small, wire{}, wire{}, 1150},
		{"delay", small, wire{delay: 6}, wire{delay: 6}, 1150},
		{"loss", small, wire{delay: 3, loss: 0.3}, wire{delay: 3, loss: 0.3}, 1150},
		{"jitter", small, wire{delay: 2, jitter: 10}, wire{delay: 2, jitter: 10}, 1150},
		{"all", small, wire{delay: 4, jitter: 6, loss: 0.2, duplication: 0.3}, wire{delay: 4, jitter: 6, loss: 0.2, duplication: 0.3}, 1150},
		{"little room", small, wire{delay: 4, jitter: 6, loss: 0.2}, wire{delay: 4, loss: 0.2}, 200},
		{"history too short", tight, wire{delay: 9, loss: 0.2}, wire{delay: 9, loss: 0.2}, 1150},
		{"half lost, far away", small, wire{delay: 30, jitter: 9, loss: 0.5}, wire{delay: 30, jitter: 9, loss: 0.5}, 1150},
	} {
		t.Run(test.name, func(t *testing.T) {
			var seen [3]int
			late, wholes := 0, 0
			seeds := uint64(20)
			if testing.Short() {
				seeds = 3
			}
			for seed := range seeds {
				x := newChaos(t, seed, test.config, test.down, test.up)
				x.budget, x.split = test.budget, test.budget < 1150
				if x.run(500, 6); t.Failed() {
					t.Fatalf("seed %d", seed)
				}
				if test.down.jitter == 0 && x.errors > 0 {
					t.Errorf("seed %d: %d packets could not be decoded, though none was overtaken", seed, x.errors)
				}
				for i := range seen {
					seen[i] += x.seen[i]
				}
				late += x.late
				wholes += x.wholes
			}
			t.Logf("%d updates (%d late), %d whole, %d spawns, %d removals", seen[snapshot.Updated], late, wholes, seen[snapshot.Spawned], seen[snapshot.Removed])
			if n := int(seeds); seen[snapshot.Updated] < 100*n || seen[snapshot.Spawned] < 10*n || seen[snapshot.Removed] < 5*n {
				t.Error("hardly anything happened")
			}
			if most := 1100 * int(seeds); test.name == "delay" && wholes < most*9/10 || test.down.loss < 0.5 && wholes < most/4 {
				t.Errorf("%d of at most %d snapshots were whole", wholes, most)
			}
			if test.down.jitter > 5 && late == 0 {
				t.Error("no update came late")
			}
		})
	}
}
