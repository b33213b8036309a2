package land

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/systems/netcode/zones/custody"
)

const twoZones = `{"zones": [
  {"name": "south", "number": 7, "land": [{"min": [-512, -512], "max": [512, 0]}]},
  {"name": "north", "number": 1, "land": [{"min": [-512, 0], "max": [512, 512.5]}, {"min": [600, 0], "max": [700, 8]}]}
]}`

func parse(t *testing.T, text string) *Map {
	t.Helper()
	m, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestParse(t *testing.T) {
	want := &Map{[]Zone{
		{"north", 1, []Rect{{-512, 0, 512, 512.5}, {600, 0, 700, 8}}},
		{"south", 7, []Rect{{-512, -512, 512, 0}}},
	}}
	m := parse(t, twoZones)
	if !reflect.DeepEqual(m, want) {
		t.Fatalf("got %v, want %v", m, want)
	}
	if again := parse(t, string(m.JSON())); !reflect.DeepEqual(again, m) {
		t.Errorf("the map came back as %v from\n%s", again, m.JSON())
	}
	if m.ByName("south") != m.ByNumber(7) || m.ByName("south") == nil || m.ByName("west") != nil || m.ByNumber(2) != nil {
		t.Error("zones are not found by name and number")
	}
}

func TestParseSaysWhatToChange(t *testing.T) {
	zone := func(name, number, rects string) string {
		return `{"name": "` + name + `", "number": ` + number + `, "land": [` + rects + `]}`
	}
	one := `{"min": [0, 0], "max": [10, 10]}`
	many := strings.Repeat(","+`{"min":[0,0],"max":[1,1]}`, MaxRects+1)[1:]
	for _, c := range []struct{ text, want string }{
		{"", "no JSON"},
		{"[]", "no JSON"},
		{`{"zones": []}`, "no zones"},
		{`{"zones": [` + zone("a", "1", one) + `]} x`, "behind the last }"},
		{`{"zonen": []}`, "unknown field"},
		{`{"zones": [` + zone("a b", "1", one) + `]}`, "is no name"},
		{`{"zones": [` + zone("", "1", one) + `]}`, "is no name"},
		{`{"zones": [` + zone(strings.Repeat("a", 33), "1", one) + `]}`, "is no name"},
		{`{"zones": [` + zone("a.b", "1", one) + `]}`, "is no name"},
		{`{"zones": [` + zone("a", "0", one) + `]}`, "use 1 to 4095"},
		{`{"zones": [` + zone("a", "4096", one) + `]}`, "use 1 to 4095"},
		{`{"zones": [` + zone("a", "-1", one) + `]}`, "no JSON"},
		{`{"zones": [` + zone("a", "1", one) + "," + zone("a", "2", "") + `]}`, "two zones are named a"},
		{`{"zones": [` + zone("a", "1", one) + "," + zone("b", "1", "") + `]}`, "both have number 1"},
		{`{"zones": [` + zone("a", "1", one) + "," + zone("b", "2", `{"min": [9.5, 9.5], "max": [20, 20]}`) + `]}`, "overlaps"},
		{`{"zones": [` + zone("a", "1", one+","+one) + `]}`, "overlaps"},
		{`{"zones": [` + zone("a", "1", `{"min": [0, 0]}`) + `]}`, "without min or max"},
		{`{"zones": [` + zone("a", "1", `{"min": [0, 0], "max": [0, 10]}`) + `]}`, "is empty"},
		{`{"zones": [` + zone("a", "1", `{"min": [0, 10], "max": [10, 0]}`) + `]}`, "is empty"},
		{`{"zones": [` + zone("a", "1", `{"min": [0, 0], "max": [16385, 10]}`) + `]}`, "stay within"},
		{`{"zones": [` + zone("a", "1", `{"min": [0, 0], "max": [1e400, 10]}`) + `]}`, "no JSON"},
		{`{"zones": [` + zone("a", "1", many) + `]}`, "at most 4096"},
		{strings.Repeat(" ", maxBytes+1), "at most 524288"},
	} {
		if m, err := Parse([]byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) || m != nil {
			t.Errorf("%.100s gave %v, error %v; want one with %q", c.text, m, err, c.want)
		}
	}
}

func TestOwnerAndDistance(t *testing.T) {
	m := parse(t, twoZones)
	north, south := m.ByName("north"), m.ByName("south")
	for _, c := range []struct {
		x, z  float32
		owner *Zone
		north float32
	}{
		{0, 0, north, 0}, {0, -1, south, 1}, {-512, 0, north, 0}, {512, 100, nil, 0}, {0, 512.5, nil, 0},
		{515, 516.5, nil, 5}, {597, -4, nil, 5}, {650, 4, north, 0}, {0, -512, south, 512},
	} {
		if got := m.Owner(c.x, c.z); got != c.owner {
			t.Errorf("(%v, %v) is owned by %v, want %v", c.x, c.z, got, c.owner)
		}
		if got := north.Distance(c.x, c.z); got != c.north {
			t.Errorf("(%v, %v) is %v from north, want %v", c.x, c.z, got, c.north)
		}
	}
	nan := float32(math.NaN())
	if m.Owner(nan, 0) != nil || !math.IsNaN(float64(north.Distance(nan, 0))) {
		t.Error("no point is somewhere")
	}
	if d := (&Zone{}).Distance(0, 0); !math.IsInf(float64(d), 1) {
		t.Errorf("a zone without land is %v away", d)
	}
	if n := testing.AllocsPerRun(100, func() { m.Owner(650, 4); south.Distance(3, 4) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// drawMap makes a map by splits of one square, at multiples of an eighth of a metre.
func drawMap(t *rapid.T) *Map {
	m := &Map{[]Zone{{"a", 1, []Rect{{-64, -64, 64, 64}}}}}
	names := []string{"a", "b", "c", "d", "e", "f"}
	for range rapid.IntRange(0, 12).Draw(t, "changes") {
		if next, err := drawChange(t, m, names); err == nil {
			m = next
		}
	}
	return m
}

func drawChange(t *rapid.T, m *Map, names []string) (*Map, error) {
	from, to := rapid.SampledFrom(names).Draw(t, "from"), rapid.SampledFrom(names).Draw(t, "to")
	if rapid.IntRange(0, 3).Draw(t, "merge") == 0 {
		return m.Merge(from, to)
	}
	return m.Split(from, to, rapid.SampledFrom([]byte("xz")).Draw(t, "axis"), eighth(t, 70))
}

func eighth(t *rapid.T, limit int) float32 {
	return float32(rapid.IntRange(-8*limit, 8*limit).Draw(t, "place")) / 8
}

// The owner is the one zone at distance 0 that is not beyond an upper edge, and no point of another
// zone's land is inside of its own.
func TestOwnerAgreesWithDistance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawMap(t)
		for range 50 {
			x, z := eighth(t, 70), eighth(t, 70)
			owner := m.Owner(x, z)
			if in := x >= -64 && x < 64 && z >= -64 && z < 64; (owner != nil) != in {
				t.Fatalf("(%v, %v) is owned by %v", x, z, owner)
			}
			owners := 0
			for i := range m.Zones {
				zone := &m.Zones[i]
				d := zone.Distance(x, z)
				if zone.Contains(x, z) {
					owners++
					if zone != owner || d != 0 {
						t.Fatalf("(%v, %v) is %v from %s, which has it; the owner is %v", x, z, d, zone.Name, owner)
					}
				}
				// The nearest point of the land, half of a grid's step inside of it, is as far.
				least := math.Inf(1)
				for _, r := range zone.Land {
					px := min(max(x, r.MinX), r.MaxX)
					pz := min(max(z, r.MinZ), r.MaxZ)
					least = min(least, math.Hypot(float64(px-x), float64(pz-z)))
					inX, inZ := min(max(px, r.MinX+1./16), r.MaxX-1./16), min(max(pz, r.MinZ+1./16), r.MaxZ-1./16)
					if m.Owner(inX, inZ) != zone {
						t.Fatalf("(%v, %v) is not owned by %s", inX, inZ, zone.Name)
					}
				}
				if math.Abs(float64(d)-least) > 1e-5 && !math.IsInf(least, 1) {
					t.Fatalf("(%v, %v) is %v from %s, want %v", x, z, d, zone.Name, least)
				}
			}
			if owner != nil && owners != 1 {
				t.Fatalf("%d zones own (%v, %v)", owners, x, z)
			}
		}
	})
}

// A split and a merge change owners of exactly the land that they name, and leave the old map.
func TestSplitAndMergeKeepTheLandWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawMap(t)
		before := string(m.JSON())
		from, to := rapid.SampledFrom(m.Zones).Draw(t, "from").Name, rapid.SampledFrom([]string{"a", "b", "new"}).Draw(t, "to")
		axis, at := rapid.SampledFrom([]byte("xz")).Draw(t, "axis"), eighth(t, 60)
		next, err := m.Split(from, to, axis, at)
		if rapid.Bool().Draw(t, "merge") {
			axis = 0
			next, err = m.Merge(from, to)
		}
		if string(m.JSON()) != before {
			t.Fatal("the old map has changed")
		}
		if err != nil {
			return
		}
		if again, err := Parse(next.JSON()); err != nil || !reflect.DeepEqual(again.JSON(), next.JSON()) {
			t.Fatalf("the new map is not valid: %v", err)
		}
		for _, z := range m.Zones {
			if n := next.ByName(z.Name); n == nil || n.Number != z.Number {
				t.Fatalf("zone %s has become %v", z.Name, n)
			}
		}
		for range 100 {
			x, z := eighth(t, 70), eighth(t, 70)
			want := ""
			if o := m.Owner(x, z); o != nil {
				want = o.Name
			}
			if want == from && (axis == 0 || axis == 'x' && x >= at || axis == 'z' && z >= at) {
				want = to
			}
			got := ""
			if o := next.Owner(x, z); o != nil {
				got = o.Name
			}
			if got != want {
				t.Fatalf("(%v, %v) is owned by %q, want %q", x, z, got, want)
			}
		}
	})
}

