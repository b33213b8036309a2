package bench

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/tandem-ecs/tandem/internal/markdown"
)

// results holds the rounds of every figure, by name and size, in the order in which they came.
type results struct {
	names  []string
	sizes  []int
	values map[figure][]float64

	load    float64  // of the machine, before anything was measured
	notes   []string // of peers
	waiting []waiting
	netcode []benchmark
	server  []benchmark
	browser []benchmark
}

// figure is what is measured, at a number of entities.
type figure struct {
	name string
	n    int
}

func newResults() *results { return &results{values: map[figure][]float64{}} }

// busy reports whether the machine had too much other work for the figures to be reliable.
func (r *results) busy() bool { return r.load > busyLoad*float64(runtime.NumCPU()) }

func (r *results) add(name string, n int, v float64) {
	if !slices.Contains(r.names, name) {
		r.names = append(r.names, name)
	}
	if !slices.Contains(r.sizes, n) {
		r.sizes = append(r.sizes, n)
	}
	r.values[figure{name, n}] = append(r.values[figure{name, n}], v)
}

// median returns the median of a figure, and whether there is one.
func (r *results) median(name string, n int) (float64, bool) {
	v := slices.Clone(r.values[figure{name, n}])
	if len(v) == 0 {
		return 0, false
	}
	slices.Sort(v)
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2, true
}

// find returns the first name that begins with a prefix.
func (r *results) find(prefix string) string {
	at := slices.IndexFunc(r.names, func(name string) bool { return strings.HasPrefix(name, prefix) })
	if at < 0 {
		return ""
	}
	return r.names[at]
}

// head returns the head of a table with a column for every size. Browsers break no line at its
// spaces, but at others in the heads of narrow columns.
func head(n int) string { return strings.ReplaceAll(thousands(n), " ", "\u00a0") }

// table returns a table with a column for every size.
func (r *results) table(first string) markdown.Table {
	t := markdown.Table{Labels: 1, Head: []string{first}}
	for _, n := range r.sizes {
		t.Head = append(t.Head, head(n))
	}
	return t
}

// figureTable returns the medians, with or without those of the stress scene.
func (r *results) figureTable(scene bool) markdown.Table {
	t := r.table("figure")
	for _, name := range r.names {
		if strings.HasPrefix(name, "scene.") && !scene {
			continue
		}
		row := []string{"`" + name + "`"}
		for _, n := range r.sizes {
			cell := ""
			if v, ok := r.median(name, n); ok {
				cell = fmt.Sprintf("%.3f", v)
			}
			row = append(row, cell)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// ratioTable returns the ratios with their targets. Ratios that miss theirs are in bold.
func (r *results) ratioTable() markdown.Table {
	t := r.table("ratio")
	t.Head, t.Texts = append(t.Head, "target"), 1
	for _, q := range r.ratios() {
		row := []string{q.name}
		for _, n := range r.sizes {
			cell := ""
			if v, ok := r.ratio(q, n); ok {
				cell = short(v)
				if least, set := q.target.at(n); set && v < least {
					cell = "**" + cell + "**"
				}
			}
			row = append(row, cell)
		}
		t.Rows = append(t.Rows, append(row, q.target.text("at least")))
	}
	return t
}

// sceneTable returns the frames of the stress scene, or nil if they were not measured.
func (r *results) sceneTable() *markdown.Table {
	if r.find("scene.cpu.total") == "" {
		return nil
	}
	t := &markdown.Table{Labels: 1, Head: []string{
		"ns per cube and frame", "10 000 by this processor", "by the graphics processor", "100 000 by this processor", "by the graphics processor",
	}}
	for _, part := range []struct{ key, text string }{
		{"capture", "capture, in fixed steps"}, {"sync", "synchroniser"}, {"instances", "building instances"}, {"upload", "upload"}, {"total", "together, without the capture"},
		{"bytes", "bytes handed over"},
	} {
		row := []string{part.text}
		for _, n := range []int{10_000, 100_000} {
			for _, way := range []string{"cpu", "gpu"} {
				cell := ""
				if v, ok := r.median("scene."+way+"."+part.key, n); ok {
					cell = short(v)
				}
				row = append(row, cell)
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// print writes the medians and the ratios as text.
func (r *results) print(out io.Writer) {
	fmt.Fprintln(out, "nanoseconds per entity of all, medians; then how many times faster")
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, t := range []markdown.Table{r.figureTable(true), r.ratioTable()} {
		for _, row := range append([][]string{nil, t.Head}, t.Rows...) {
			fmt.Fprintln(w, strings.Join(row, "\t"))
		}
	}
	w.Flush()
}
