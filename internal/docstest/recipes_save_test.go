package docstest

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/hierarchy"
	"github.com/tandem-ecs/tandem/systems/interpolation"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/netcodetest"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// The code of the recipe for saved worlds.

// savedWorld is the file.
type savedWorld struct {
	Entities arche.EntityDump // their identities, which Parents hold
	Things   []savedThing
}

// savedThing is an entity: what nothing else makes anew.
type savedThing struct {
	Entity arche.Entity
	Pose   components.Transform3D
	Parent components.Parent
}

// save returns the things of a world as a file.
func save(w *arche.World) ([]byte, error) {
	file := savedWorld{Entities: w.DumpEntities()}
	things := generic.NewFilter2[components.Transform3D, components.Parent]()
	for query := things.Query(w); query.Next(); {
		pose, parent := query.Get()
		file.Things = append(file.Things, savedThing{query.Entity(), *pose, *parent})
	}
	return json.Marshal(file)
}

// load puts the things of a file into a world without entities.
func load(w *arche.World, data []byte) error {
	var file savedWorld
	if err := json.Unmarshal(data, &file); err != nil {
		return err
	}
	w.LoadEntities(&file.Entities)
	things := generic.NewMap3[components.Transform3D, components.Visual3D, components.Parent](w)
	for _, t := range file.Things {
		things.Assign(t.Entity, &t.Pose, &components.Visual3D{}, &t.Parent)
	}
	return nil
}

// stage is a world that is drawn, with a tree in it.
func newSavedStage(t *testing.T) (*ecs.Engine, *hierarchy.Hierarchy3D) {
	t.Helper()
	e, err := ecs.New(ecs.Config{FixedRate: 20})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	tree := hierarchy.New3D()
	e.Install(interpolation.New3D(), tree)
	return e, tree
}

// plant makes a parent in motion and a child, and plays until both are drawn on their ways.
func plant(t *testing.T) (e *ecs.Engine, tree *hierarchy.Hierarchy3D, parent, child arche.Entity) {
	t.Helper()
	e, tree = newSavedStage(t)
	things := generic.NewMap3[components.Transform3D, components.Visual3D, components.Parent](e.World())
	at := func(x float32, above arche.Entity) arche.Entity {
		logical := components.NewLogical(components.At3D(x, 0, 0))
		return things.NewWith(&logical, &components.Visual3D{}, &components.Parent{Entity: above})
	}
	e.World().RemoveEntity(e.World().NewEntity()) // so that generations differ
	parent = at(5, arche.Entity{})
	child = at(2, parent)
	e.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
		logical, _, _ := things.Get(parent)
		p := logical.Get()
		p.Position[0]++
		logical.Set(p)
	}))
	for range 10 {
		e.Update(40 * time.Millisecond)
	}
	return e, tree, parent, child
}

// stands plays a loaded world, in which nothing moves, and compares what it draws with what was
// saved.
func stands(t *testing.T, e *ecs.Engine, tree *hierarchy.Hierarchy3D, child arche.Entity, want float32) {
	t.Helper()
	logicals := generic.NewMap1[components.Transform3D](e.World())
	for frame := range 10 {
		e.Update(30 * time.Millisecond)
		if x := tree.VisualWorld(child).Col(3)[0]; x != want {
			t.Fatalf("frame %d: drawn at %v, want %v", frame, x, want)
		}
	}
	p := logicals.Get(child).Get()
	p.Position[0]++
	logicals.Get(child).Set(p) // it still moves, from where it is
	last := want
	for range 10 {
		e.Update(20 * time.Millisecond)
		x := tree.VisualWorld(child).Col(3)[0]
		if x < last || x > last+0.5 {
			t.Fatalf("drawn at %v after %v", x, last)
		}
		last = x
	}
	if last != want+1 {
		t.Errorf("drawn at last at %v, want %v", last, want+1)
	}
}

// A saved world comes back: each thing is at its place, below its parent, and smears from nowhere.
func TestRecipesSave(t *testing.T) {
	e, tree, _, child := plant(t)
	file, err := save(e.World())
	if err != nil {
		t.Fatal(err)
	}
	loaded, above := newSavedStage(t)
	if err := load(loaded.World(), file); err != nil {
		t.Fatal(err)
	}
	stands(t, loaded, above, child, tree.LogicalWorld(child).Col(3)[0])
}

