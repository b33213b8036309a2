package snapshot_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/systems/netcode/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/snapshot"
	"github.com/tandem-ecs/tandem/systems/netcode/tick"
)

// TestDuplicatesChangeNothing is conformance case 10: with every packet delivered twice, both ends do the same, byte for byte.
func TestDuplicatesChangeNothing(t *testing.T) {
	run := func(duplication float64) (log [][]byte, changes []string) {
		x := newChaos(t, 3, snapshot.Config{MaxEntities: 40}, wire{delay: 3}, wire{delay: 3})
		x.down.duplication, x.up.duplication = duplication, duplication
		x.record = true
		check := x.each
		x.each = func(s snapshot.Snapshot) {
			check(s)
			changes = append(changes, fmt.Sprintf("%+v", s))
		}
		x.run(300, 5)
		return x.log, changes
	}
	once, seenOnce := run(0)
	twice, seenTwice := run(1)
	if !reflect.DeepEqual(once, twice) {
		t.Error("the packets of the server differ")
	}
	if !reflect.DeepEqual(seenOnce, seenTwice) || len(seenOnce) < 300 {
		t.Errorf("what the client saw differs (%d and %d snapshots)", len(seenOnce), len(seenTwice))
	}
}

// TestSlotChangesHandsWithinARoundTrip is conformance case 18 by hand: whichever of the packets about an entity, its end and its successor are lost, the client never mixes
// the two, and ends up with the second.
func TestSlotChangesHandsWithinARoundTrip(t *testing.T) {
	const packets = 6
	for lost := range 1 << packets {
		var hp snapshot.Component[health]
		p := newPair(t, snapshot.Config{MaxEntities: 4}, func(s *snapshot.Schema) { hp = snapshot.Register(s, "health", healthCodec{}) }, 1, wire{delay: 5}, wire{delay: 5})
		first := p.spawn(1, 1, at(1, 1, 1))
		hp.Set(p.world, first, 100)
		p.world.SetOwner(first, 7)
		var second snapshot.ID
		p.each = func(s snapshot.Snapshot) {
			for _, c := range s.Changes {
				v, ok := hp.Get(p.decoder, c.ID)
				switch {
				case c.Op == snapshot.Removed:
				case c.ID == first && c.Kind == 1 && c.Owner == 7 && c.State.Position == (mgl32.Vec3{1, 1, 1}) && ok && v == 100:
				case c.ID == second && c.Kind == 2 && c.Owner == 0 && c.State.Position == (mgl32.Vec3{2, 2, 2}) && !ok:
				default:
					t.Fatalf("losses %06b: the client saw %+v with health %v, %v", lost, c, v, ok)
				}
			}
		}
		for i := range packets {
			switch i {
			case 2:
				p.world.Despawn(first)
			case 4:
				var err error
				if second, err = p.world.Spawn(2); err != nil || second.Slot() != first.Slot() || second == first {
					t.Fatalf("%v follows %v: %v", second, first, err)
				}
				p.world.SetState(second, at(2, 2, 2))
				p.encoder.SetRelevance(second, 1)
			}
			p.down.loss = float64(lost >> i & 1)
			p.step()
		}
		p.down.loss = 0
		for range 60 {
			p.step()
		}
		if _, _, ok := p.decoder.State(second); !ok || p.decoder.Alive(first) {
			t.Fatalf("losses %06b: at the end the second is there: %v, the first: %v", lost, ok, p.decoder.Alive(first))
		}
	}
}

