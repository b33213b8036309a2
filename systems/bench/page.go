package main

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// writePage writes docs/benchmarks.md and its chart. The files are written whole or not at all.
func (r *results) writePage(path string, rounds int) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# Benchmarks\n\n")
	fmt.Fprintf(&b, "Written by `make bench`. Nanoseconds per entity of all, moving or not; medians of %d rounds in which every figure takes its turn, so that\n", rounds)
	fmt.Fprintf(&b, "a drift of the machine's speed meets all of them. Absolute figures belong to the machine; ratios travel better.\n\n")
	fmt.Fprintf(&b, "%s, %d threads, %s %s/%s, commit %s\n\n", processor(), runtime.NumCPU(), runtime.Version(), runtime.GOOS, runtime.GOARCH, commit())
	svg := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)) + ".svg"
	fmt.Fprintf(&b, "![Nanoseconds per entity](%s)\n\n", svg)
	fmt.Fprintf(&b, "| figure |")
	for _, n := range r.sizes {
		fmt.Fprintf(&b, " %d |", n)
	}
	fmt.Fprintf(&b, "\n|---|%s\n", strings.Repeat("---:|", len(r.sizes)))
	for _, name := range r.names {
		fmt.Fprintf(&b, "| `%s` |", name)
		for _, n := range r.sizes {
			v, _ := r.median(name, n)
			fmt.Fprintf(&b, " %.3f |", v)
		}
		fmt.Fprintln(&b)
	}
	fmt.Fprintf(&b, "\n## Ratios\n\nHow many times faster, from the medians above. `make bench-check` measures again and compares with these.\n\n| ratio |")
	for _, n := range r.sizes {
		fmt.Fprintf(&b, " %d |", n)
	}
	fmt.Fprintf(&b, "\n|---|%s\n", strings.Repeat("---:|", len(r.sizes)))
	for _, q := range r.ratios() {
		fmt.Fprintf(&b, "| %s |", q.name)
		for _, n := range r.sizes {
			v, _ := r.ratio(q.slow, q.fast, n)
			fmt.Fprintf(&b, " %.2f |", v)
		}
		fmt.Fprintln(&b)
	}
	fmt.Fprint(&b, explanation)
	if err := replaceFile(filepath.Join(filepath.Dir(path), svg), r.chart()); err != nil {
		return err
	}
	return replaceFile(path, b.String())
}

const explanation = `
## What is measured

- ` + "`tandem.frame`" + `: Engine.Update between two fixed steps on an arche world with Interpolation3D installed, at 100, 10, 1 and 0 % of entities in
  motion, chosen at random. Every Visual is checked against a blend in Go after the timing.
- ` + "`tandem.capture`" + `: the capture at the end of a fixed step, normalising included; the writes of gameplay are not.
- ` + "`hierarchy`" + `: frames of worlds in which everybody belongs to a hierarchy, interpolation and propagation together.
- ` + "`arche.slerp`" + `: what one writes today: an arche query over previous and current poses, with a moving flag, and mgl32.QuatSlerp.
- ` + "`seed.chase`" + `: the algorithm of the Emergence devlog, in C++ -O3 over plain structs.
- ` + "`cpp.blend`" + `: Tandem's blend in C++ over plain arrays, by hand with the widest vectors that the processor has.
- ` + "`floor`" + `: reading 80 bytes and writing 40 per entity, in C++.

Arcs are uniform in 0 to 90 degrees; every 32nd pair of quaternions has opposite signs. One thread.
`

func replaceFile(path, content string) error {
	temp := path + ".new"
	if err := os.WriteFile(temp, []byte(content), 0o644); err != nil {
		return err
	}
	return os.Rename(temp, path)
}

func processor() string {
	info, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(info)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown processor"
}

func commit() string {
	out, err := exec.Command("git", "rev-parse", "--short", "HEAD").Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(out))
}

