package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tandem-ecs/tandem/internal/markdown"
)

// benchmark is one Go benchmark of another package.
type benchmark struct {
	name    string
	figures map[string]string // by their units
}

// netcodeUnits, serverUnits and browserUnits are the figures of the tables. Not every benchmark
// reports all of them.
var (
	netcodeUnits = []string{"ns/op", "ns/entity", "B/entity", "allocs/op"}
	serverUnits  = []string{"ms/tick", "cpu-ms/tick", "%p99", "µs/snapshot", "ns/entity", "ns/record", "ns/B", "MB", "of-one"}
	browserUnits = []string{"update-ms", "draw-ms", "loop-ms"}
)

// readBenchmarks reads the figures from the output of go test -bench.
func readBenchmarks(path string) (list []benchmark, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	pkg := ""
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) == 2 && fields[0] == "pkg:" {
			pkg = fields[1][strings.LastIndexByte(fields[1], '/')+1:]
		}
		if len(fields) < 4 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		name := strings.TrimPrefix(fields[0], "Benchmark")
		if dash := strings.LastIndexByte(name, '-'); dash > 0 {
			name = name[:dash]
		}
		row := benchmark{pkg + "." + name, map[string]string{}}
		for k := 2; k+1 < len(fields); k += 2 {
			row.figures[fields[k+1]] = fields[k]
		}
		list = append(list, row)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s holds no benchmark's result", path)
	}
	return list, nil
}

// benchmarkTable returns the benchmarks, or nil if there are none.
func benchmarkTable(list []benchmark, units []string) *markdown.Table {
	if len(list) == 0 {
		return nil
	}
	t := &markdown.Table{Labels: 1, Head: append([]string{"benchmark"}, units...)}
	for _, n := range list {
		row := []string{"`" + n.name + "`"}
		for _, unit := range units {
			row = append(row, n.figures[unit])
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func TestReadBenchmarks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	text := "goos: linux\npkg: example.org/some/snapshot\nBenchmarkEncode-2 \t 261\t 266985 ns/op\t 4.689 B/entity\t 356.0 ns/entity\t 0 B/op\t 0 allocs/op\nPASS\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := readBenchmarks(path)
	want := "| `snapshot.Encode` | 266985 | 356.0 | 4.689 | 0 |"
	if err != nil || len(got) != 1 || markdown.Row(benchmarkTable(got, netcodeUnits).Rows[0]) != want {
		t.Errorf("%+v, %v; want %s", got, err, want)
	}
	if err := os.WriteFile(path, []byte("FAIL\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := readBenchmarks(path); err == nil {
		t.Error("an output without benchmarks is no error")
	}
}
