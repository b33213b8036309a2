// Package jumpcheck compares the drawn motion of clients of the arena with the true motion. It
// reads the traces made by tools/jumpcheck.sh: that of the host, whose line has no delay and no
// loss, and those of clients. For every client and kind of object it prints the number of frames
// with motion, the number of frames that move an object more than 1, 2 and 5 cm too far, and the
// worst frames.
//
// The true speed is the highest speed that the host draws around that time: clients show others
// later, and themselves and touched objects earlier. A client's own simulation may be wrong for a
// while, so its speed is allowed, too. A frame that takes longer may move an object further.
package jumpcheck

import (
	"cmp"
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/demo/internal/arena"
	"github.com/tandem-ecs/tandem/demo/internal/trace"
	"github.com/tandem-ecs/tandem/ecs"
)

var traces = flag.String("traces", "", "compare host.csv and client-*.csv in this `folder`; tools/jumpcheck.sh makes them")

// With -traces the test prints how smoothly the clients were seen.
func TestTraces(t *testing.T) {
	if *traces == "" {
		t.Skip("no -traces; tools/jumpcheck.sh makes them")
	}
	clients, err := filepath.Glob(filepath.Join(*traces, "client-*.csv"))
	if err != nil {
		t.Fatal(err)
	}
	if err := run(filepath.Join(*traces, "host.csv"), clients, t.Output()); err != nil {
		t.Fatal(err)
	}
}

const (
	settle    = 5.0 // seconds at the start that are ignored
	window    = 0.8 // seconds around a frame for the host's highest speed
	teleport  = 2.0 // m in a frame; a longer move is a teleport
	tolerance = 1.1 // factor by which the view of others may run faster
	worst     = 3   // frames of every kind that are listed
)

// place is where an object is in a frame.
type place struct {
	at               float64 // seconds
	drawn, simulated mgl64.Vec3
}

// to returns the distance between two drawn places.
func (p place) to(q place) float64 { return p.drawn.Sub(q.drawn).Len() }

// track is the path of one object.
type track []place

// run compares the traces of clients with that of the host and prints the result.
func run(host string, clients []string, out io.Writer) error {
	if len(clients) == 0 {
		return errors.New("no traces of clients; tools/jumpcheck.sh makes them")
	}
	truth, err := read(host)
	if err != nil {
		return err
	}
	for _, file := range clients {
		seen, err := read(file)
		if err != nil {
			return err
		}
		compare(out, file, truth, seen)
	}
	return nil
}

// read reads the tracks of a trace, by name.
func read(path string) (map[string]track, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	all := map[string]track{}
	for i, row := range rows {
		if i == 0 {
			continue
		}
		var v [7]float64
		for k, column := range []int{1, 13, 14, 15, 6, 7, 8} {
			if v[k], err = strconv.ParseFloat(row[column], 64); err != nil {
				return nil, fmt.Errorf("%s, line %d: %w", path, i+1, err)
			}
		}
		all[row[5]] = append(all[row[5]], place{v[0] / 1e9, mgl64.Vec3(v[1:4]), mgl64.Vec3(v[4:7])})
	}
	return all, nil
}

// fastest returns the highest speed in an interval.
func (t track) fastest(from, to float64) (most float64) {
	i, _ := slices.BinarySearchFunc(t, from, before)
	for i = max(i, 1); i < len(t) && t[i].at <= to; i++ {
		if way := t[i].to(t[i-1]); way < teleport && t[i].at > t[i-1].at {
			most = max(most, way/(t[i].at-t[i-1].at))
		}
	}
	return most
}

// simulated returns the speed in the client's simulation around a frame. It is a median, which
// ignores the jump of a correction.
func (t track) simulated(i int) float64 {
	var speeds []float64
	for k := max(i-3, 1); k <= min(i+3, len(t)-1); k++ {
		way := t[k].simulated.Sub(t[k-1].simulated).Len()
		speeds = append(speeds, way/max(t[k].at-t[k-1].at, 1e-6))
	}
	slices.Sort(speeds)
	return speeds[len(speeds)/2]
}

// jump is a frame that moves an object too far.
type jump struct {
	name       string
	at, passed float64
	moved      float64
	over       float64
}

// compare compares a client's tracks with the true ones and prints the result.
func compare(out io.Writer, file string, truth, seen map[string]track) {
	// The clocks start with the programs. The own player of a process is named "me" in its trace.
	names := map[string]string{}
	for name := range seen {
		names[name] = name
	}
	for name := range truth {
		if _, known := seen[name]; !known && strings.HasPrefix(name, "player-") {
			names["me"] = name
		}
	}
	for name := range seen {
		if _, known := truth[name]; !known && strings.HasPrefix(name, "player-") {
			names[name] = "me"
		}
	}
	shift := offset(truth, seen)
	kinds := map[string][]jump{}
	moving := map[string]int{}
	for name, track := range seen {
		kind, _, _ := strings.Cut(name, "-")
		real := truth[names[name]]
		for i := 1; i < len(track); i++ {
			passed, moved := track[i].at-track[i-1].at, track[i].to(track[i-1])
			if track[i].at < track[0].at+settle || moved < 0.001 || moved > teleport {
				continue
			}
			moving[kind]++
			at := track[i].at + shift
			over := moved - tolerance*max(real.fastest(at-window, at+window), track.simulated(i))*passed
			kinds[kind] = append(kinds[kind], jump{name, track[i].at, passed, moved, over})
		}
	}
	fmt.Fprintf(out, "%s\n", file)
	for _, kind := range []string{"me", "player", "crate", "platform"} {
		all := kinds[kind]
		slices.SortFunc(all, func(a, b jump) int { return cmp.Compare(b.over, a.over) })
		count := func(most float64) int {
			n := slices.IndexFunc(all, func(j jump) bool { return j.over <= most })
			if n < 0 {
				return len(all)
			}
			return n
		}
		fmt.Fprintf(out, "  %-9s %6d frames in motion; too far by more than 1 cm: %d, 2 cm: %d, 5 cm: %d\n", kind, moving[kind], count(0.01), count(0.02), count(0.05))
		for _, l := range all[:min(worst, count(0.01))] {
			fmt.Fprintf(out, "            %s at %.3f s: %.3f m in %.1f ms, %.3f m too far\n", l.name, l.at, l.moved, 1000*l.passed, l.over)
		}
	}
}

