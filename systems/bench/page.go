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

// writePage writes docs/benchmarks.md and its chart. It writes each file whole or not at all.
func (r *results) writePage(path string, rounds int) error {
	svg := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)) + ".svg"
	var b strings.Builder
	r.writeHead(&b, svg, rounds)
	r.writeRatios(&b)
	r.writeScene(&b)
	r.writeWaiting(&b)
	r.writeNetcode(&b)
	r.writeFigures(&b)
	fmt.Fprint(&b, explanation)
	if err := replaceFile(filepath.Join(filepath.Dir(path), svg), r.chart()); err != nil {
		return err
	}
	return replaceFile(path, b.String())
}

func (r *results) writeHead(b *strings.Builder, svg string, rounds int) {
	fmt.Fprintf(b, "# Benchmarks\n\n")
	fmt.Fprintf(b, "This page gives the cost of one frame and one fixed step of visual synchronisation per entity,\n")
	fmt.Fprintf(b, "through `Engine.Update`. Beside it stand usual code without Tandem and the same work in C++, all in\n")
	fmt.Fprintf(b, "one run. `make bench` measures and writes this page, and `make bench-check` compares ratios with it.\n\n")
	fmt.Fprintf(b, "Measured on %s, commit %s. \nThe figures are medians of %d rounds. In each round all compared programs run in turn.\n", machine(), commit(), rounds)
	fmt.Fprintf(b, "Absolute figures belong to the machine. Ratios differ less between machines.\n\n")
	if r.busy() {
		fmt.Fprintf(b, "**The machine was busy with other things when this was measured (load %.0f on %d threads): %s.**\n\n", r.load, runtime.NumCPU(), busyNote)
	}
	r.writeSummary(b)
	fmt.Fprintf(b, "![One frame: nanoseconds per entity, Tandem beside its peers](%s)\n\n", svg)
}

// writeSummary writes the most important results in a sentence.
func (r *results) writeSummary(b *strings.Builder) {
	const n = 100_000
	v, ok := r.median("tandem.frame.100pct", n)
	if !ok {
		return
	}
	fmt.Fprintf(b, "With 100 000 entities, all in motion, a frame takes %s ns for each.", short(v))
	for _, other := range []struct{ figure, name string }{
		{"arche.slerp.100pct", "An arche query with mgl32.QuatSlerp"}, {"seed.chase.100pct", "The devlog's chase in C++"}, {"cpp.blend", "The same blend by hand in C++"},
	} {
		if peer, ok := r.median(r.find(other.figure), n); ok {
			fmt.Fprintf(b, " %s takes %s.", other.name, short(peer))
		}
	}
	if one, ok := r.median("tandem.frame.1pct", n); ok {
		fmt.Fprintf(b, " With one in a hundred in motion it takes %s.", short(one))
	}
	if misses := len(r.misses()); misses > 0 {
		fmt.Fprintf(b, " Ratios that miss their targets: %d, listed below.\n\n", misses)
	} else {
		fmt.Fprintf(b, " All ratios meet their targets.\n\n")
	}
}

// busyLoad is the load by processor above which figures are not worth much. busyNote is the page's
// text for it.
const (
	busyLoad = 1.5
	busyNote = "these figures are not to be relied on"
)

// load returns the machine's load of the last minute, or 0 where it is unknown.
func load() (v float64) {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0
	}
	first, _, _ := strings.Cut(string(text), " ")
	v, _ = strconv.ParseFloat(first, 64)
	return v
}

func (r *results) heading(b *strings.Builder, first string) {
	fmt.Fprintf(b, "| %s |", first)
	for _, n := range r.sizes {
		fmt.Fprintf(b, " %s |", strings.ReplaceAll(thousands(n), " ", unbroken))
	}
}

func (r *results) rule() string { return "|---|" + strings.Repeat("---:|", len(r.sizes)) }