// TestTeleportSurvivesLoss is conformance case 19 as far as the wire goes: a body moves 50 m every 3 s and counts the jumps; over a link that loses half of the packets, and always
// the first one after the jump, no two states of the same count lie on different sides of a jump.
func TestTeleportSurvivesLoss(t *testing.T) {
	p := newPair(t, snapshot.Config{MaxEntities: 4, Velocity: snapshot.Range{Max: 32, Resolution: 0.125}}, nil, 4, wire{delay: 6, loss: 0.5}, wire{delay: 6, loss: 0.5})
	id := p.spawn(0, 1, at(0, 0, 0))
	jumps, seen := 0, 0
	p.each = func(s snapshot.Snapshot) {
		for _, c := range s.Changes {
			// Between jumps the body moves less than 20 m; each jump is 50 m long.
			if want := float32(50 * int(c.State.Discontinuity)); math.Abs(float64(c.State.Position[0]-want)) > 20 {
				t.Fatalf("tick %d: jump %d, but at %v", s.Tick, c.State.Discontinuity, c.State.Position)
			}
			seen = max(seen, int(c.State.Discontinuity))
		}
	}
	for i := range 60 * 60 {
		loss := p.down.loss
		if i%180 == 179 {
			jumps++
			p.down.loss = 1
		}
		p.world.SetState(id, snapshot.State{
			Position:      mgl32.Vec3{float32(50*jumps) + 6*float32(i%180)/60, 0, 0},
			Velocity:      mgl32.Vec3{6, 0, 0},
			Rotation:      mgl32.QuatIdent(),
			Discontinuity: uint8(jumps),
		})
		p.step()
		p.down.loss = loss
	}
	if seen < jumps-1 {
		t.Errorf("the client saw %d of %d jumps", seen, jumps)
	}
}

// TestRoundingDoesNotAddUp is conformance case 44: ten thousand steps of a slow body, sent as changes to changes, stay within half a step of the grid.
func TestRoundingDoesNotAddUp(t *testing.T) {
	for _, resolution := range []float32{1.0 / 512, 1.0 / 4096} {
		c := snapshot.Config{MaxEntities: 4, RotationBits: 15,
			Position: snapshot.Grid{Min: mgl32.Vec3{-64, -64, -64}, Max: mgl32.Vec3{64, 64, 64}, Resolution: resolution}}
		p := newPair(t, c, nil, 4, wire{delay: 6, jitter: 3, loss: 0.15}, wire{delay: 6, loss: 0.15})
		id := p.spawn(0, 1, at(0, 0, 0))
		path := func(at tick.Tick) snapshot.State {
			f := float64(at)
			return snapshot.State{
				Position: mgl32.Vec3{float32(0.0007 * f), float32(math.Sin(f * 0.001)), float32(-0.0001 * f)},
				Rotation: mgl32.QuatRotate(float32(f*0.0001), mgl32.Vec3{0.6, 0.8, 0}),
			}
		}
		decoded, worst, turn := 0, 0.0, 0.0
		p.each = func(s snapshot.Snapshot) {
			for _, c := range s.Changes {
				decoded++
				want := path(s.Tick)
				for k := range 3 {
					worst = math.Max(worst, math.Abs(float64(c.State.Position[k])-float64(want.Position[k])))
				}
				turn = math.Max(turn, angle(c.State.Rotation, want.Rotation))
			}
		}
		for range 10_000 {
			p.world.SetState(id, path(p.now+1))
			p.step()
		}
		// A float32 near 7 m is itself uncertain by a quarter of a micrometre.
		if worst > float64(resolution)/2+1e-6 || turn > 0.01 || decoded < 8000 {
			t.Errorf("resolution 1/%v: %d states off by up to %.3g m and %.3g degrees, want at most %.3g", 1/resolution, decoded, worst, turn, resolution/2)
		}
	}
}

