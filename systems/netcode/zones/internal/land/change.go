package land

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tandem-ecs/tandem/systems/netcode/zones/custody"
)

// Split returns a map in which the part of a zone's land at or beyond a line belongs to the zone
// added. The line is x = at or z = at, by the axis 'x' or 'z'. A new zone gets the number after the
// largest one. If the zone exists, its land grows: so a border is moved.
func (m *Map) Split(zone, added string, axis byte, at float32) (*Map, error) {
	n := m.clone()
	z := n.ByName(zone)
	switch {
	case z == nil:
		return nil, m.unknown(zone)
	case zone == added:
		return nil, fmt.Errorf("land: zone %s cannot be split into itself: name another zone", zone)
	case axis != 'x' && axis != 'z':
		return nil, fmt.Errorf("land: there is no axis %q: use x or z", axis)
	}
	var kept, given []Rect
	for _, r := range z.Land {
		lower, upper := r.cut(axis, at)
		if lower.check() == nil {
			kept = append(kept, lower)
		}
		if upper.check() == nil {
			given = append(given, upper)
		}
	}
	if len(kept) == 0 || len(given) == 0 {
		return nil, fmt.Errorf("land: the line %c = %v does not cross the land of zone %s: all of it lies on one side; to give away all of it, merge", axis, at, zone)
	}
	z.Land = kept
	if a := n.ByName(added); a != nil {
		a.Land = join(append(a.Land, given...))
	} else {
		number := n.Zones[len(n.Zones)-1].Number
		if number >= custody.MaxZone {
			return nil, fmt.Errorf("land: number %d is taken and there is no higher one: name a zone that exists", number)
		}
		n.Zones = append(n.Zones, Zone{added, number + 1, given})
	}
	if err := n.check(); err != nil {
		return nil, err
	}
	return n, nil
}

// Merge returns a map in which the land of one zone belongs to another. The zone keeps its name and
// its number, since no other zone may ever have it.
func (m *Map) Merge(from, into string) (*Map, error) {
	n := m.clone()
	a, b := n.ByName(from), n.ByName(into)
	switch {
	case a == nil:
		return nil, m.unknown(from)
	case b == nil:
		return nil, m.unknown(into)
	case from == into:
		return nil, fmt.Errorf("land: zone %s cannot be merged into itself: name another zone", from)
	case len(a.Land) == 0:
		return nil, fmt.Errorf("land: zone %s has no land", from)
	}
	b.Land = join(append(b.Land, a.Land...))
	a.Land = nil
	if err := n.check(); err != nil {
		return nil, err
	}
	return n, nil
}

func (m *Map) clone() *Map {
	n := &Map{slices.Clone(m.Zones)}
	for i := range n.Zones {
		n.Zones[i].Land = slices.Clone(n.Zones[i].Land)
	}
	return n
}

// unknown is the error for a name that is not on the map.
func (m *Map) unknown(name string) error {
	names := make([]string, 0, 8)
	for _, z := range m.Zones[:min(len(m.Zones), cap(names))] {
		names = append(names, z.Name)
	}
	if len(m.Zones) > len(names) {
		names = append(names, "and others")
	}
	return fmt.Errorf("land: there is no zone %q on the map: it has %v", name, names)
}

// cut returns the parts below and beyond a line. One of them may be empty.
func (r Rect) cut(axis byte, at float32) (lower, upper Rect) {
	lower, upper = r, r
	if axis == 'x' {
		lower.MaxX, upper.MinX = min(r.MaxX, at), max(r.MinX, at)
	} else {
		lower.MaxZ, upper.MinZ = min(r.MaxZ, at), max(r.MinZ, at)
	}
	return lower, upper
}

// join makes one rectangle of neighbours that share a whole edge, so that splits and merges do not
// make a map longer and longer.
func join(rects []Rect) []Rect {
	slices.SortFunc(rects, func(a, b Rect) int {
		return cmp.Or(cmp.Compare(a.MinX, b.MinX), cmp.Compare(a.MaxX, b.MaxX), cmp.Compare(a.MinZ, b.MinZ))
	})
	rects = joined(rects, func(a *Rect, b Rect) bool {
		if a.MinX != b.MinX || a.MaxX != b.MaxX || a.MaxZ != b.MinZ {
			return false
		}
		a.MaxZ = b.MaxZ
		return true
	})
	slices.SortFunc(rects, func(a, b Rect) int {
		return cmp.Or(cmp.Compare(a.MinZ, b.MinZ), cmp.Compare(a.MaxZ, b.MaxZ), cmp.Compare(a.MinX, b.MinX))
	})
	return joined(rects, func(a *Rect, b Rect) bool {
		if a.MinZ != b.MinZ || a.MaxZ != b.MaxZ || a.MaxX != b.MinX {
			return false
		}
		a.MaxX = b.MaxX
		return true
	})
}

// joined lets each rectangle grow by the one behind it, if grow says that it did.
func joined(rects []Rect, grow func(a *Rect, b Rect) bool) []Rect {
	out := rects[:0]
	for _, r := range rects {
		if n := len(out); n == 0 || !grow(&out[n-1], r) {
			out = append(out, r)
		}
	}
	return out
}
