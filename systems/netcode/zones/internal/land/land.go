// Package land holds the map of a world: which zone owns which part of the ground. The ground is
// the plane of X and Z, in metres. A part is one or several rectangles.
package land

import (
	"fmt"
	"math"
	"slices"

	"github.com/tandem-ecs/tandem/systems/netcode/zones/custody"
)

// The limits of a map.
const (
	Limit    = 16384 // in metres, from zero on both axes: float32 has 1 mm there
	MaxZones = 1024
	MaxRects = 4096 // of all zones
	MaxName  = 32   // bytes of a zone's name
)

// Map says which zone owns which part of the ground. No two parts overlap. Ground between the parts
// belongs to no zone. A map is not changed once it is in use: Split and Merge return new ones.
type Map struct {
	Zones []Zone // by rising numbers
}

// Zone is a zone and its land. A zone without land takes no entities across a border.
type Zone struct {
	Name   string       // as CheckName wants it, unique
	Number custody.Zone // from 1, unique, never given again to another zone
	Land   []Rect
}

// Rect is a rectangle of ground, in metres. A point on its lower edges is in it, a point on its
// upper edges is not.
type Rect struct{ MinX, MinZ, MaxX, MaxZ float32 }

// Contains reports whether a point is in the rectangle.
func (r Rect) Contains(x, z float32) bool {
	return x >= r.MinX && x < r.MaxX && z >= r.MinZ && z < r.MaxZ
}

// Owner returns the zone whose land has the point, or nil for no zone's land. The zone is the
// map's. It looks at all rectangles in turn, so a zone asks its own Distance first.
func (m *Map) Owner(x, z float32) *Zone {
	for i := range m.Zones {
		if m.Zones[i].Contains(x, z) {
			return &m.Zones[i]
		}
	}
	return nil
}

// ByName returns the zone with a name, or nil. The zone is the map's.
func (m *Map) ByName(name string) *Zone {
	for i := range m.Zones {
		if m.Zones[i].Name == name {
			return &m.Zones[i]
		}
	}
	return nil
}

// ByNumber returns the zone with a number, or nil. The zone is the map's.
func (m *Map) ByNumber(n custody.Zone) *Zone {
	for i := range m.Zones {
		if m.Zones[i].Number == n {
			return &m.Zones[i]
		}
	}
	return nil
}

// Contains reports whether the zone's land has the point.
func (zone *Zone) Contains(x, z float32) bool {
	for _, r := range zone.Land {
		if r.Contains(x, z) {
			return true
		}
	}
	return false
}

// Distance returns how far a point is from the zone's land, in metres: 0 in the land and on all its
// edges, infinity if the zone has no land, NaN for a point that is none.
func (zone *Zone) Distance(x, z float32) float32 {
	least := math.Inf(1)
	for _, r := range zone.Land {
		// In float64, or the square of a tiny distance is 0.
		dx := max(0, float64(r.MinX)-float64(x), float64(x)-float64(r.MaxX))
		dz := max(0, float64(r.MinZ)-float64(z), float64(z)-float64(r.MaxZ))
		least = min(least, dx*dx+dz*dz)
	}
	return float32(math.Sqrt(least))
}

// Apart returns the distance between the land of two zones, in metres: infinity if one has none.
func (zone *Zone) Apart(other *Zone) float32 {
	least := math.Inf(1)
	for _, a := range zone.Land {
		for _, b := range other.Land {
			dx := max(0, float64(a.MinX)-float64(b.MaxX), float64(b.MinX)-float64(a.MaxX))
			dz := max(0, float64(a.MinZ)-float64(b.MaxZ), float64(b.MinZ)-float64(a.MaxZ))
			least = min(least, dx*dx+dz*dz)
		}
	}
	return float32(math.Sqrt(least))
}

// CheckName returns an error if a text cannot be the name of a zone or a world: 1 to MaxName
// letters, digits, - and _, all in ASCII.
func CheckName(name string) error {
	bad := func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
	}
	if name == "" || len(name) > MaxName || slices.ContainsFunc([]rune(name), bad) {
		return fmt.Errorf("land: %q is no name: use 1 to %d letters from a to z, digits, - and _", name, MaxName)
	}
	return nil
}
