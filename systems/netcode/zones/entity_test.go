package zones_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/netcode/zones"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/custody"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/names"
)

// An entity in a socket that is not replicated is at its place in the world for other zones. It
// goes with the replicated entity that the socket is on, and is in its place there. Without one it
// stays, and the log says why.
func TestEntitiesInSockets(t *testing.T) {
	var log bytes.Buffer
	w := newWorld(t, quadrants())
	w.tune = func(_ string, c *zones.Config[runner, input]) {
		c.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelError}))
	}
	nw, ne := w.begin("nw", 0), w.begin("ne", 0)
	w.run(time.Second, nil)
	world := nw.engine.World()
	parents := generic.NewMap1[components.Parent](world)
	socket := func(x, z float32) arche.Entity {
		l := components.NewLogical(components.At3D(x, 0, z))
		bare := generic.NewMap1[components.Transform3D](world)
		return bare.NewWith(&l)
	}
	ship, boom, mast := nw.spawnAt(kindCrate, -5, -50), socket(2, 0), socket(-5, -10)
	lamp, flag := nw.spawn(kindCrate, components.At3D(0, 3, 1)), nw.spawn(kindCrate, components.At3D(0, 4, 1))
	parents.Assign(boom, &components.Parent{Entity: ship})
	parents.Assign(lamp, &components.Parent{Entity: boom})
	parents.Assign(flag, &components.Parent{Entity: mast})
	w.run(time.Second, nil)
	place := func(p *place, n custody.Name) [3]float32 {
		g := p.named(n)
		if g.IsZero() {
			t.Fatalf("%s does not show %v", p.name, n)
		}
		pose := p.bodies.Get(g).Get()
		has := arche.ComponentID[components.Parent](p.engine.World())
		for e := g; p.engine.World().Has(e, has); {
			if e = (*components.Parent)(p.engine.World().Get(e, has)).Entity; e.IsZero() {
				break
			}
			pose = p.bodies.Get(e).Get().Mul(pose)
		}
		return pose.Position
	}
	near := func(what string, got, want [3]float32) {
		t.Helper()
		for i := range got {
			if d := got[i] - want[i]; d > 0.01 || d < -0.01 {
				t.Errorf("%s: at %v, want %v", what, got, want)
				return
			}
		}
	}
	light, cloth := nw.nameOf(lamp), nw.nameOf(flag)
	near("the ghost of the lamp", place(ne, light), [3]float32{-3, 3, -49})
	near("the ghost of the flag", place(ne, cloth), [3]float32{-5, 4, -9})
	nw.bodies.Get(ship).Set(components.At3D(20, 0, -50))
	nw.bodies.Get(mast).Set(components.At3D(20, 0, -10))
	w.run(time.Second, nil)
	if to, _ := nw.Owner(lamp); to != 2 {
		t.Errorf("the lamp belongs to zone %d, want that of its ship", to)
	}
	near("the lamp that has crossed", place(ne, light), [3]float32{22, 3, -49})
	near("the ghost that it has left", place(nw, light), [3]float32{22, 3, -49})
	if to, _ := nw.Owner(flag); to != 1 {
		t.Errorf("the flag belongs to zone %d, want that of its mast", to)
	}
	near("the ghost of the flag that has stayed", place(ne, cloth), [3]float32{20, 4, -9})
	if n := strings.Count(log.String(), "its parent is not replicated"); n != 1 {
		t.Errorf("the log says so %d times: %s", n, log.String())
	}
}

// named returns the entity with a name, or the zero entity.
func (p *place) named(n custody.Name) (e arche.Entity) {
	id := arche.ComponentID[names.ID](p.engine.World())
	for q := p.engine.World().Query(arche.All(id)); q.Next(); {
		if (*names.ID)(q.Get(id)).Name == n {
			e = q.Entity()
		}
	}
	return e
}
