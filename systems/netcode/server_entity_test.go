package netcode_test

import (
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/netcode"
)

// An entity that another server reads has the components of the written one, and no others.
func TestComponentsOfAnEntity(t *testing.T) {
	from, to := newMatch(t, nil), newMatch(t, nil)
	w := from.engine.World()
	h, other := arche.ComponentID[health](w), arche.ComponentID[health](to.engine.World())
	with, without := from.crate(kindCrate, components.At3D(1, 0, 0)), from.crate(kindCrate, components.At3D(2, 0, 0))
	w.Add(with, h)
	(*health)(w.Get(with, h)).Points = 73
	copyOf := to.crate(kindCrate, components.At3D(3, 0, 0))
	write := func(e arche.Entity) []byte {
		out := netcode.NewWriter(make([]byte, 200))
		from.server.WriteComponents(&out, e)
		if out.Err() != nil {
			t.Fatal(out.Err())
		}
		return out.Bytes()
	}
	for _, e := range []arche.Entity{with, without, with} {
		r := netcode.NewReader(write(e))
		to.server.ReadComponents(&r, copyOf)
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		if has := to.engine.World().Has(copyOf, other); has != (e == with) {
			t.Errorf("the copy has health: %v, want %v", has, e == with)
		}
	}
	if got := (*health)(to.engine.World().Get(copyOf, other)).Points; got != 73 {
		t.Errorf("health %d, want 73", got)
	}
	data := write(with)
	for n := range data {
		r := netcode.NewReader(data[:n])
		(*health)(to.engine.World().Get(copyOf, other)).Points = 5
		to.server.ReadComponents(&r, copyOf)
		if r.Err() == nil {
			continue // what is cut off was padding
		}
		if got := (*health)(to.engine.World().Get(copyOf, other)).Points; got != 5 {
			t.Fatalf("%d of %d bytes changed the entity: health %d", n, len(data), got)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		r := netcode.NewReader(rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(rt, "bytes"))
		to.server.ReadComponents(&r, copyOf)
	})
}

// State is what clients are sent.
func TestStateOfAnEntity(t *testing.T) {
	m := newMatch(t, nil)
	crate := m.crate(kindCrate, components.At3D(0, 1, 0))
	if _, ok := m.server.State(crate); ok {
		t.Error("an entity has a state before its first step")
	}
	m.run(50*time.Millisecond, nil)
	m.transform(crate).Set(components.At3D(0.1, 1, 0))
	m.run(time.Second/tickRate, nil)
	s, ok := m.server.State(crate)
	if v := s.Velocity[0]; !ok || s.Position[0] != 0.1 || v < 0.1*tickRate-1e-3 || v > 0.1*tickRate+1e-3 || s.AtRest {
		t.Errorf("%v, %+v; want 0.1 m at %v m/s", ok, s, 0.1*tickRate)
	}
	if m.protocol.Hash() != newProtocol(t, netcode.Config{}).Hash() || m.protocol.Hash() == newProtocol(t, netcode.Config{Version: 9}).Hash() {
		t.Error("the hash of a protocol must be that of its equals, and of no other")
	}
}

// A body that another server reads is completed from its pose, since its codec leaves that out.
func TestBodyOfAnotherServer(t *testing.T) {
	from, to := newMatchOf(t, boxProtocol(t, boxes()), nil), newMatchOf(t, boxProtocol(t, boxes()), nil)
	original := from.box(box{X: 3, Z: 4, VX: 2})
	copied := to.box(box{X: -9})
	out := netcode.NewWriter(make([]byte, 200))
	from.server.WriteComponents(&out, original)
	to.transform(copied).Set(poseBox(box{X: 3, Z: 4}))
	r := netcode.NewReader(out.Bytes())
	to.server.ReadComponents(&r, copied)
	if b := to.boxOf(copied); r.Close() != nil || b.X != 3 || b.Z != 4 || b.VX < 1.9 || b.VX > 2.1 {
		t.Errorf("the copy is %+v", *b)
	}
}
