package main

import (
	"encoding/json"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/demo/internal/arena"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/custody"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/names"
)

const worldName = "arena"

// zone is one of the four zones. Each has one of the four arenas of arena.NewWorld.
type zone struct {
	name, title string
	number      custody.Zone
	min, max    [2]float32 // of its land: X and Z
}

const edge = 2 * arena.Half

var allZones = [...]zone{
	{"nw", "north-west", 1, [2]float32{-edge, -edge}, [2]float32{0, 0}},
	{"ne", "north-east", 2, [2]float32{0, -edge}, [2]float32{edge, 0}},
	{"sw", "south-west", 3, [2]float32{-edge, 0}, [2]float32{0, edge}},
	{"se", "south-east", 4, [2]float32{0, 0}, [2]float32{edge, edge}},
}

// inside reports whether a place is on the zone's land.
func (z *zone) inside(at mgl32.Vec3) bool {
	return at[0] >= z.min[0] && at[0] < z.max[0] && at[2] >= z.min[1] && at[2] < z.max[1]
}

// middle returns the middle of the zone's land.
func (z *zone) middle() mgl32.Vec3 {
	return mgl32.Vec3{(z.min[0] + z.max[0]) / 2, 0, (z.min[1] + z.max[1]) / 2}
}

// worldMap returns the map of the world for zones.WriteMap.
func worldMap() []byte {
	type land struct {
		Min [2]float32 `json:"min"`
		Max [2]float32 `json:"max"`
	}
	type entry struct {
		Name   string       `json:"name"`
		Number custody.Zone `json:"number"`
		Land   []land       `json:"land"`
	}
	var m struct {
		Zones []entry `json:"zones"`
	}
	for _, z := range allZones {
		m.Zones = append(m.Zones, entry{z.name, z.number, []land{{z.min, z.max}}})
	}
	text, _ := json.Marshal(m) // of numbers and strings
	return text
}

// badge says which zone an entity belongs to, and its name. It is replicated for the picture of
// this demo only: a game's clients need neither.
type badge struct {
	Zone uint16
	Name uint64
}

// extend makes the arena's protocol that of the world, on both ends.
func extend(p *arena.Protocol) {
	names.Replicate(p)
	netcode.ReplicateComponent(p, "badge", netcode.StructComponent[badge]())
}

// badgeOf returns the badge of an entity, and whether it has one.
func badgeOf(w *arche.World, e arche.Entity) (badge, bool) {
	id := arche.ComponentID[badge](w)
	if !w.Alive(e) || !w.Has(e, id) {
		return badge{}, false
	}
	return *(*badge)(w.Get(e, id)), true
}
