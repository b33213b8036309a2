package snapshot_test

import (
	"slices"
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

// After a Reset nothing is left of what was decoded, but the memory, and the packets of another
// encoder can be read.
func TestResetDecoder(t *testing.T) {
	g := newGroup(t, snapshot.Config{MaxEntities: 64}, 1)
	for range 5 {
		g.spawn()
	}
	g.send()
	d := g.decoders[0]
	slots := d.SlotsForTest()
	d.Reset()
	if _, whole := d.Whole(); whole || len(slices.Collect(d.All())) != 0 || d.SlotsForTest() != slots {
		t.Errorf("after a Reset: whole %v, %d entities, %d slots", whole, len(slices.Collect(d.All())), d.SlotsForTest())
	}
	other := newGroup(t, snapshot.Config{MaxEntities: 64}, 1)
	other.decoders[0] = d
	other.spawn()
	other.send()
	if n := len(slices.Collect(d.All())); n != 1 {
		t.Errorf("%d entities of another encoder, want 1", n)
	}
}
