// Command jumpcheck compares what clients of the arena have drawn with what truly moved: it reads
// the traces that tools/jumpcheck.sh has made, the first one that of the host, whose line has no
// delay and loses nothing, the others those of clients. For every client and kind of thing it says
// how many pictures show something in motion, in how many of them it goes more than 1, 2 and 5 cm
// further than it truly does, and where the worst ones are.
//
// What truly moves is what the host draws, at its fastest around that time: clients see others
// later, and themselves and what they touch sooner. What a client simulates may be wrong for a
// while: what moves as fast there moves truly, too. A picture that took longer than others may show
// as much more as it took longer.
package main

import (
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
)

func main() {
	worst := flag.Int("worst", 3, "of every kind, how many of the worst pictures are listed")
	flag.Parse()
	if err := run(flag.Args(), *worst, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "jumpcheck:", err)
		os.Exit(1)
	}
}

const (
	settle = 5.0 // seconds at the start that do not count
	window = 0.8 // seconds around a picture in which the host is asked how fast something is
	warp   = 2.0 // m in a picture from which on it is a portal, or somebody sent back
	slack  = 1.1 // how fast the view of others may run
)

// place is where something is drawn in a picture.
type place struct {
	at        float64 // seconds
	x, y, z   float64
	simulated [3]float64 // where the client's simulation has it
}

func (p place) to(q place) float64 {
	return math.Sqrt((p.x-q.x)*(p.x-q.x) + (p.y-q.y)*(p.y-q.y) + (p.z-q.z)*(p.z-q.z))
}

// track is the way of one thing.
type track []place

func run(files []string, worst int, out io.Writer) error {
	if len(files) < 2 {
		return errors.New("name the trace of the host and those of clients: tools/jumpcheck.sh makes them")
	}
	truth, err := read(files[0])
	if err != nil {
		return err
	}
	for _, file := range files[1:] {
		seen, err := read(file)
		if err != nil {
			return err
		}
		compare(out, file, truth, seen, worst)
	}
	return nil
}

// read reads a trace into the tracks of what is named in it.
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
		all[row[5]] = append(all[row[5]], place{v[0] / 1e9, v[1], v[2], v[3], [3]float64{v[4], v[5], v[6]}})
	}
	return all, nil
}

// fastest is the highest speed of something around a moment.
func (t track) fastest(from, to float64) (most float64) {
	i, _ := slices.BinarySearchFunc(t, from, before)
	for i = max(i, 1); i < len(t) && t[i].at <= to; i++ {
		if way := t[i].to(t[i-1]); way < warp && t[i].at > t[i-1].at {
			most = max(most, way/(t[i].at-t[i-1].at))
		}
	}
	return most
}

// simulated is how fast a client's simulation moves something around a picture. It may be wrong,
// but that is no leap; a correction is a leap of the simulation, which the median leaves out.
func (t track) simulated(i int) float64 {
	var speeds [7]float64
	n := 0
	for k := max(i-3, 1); k <= min(i+3, len(t)-1); k++ {
		a, b := place{x: t[k].simulated[0], y: t[k].simulated[1], z: t[k].simulated[2]}, place{x: t[k-1].simulated[0], y: t[k-1].simulated[1], z: t[k-1].simulated[2]}
		speeds[n] = a.to(b) / max(t[k].at-t[k-1].at, 1e-6)
		n++
	}
	slices.Sort(speeds[:n])
	return speeds[n/2]
}

// leap is a picture that shows more than was truly gone.
type leap struct {
	name       string
	at, passed float64
	moved      float64
	over       float64
}

// compare writes what a client has seen beside what was.
func compare(out io.Writer, file string, truth, seen map[string]track, worst int) {
	// The clocks begin when the programs do, and the host's own player has another name there.
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
	kinds := map[string][]leap{}
	moving := map[string]int{}
	for name, track := range seen {
		kind, _, _ := strings.Cut(name, "-")
		real := truth[names[name]]
		for i := 1; i < len(track); i++ {
			passed, moved := track[i].at-track[i-1].at, track[i].to(track[i-1])
			if track[i].at < track[0].at+settle || moved < 0.001 || moved > warp {
				continue
			}
			moving[kind]++
			at := track[i].at + shift
			over := moved - slack*max(real.fastest(at-window, at+window), track.simulated(i))*passed
			kinds[kind] = append(kinds[kind], leap{name, track[i].at, passed, moved, over})
		}
	}
	fmt.Fprintf(out, "%s\n", file)
	for _, kind := range []string{"me", "player", "crate", "platform"} {
		all := kinds[kind]
		slices.SortFunc(all, func(a, b leap) int {
			if a.over > b.over {
				return -1
			}
			return 1
		})
		count := func(most float64) int {
			n := 0
			for n < len(all) && all[n].over > most {
				n++
			}
			return n
		}
		fmt.Fprintf(out, "  %-9s %6d pictures in motion; further than true by more than 1 cm: %d, 2 cm: %d, 5 cm: %d\n", kind, moving[kind], count(0.01), count(0.02), count(0.05))
		for _, l := range all[:min(worst, count(0.01))] {
			fmt.Fprintf(out, "            %s at %.3f s: %.3f m in %.1f ms, %.3f m too far\n", l.name, l.at, l.moved, 1000*l.passed, l.over)
		}
	}
}

// offset returns what to add to a client's clock to have the host's: both see the platforms, which
// go by the tick alone, each in a time of its own.
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

func before(p place, at float64) int {
	if p.at < at {
		return -1
	}
	return 1
}
