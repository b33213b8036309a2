package snapshot_test

import (
	"testing"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
)

// TestHiddenParentHidesItsChildren checks that a parent's number does not leak through its child.
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

// TestOrphanStaysWhileItsParentLeaves removes a parent and gives its child another one. The records
// of the two may be in different packets, of which one is lost.
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
		// The budget is enough for the removal only, so that the child is in the next packet, which
		// may be lost.
		p.budget = 24
		p.send()
		if p.encoder.Removals() != 1 || p.sent.Records != 1 {
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

// TestLargeTreeIsSplit checks that each part of a tree that no packet can hold contains its
// parents, of the same tick.
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
			// The height is the tick, so that a pose shows its tick.
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