func TestSplitAndMerge(t *testing.T) {
	m := parse(t, twoZones)
	east, err := m.Split("north", "east", 'x', 100)
	if err != nil {
		t.Fatal(err)
	}
	want := []Zone{
		{"north", 1, []Rect{{-512, 0, 100, 512.5}}}, {"south", 7, []Rect{{-512, -512, 512, 0}}},
		{"east", 8, []Rect{{100, 0, 512, 512.5}, {600, 0, 700, 8}}},
	}
	if !reflect.DeepEqual(east.Zones, want) {
		t.Errorf("split gave %v, want %v", east.Zones, want)
	}
	back, err := east.Merge("east", "north")
	if err != nil {
		t.Fatal(err)
	}
	land := slices.Clone(m.ByName("north").Land)
	if got := back.ByName("north").Land; !reflect.DeepEqual(join(slices.Clone(got)), join(land)) || len(got) != 2 {
		t.Errorf("merged back, north has %v, want %v", got, land)
	}
	if e := back.ByName("east"); e == nil || e.Number != 8 || e.Land != nil {
		t.Errorf("the merged zone is %v", e)
	}
	// The number is not given again, and the zone can have land again.
	if again, err := back.Split("south", "west", 'z', -100); err != nil || again.ByName("west").Number != 9 {
		t.Errorf("the next zone: %v", err)
	}
	if again, err := back.Split("south", "east", 'z', -100); err != nil || again.ByName("east").Number != 8 {
		t.Errorf("the same zone again: %v", err)
	}
	if full, err := m.Split("south", "last", 'z', -100); err != nil {
		t.Error(err)
	} else {
		full.ByName("last").Number = custody.MaxZone
		if _, err := full.Split("south", "more", 'z', -200); err == nil || !strings.Contains(err.Error(), "no higher one") {
			t.Errorf("beyond the last number: %v", err)
		}
	}
}

