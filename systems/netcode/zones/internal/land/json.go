package land

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/tandem-ecs/tandem/systems/netcode/zones/custody"
)

// maxBytes bounds the text of a map: MaxRects in JSON's longest form fit, and it fits into the
// store.
const maxBytes = 512 << 10

// The map in JSON. Pointers tell what is left out from zero.
type mapJSON struct {
	Zones []zoneJSON `json:"zones"`
}

type zoneJSON struct {
	Name   string       `json:"name"`
	Number custody.Zone `json:"number"`
	Land   []rectJSON   `json:"land"`
}

type rectJSON struct {
	Min *[2]float32 `json:"min"`
	Max *[2]float32 `json:"max"`
}

// Parse reads a map in JSON and checks all of it:
//
//	{"zones": [
//	  {"name": "north", "number": 1, "land": [{"min": [-512, 0], "max": [512, 512]}]},
//	  {"name": "south", "number": 2, "land": [{"min": [-512, -512], "max": [512, 0]}]}
//	]}
//
// The two numbers of a point are X and Z in metres. An error says what to change.
func Parse(data []byte) (*Map, error) {
	if len(data) > maxBytes {
		return nil, fmt.Errorf("land: the map has %d bytes: use at most %d", len(data), maxBytes)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	var j mapJSON
	if err := d.Decode(&j); err != nil {
		return nil, fmt.Errorf("land: the map is no JSON of the right form: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("land: text follows the map: delete all behind the last }")
	}
	m := &Map{}
	for _, z := range j.Zones {
		zone := Zone{Name: z.Name, Number: z.Number}
		for _, r := range z.Land {
			if r.Min == nil || r.Max == nil {
				return nil, fmt.Errorf("land: zone %s has a rectangle without min or max: write {\"min\": [x, z], \"max\": [x, z]}", z.Name)
			}
			zone.Land = append(zone.Land, Rect{r.Min[0], r.Min[1], r.Max[0], r.Max[1]})
		}
		m.Zones = append(m.Zones, zone)
	}
	if err := m.check(); err != nil {
		return nil, err
	}
	return m, nil
}

// JSON returns the map as Parse reads it, with a line for each rectangle.
func (m *Map) JSON() []byte {
	var b bytes.Buffer
	b.WriteString("{\"zones\": [")
	for i, z := range m.Zones {
		fmt.Fprintf(&b, "%s\n  {\"name\": %q, \"number\": %d, \"land\": [", comma(i), z.Name, z.Number)
		for k, r := range z.Land {
			fmt.Fprintf(&b, "%s\n    {\"min\": [%v, %v], \"max\": [%v, %v]}", comma(k), r.MinX, r.MinZ, r.MaxX, r.MaxZ)
		}
		b.WriteString("]}")
	}
	b.WriteString("\n]}\n")
	return b.Bytes()
}

func comma(i int) string {
	if i == 0 {
		return ""
	}
	return ","
}
