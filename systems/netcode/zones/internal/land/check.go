package land

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/tandem-ecs/tandem/systems/netcode/zones/custody"
)

// check sorts the zones by number and returns an error that says what to change, or nil.
func (m *Map) check() error {
	switch {
	case len(m.Zones) == 0:
		return errors.New(`land: the map has no zones: name at least one, as {"zones": [{"name": "north", "number": 1, "land": []}]}`)
	case len(m.Zones) > MaxZones:
		return fmt.Errorf("land: the map has %d zones: have at most %d", len(m.Zones), MaxZones)
	}
	slices.SortStableFunc(m.Zones, func(a, b Zone) int { return cmp.Compare(a.Number, b.Number) })
	rects := 0
	names := map[string]bool{}
	for i, z := range m.Zones {
		if err := CheckName(z.Name); err != nil {
			return err
		}
		switch {
		case names[z.Name]:
			return fmt.Errorf("land: two zones are named %s: give one of them another name", z.Name)
		case z.Number < 1 || z.Number > custody.MaxZone:
			return fmt.Errorf("land: zone %s has number %d: use 1 to %d", z.Name, z.Number, custody.MaxZone)
		case i > 0 && m.Zones[i-1].Number == z.Number:
			return fmt.Errorf("land: zones %s and %s both have number %d: give one of them another, that no zone ever had", m.Zones[i-1].Name, z.Name, z.Number)
		}
		names[z.Name] = true
		for _, r := range z.Land {
			if err := r.check(); err != nil {
				return fmt.Errorf("land: zone %s: %w", z.Name, err)
			}
		}
		rects += len(z.Land)
	}
	if rects > MaxRects {
		return fmt.Errorf("land: the map has %d rectangles: have at most %d", rects, MaxRects)
	}
	return m.checkOverlaps(rects)
}

func (r Rect) check() error {
	for _, v := range [...]float32{r.MinX, r.MinZ, r.MaxX, r.MaxZ} {
		if !(v >= -Limit && v <= Limit) { // also false for NaN
			return fmt.Errorf("the rectangle %v reaches %v: stay within -%d and %d", r, v, Limit, Limit)
		}
	}
	if r.MinX >= r.MaxX || r.MinZ >= r.MaxZ {
		return fmt.Errorf("the rectangle %v is empty: let both numbers of max be larger than those of min", r)
	}
	return nil
}

// String returns the rectangle as two points.
func (r Rect) String() string {
	return fmt.Sprintf("from [%v, %v] to [%v, %v]", r.MinX, r.MinZ, r.MaxX, r.MaxZ)
}

// checkOverlaps compares each rectangle with those that begin before its end on the x axis.
func (m *Map) checkOverlaps(rects int) error {
	type piece struct {
		Rect
		of string
	}
	all := make([]piece, 0, rects)
	for _, z := range m.Zones {
		for _, r := range z.Land {
			all = append(all, piece{r, z.Name})
		}
	}
	slices.SortFunc(all, func(a, b piece) int { return cmp.Compare(a.MinX, b.MinX) })
	for i, a := range all {
		for _, b := range all[i+1:] {
			if b.MinX >= a.MaxX {
				break
			}
			if a.MinZ < b.MaxZ && b.MinZ < a.MaxZ {
				return fmt.Errorf("land: the rectangle %v of zone %s overlaps the one %v of zone %s: move an edge", a.Rect, a.of, b.Rect, b.of)
			}
		}
	}
	return nil
}
