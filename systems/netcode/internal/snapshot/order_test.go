package snapshot_test

import (
	"testing"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
)

// TestPacketsOfASnapshotHeedChanges checks that the packets of one snapshot share an order, unless
// something has changed between them.
func TestPacketsOfASnapshotHeedChanges(t *testing.T) {
	for name, change := range map[string]func(e *snapshot.Encoder, w *snapshot.World, id snapshot.ID){
		"nothing":        func(*snapshot.Encoder, *snapshot.World, snapshot.ID) {},
		"not relevant":   func(e *snapshot.Encoder, _ *snapshot.World, id snapshot.ID) { e.SetRelevance(id, 0) },
		"despawned":      func(_ *snapshot.Encoder, w *snapshot.World, id snapshot.ID) { w.Despawn(id) },
		"something else": func(e *snapshot.Encoder, _ *snapshot.World, _ snapshot.ID) { e.Delivered(1) },
	} {
		t.Run(name, func(t *testing.T) {
			s := schema(t, snapshot.Config{MaxEntities: 64})
			w, d := snapshot.NewWorld(s), snapshot.NewDecoder(s)
			e := snapshot.NewEncoder(w)
			var ids []snapshot.ID
			for i := range 64 {
				id, err := w.Spawn(0)
				if err != nil {
					t.Fatal(err)
				}
				w.SetState(id, at(float32(i), 0, 0))
				e.SetRelevance(id, 1)
				ids = append(ids, id)
			}
			w.Commit()
			seen := map[snapshot.ID]int{}
			waiting := 1
			for n := packet.Number(1); waiting > 0; n++ {
				if n == 2 {
					if seen[ids[63]] > 0 {
						t.Fatal("there was room for all in the first packet")
					}
					change(e, w, ids[63])
				}
				out := packet.NewWriter(make([]byte, 200))
				res := e.Encode(&out, n, 1)
				if e.Removals() > 0 {
					t.Fatalf("packet %d tells the end of what the client has never heard of", n)
				}
				if waiting = res.Waiting; waiting > 0 && res.Records == 0 || n > 20 {
					t.Fatalf("packet %d: %+v", n, res)
				}
				r := packet.NewReader(out.Bytes())
				got, err := d.Decode(&r, n)
				if err != nil {
					t.Fatal(err)
				}
				for _, c := range got.Changes {
					seen[c.ID]++
				}
			}
			for i, id := range ids {
				want := 1
				if i == 63 && (name == "not relevant" || name == "despawned") {
					want = 0
				}
				if seen[id] != want {
					t.Errorf("%v was sent %d times, want %d", id, seen[id], want)
				}
			}
		})
	}
}
