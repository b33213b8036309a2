package main_test

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Three processes at the articles' condition: what a client draws of the other player moves in the
// time that passes, not by snapshots. How smooth it is exactly is measured in virtual time, by the
// conformance suite and by package play; here frames are as long as the machine makes them, and so
// a share is compared with that of a client that draws what came last. A step is held against the
// real time since the frame before, however long that took, so a machine that stops now and then
// causes no jump. If frames are as far apart as snapshots, drawing them raw causes none either, so
// only frames that follow closely count for that client.
func TestTracesOfThreeProcesses(t *testing.T) {
	if testing.Short() {
		t.Skip("runs for seconds of real time")
	}
	server := start(t, "server", "-listen", "127.0.0.1:0")
	link, dir := server.link(), t.TempDir()
	client := func(name string, more ...string) (*process, string) {
		table := filepath.Join(dir, name+".csv")
		args := []string{"client", "-connect", link, "-headless", "-still", "-peace", "-seconds", "16", "-latency", "200ms", "-jitter", "20ms", "-loss", "0.15", "-trace", table}
		return start(t, append(args, more...)...), table
	}
	smooth, one := client("default", "-seed", "1")
	raw, two := client("naive", "-seed", "2", "-kind", "naive")
	for _, p := range []*process{smooth, raw} {
		if code := p.end(); code != 0 {
			t.Fatalf("exit code %d\n%s", code, p.output())
		}
	}
	jumped, frames, worst := jumps(t, one, time.Hour)
	t.Logf("%d of %d frames in which the other one moves have a jump of 5 cm; the largest is %.3f m", jumped, frames, worst)
	if frames < 40 {
		t.Skipf("the machine drew only %d frames in which somebody moves", frames)
	}
	if jumped*50 > frames {
		t.Errorf("%d of %d frames have a jump of 5 cm, want at most one in fifty", jumped, frames)
	}
	jumped, frames, worst = jumps(t, two, 20*time.Millisecond)
	t.Logf("drawn raw: %d of %d, the largest %.3f m", jumped, frames, worst)
	if frames < 20 {
		t.Skipf("the machine drew only %d frames fast enough to see what raw drawing does", frames)
	}
	if jumped*10 < frames {
		t.Errorf("drawn raw, %d of %d frames have a jump, want one in ten at least: the test shows nothing", jumped, frames)
	}
}

// jumps counts the frames not longer than a time in which another player moves on the floor, and
// frames in which the player moves more than 5 cm further than it can run.
func jumps(t *testing.T, path string, longest time.Duration) (jumped, frames int, worst float64) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	type place struct{ at, x, y, z float64 }
	was, begun := place{}, 0.0
	for _, row := range rows[1:] {
		if !strings.HasPrefix(row[5], "player-") {
			continue
		}
		var v [4]float64
		for i, column := range []int{1, 13, 14, 15} { // real time, where the player is drawn
			if v[i], err = strconv.ParseFloat(row[column], 64); err != nil {
				t.Fatal(err)
			}
		}
		now := place{v[0] / 1e9, v[1], v[2], v[3]}
		if begun == 0 {
			begun = now.at
		}
		// The first seconds are for the clocks to settle. Passengers are moved by their platform.
		if passed := now.at - was.at; was.at > 0 && now.at > begun+4 && now.y < 0.01 && was.y < 0.01 {
			step := math.Hypot(now.x-was.x, now.z-was.z)
			const speed, rate = 6.0, 1.1 // m/s; how fast the view of others may run
			if over := step - speed*rate*passed; step > 0.01 && passed <= longest.Seconds() {
				frames++
				worst = max(worst, over)
				if over > 0.05 {
					jumped++
				}
			}
		}
		was = now
	}
	return jumped, frames, worst
}
