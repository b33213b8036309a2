package hierarchy_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	. "github.com/tandem-ecs/tandem/internal/coretest"
)

// Cycles cannot be made by Reparent, but by writing Parent. Their members count as roots, nothing
// hangs, and the log says so once.
func TestCyclesWrittenDirectly(t *testing.T) {
	for _, n := range []int{1, 2, 3, 50} {
		var log bytes.Buffer
		f := newTreeStage(t, 10, logTo(slog.New(slog.NewTextHandler(&log, nil))))
		var ring []arche.Entity
		for k := range n {
			ring = append(ring, f.Spawn(At(float64(k), 0, 0)))
		}
		tail := f.child(ring[0], At(100, 0, 0)) // hangs on the ring, and is none of it
		other := f.child(f.Spawn(At(1, 0, 0)), At(1, 0, 0))
		f.Update(0)
		if log.Len() != 0 {
			t.Errorf("logged without a cycle: %s", &log)
		}
		for k, e := range ring {
			f.parents.Assign(e, &components.Parent{Entity: ring[(k+1)%n]})
		}
		check := func() {
			t.Helper()
			for k, e := range ring {
				f.Near(fmt.Sprintf("member %d of %d", k, n), f.worldX(e), float64(k), 0)
				f.Near("logically", f.logicalX(e), float64(k), 0)
			}
			f.Near("tail", f.worldX(tail), 100, 0)
			f.Near("other", f.worldX(other), 2, 0)
		}
		check() // before anybody has looked
		f.Run(30, FPS(60, 1), nil)
		check()
		if lines := strings.Count(log.String(), "cycle"); lines != 1 {
			t.Errorf("a ring of %d was logged %d times: %s", n, lines, &log)
		}
		for _, e := range ring {
			if name := fmt.Sprintf("%d:%d", e.ID(), e.Generation()); !strings.Contains(log.String(), name) {
				t.Errorf("the log does not name %s: %s", name, &log)
			}
		}
		seen := map[arche.Entity]int{}
		f.h.EachVisualWorld(func(e arche.Entity, _ *mgl32.Mat4) { seen[e]++ })
		for _, e := range append(append([]arche.Entity(nil), ring...), tail, other) {
			if seen[e] != 1 {
				t.Errorf("EachVisualWorld reported %v %d times", e, seen[e])
			}
		}
		// Mending it by Reparent keeps the world poses, which are those of roots.
		f.reparent(ring[n-1], arche.Entity{})
		f.Near("mended", f.worldX(ring[n-1]), float64(n-1), 0)
		f.Run(30, FPS(60, 1), nil)
		f.Near("mended", f.worldX(ring[n-1]), float64(n-1), 0)
		if n > 1 { // the others hang on it again
			f.Near("the last but one", f.worldX(ring[n-2]), float64(2*n-3), 0)
		}
		// Their despawn is that of any hierarchy.
		f.W.RemoveEntity(ring[n-1])
		f.Run(3, FPS(10, 1), nil)
		if f.W.Alive(tail) || f.W.Alive(ring[0]) {
			t.Error("the ring outlived its root")
		}
	}
}

func TestReparentIntoACycleDoesNotHang(t *testing.T) {
	var log bytes.Buffer
	f := newTreeStage(t, 10, logTo(slog.New(slog.NewTextHandler(&log, nil))))
	a, b := f.Spawn(At(1, 0, 0)), f.Spawn(At(2, 0, 0))
	f.parents.Assign(a, &components.Parent{Entity: b})
	f.parents.Assign(b, &components.Parent{Entity: a})
	c := f.Spawn(At(10, 0, 0))
	f.Update(0)
	f.reparent(c, a)
	f.Near("c", f.worldX(c), 10, 1e-5)
	f.Run(10, FPS(60, 1), nil)
	f.Near("c", f.worldX(c), 10, 1e-5)
	f.W.RemoveEntity(a)
	f.Run(3, FPS(60, 1), nil)
	if f.W.Alive(b) || f.W.Alive(c) {
		t.Error("the cycle outlived a member")
	}
}

// A shift leaves the members of a cycle the roots that they are, whether the cycle is old or was
// closed since the last frame, by who was there or by a newcomer.
func TestShiftBesideACycle(t *testing.T) {
	for _, n := range []int{1, 2, 3, 10} {
		for _, when := range []string{"old", "new", "by a newcomer"} {
			f := newTreeStage(t, 10, logTo(slog.New(slog.DiscardHandler)))
			var ring []arche.Entity
			for k := range n {
				ring = append(ring, f.child(arche.Entity{}, At(float64(k+1), 0, 0)))
			}
			tail := f.child(ring[0], At(100, 0, 0))
			tree := f.Spawn(At(1, 0, 0))
			leaf := f.child(tree, At(1, 0, 0))
			f.Update(0)
			last := n
			if when == "by a newcomer" && n > 1 {
				last--
				f.W.RemoveEntity(ring[last])
				f.Update(0)
				ring[last] = f.child(arche.Entity{}, At(float64(n), 0, 0))
			}
			for k, e := range ring {
				f.parents.Get(e).Entity = ring[(k+1)%n]
			}
			if when == "old" {
				f.Update(0)
			}
			f.Poses.Shift(MoveX(1000))
			want := map[arche.Entity]float32{tail: 101, tree: 1001, leaf: 1002}
			for k, e := range ring {
				want[e] = float32(k + 1)
			}
			check := func(what string) {
				t.Helper()
				reported := 0
				f.h.EachVisualWorld(func(e arche.Entity, m *mgl32.Mat4) {
					reported++
					if e == leaf && what == "at once" {
						return // what hangs below, and is no parent, waits for the frame
					}
					if m[12] != want[e] {
						t.Errorf("ring of %d, closed %s, %s: %v is at %v, want %v", n, when, what, e, m[12], want[e])
					}
				})
				if reported < last+3 {
					t.Errorf("ring of %d, closed %s, %s: reported %d", n, when, what, reported)
				}
			}
			check("at once")
			f.Update(0)
			check("in the next frame")
		}
	}
}
