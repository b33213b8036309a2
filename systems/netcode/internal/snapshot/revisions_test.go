package snapshot_test

import (
	"testing"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
)

// TestWokenEntitiesKeepTheirBaseline lets rows be reused many times while an entity rests. When the
// entity begins to move, its last state must stay the baseline of all clients for at least three
// quarters of the rows, from any row on.
func TestWokenEntitiesKeepTheirBaseline(t *testing.T) {
	const revisions = 8
	for rested := range 3 * revisions {
		g := newGroup(t, snapshot.Config{MaxEntities: 8, Revisions: revisions}, 1)
		sleeper, walker := g.spawn(), g.spawn()
		g.lump.Set(g.world, sleeper, lump{100, 1})
		g.world.SetState(sleeper, at(1, 2, 3))
		g.send()
		for f := range rested {
			g.world.SetState(walker, at(float32(f+1), 0, 0))
			g.send()
		}
		// The entity moves, and no record of it is acknowledged: the packets are lost.
		for f := range revisions * 3 / 4 {
			g.world.SetState(sleeper, at(1, 2, 3+float32(f+1)/64))
			g.world.SetState(walker, at(0, float32(f+1), 0))
			g.world.Commit()
			if got := g.lose(); got > 60 {
				t.Errorf("after a rest of %d commits the %d. change takes %d bytes: it is sent whole", rested, f+1, got)
			}
		}
	}
}

// TestRevisionsGoInTheEnd checks that a baseline that has been overwritten is not used.
func TestRevisionsGoInTheEnd(t *testing.T) {
	g := newGroup(t, snapshot.Config{MaxEntities: 8, Revisions: 8, History: 128}, 1)
	id := g.spawn()
	g.lump.Set(g.world, id, lump{100, 1})
	g.world.SetState(id, at(1, 2, 3))
	g.send()
	whole := 0
	for f := range 20 {
		g.world.SetState(id, at(1, 2, 3+float32(f+1)/64))
		g.world.Commit()
		if g.lose() > 100 {
			whole++
		}
	}
	if whole != 20-7 {
		t.Errorf("%d of 20 unacknowledged changes were sent whole, want those beyond the seven that eight revisions leave a baseline for", whole)
	}
}

// lose encodes a packet for the first client, which is lost, and returns its size.
func (g *group) lose() int {
	g.now++
	w := packet.NewWriter(g.buf[:])
	g.encoders[0].Encode(&w, packet.Number(g.now), g.now)
	return len(w.Bytes())
}