func (r *results) writeRatios(b *strings.Builder) {
	fmt.Fprintf(b, "## How many times faster\n\nThe columns are numbers of entities. Below 1 is slower. Ratios in bold miss their target.\n\n")
	r.heading(b, "ratio")
	fmt.Fprintf(b, " target |\n%s---|\n", r.rule())
	for _, q := range r.ratios() {
		fmt.Fprintf(b, "| %s |", q.name)
		for _, n := range r.sizes {
			v, ok := r.ratio(q, n)
			cell := short(v)
			if !ok {
				cell = ""
			} else if q.target != nil {
				if least, set := q.target(n); set && v < least {
					cell = "**" + cell + "**"
				}
			}
			fmt.Fprintf(b, " %s |", cell)
		}
		fmt.Fprintf(b, " %s |\n", targetText(q.target, "at least"))
	}
	fmt.Fprintf(b, "\n")
	if misses := r.misses(); len(misses) > 0 {
		fmt.Fprintf(b, "Missed targets:\n\n- %s\n\n", strings.Join(misses, "\n- "))
	} else {
		fmt.Fprintf(b, "All targets are met.\n")
	}
	fmt.Fprintf(b, "There are none at 1 000 entities: the fixed cost of a frame, some tens of nanoseconds for every\n")
	fmt.Fprintf(b, "table and system, begins to show.\n\n")
	fmt.Fprintf(b, "Where not only leaves move, their descendants are carried along. In chains of a hundred, one per\n")
	fmt.Fprintf(b, "cent carries 36 more, and no propagation can place 37 nodes of a hundred in a twentieth of the time\n")
	fmt.Fprintf(b, "of all. Those rows have no target.\n\n")
}

// targetText describes a target. It names the numbers of entities unless the target is one for all
// from 10 000 on.
func targetText(target func(int) (float64, bool), word string) string {
	if target == nil {
		return ""
	}
	_, setLess := target(10_000)
	at, set := target(100_000)
	million, setMillion := target(1_000_000)
	switch {
	case set && setMillion && at != million:
		return fmt.Sprintf("%s %s; %s at 1 000 000", word, plain(at), plain(million))
	case set && setMillion:
		return word + " " + plain(at)
	case set && setLess:
		return word + " " + plain(at) + " up to 100 000"
	case set:
		return word + " " + plain(at) + " at 100 000"
	}
	return ""
}

func (r *results) writeScene(b *strings.Builder) {
	if r.find("scene.cpu.total") == "" {
		return
	}
	fmt.Fprintf(b, "## A frame of the demo's stress scene, by either processor\n\n")
	fmt.Fprintf(b, "All cubes move, with 20 fixed steps and 240 frames a second. The figures are processor time per cube\n")
	fmt.Fprintf(b, "and frame, the mean of frames with and without a step, without drawing and without reading the\n")
	fmt.Fprintf(b, "clock. With the graphics processor one pose of each cube is uploaded after each step, and nothing\n")
	fmt.Fprintf(b, "between steps (`InterpolateOnGPU`).\n%s\n\n", strings.Join(r.notes, " "))
	fmt.Fprintf(b, "| ns per cube and frame | 10 000 by this processor | by the graphics processor | 100 000 by this processor | by the graphics processor |\n|---|---:|---:|---:|---:|\n")
	for _, part := range []struct{ key, text string }{
		{"capture", "capture, in fixed steps"}, {"sync", "synchroniser"}, {"instances", "building instances"}, {"upload", "upload"}, {"total", "together, without the capture"},
		{"bytes", "bytes handed over"},
	} {
		fmt.Fprintf(b, "| %s |", part.text)
		for _, n := range []int{10_000, 100_000} {
			for _, way := range []string{"cpu", "gpu"} {
				v, ok := r.median("scene."+way+"."+part.key, n)
				if !ok {
					fmt.Fprintf(b, " |")
					continue
				}
				fmt.Fprintf(b, " %s |", short(v))
			}
		}
		fmt.Fprintf(b, "\n")
	}
	fmt.Fprintf(b, "\n")
}