func TestSplitAndMergeSayWhatIsWrong(t *testing.T) {
	m := parse(t, twoZones)
	split := func(zone, added string, axis byte, at float32) error {
		_, err := m.Split(zone, added, axis, at)
		return err
	}
	merge := func(from, into string) error {
		_, err := m.Merge(from, into)
		return err
	}
	none, _ := m.Merge("north", "south")
	_, empty := none.Merge("north", "south")
	for _, c := range []struct {
		err  error
		want string
	}{
		{split("west", "new", 'x', 0), "it has [north south]"},
		{split("north", "north", 'x', 0), "into itself"},
		{split("north", "a b", 'x', 0), "is no name"},
		{split("north", "new", 'y', 0), "use x or z"},
		{split("north", "new", 'x', -512), "one side"},
		{split("north", "new", 'x', 700), "one side"},
		{split("north", "new", 'z', float32(math.NaN())), "one side"},
		{merge("north", "west"), "no zone \"west\""},
		{merge("west", "north"), "no zone \"west\""},
		{merge("north", "north"), "into itself"},
		{empty, "has no land"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", c.err, c.want)
		}
	}
}

// Every map that Parse takes comes back from JSON.
func FuzzParse(f *testing.F) {
	f.Add([]byte(twoZones))
	f.Add([]byte(`{"zones":[{"name":"a","number":1}]}`))
	f.Add([]byte(`{"zones":[{"name":"a","number":1,"land":[{"min":[-1e-40,0],"max":[0.1,16384]}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Parse(data)
		if err != nil {
			return
		}
		again, err := Parse(m.JSON())
		if err != nil {
			t.Fatalf("%v\n%s", err, m.JSON())
		}
		if !reflect.DeepEqual(normal(again), normal(m)) {
			t.Fatalf("%v came back as %v", m, again)
		}
	})
}

// normal makes no difference between no land and an empty list, and between the two zeros.
func normal(m *Map) *Map {
	n := m.clone()
	for i := range n.Zones {
		n.Zones[i].Land = append([]Rect{}, n.Zones[i].Land...)
		for k, r := range n.Zones[i].Land {
			n.Zones[i].Land[k] = Rect{r.MinX + 0, r.MinZ + 0, r.MaxX + 0, r.MaxZ + 0}
		}
	}
	return n
}