// TestLateJoin is conformance case 17: a client joins a world of 5000 entities, a tenth of them moving, at 64 KB a second. It has all of them after size/rate plus a second, the
// nearest first, and no packet is larger than the MTU.
func TestLateJoin(t *testing.T) {
	const (
		entities = 5000
		rate     = 64 << 10
	)
	for _, loss := range []float64{0, 0.05} {
		p := newPair(t, snapshot.Config{MaxEntities: 8192}, nil, 2, wire{delay: 3, loss: loss}, wire{delay: 3, loss: loss})
		r := rand.New(rand.NewPCG(1, 1))
		ids, places := make([]snapshot.ID, entities), make([]mgl32.Vec3, entities)
		for i := range ids {
			places[i] = mgl32.Vec3{(r.Float32() - 0.5) * 1000, 0, (r.Float32() - 0.5) * 1000}
			id, err := p.world.Spawn(uint16(i % 10))
			if err != nil {
				t.Fatal(err)
			}
			ids[i] = id
			p.world.SetState(id, snapshot.State{Position: places[i], Rotation: mgl32.QuatIdent(), AtRest: i%10 != 0})
		}
		p.world.Commit()
		near := func(i int) float64 { return float64(places[i].Len()) }
		for i, id := range ids {
			p.encoder.SetRelevance(id, float32(1/(1+near(i))))
		}
		var order []int // in which they arrived
		p.each = func(s snapshot.Snapshot) {
			for _, c := range s.Changes {
				if c.Op == snapshot.Spawned {
					order = append(order, c.ID.Slot())
				}
			}
		}
		// What one full state of each takes, without competition.
		size := 0
		{
			probe := snapshot.NewEncoder(p.world, snapshot.EncoderConfig{})
			for _, id := range ids {
				probe.SetRelevance(id, 1)
			}
			buf := make([]byte, 1150)
			for n := packet.Number(1); ; n++ {
				w := packet.NewWriter(buf)
				res := probe.Encode(&w, n, snapshot.Header{Tick: 1})
				if res.Records == 0 {
					break
				}
				size += len(w.Bytes())
			}
		}
		pacer := packet.NewPacer(rate, 2300)
		ticks := 0
		for len(order) < entities && ticks < 60*20 {
			ticks++
			for i := 0; i < entities; i += 10 {
				at := places[i].Add(mgl32.Vec3{float32(math.Sin(float64(ticks) / 20)), 0, 0})
				p.world.SetState(ids[i], snapshot.State{Position: at, Rotation: mgl32.QuatIdent()})
			}
			p.now++
			p.world.Commit()
			for {
				p.budget = min(1150, pacer.Allowance(p.time()))
				if p.budget < 60 {
					break
				}
				p.send()
				if pacer.Spend(p.size); p.size > 1150 {
					t.Fatalf("a packet of %d bytes", p.size)
				}
				if p.sent.Waiting == 0 {
					break
				}
			}
			p.receive()
		}
		want := time.Duration(float64(size)/rate*float64(time.Second)) + time.Second
		took := time.Duration(ticks) * time.Second / 60
		t.Logf("loss %.2f: %d entities of %d bytes took %v, want at most %v", loss, len(order), size, took, want)
		if len(order) < entities || took > want {
			t.Errorf("loss %.2f: %d of %d entities after %v, want all after %v", loss, len(order), entities, took, want)
		}
		if loss == 0 {
			mean := func(part []int) (sum float64) {
				for _, i := range part {
					sum += near(i)
				}
				return sum / float64(len(part))
			}
			for k := range 9 {
				a, b := mean(order[k*500:][:500]), mean(order[(k+1)*500:][:500])
				if a >= b {
					t.Errorf("the %d. 500 that arrived are %.0f m away, the next %.0f m", k+1, a, b)
				}
			}
		}
	}
}

