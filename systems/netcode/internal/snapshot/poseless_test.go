package snapshot_test

import (
	"testing"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
)

// TestPoselessEntities takes slots in turn by entities with and without a pose, on a line that
// loses packets. The client never reads one as the other, and gets the components of both.
func TestPoselessEntities(t *testing.T) {
	var hp snapshot.Component[health]
	config := snapshot.Config{MaxEntities: 4, Velocity: snapshot.Range{Max: 16, Resolution: 0.125}}
	p := newPair(t, config, func(s *snapshot.Schema) { hp = snapshot.Register(s, "health", healthCodec{}) }, 5,
		wire{delay: 3, jitter: 3, loss: 0.3}, wire{delay: 3, loss: 0.3})
	seen := map[uint16]int{}
	p.each = func(s snapshot.Snapshot) {
		for _, c := range s.Changes {
			if c.Op == snapshot.Removed {
				continue
			}
			seen[c.Kind]++
			if v, ok := hp.In(p.decoder, &c); c.Kind == 1 && (c.State.Position != mgl32.Vec3{} || !c.State.AtRest || ok && v == 0) {
				t.Fatalf("an entity without a pose has %+v and health %v, %v", c.State, v, ok)
			}
			if c.Kind == 2 && c.State.Position[1] != 1 {
				t.Fatalf("an entity with a pose is at %v", c.State.Position)
			}
		}
	}
	var ids [4]snapshot.ID
	for i := range 1200 {
		k := i / 10 % len(ids)
		if i%10 == 0 {
			p.world.Despawn(ids[k])
			kind, spawn := uint16(1), p.world.SpawnPoseless
			if i/40%2 == k%2 {
				kind, spawn = 2, p.world.Spawn
			}
			var err error
			if ids[k], err = spawn(kind); err != nil {
				t.Fatal(err)
			}
			p.encoder.SetRelevance(ids[k], 1)
			hp.Set(p.world, ids[k], 1)
		}
		for _, id := range ids {
			// ignored where there is no pose
			p.world.SetState(id, snapshot.State{Position: mgl32.Vec3{float32(i % 7), 1, 0}, Velocity: mgl32.Vec3{1, 0, 0}})
		}
		if i%10 == 5 {
			hp.Set(p.world, ids[k], 2+health(i%50))
		}
		p.step()
	}
	p.down.loss = 0
	for range 40 {
		p.step()
	}
	for _, id := range ids {
		if v, ok := hp.Get(p.decoder, id); !ok || v < 2 {
			t.Errorf("in the end %v has health %v, %v", id, v, ok)
		}
	}
	if seen[1] < 100 || seen[2] < 100 {
		t.Errorf("records by kind: %v", seen)
	}
}

// TestPoselessEntitiesTakeFewBits compares the spawn of an entity without a pose with that of one
// with a pose: it is smaller by all bits of a pose.
func TestPoselessEntitiesTakeFewBits(t *testing.T) {
	size := func(spawn func(w *snapshot.World) (snapshot.ID, error)) int {
		s := schema(t, snapshot.Config{MaxEntities: 4})
		w := snapshot.NewWorld(s)
		e := snapshot.NewEncoder(w)
		id, err := spawn(w)
		if err != nil {
			t.Fatal(err)
		}
		w.Commit()
		e.SetRelevance(id, 1)
		out := packet.NewWriter(make([]byte, 100))
		e.Encode(&out, 1, 1)
		return out.Len()
	}
	with := size(func(w *snapshot.World) (snapshot.ID, error) { return w.Spawn(1) })
	without := size(func(w *snapshot.World) (snapshot.ID, error) { return w.SpawnPoseless(1) })
	// rest, three axes of 20 and 21 bits, the largest component and three of 11
	if pose := 1 + 3*21 + 2 + 3*11; with-without != pose {
		t.Errorf("%d bits with a pose, %d without; want %d fewer", with, without, pose)
	}
}
