package main

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tandem-ecs/tandem/internal/markdown"
)

// measured returns results in which Tandem takes the given time per entity, and everything else a
// time that suits the targets.
func measured(tandem float64) *results {
	r := newResults()
	for _, n := range []int{1000, 100_000} {
		for name, v := range map[string]float64{
			"arche.slerp.100pct": 200, "arche.slerp.10pct": 20, "arche.slerp.1pct": 5, "seed.chase.100pct": 25, "seed.chase.10pct": 3, "seed.chase.1pct": 1,
			"tandem.frame.100pct": tandem, "tandem.frame.10pct": tandem / 10, "tandem.frame.1pct": tandem / 100, "tandem.frame.0pct": 0.003,
			"tandem.capture.100pct": 3, "tandem.capture.1pct": 0.5, "cpp.blend.avx2": 1.8, "floor": 1.6,
			"tandem.scalar.100pct": 9, "tandem.frame.color": 2.6, "tandem.frame.linear": 2.5, "tandem.frame.batch": 3, "tandem.frame.vec4": 11.5,
		} {
			r.add(name, n, v)
		}
	}
	for _, way := range []string{"cpu", "gpu"} {
		for _, part := range []string{"capture", "sync", "instances", "upload", "total"} {
			r.add("scene."+way+"."+part, 100_000, 3)
		}
	}
	r.waiting = []waiting{{Workers: 0, AtRest: 1}, {Workers: 1, AtRest: 1}}
	r.netcode = []netcodeRow{{"snapshot.Encode", map[string]string{"ns/op": "1", "ns/entity": "2", "B/entity": "3", "allocs/op": "0"}}}
	return r
}