func (r *results) writeWaiting(b *strings.Builder) {
	if len(r.waiting) == 0 {
		return
	}
	fmt.Fprintf(b, "## What a worker costs while it waits\n\n")
	fmt.Fprintf(b, "Workers (`Interpolator.Workers`) are off by default. From 8192 moving entities on they take their\n")
	fmt.Fprintf(b, "share of a frame. Below that a frame is not split, so that the two-thread rows at 1 000 are those of\n")
	fmt.Fprintf(b, "one thread. After a frame a worker stays awake for a while, since waking it costs more than its\n")
	fmt.Fprintf(b, "share, and then sleeps. The table has the processor time of a program with 100 000 poses, 60 frames\n")
	fmt.Fprintf(b, "and 20 steps a second in real time, in per cent of one processor. The writes of the moving entities\n")
	fmt.Fprintf(b, "are part of it.\n\n")
	fmt.Fprintf(b, "| |")
	var whats []string
	for _, w := range r.waiting {
		if w.workers == r.waiting[0].workers {
			whats = append(whats, w.what)
			fmt.Fprintf(b, " %s |", w.what)
		}
	}
	fmt.Fprintf(b, "\n|---|%s\n", strings.Repeat("---:|", len(whats)))
	for k := 0; k < len(r.waiting); k += len(whats) {
		fmt.Fprintf(b, "| workers: %d |", r.waiting[k].workers)
		for j := range whats {
			fmt.Fprintf(b, " %.1f |", 100*r.waiting[k+j].cpu)
		}
		fmt.Fprintf(b, "\n")
	}
	fmt.Fprintf(b, "\nNo goroutine is left after Close: otherwise the measurement fails.\n\n")
}

func (r *results) writeNetcode(b *strings.Builder) {
	if len(r.netcode) == 0 {
		return
	}
	fmt.Fprintf(b, "## Netcode\n\n")
	fmt.Fprintf(b, "Go benchmarks of one thread. `snapshot.Encode` and `Decode` are the cost of one client for a server\n")
	fmt.Fprintf(b, "with 1 000 entities, three quarters of them moving and all sent at every tick, and the cost for the\n")
	fmt.Fprintf(b, "client. `EncodeIdle` is a client without changes, with 5 000 entities.\n\n")
	fmt.Fprintf(b, "| benchmark | ns/op | ns/entity | B/entity | allocs/op |\n|---|---:|---:|---:|---:|\n")
	for _, n := range r.netcode {
		fmt.Fprintf(b, "| `%s` | %s | %s | %s | %s |\n", n.name, n.op, n.entity, n.bytes, n.allocs)
	}
	fmt.Fprintf(b, "\n")
}

func (r *results) writeFigures(b *strings.Builder) {
	fmt.Fprintf(b, "## Figures\n\nNanoseconds per entity of all, moving or not.\n\n")
	r.heading(b, "figure")
	fmt.Fprintf(b, "\n%s\n", r.rule())
	for _, name := range r.names {
		if strings.HasPrefix(name, "scene.") {
			continue
		}
		fmt.Fprintf(b, "| `%s` |", name)
		for _, n := range r.sizes {
			if v, ok := r.median(name, n); ok {
				fmt.Fprintf(b, " %.3f |", v)
			} else {
				fmt.Fprintf(b, " |")
			}
		}
		fmt.Fprintln(b)
	}
	fmt.Fprintf(b, "\nThree targets were set in nanoseconds, on a Zen 5 on which the floor takes %g and at a million %g:", limitsFloor, limitsFarFloor)
	for _, l := range r.limits() {
		fmt.Fprintf(b, " %s %s.", l.name, targetText(l.most, "at most"))
	}
	fmt.Fprintf(b, "\nThe table of ratios has them as multiples of the floor. ")
	if slower := r.slower(); len(slower) > 0 {
		fmt.Fprintf(b, "In nanoseconds as they stand, this run is above them in %d:\n\n- %s\n", len(slower), strings.Join(slower, "\n- "))
	} else {
		fmt.Fprintf(b, "This run meets them in nanoseconds, too.\n")
	}
}