// TestNothingAboutTheInvisible is conformance case 40: a client walks through a world of 1000 entities that each carry a secret, and is told only of those within 50 m (until they are 60 m
// away). No other secret is in any packet at any bit, and what comes near is there within two snapshots and the way.
func TestNothingAboutTheInvisible(t *testing.T) {
	var secrets snapshot.Component[uint64]
	p := newPair(t, snapshot.Config{MaxEntities: 1024}, func(s *snapshot.Schema) { secrets = snapshot.Register(s, "secret", secretCodec{}) }, 3,
		wire{delay: 3, loss: 0.1}, wire{delay: 3, loss: 0.1})
	r := rand.New(rand.NewPCG(40, 1))
	ids, places, secret := make([]snapshot.ID, 1000), make([]mgl32.Vec3, 1000), map[uint64]int{}
	for i := range ids {
		places[i] = mgl32.Vec3{(r.Float32() - 0.5) * 800, 0, (r.Float32() - 0.5) * 800}
		id, err := p.world.Spawn(0)
		if err != nil {
			t.Fatal(err)
		}
		ids[i] = id
		v := r.Uint64() | 1
		secret[v] = i
		secrets.Set(p.world, id, v)
	}
	ever, inside, since := make([]bool, len(ids)), make([]bool, len(ids)), make([]int, len(ids))
	p.record = true
	slow, checked := 0, 0
	for f := range 60 * 30 {
		here := mgl32.Vec3{float32(f)*0.4 - 360, 0, 100 * float32(math.Sin(float64(f)/200))}
		for i, id := range ids {
			p.world.SetState(id, snapshot.State{Position: places[i].Add(mgl32.Vec3{float32(math.Sin(float64(f+i) / 30)), 0, 0}), Rotation: mgl32.QuatIdent()})
			switch d := places[i].Sub(here).Len(); {
			case d < 50 && !inside[i]:
				inside[i], ever[i], since[i] = true, true, f
				p.encoder.SetRelevance(id, 1)
			case d > 60 && inside[i]:
				inside[i], since[i] = false, f
				p.encoder.SetRelevance(id, 0)
			}
		}
		p.step()
		for i, id := range ids {
			if inside[i] != p.decoder.Alive(id) && f-since[i] > 2+3 {
				slow++
			}
			if inside[i] && p.decoder.Alive(id) {
				checked++
			}
		}
	}
	// One packet in ten is lost, and with it what it said, until the next acknowledgements show it: about 1 in 10 is late, and of these 1 in 10 again.
	if slow > checked/50 || checked < 10_000 {
		t.Errorf("%d times of %d an entity was not where it should be two snapshots after it came or went", slow, checked)
	}
	p.down.loss, p.up.loss = 0, 0
	for range 60 {
		p.step()
	}
	for i, id := range ids {
		if inside[i] != p.decoder.Alive(id) {
			t.Errorf("entity %d: relevant %v, on the client %v", i, inside[i], !inside[i])
		}
	}
	// Look for every secret at every bit of every packet.
	found := map[int]bool{}
	for _, d := range p.log {
		d = append(bytes.Clone(d), 0, 0, 0, 0, 0, 0, 0, 0)
		for bit := range (len(d) - 9) * 8 {
			var v uint64
			for k := range 8 {
				v |= uint64(d[bit/8+k]) << (8 * k)
			}
			if s := bit % 8; s > 0 {
				v = v>>s | uint64(d[bit/8+8])<<(64-s)
			}
			if i, ok := secret[v]; ok {
				found[i] = true
			}
		}
	}
	for i := range ids {
		if found[i] && !ever[i] {
			t.Errorf("the secret of entity %d was sent, which was never near", i)
		}
		if ever[i] && !found[i] {
			t.Errorf("the secret of entity %d was not found in the packets: the search does not work", i)
		}
	}
	if n := len(found); n < 100 || n > 600 {
		t.Errorf("%d entities came near", n)
	}
}

type secretCodec struct{}

func (secretCodec) Quantize(v uint64) uint64                      { return v }
func (secretCodec) Encode(w *packet.Writer, v uint64, _ *uint64)  { w.Bits(v, 64) }
func (secretCodec) Decode(r *packet.Reader, _ *uint64) (v uint64) { return r.Bits(64) }

