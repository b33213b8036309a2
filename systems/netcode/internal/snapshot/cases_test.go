package snapshot_test

import (
	"fmt"
	"hash/fnv"
	"math"
	"reflect"
	"testing"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

// TestDuplicatesChangeNothing is conformance case 10: with every packet delivered twice, both ends
// do the same, byte for byte.
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

// TestSlotChangesHandsWithinARoundTrip is conformance case 18 by hand: any of the packets about an
// entity, its removal and its successor may be lost. The client never mixes the two entities, and
// has the second one in the end.
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

// TestTeleportSurvivesLoss is conformance case 19 for the wire: a body moves 50 m every 3 s and
// counts the jumps. The link loses half of the packets, and always the first one after the jump. No
// two states of the same count lie on different sides of a jump.
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

// TestRoundingDoesNotAddUp is conformance case 44: ten thousand steps of a slow body, sent as
// changes to changes, stay within half a step of the grid.
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

type secretCodec struct{}

func (secretCodec) Quantize(v uint64) uint64 { return v }

func (secretCodec) Encode(w *packet.Writer, v uint64, _ *uint64) { w.Bits(v, 64) }

func (secretCodec) Decode(r *packet.Reader, _ *uint64) (v uint64) { return r.Bits(64) }

// TestTooLargeForAnyPacket checks that an entity that cannot be sent is reported, and does not
// prevent others from being sent.
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

// TestResumeGoesOnWithBaselines checks that the same encoder and decoder resume after silence in
// both directions and lost packets. Unchanged entities are not sent again.
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
		if i < 30 { // then the server detects the silence, and stops sending
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

// TestWireFormat checks that the bytes stay the same, on every machine. After an intended change,
// raise ProtocolVersion and put the new sums here.
func TestWireFormat(t *testing.T) {
	var hp snapshot.Component[health]
	c := snapshot.Config{MaxEntities: 64, Velocity: snapshot.Range{Max: 16, Resolution: 0.125}, Angular: snapshot.Range{Max: 8, Resolution: 0.25}}
	p := newPair(t, c, func(s *snapshot.Schema) { hp = snapshot.Register(s, "health", healthCodec{}) }, 1, wire{delay: 3}, wire{delay: 3})
	// Only exact numbers are used, so that no machine rounds them differently.
	turns := []mgl32.Quat{{W: 1}, {W: 0.5, V: mgl32.Vec3{0.5, 0.5, 0.5}}, {W: 0.5, V: mgl32.Vec3{-0.5, 0.5, 0.5}}, {V: mgl32.Vec3{0, 1, 0}}}
	var ids []snapshot.ID
	for i := range 20 {
		ids = append(ids, p.spawn(uint16(i*i), 1, at(float32(i), 0, 0)))
	}
	sum := fnv.New64a()
	for f := range 200 {
		for i, id := range ids {
			x := float32(i) + float32(f*(i-10))/64
			p.world.SetState(id, snapshot.State{
				Position:      mgl32.Vec3{x, float32(f%(i+1)) / 32, -x},
				Velocity:      mgl32.Vec3{float32(i-10) * 60 / 64, float32(f%9) / 8, -float32(i-10) * 60 / 64},
				Angular:       mgl32.Vec3{float32(f%5) / 4, 0, 1},
				Rotation:      turns[(i+f/8)%len(turns)],
				AtRest:        (f/32+i)%4 == 0,
				Discontinuity: uint8(f / 64),
			})
			if (f+i)%16 == 0 {
				hp.Set(p.world, id, health(f*i))
				p.world.SetOwner(id, uint16(f%3))
			}
		}
		if f%50 == 49 {
			p.world.Despawn(ids[f/10])
			ids[f/10] = p.spawn(7, 1, at(1, 2, 3))
			if err := p.world.SetParent(ids[f/10], ids[0]); err != nil {
				t.Fatal(err)
			}
		}
		p.record, p.log = true, p.log[:0]
		p.step()
		sum.Write(p.log[0])
	}
	hello := packet.NewWriter(make([]byte, 100))
	p.schema.WriteHello(&hello)
	if got, want := sum.Sum64(), uint64(0xca238ff25b61c0ec); got != want {
		t.Errorf("the packets' sum is %#x, want %#x", got, want)
	}
	if got, want := fmt.Sprintf("%x", hello.Bytes()), "040000000000000069a948ce018fed986b"; got != want {
		t.Errorf("the hello is %s, want %s", got, want)
	}
}
