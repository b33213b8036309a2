package netcode_test

import (
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// A player that pushes a box across a border keeps it predicted, and neither is corrected.
func TestPushingABoxAcrossABorder(t *testing.T) {
	b := newBorderWith(&border{t: t, names: true, boxes: true}, "north", "south")
	for _, z := range b.all {
		b.paths[z.at] = linksim.Symmetric(linksim.Condition{Delay: 40 * time.Millisecond})
	}
	b.join("north", nil)
	b.run(5*time.Second, nil)
	b.mustPlay()
	b.input = func(netcode.Tick) input { return input{X: -1} }
	b.run(2*time.Second, nil) // the player has reached the box
	before, entity := b.client.Stats(), b.replicaOf("box", kindBox)
	x, moved := b.owner.stateOfBox().X, float32(0)
	least := before.Predicted
	l := b.leaps()
	each := func() {
		l.frame()
		least = min(least, b.client.Stats().Predicted)
	}
	for i, at := range []string{"south", "north", "south"} {
		if !b.visit(at, 5*time.Second, each) {
			t.Fatalf("crossing %d: no visitor", i)
		}
		b.handOver(at, 0, each)
		b.run(time.Second, each)
	}
	b.mustPlay()
	after := b.client.Stats()
	if moved = x - b.owner.stateOfBox().X; moved < 10 {
		t.Errorf("the box was pushed by %.1f m, want more", moved)
	}
	if n, k := after.Corrections-before.Corrections, after.BodyCorrections-before.BodyCorrections; n+k > 0 || after.Moves != 3 {
		t.Errorf("%d corrections, %d of the box, the last by %g, in %d moves; want none in 3", n, k, after.BodyError, after.Moves)
	}
	if least < 1 || b.replicaOf("box", kindBox) != entity {
		t.Errorf("%d bodies were predicted; the box is %v, before %v", least, b.replicaOf("box", kindBox), entity)
	}
	if l.most > 0.05 {
		t.Errorf("a leap of %.3f m, of %s", l.most, l.where)
	}
	t.Logf("pushed by %.1f m over 3 borders: %d corrections, %d of the box, leaps at most %.4f m", moved, after.Corrections-before.Corrections, after.BodyCorrections-before.BodyCorrections, l.most)
}

// replicaOf returns the client's entity of an archetype that exists once.
func (b *border) replicaOf(what string, kind uint16) (e arche.Entity) {
	b.t.Helper()
	w := b.engine.World()
	id := arche.ComponentID[netcode.Replicated](w)
	n := 0
	q := w.Query(arche.All(id))
	for q.Next() {
		if (*netcode.Replicated)(q.Get(id)).Archetype == kind {
			e = q.Entity()
			n++
		}
	}
	if n != 1 {
		b.t.Fatalf("the client shows the %s %d times", what, n)
	}
	return e
}
