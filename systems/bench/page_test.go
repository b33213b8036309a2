package bench

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
	"testing"
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
	// nil if nothing was measured
	Scene, Netcode, Server, Browser *markdown.Table
	Notes                           []string
	Waiting                         []waiting
	Floor, FarFloor                 float64
	Limits, Misses, Slower          []string
}

// writePage writes docs/benchmarks.md and its chart. It writes each file whole or not at all.
func (r *results) writePage(path string, rounds int) error {
	svg := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)) + ".svg"
	p := page{
		results: r, Chart: svg, Machine: machine(), Commit: commit(), Rounds: rounds,
		Ratios: r.ratioTable(), Figures: r.figureTable(false), Scene: r.sceneTable(), Netcode: benchmarkTable(r.netcode, netcodeUnits), Server: benchmarkTable(r.server, serverUnits), Browser: benchmarkTable(r.browser, browserUnits),
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
			case strings.Contains(value, " avx512_vbmi2"):
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
	r.netcode = []benchmark{{"snapshot.Encode", map[string]string{"ns/op": "1", "ns/entity": "2", "B/entity": "3", "allocs/op": "0"}}}
	r.server = []benchmark{{"capacity.ServerAlone/64x500", map[string]string{"ms/tick": "1.9", "µs/snapshot": "50.2"}}}
	r.browser = []benchmark{{"browser.Frame/orbits", map[string]string{"update-ms": "0.2", "draw-ms": "0.8", "loop-ms": "22"}}}
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