// chart draws the frame figures with everything in motion, on a logarithmic scale, in colours that show on light and dark pages.
func (r *results) chart() string {
	rows := []struct{ name, label, color string }{
		{r.find("arche.slerp.100pct"), "arche + mgl32.QuatSlerp", "#c0553a"},
		{r.find("seed.chase.100pct"), "the devlog's chase, C++", "#b08a2e"},
		{r.find("tandem.frame.100pct"), "Tandem", "#2f8f6b"},
		{r.find("cpp.blend"), "the same blend by hand, C++", "#4a7ab5"},
		{r.find("floor"), "memory floor", "#8a8f98"},
	}
	const left, width, bar, gap = 210, 460, 14, 26
	least, most := math.Inf(1), 0.0
	for _, row := range rows {
		for _, n := range r.sizes {
			if v, ok := r.median(row.name, n); ok && v > 0 {
				least, most = min(least, v), max(most, v)
			}
		}
	}
	least = math.Pow(10, math.Floor(math.Log10(least)))
	x := func(v float64) float64 {
		return left + width*math.Log10(v/least)/math.Log10(most/least)
	}
	var b strings.Builder
	height := 40 + len(r.sizes)*(len(rows)*(bar+3)+gap)
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 %d" font-family="sans-serif" font-size="12">`+"\n", height)
	fmt.Fprintf(&b, `<text x="10" y="20" fill="#808690">One frame with everything in motion: nanoseconds per entity, logarithmic; shorter is faster</text>`+"\n")
	y := 40
	for _, n := range r.sizes {
		fmt.Fprintf(&b, `<text x="10" y="%d" fill="#808690" font-weight="bold">%s entities</text>`+"\n", y+11, thousands(n))
		y += 18
		for _, row := range rows {
			v, ok := r.median(row.name, n)
			if !ok {
				continue
			}
			fmt.Fprintf(&b, `<text x="%d" y="%d" fill="#808690" text-anchor="end">%s</text><rect x="%d" y="%d" width="%.1f" height="%d" rx="2" fill="%s"/>`+
				`<text x="%.1f" y="%d" fill="#808690">%s</text>`+"\n",
				left-8, y+11, row.label, left, y, max(x(v)-left, 1), bar, row.color, x(v)+5, y+11, strconv.FormatFloat(v, 'g', 3, 64))
			y += bar + 3
		}
		y += gap - 18
	}
	b.WriteString("</svg>\n")
	return b.String()
}

func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + " " + s[i:]
	}
	return s
}

// compare holds the ratios against those of a page. A quarter is what the rounds of one machine differ by at worst.
func (r *results) compare(path string) error {
	const margin = 0.75
	page, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	rows := map[string][]string{}
	var head []string
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		switch {
		case cells[0] == "ratio":
			head = cells
		case head != nil && len(cells) == len(head):
			rows[cells[0]] = cells
		}
	}
	if head == nil {
		return fmt.Errorf("%s has no table of ratios; write it with -page", path)
	}
	var worse []string
	compared := 0
	for _, q := range r.ratios() {
		for k, size := range head {
			n, err := strconv.Atoi(size)
			if err != nil || rows[q.name] == nil {
				continue
			}
			was, err := strconv.ParseFloat(rows[q.name][k], 64)
			is, ok := r.ratio(q.slow, q.fast, n)
			if err != nil || !ok || was == 0 {
				continue
			}
			compared++
			if is < was*margin {
				worse = append(worse, fmt.Sprintf("%s at %d: %.2f, was %.2f", q.name, n, is, was))
			}
		}
	}
	if compared == 0 {
		return fmt.Errorf("nothing on %s to compare with", path)
	}
	if len(worse) > 0 {
		return fmt.Errorf("slower than on %s:\n  %s", path, strings.Join(worse, "\n  "))
	}
	fmt.Printf("\n%d ratios are as on %s, or better\n", compared, path)
	return nil
}
