package main

import (
	_ "embed"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"text/template"

	"github.com/tandem-ecs/tandem/internal/markdown"
)

//go:embed page.md
var pageSource string

var pageTemplate = template.Must(template.New("page").Parse(pageSource))

// page is the data of the template.
type page struct {
	*results
	Chart, Machine, Commit string
	Rounds                 int
	Busy                   string // empty if the machine was quiet
	Ratios, Figures        markdown.Table
	Scene, Netcode         *markdown.Table // nil if nothing was measured
	Notes                  []string
	Waiting                []waiting
	Floor, FarFloor        float64
	Limits, Misses, Slower []string
}

// writePage writes docs/benchmarks.md and its chart. It writes each file whole or not at all.
func (r *results) writePage(path string, rounds int) error {
	svg := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)) + ".svg"
	p := page{
		results: r, Chart: svg, Machine: machine(), Commit: commit(), Rounds: rounds,
		Ratios: r.ratioTable(), Figures: r.figureTable(false), Scene: r.sceneTable(), Netcode: r.netcodeTable(),
		Notes: r.notes, Waiting: r.waiting, Floor: limitsFloor, FarFloor: limitsFarFloor, Misses: r.misses(), Slower: r.slower(),
	}
	for _, l := range limits {
		p.Limits = append(p.Limits, l.name+" "+l.most.text("at most"))
	}
	if r.busy() {
		p.Busy = fmt.Sprintf("(load %.0f on %d threads): %s", r.load, runtime.NumCPU(), busyNote)
	}
	var b strings.Builder
	if err := pageTemplate.Execute(&b, p); err != nil {
		return err
	}
	if err := replaceFile(filepath.Join(filepath.Dir(path), svg), r.chart()); err != nil {
		return err
	}
	return replaceFile(path, markdown.Wrap(b.String()))
}

// Figure returns a figure at 100 000 entities, or nothing if it was not measured. The argument is
// the beginning of its name.
func (r *results) Figure(prefix string) string {
	v, ok := r.median(r.find(prefix), 100_000)
	if !ok {
		return ""
	}
	return short(v)
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

// processor returns the processor's name and its widest vectors, which decide about the kernels. A
// virtual machine's name may leave the generation out.
func processor() string {
	info, _ := os.ReadFile("/proc/cpuinfo")
	name := "unknown processor"
	for line := range strings.Lines(string(info)) {
		key, value, _ := strings.Cut(line, ":")
		switch strings.TrimSpace(key) {
		case "model name":
			name = strings.Join(strings.Fields(value), " ")
		case "flags":
			switch {
			case strings.Contains(value, " avx512vbmi2"):
				return name + " with AVX-512"
			case strings.Contains(value, " avx2"):
				return name + " with AVX2"
			}
			return name
		}
	}
	return name
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

func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + " " + s[i:]
	}
	return s
}