// saveAll writes all components of all entities as JSON by their types' names, as the module
// arche-serde does. That includes hidden components of plugins.
func saveAll(t *testing.T, w *arche.World) []byte {
	t.Helper()
	file := wholeFile{Entities: w.DumpEntities(), Components: map[string][]byte{}}
	for query := w.Query(arche.All()); query.Next(); {
		all := map[string]json.RawMessage{}
		for _, id := range query.Ids() {
			info, _ := arche.ComponentInfo(w, id)
			data, err := json.Marshal(reflect.NewAt(info.Type, query.Get(id)).Interface())
			if err != nil {
				t.Fatal(err)
			}
			all[info.Type.String()] = data
		}
		name, _ := json.Marshal(query.Entity())
		file.Components[string(name)], _ = json.Marshal(all)
	}
	data, err := json.Marshal(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

type wholeFile struct {
	Entities   arche.EntityDump
	Components map[string][]byte // by entities as JSON
}

func loadAll(t *testing.T, w *arche.World, data []byte) {
	t.Helper()
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	var file wholeFile
	must(json.Unmarshal(data, &file))
	w.LoadEntities(&file.Entities)
	ids := map[string]arche.ID{}
	for _, id := range arche.ComponentIDs(w) {
		info, _ := arche.ComponentInfo(w, id)
		ids[info.Type.String()] = id
	}
	for name, data := range file.Components {
		var e arche.Entity
		must(json.Unmarshal([]byte(name), &e))
		var all map[string]json.RawMessage
		must(json.Unmarshal(data, &all))
		for kind, value := range all {
			info, ok := arche.ComponentInfo(w, ids[kind])
			if !ok {
				t.Fatalf("%s is not registered", kind)
			}
			c := reflect.New(info.Type)
			must(json.Unmarshal(value, c.Interface()))
			w.Add(e, ids[kind])
			reflect.NewAt(info.Type, w.Get(e, ids[kind])).Elem().Set(c.Elem())
		}
	}
}

// A saver that writes every component may load the hidden ones of plugins, too: they are taken for
// those of another run.
func TestSaversOfAllComponents(t *testing.T) {
	e, tree, _, child := plant(t)
	loaded, above := newSavedStage(t)
	loadAll(t, loaded.World(), saveAll(t, e.World()))
	stands(t, loaded, above, child, tree.LogicalWorld(child).Col(3)[0])
}

// A server replicates the entities of a file, under IDs of its own.
func TestServersOfSavedWorlds(t *testing.T) {
	start := func() *netcodetest.Match[hero, keys] {
		return netcodetest.New(t, netcodetest.Config[hero, keys]{
			Protocol: func() *netcode.Protocol[hero, keys] { return newNamed().Protocol },
			Server: func(*ecs.Engine) netcode.ServerConfig[hero, keys] {
				return netcode.ServerConfig[hero, keys]{
					Joined: func(*netcode.Player[hero, keys]) (hero, arche.Entity) { return hero{}, arche.Entity{} },
				}
			},
		})
	}
	first := start()
	things := generic.NewMap2[components.Transform3D, netcode.Replicated](first.Engine.World())
	for k := range 3 {
		logical := components.NewLogical(components.At3D(float32(k), 0, 0))
		e := things.NewWith(&logical, &netcode.Replicated{Archetype: kindCoin})
		first.Run(time.Second/10, nil)
		if k == 0 {
			first.Engine.World().RemoveEntity(e) // so that IDs differ in the next run
		}
	}
	second := start()
	loadAll(t, second.Engine.World(), saveAll(t, first.Engine.World()))
	client := second.Join(linksim.Path{}, netcode.ClientConfig[hero, keys]{Input: func(netcode.Tick) keys { return keys{} }})
	second.Run(time.Second, nil)
	seen := map[float32]int{}
	for query := generic.NewFilter2[components.Visual3D, netcode.Replicated]().Query(client.Engine.World()); query.Next(); {
		visual, _ := query.Get()
		seen[visual.Get().Position[0]]++
	}
	if len(seen) != 2 || seen[1] != 1 || seen[2] != 1 {
		t.Errorf("the client of the second run sees things at %v", seen)
	}
}