// TestHiddenParentHidesItsChildren: a parent's number must not leak through its child.
func TestHiddenParentHidesItsChildren(t *testing.T) {
	p := newPair(t, snapshot.Config{MaxEntities: 8}, nil, 3, wire{}, wire{})
	parent, child := p.spawn(1, 0, at(5, 0, 0)), p.spawn(2, 1, at(1, 0, 0))
	if err := p.world.SetParent(child, parent); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		p.step()
	}
	if p.decoder.Alive(child) || p.encoder.Relevant(child) {
		t.Error("the child of a hidden parent is on the client")
	}
	p.encoder.SetRelevance(parent, 1)
	for range 5 {
		p.step()
	}
	if info, ok := p.decoder.Info(child); !ok || info.Parent != parent || !p.decoder.Alive(parent) {
		t.Errorf("parent and child: %+v, %v", info, ok)
	}
	p.encoder.SetRelevance(parent, 0)
	var ops []snapshot.Op
	p.each = func(s snapshot.Snapshot) {
		for _, c := range s.Changes {
			ops = append(ops, c.Op)
			if len(ops) == 1 && c.ID != child {
				t.Error("the parent went before its child")
			}
		}
	}
	for range 5 {
		p.step()
	}
	if p.decoder.Alive(child) || p.decoder.Alive(parent) || len(ops) != 2 {
		t.Errorf("after the parent was hidden: %v", ops)
	}
}

// TestOrphanStaysWhileItsParentLeaves: the news that the parent is gone and that the child has another may be in packets of which one is lost.
func TestOrphanStaysWhileItsParentLeaves(t *testing.T) {
	for lost := range 2 {
		p := newPair(t, snapshot.Config{MaxEntities: 8}, nil, 3, wire{}, wire{})
		parent, child := p.spawn(1, 1, at(5, 0, 0)), p.spawn(2, 1, at(1, 0, 0))
		if err := p.world.SetParent(child, parent); err != nil {
			t.Fatal(err)
		}
		for range 5 {
			p.step()
		}
		p.each = func(s snapshot.Snapshot) {
			if info, ok := p.decoder.Info(child); !ok || info.Parent != snapshot.None && !p.decoder.Alive(info.Parent) {
				t.Fatalf("loss %d: the child is %+v, %v", lost, info, ok)
			}
		}
		p.world.Despawn(parent)
		p.world.SetState(child, at(6, 0, 0))
		p.world.Commit()
		p.now++
		// The budget is enough for the removal only, so that the child comes in the next packet, which may be lost.
		p.budget = 24
		p.send()
		if p.sent.Removed != 1 || p.sent.Records != 1 {
			t.Fatalf("%+v, want the removal alone", p.sent)
		}
		p.receive()
		if !p.decoder.Alive(parent) {
			t.Fatal("the parent is gone before its child is free")
		}
		p.budget = 1150
		p.down.loss = float64(lost)
		p.step()
		p.down.loss = 0
		for range 10 {
			p.step()
		}
		info, ok := p.decoder.Info(child)
		if s, _, _ := p.decoder.State(child); !ok || info.Parent != snapshot.None || p.decoder.Alive(parent) || s.Position[0] != 6 {
			t.Errorf("loss %d: child %+v at %v, parent there: %v", lost, info, s.Position, p.decoder.Alive(parent))
		}
	}
}

// TestLargeTreeIsSplit: of a tree that no packet can hold each part brings the parents with it, of the same tick.
func TestLargeTreeIsSplit(t *testing.T) {
	p := newPair(t, snapshot.Config{MaxEntities: 512}, nil, 3, wire{delay: 3, loss: 0.2}, wire{delay: 3, loss: 0.2})
	p.budget = 400
	root := p.spawn(1, 1, at(0, 0, 0))
	var children []snapshot.ID
	for i := range 300 {
		c := p.spawn(2, 1, at(float32(i), 0, 0))
		parent := root
		if i%3 == 2 {
			parent = children[i-1]
		}
		if err := p.world.SetParent(c, parent); err != nil {
			t.Fatal(err)
		}
		children = append(children, c)
	}
	p.each = func(s snapshot.Snapshot) {
		n := 0
		for _, c := range s.Changes {
			if c.Op == snapshot.Removed || c.Late || c.ID == root {
				continue
			}
			n++
			for up := c.Parent; up != snapshot.None; {
				state, at, ok := p.decoder.State(up)
				if !ok || state.Position[1] != float32(s.Tick) {
					t.Fatalf("tick %d: %v came with its parent %v at %v of tick %d, %v", s.Tick, c.ID, up, state.Position, at, ok)
				}
				info, _ := p.decoder.Info(up)
				up = info.Parent
			}
		}
		if n > 200 {
			t.Fatalf("%d children in %d bytes", n, p.budget)
		}
	}
	for range 600 {
		for i, id := range append([]snapshot.ID{root}, children...) {
			// The height is the tick, so that it shows which one a pose is of.
			p.world.SetState(id, at(float32(i), float32(p.now+1), 0))
		}
		p.step()
	}
	for i, id := range children {
		s, at, ok := p.decoder.State(id)
		if !ok || p.now.Sub(at) > 130 || s.Position[1] != float32(at) {
			t.Fatalf("child %d: %+v of tick %d, now %d", i, s, at, p.now)
		}
	}
}

