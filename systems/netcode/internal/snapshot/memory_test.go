package snapshot_test

import (
	"testing"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
)

// A decoder takes memory for the slots in use, and not for all that there may be.
func TestDecoderGrowsWithSlots(t *testing.T) {
	for _, n := range []int{1, 3, 100} {
		g := newGroup(t, snapshot.Config{MaxEntities: 4096}, 1)
		for range n {
			g.spawn()
		}
		g.send()
		if slots := g.decoders[0].SlotsForTest(); slots < n || slots > 2*n {
			t.Errorf("with %d entities there is room for those of %d", n, slots)
		}
	}
}
