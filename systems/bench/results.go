package main

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
)

// results holds the rounds of every figure, by name and size, in the order in which they came.
type results struct {
	names  []string
	sizes  []int
	values map[string][]float64

	load    float64  // of the machine, before anything was measured
	notes   []string // of peers
	waiting []waiting
	netcode []netcodeRow
}

func newResults() *results { return &results{values: map[string][]float64{}} }

// busy reports whether the machine had too much other work for the figures to be reliable.
func (r *results) busy() bool { return r.load > busyLoad*float64(runtime.NumCPU()) }

func key(name string, n int) string { return fmt.Sprintf("%s.%d", name, n) }

func (r *results) add(name string, n int, v float64) {
	if !slices.Contains(r.names, name) {
		r.names = append(r.names, name)
	}
	if !slices.Contains(r.sizes, n) {
		r.sizes = append(r.sizes, n)
	}
	r.values[key(name, n)] = append(r.values[key(name, n)], v)
}

// median returns the median of a figure, and whether there is one.
func (r *results) median(name string, n int) (float64, bool) {
	v := slices.Clone(r.values[key(name, n)])
	if len(v) == 0 {
		return 0, false
	}
	slices.Sort(v)
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2, true
}

// find returns the first name that begins with a prefix.
func (r *results) find(prefix string) string {
	for _, name := range r.names {
		if strings.HasPrefix(name, prefix) {
			return name
		}
	}
	return ""
}

// print writes a row per figure and a column per size, then the ratios.
func (r *results) print(w io.Writer) {
	fmt.Fprintf(w, "%-44s", "ns per entity of all, medians")
	for _, n := range r.sizes {
		fmt.Fprintf(w, "%12d", n)
	}
	fmt.Fprintln(w)
	for _, name := range r.names {
		fmt.Fprintf(w, "%-44s", name)
		for _, n := range r.sizes {
			if v, ok := r.median(name, n); ok {
				fmt.Fprintf(w, "%12.3f", v)
			} else {
				fmt.Fprintf(w, "%12s", "-")
			}
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "\n%-44s\n", "times faster")
	for _, q := range r.ratios() {
		fmt.Fprintf(w, "%-44.60s", q.name)
		for _, n := range r.sizes {
			if v, ok := r.ratio(q, n); ok {
				fmt.Fprintf(w, "%12.2f", v)
			} else {
				fmt.Fprintf(w, "%12s", "-")
			}
		}
		fmt.Fprintln(w)
	}
}