// TestTooLargeForAnyPacket: an entity that cannot be sent is named, and does not keep others from being sent.
func TestTooLargeForAnyPacket(t *testing.T) {
	var blobs snapshot.Component[[200]byte]
	p := newPair(t, snapshot.Config{MaxEntities: 8}, func(s *snapshot.Schema) { blobs = snapshot.Register(s, "blob", blobCodec{}) }, 3, wire{}, wire{})
	p.budget = 150
	big, small := p.spawn(0, 1e6, at(0, 0, 0)), p.spawn(0, 1, at(1, 0, 0))
	blobs.Set(p.world, big, [200]byte{1})
	p.step()
	if p.sent.TooLarge != big || p.sent.Waiting != 1 {
		t.Errorf("%+v, want %v to be too large and to wait", p.sent, big)
	}
	for range 3 {
		p.step()
	}
	if !p.decoder.Alive(small) || p.decoder.Alive(big) {
		t.Error("the small entity did not arrive, or the big one did")
	}
	p.budget = 400
	for range 3 {
		p.step()
	}
	if v, ok := blobs.Get(p.decoder, big); !ok || v != [200]byte{1} || p.sent.TooLarge != snapshot.None {
		t.Error("the big entity does not arrive where there is room")
	}
}

type blobCodec struct{}

func (blobCodec) Quantize(v [200]byte) [200]byte { return v }
func (blobCodec) Encode(w *packet.Writer, v [200]byte, _ *[200]byte) {
	for _, b := range v {
		w.Bits(uint64(b), 8)
	}
}
func (blobCodec) Decode(r *packet.Reader, _ *[200]byte) (v [200]byte) {
	for i := range v {
		v[i] = byte(r.Bits(8))
	}
	return v
}

// TestResumeGoesOnWithBaselines: after silence in both directions, and packets that went nowhere, the same encoder and decoder go on. What did not change is not sent again.
func TestResumeGoesOnWithBaselines(t *testing.T) {
	p := newPair(t, snapshot.Config{MaxEntities: 256}, nil, 3, wire{delay: 3}, wire{delay: 3})
	var ids []snapshot.ID
	for i := range 200 {
		s := at(float32(i), 0, 0)
		s.AtRest = true
		ids = append(ids, p.spawn(0, 1, s))
	}
	for range 60 {
		p.step()
	}
	p.down.loss, p.up.loss = 1, 1
	for i := range 300 {
		if i < 30 { // then the server notices that nobody is there, and stops sending
			p.step()
		} else {
			p.now++
			p.world.Commit()
		}
	}
	s := at(50, 1, 0)
	p.world.SetState(ids[7], s)
	p.world.Despawn(ids[8])
	p.down.loss, p.up.loss = 0, 0
	records := 0
	for range 60 {
		p.step()
		records += p.sent.Records
	}
	if records > 20 {
		t.Errorf("%d records were sent for two changes", records)
	}
	if got, _, _ := p.decoder.State(ids[7]); got.Position != s.Position || p.decoder.Alive(ids[8]) {
		t.Errorf("after the pause: %v, %v", got.Position, p.decoder.Alive(ids[8]))
	}
}