func written(t *testing.T, r *results) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "page.md")
	if err := r.writePage(path, 9); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestCompare(t *testing.T) {
	path := written(t, measured(2))
	for _, test := range []struct {
		name   string
		tandem float64
		later  []float64 // of the rounds that are measured again
		load   float64
		passes bool
		again  int
	}{
		{"as it was", 2, nil, 0, true, 0},
		{"faster", 1, nil, 0, true, 0},
		{"a fifth slower", 2.4, nil, 0, true, 0},
		{"half as fast", 4, []float64{4, 4}, 0, false, 2},
		{"half as fast, on a busy machine", 4, []float64{4, 4}, 1000, false, 2},
		{"half as fast, by accident", 4, []float64{2, 2}, 0, true, 2},
	} {
		again := 0
		r := measured(test.tandem)
		r.load = test.load
		err := r.compare(path, func() {
			for _, n := range []int{1000, 100_000} {
				for _, pct := range []string{"100", "10", "1"} {
					scale := map[string]float64{"100": 1, "10": 0.1, "1": 0.01}[pct]
					r.add("tandem.frame."+pct+"pct", n, scale*test.later[again])
				}
			}
			again++
		})
		if (err == nil) != test.passes || again != test.again {
			t.Errorf("%s: %v after measuring %d times again, want an error: %v, after %d times", test.name, err, again, !test.passes, test.again)
		}
		if said := err != nil && strings.Contains(err.Error(), "busy"); said != (test.load > 0) {
			t.Errorf("%s: the error %q says that the machine was busy: %v", test.name, err, said)
		}
	}
	empty := filepath.Join(t.TempDir(), "empty.md")
	if err := os.WriteFile(empty, []byte("# Nothing\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := measured(2).compare(empty, nil); err == nil {
		t.Error("a page without a table is no error")
	}
}

// A page that was written before a row existed does not hold the row to anything, and a row that no
// longer exists is not checked.
func TestCompareWithAnOlderPage(t *testing.T) {
	const row = "a mgl32.Vec4 by interpolation.NewLinear"
	path := written(t, measured(2))
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "| "+row) {
		t.Fatalf("the page has no row of %q", row)
	}
	older := strings.Replace(string(page), "| "+row, "| a row of old", 1)
	if err := os.WriteFile(path, []byte(older), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := measured(2).compare(path, nil); err != nil {
		t.Error(err)
	}
}

// The target of arrays is for the recommended ways. The page gives the cost by value without a
// target.
func TestTargetsOfValues(t *testing.T) {
	for _, test := range []struct {
		figure string
		misses bool
	}{{"tandem.frame.color", true}, {"tandem.frame.linear", true}, {"tandem.frame.batch", true}, {"tandem.frame.vec4", false}} {
		r := measured(1.7)
		before := len(r.misses())
		for range 3 {
			r.add(test.figure, 100_000, 20) // the median
		}
		got := r.misses()[before-1:]
		if missed := len(got) > 1; missed != test.misses {
			t.Errorf("%s at 20 ns: misses %q, want one more: %v", test.figure, got, test.misses)
		}
		page, err := os.ReadFile(written(t, r))
		if err != nil {
			t.Fatal(err)
		}
		if mark := strings.Contains(string(page), "| **0.18** |"); mark != test.misses || !strings.Contains(string(page), "0.18") {
			t.Errorf("%s at 20 ns: the page marks the ratio as missed: %v, want %v", test.figure, mark, test.misses)
		}
	}
}

func TestMisses(t *testing.T) {
	if got := measured(1.7).misses(); len(got) != 1 || !strings.Contains(got[0], "stress scene") {
		t.Errorf("misses %q, want the stress scene's alone", got)
	}
	if got := measured(20).misses(); len(got) < 4 {
		t.Errorf("misses %q, want those of a frame that is ten times as long", got)
	}
	page, err := os.ReadFile(written(t, measured(20)))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Missed targets:", "| **10.0** |", "`snapshot.Encode` | 1 | 2 | 3 | 0 |", "workers: 1", "at least 80; 35 at 1 000 000", "at least 0.67; 0.8 at", "| at least 60 up to 100 000 |", "| at least 14 |"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// A target in nanoseconds holds as a multiple of the memory floor. The page says so where the
// nanoseconds themselves do not hold.
func TestLimitsBelongToTheirMachine(t *testing.T) {
	for _, test := range []struct {
		capture, floor float64
		misses, slower bool
	}{
		{0.69, 1.08, false, false},
		{0.75, 1.60, false, true}, // a machine with slower memory
		{0.75, 1.08, true, true},
		{0.69, 0.90, true, false}, // and one with faster
	} {
		r := newResults()
		r.add("tandem.capture.1pct", 100_000, test.capture)
		r.add("floor", 100_000, test.floor)
		if misses := len(r.misses()) > 0; misses != test.misses {
			t.Errorf("%v ns where the floor takes %v: misses %q, want any: %v", test.capture, test.floor, r.misses(), test.misses)
		}
		page, err := os.ReadFile(written(t, r))
		if err != nil {
			t.Fatal(err)
		}
		if said := strings.Contains(string(page), "capture, 1 % moving, 100 000 entities: 0.750 ns instead of 0.7\n"); said != test.slower {
			t.Errorf("%v ns where the floor takes %v: the page says that it is above the target: %v", test.capture, test.floor, said)
		}
	}
}

// As many entities move as the percentage of all asks for, among those that may move. If fewer may
// move, all of them do.
func TestMoversAmong(t *testing.T) {
	for _, every := range []int{1, 2, 50, 100, 200} {
		const n = 100_000
		moves := moversAmong(n, 1, func(k int) bool { return k%every == 0 })
		count := 0
		for k, m := range moves {
			if m {
				count++
			}
			if m && k%every != 0 {
				t.Fatalf("entity %d moves and may not", k)
			}
		}
		if want := min(n/100, n/every); count < want*9/10 || count > want*11/10 {
			t.Errorf("where one of %d may move, %d do, want about %d", every, count, want)
		}
	}
}

func TestPageSaysThatTheMachineWasBusy(t *testing.T) {
	for _, load := range []float64{0.3, 1000} {
		r := measured(2)
		r.load = load
		page, err := os.ReadFile(written(t, r))
		if err != nil {
			t.Fatal(err)
		}
		if said := strings.Contains(string(page), "not to be relied on"); said != (load > 1) {
			t.Errorf("a load of %v: the page says that it was busy: %v", load, said)
		}
	}
}

// The chart is well-formed, and nothing lies outside of it.
func TestChart(t *testing.T) {
	for _, r := range []*results{measured(2), measured(1e-4), newResults()} {
		chart := r.chart()
		if strings.Contains(chart, "NaN") || strings.Contains(chart, "Inf") || strings.Contains(chart, `="-`) || strings.Contains(chart, "%!") {
			t.Error("the chart has numbers that are none, or negative ones")
		}
		for d := xml.NewDecoder(strings.NewReader(chart)); ; {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestReadNetcode(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	text := "goos: linux\npkg: example.org/some/snapshot\nBenchmarkEncode-2 \t 261\t 266985 ns/op\t 4.689 B/entity\t 356.0 ns/entity\t 0 B/op\t 0 allocs/op\nPASS\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := readNetcode(path)
	r := results{netcode: got}
	want := "| `snapshot.Encode` | 266985 | 356.0 | 4.689 | 0 |"
	if err != nil || len(got) != 1 || markdown.Row(r.netcodeTable().Rows[0]) != want {
		t.Errorf("%+v, %v; want %s", got, err, want)
	}
	if err := os.WriteFile(path, []byte("FAIL\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := readNetcode(path); err == nil {
		t.Error("an output without benchmarks is no error")
	}
}

// The committed page has the prose of the template, with lines as it is written today.
func TestCommittedProse(t *testing.T) {
	page, err := os.ReadFile("../../docs/benchmarks.md")
	if err != nil {
		t.Fatal(err)
	}
	if markdown.Wrap(string(page)) != string(page) {
		t.Error("the lines of docs/benchmarks.md are not wrapped as make bench does it")
	}
	words := func(text string) string { return strings.Join(strings.Fields(text), " ") }
	committed, checked := words(string(page)), 0
	for _, paragraph := range strings.Split(pageSource, "\n\n") {
		if strings.Contains(paragraph, "{{") {
			continue
		}
		checked++
		if !strings.Contains(committed, words(paragraph)) {
			t.Errorf("docs/benchmarks.md lacks\n%s", paragraph)
		}
	}
	if checked < 10 {
		t.Errorf("only %d paragraphs were checked", checked)
	}
}
