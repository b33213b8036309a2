package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
)

// results are the rounds of every figure, by name and size, in the order in which they came.
type results struct {
	names  []string
	sizes  []int
	values map[string][]float64
}

func newResults() *results { return &results{values: map[string][]float64{}} }

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

// ratio returns how many times longer one figure is than another.
func (r *results) ratio(of, to string, n int) (float64, bool) {
	a, ok := r.median(of, n)
	b, ok2 := r.median(to, n)
	return a / b, ok && ok2 && b > 0
}

// ratios are what the page promises and -check holds it to: how many times faster the first is than the second.
func (r *results) ratios() (list []struct{ name, fast, slow string }) {
	add := func(name, fast, slow string) {
		if fast != "" && slow != "" {
			list = append(list, struct{ name, fast, slow string }{name, fast, slow})
		}
	}
	for _, pct := range []string{"100pct", "10pct", "1pct"} {
		frame := r.find("tandem.frame." + pct)
		add("frame, "+pct+", against arche + mgl32.QuatSlerp", frame, r.find("arche.slerp."+pct))
		add("frame, "+pct+", against the devlog's chase in C++", frame, r.find("seed.chase."+pct))
	}
	frame := r.find("tandem.frame.100pct")
	add("frame, 100pct, against the blend in C++ by hand", frame, r.find("cpp.blend"))
	add("frame, 100pct, against the memory floor", frame, r.find("floor"))
	for _, shape := range shapes {
		add("hierarchy of "+shape.name+", 1pct against 100pct", r.find("hierarchy."+shape.name+".1pct"), r.find("hierarchy."+shape.name+".100pct"))
	}
	return list
}

// print writes a row per figure and a column per size.
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
			if v, ok := r.ratio(q.slow, q.fast, n); ok {
				fmt.Fprintf(w, "%12.2f", v)
			} else {
				fmt.Fprintf(w, "%12s", "-")
			}
		}
		fmt.Fprintln(w)
	}
}

// peer is another program that takes turns with this one.
type peer struct {
	in  io.WriteCloser
	out *bufio.Scanner
}

func startPeer(program, sizes string) *peer {
	cmd := exec.Command(program, sizes)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		fail("%v", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		fail("%v", err)
	}
	if err := cmd.Start(); err != nil {
		fail("cannot start the peers: %v", err)
	}
	return &peer{in, bufio.NewScanner(out)}
}

func (p *peer) round(r *results, keep bool) {
	if _, err := fmt.Fprintln(p.in); err != nil {
		fail("the peers have stopped: %v", err)
	}
	for p.out.Scan() {
		fields := strings.Fields(p.out.Text())
		if len(fields) == 1 && fields[0] == "end" {
			return
		}
		dot := strings.LastIndexByte(fields[0], '.')
		n, err := strconv.Atoi(fields[0][dot+1:])
		v, err2 := strconv.ParseFloat(fields[len(fields)-1], 64)
		if err != nil || err2 != nil || len(fields) != 2 {
			fail("the peers said %q; want 'name.size value'", p.out.Text())
		}
		if keep {
			r.add(fields[0][:dot], n, v)
		}
	}
	fail("the peers have stopped in the middle of a round")
}