// offset returns the difference between the host's clock and a client's. It aligns the platforms,
// whose places depend on the tick alone.
func offset(truth, seen map[string]track) float64 {
	best, least := 0.0, math.Inf(1)
	for shift := -60.0; shift < 60; shift += 0.05 {
		sum, n := 0.0, 0
		for name, b := range seen {
			a := truth[name]
			if !strings.HasPrefix(name, "platform") {
				continue
			}
			for i := len(b) / 3; i < len(b); i += 25 {
				k, _ := slices.BinarySearchFunc(a, b[i].at+shift, before)
				if k < len(a) && a[k].at-b[i].at-shift < 0.2 {
					sum, n = sum+a[k].to(b[i]), n+1
				}
			}
		}
		if n > 20 && sum/float64(n) < least-1e-6 {
			best, least = shift, sum/float64(n)
		}
	}
	return best
}

func before(p place, at float64) int { return cmp.Compare(p.at, at) }

// write writes twenty seconds of a trace at 60 frames a second, whose clock began so many seconds
// after the server's: the platforms, and a crate, a player and the own one where they are said to
// be.
func write(t *testing.T, began float64, others map[string]func(seconds float64) (simulated, drawn float64)) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "trace.csv")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w, level := trace.NewWriter(f), arena.NewLevel()
	for frame := range 20 * 60 {
		now := float64(frame) / 60
		clock := ecs.Time{Real: time.Duration(now * float64(time.Second))}
		for i, name := range []string{"platform-1", "platform-2", "platform-3"} {
			pose := level.Platform(i, began+now)
			w.Row(frame, clock, name, pose, pose)
		}
		for name, where := range others {
			l, v := where(began + now)
			w.Row(frame, clock, name, components.At3D(float32(l), 0, 0), components.At3D(float32(v), 0, 0))
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return path
}

func both(f func(seconds float64) float64) func(float64) (float64, float64) {
	return func(s float64) (float64, float64) { return f(s), f(s) }
}

func TestLeapsAreFound(t *testing.T) {
	// A crate that is pushed for a second now and then, and a player that swings.
	pushed := func(s float64) float64 { return 4 * (math.Floor(s/5) + min(math.Mod(s, 5), 1)) }
	swings := func(s float64) float64 { return 3 * math.Sin(2*s) }
	host := write(t, 10, map[string]func(float64) (float64, float64){"crate-7": both(pushed), "me": both(swings), "player-2": both(swings)})
	for _, test := range []struct {
		name string
		of   func(s float64) (simulated, drawn float64)
		want string // of crates: further than true by more than 1, 2 and 5 cm
	}{
		{"late, and no leap", both(func(s float64) float64 { return pushed(s - 0.3) }), "1 cm: 0, 2 cm: 0, 5 cm: 0"},
		{"one leap", both(func(s float64) float64 {
			if s > 23 {
				return pushed(s) + 0.08
			}
			return pushed(s)
		}), "1 cm: 1, 2 cm: 1, 5 cm: 1"},
		{"a correction that is drawn as one", func(s float64) (float64, float64) {
			if s > 23 {
				return pushed(s) + 0.08, pushed(s) + min(0.08, (s-23)*2.4)
			}
			return pushed(s), pushed(s)
		}, "1 cm: 2, 2 cm: 2, 5 cm: 0"},
		{"pushed by the client alone", both(func(s float64) float64 { return pushed(s) + min(max(s-23, 0), 0.5)*4 }), "1 cm: 0, 2 cm: 0, 5 cm: 0"},
	} {
		client := write(t, 14, map[string]func(float64) (float64, float64){"crate-7": test.of, "me": both(swings), "player-1": both(swings)})
		var out strings.Builder
		if err := run(host, []string{client}, &out); err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(out.String(), "\n") {
			kind, _, _ := strings.Cut(strings.TrimSpace(line), " ")
			switch counts := regexp.MustCompile(`1 cm: .*`).FindString(line); {
			case counts == "":
			case kind == "crate" && counts != test.want:
				t.Errorf("%s: %s, want %s", test.name, line, test.want)
			case kind != "crate" && counts != "1 cm: 0, 2 cm: 0, 5 cm: 0":
				t.Errorf("%s: %s, want none", test.name, line)
			}
		}
	}
}

func TestLeapsOfNothing(t *testing.T) {
	if err := run("none.csv", nil, t.Output()); err == nil || !strings.Contains(err.Error(), "jumpcheck.sh") {
		t.Errorf("without traces: %v, want what makes them", err)
	}
	if err := run("none.csv", []string{"none.csv"}, t.Output()); err == nil {
		t.Error("no file, and no error")
	}
}