const explanation = `
## What is measured

- ` + "`" + `tandem.frame` + "`" + `: Engine.Update between two fixed steps on an arche world with interpolation.New3D
  installed, at 100, 10, 1 and 0 % of entities in motion, chosen at random. After the timing every
  Visual is checked against a blend in Go. ` + "`" + `2threads` + "`" + `: with one worker beside the engine's goroutine.
- ` + "`" + `tandem.frame.color` + "`" + `: the same for values of 16 bytes with a user's blend, a struct of four
  numbers. ` + "`" + `linear` + "`" + `, ` + "`" + `batch` + "`" + ` and ` + "`" + `vec4` + "`" + `: for an mgl32.Vec4, by interpolation.NewLinear, by NewBatch
  with a user's loop over the components, and by New with a function of two values. New is not for
  arrays, so ` + "`" + `vec4` + "`" + ` has no target: Go passes arrays in memory, and a read of the whole value has to
  wait for the writes of its numbers. The figure shows this cost. ` + "`" + `tandem.scalar` + "`" + `: the blend of poses
  in Go alone, over plain columns.
- ` + "`" + `tandem.capture` + "`" + `: the capture at the end of a fixed step, normalising included, without the writes
  of gameplay. One frame is drawn of each step.
- ` + "`" + `hierarchy` + "`" + `: frames of worlds in which every entity belongs to a hierarchy, interpolation and
  propagation together: chains of a hundred, all under one root, trees of a hundred. The moving one
  per cent are leaves, in chains the last of each. ` + "`" + `anywhere` + "`" + `: any entities.
- ` + "`" + `arche.slerp` + "`" + `: the usual code: an arche query over previous and current poses, with a moving flag,
  and mgl32.QuatSlerp.
- ` + "`" + `seed.chase` + "`" + `: the algorithm of the Emergence devlog, in C++ -O3 over plain structs. It visits every
  struct, as the devlog's code does. Celerity itself keeps an index of moving entities, which would
  save most of the cost at 10 and 1 %.
- ` + "`" + `cpp.blend` + "`" + `: Tandem's blend in C++ over plain arrays, by hand with the widest vectors of the
  processor.
- ` + "`" + `floor` + "`" + `: reading 80 bytes and writing 40 per entity, in C++. On two threads, both ` + "`" + `cpp.blend` + "`" + ` and
  ` + "`" + `floor` + "`" + ` run with a second thread that waits awake.

Arcs are uniform in 0 to 90 degrees. Every 32nd pair of quaternions has opposite signs. There is one
thread unless the name says two.

Runs differ. In eleven runs on one day, most of them with the cores' other threads in use, frames
with all of 10 000 moving took 1.5 to 2.0 ns and once 2.7: their columns are about as large as the
second-level cache, and the placement of a process's pages decides. With 100 000 they took 1.4 to
2.5, and the capture 2.6 to 7.7, depending on the free part of the third level.
`

func replaceFile(path, content string) error {
	temp := path + ".new"
	if err := os.WriteFile(temp, []byte(content), 0o644); err != nil {
		return err
	}
	return os.Rename(temp, path)
}

// machine returns the names of the processor and the platform, and the number of threads.
func machine() string {
	return fmt.Sprintf("%s, %d threads, %s %s/%s", processor(), runtime.NumCPU(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
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

// plain formats a target with as few digits as it has, two behind the point at most.
func plain(v float64) string { return strconv.FormatFloat(math.Round(100*v)/100, 'f', -1, 64) }

// short formats a number with three digits, at most two of them behind the point.
func short(v float64) string {
	switch {
	case v >= 100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case v >= 0.1 || v == 0:
		return strconv.FormatFloat(v, 'f', 2, 64)
	default:
		return strconv.FormatFloat(v, 'g', 2, 64)
	}
}

// unbroken is a space at which browsers do not break a line. They break others in the heads of
// narrow columns.
const unbroken = "\u00a0"

func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + " " + s[i:]
	}
	return s
}
