package netcode_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode"
)

// A Parent that the game's client code gives a replica puts it in a wrong place. The log says so
// once, and ecs.Check as long as it is so. A parent at the origin, and a local child of a replica,
// are no mistakes.
func TestForeignParents(t *testing.T) {
	for _, test := range []struct {
		name string
		put  func(w *arche.World, replica arche.Entity) (parent arche.Entity)
		ok   bool
	}{
		{name: "in Spawn"}, // see below
		{name: "later", put: func(w *arche.World, r arche.Entity) arche.Entity {
			parent := local(w, components.At3D(0, 0, 9))
			give(w, r, components.Parent{Entity: parent})
			return parent
		}},
		{name: "at the origin", ok: true, put: func(w *arche.World, r arche.Entity) arche.Entity {
			parent := local(w, components.Identity3D())
			give(w, r, components.Parent{Entity: parent})
			return parent
		}},
		{name: "a local child", ok: true, put: func(w *arche.World, r arche.Entity) arche.Entity {
			give(w, local(w, components.At3D(0, 0, 9)), components.Parent{Entity: r})
			return r
		}},
	} {
		var log bytes.Buffer
		var parent arche.Entity
		m := newMatch(t, nil)
		crate := m.crate(kindCrate, components.At3D(1, 2, 3))
		a := m.join(perfect(), func(c *netcode.ClientConfig[runner, input]) {
			c.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn}))
			c.Spawn = func(w *arche.World, r netcode.Replicated, _ bool) arche.Entity {
				e := w.NewEntity(arche.ComponentID[components.Transform3D](w), arche.ComponentID[components.Visual3D](w))
				if r.Archetype == kindCrate && test.put == nil {
					parent = local(w, components.At3D(0, 0, 9))
					give(w, e, components.Parent{Entity: parent})
				}
				return e
			}
		})
		m.run(2*time.Second, nil)
		m.mustPlay()
		e := a.client.Replica(m.id(crate))
		if test.put != nil {
			parent = test.put(a.engine.World(), e)
		}
		m.run(3*time.Second, nil)
		check := ecs.Check(a.engine.World())
		if test.ok {
			if log.Len() > 0 || len(check) > 0 {
				t.Errorf("%s: the log says %s, and Check %q", test.name, log.String(), check)
			}
			continue
		}
		name := fmt.Sprintf("%+v", parent)
		if strings.Count(log.String(), "\n") != 1 || !strings.Contains(log.String(), "entity of the client alone") || !strings.Contains(log.String(), name) {
			t.Errorf("%s: the log says %s", test.name, log.String())
		}
		if len(check) != 1 || !strings.Contains(check[0], name) || !strings.Contains(check[0], fmt.Sprintf("%+v", e)) {
			t.Errorf("%s: Check says %q", test.name, check)
		}
		component[components.Parent](a.engine.World(), e).Entity = arche.Entity{} // the remedy
		m.run(time.Second, nil)
		if again := ecs.Check(a.engine.World()); len(again) > 0 || a.world(e)[2] != 3 {
			t.Errorf("%s: with the remedy it is at %v, and Check says %q", test.name, a.world(e), again)
		}
	}
}

// local adds an entity of the game's own to a client's world.
func local(w *arche.World, pose components.Pose3D) arche.Entity {
	e := w.NewEntity(arche.ComponentID[components.Transform3D](w), arche.ComponentID[components.Visual3D](w))
	*component[components.Transform3D](w, e) = components.NewLogical(pose)
	return e
}
