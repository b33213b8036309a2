package ecs_test

import (
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/ecs"
)

type cargo struct{ _ int32 }

// iterate opens so many queries, one in the other, and panics in the innermost.
func iterate(w *arche.World, depth int) {
	query := w.Query(arche.All())
	for query.Next() {
		if depth == 1 {
			panic("in the midst of it")
		}
		iterate(w, depth-1)
	}
}

// Most systems that panic do so while they iterate. Nobody can close their queries, and a host that recovers goes on all the same, as often as it happens.
func TestPanicWhileIterating(t *testing.T) {
	for _, where := range []string{"update", "initialize", "finalize", "left open", "command", "batch"} {
		for _, depth := range []int{1, 2, 16} {
			e := newEngine(t, ecs.Config{FixedRate: 10})
			w := e.World()
			for range 3 {
				w.NewEntity()
			}
			bad := &probe{name: "bad"}
			trip := func(w *arche.World) { iterate(w, depth) }
			if where == "initialize" {
				bad.init = trip
			}
			e.Add(ecs.FixedUpdate, bad)
			if where != "initialize" {
				e.Update(0)
			}
			runs := 0
			e.Add(ecs.Render, ecs.SystemFunc(func(w *arche.World) { runs++; w.NewEntity() }))
			for range 40 {
				switch where {
				case "update":
					bad.do = trip
				case "finalize":
					bad.fin = trip
					mustPanic(t, func() { e.Remove(bad) }, "bad", "Finalize", "in the midst")
					bad.fin = nil
					e.Add(ecs.FixedUpdate, bad)
				case "left open":
					bad.do = func(w *arche.World) {
						for range depth {
							query := w.Query(arche.All())
							query.Next()
						}
					}
				case "command":
					bad.do = func(*arche.World) { e.Commands().Defer(trip) }
				case "batch":
					id := arche.ComponentID[cargo](w)
					bad.do = func(w *arche.World) {
						query := w.Batch().NewQ(5, id)
						query.Next()
						iterate(w, max(depth-1, 1))
					}
				}
				if where == "finalize" || where == "initialize" && runs > 0 {
					e.Update(100 * time.Millisecond)
					continue
				}
				mustPanic(t, func() { e.Update(100 * time.Millisecond) }, "bad")
				bad.do = nil
				if w.IsLocked() {
					t.Fatalf("in %s, %d deep: the world is locked", where, depth)
				}
				e.Update(0)
			}
			if runs < 39 {
				t.Errorf("in %s, %d deep: went on %d times", where, depth, runs)
			}
			e.Close()
		}
	}
}

// A query that the host has open is the host's, whoever panics meanwhile.
func TestPanicBesideAQueryOfTheHosts(t *testing.T) {
	e := newEngine(t, ecs.Config{})
	w := e.World()
	for range 3 {
		w.NewEntity()
	}
	bad := &probe{name: "bad", fin: func(w *arche.World) { panic("no") }}
	e.Add(ecs.Render, bad)
	e.Update(0)
	query := w.Query(arche.All())
	query.Next()
	mustPanic(t, func() { e.Remove(bad) }, "bad", "no")
	if !w.IsLocked() {
		t.Fatal("the host's query was closed")
	}
	for n := 1; query.Next(); n++ {
		if n > 2 {
			t.Fatal("the host's query does not end")
		}
	}
	if w.IsLocked() {
		t.Error("the world is locked after the last query")
	}
	e.Update(0)
}
