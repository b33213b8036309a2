package browser

import (
	"encoding/csv"
	"flag"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

var playTime = flag.Duration("play", 8*time.Second, "the `time` for which TestPlay plays")

// row is where a player draws one player in one frame, in metres, and the real time in seconds.
type row struct {
	Name        string
	At, X, Y, Z float64
}

// watch lets the page collect rows, of all players.
const watch = `(() => {
	const rows = window.rows = []
	let last = 0
	const look = () => {
		requestAnimationFrame(look)
		const s = tandem.state()
		if (s.frames == last) return
		last = s.frames
		for (const [Name, [X, Y, Z]] of Object.entries(s.drawn)) rows.push({Name, At: s.real, X, Y, Z})
	}
	look()
	return true
})()`

// A player opens the link, plays, and leaves. A program plays beside. Each draws itself and the
// other one as smoothly as clients outside of a browser must, which TestTracesOfThreeProcesses of
// the demo checks: at most one frame in fifty moves a player 5 cm further than it can run.
func TestPlay(t *testing.T) {
	server := serve(t, "-web", "127.0.0.1:0")
	address, token := server.link("http")
	table := filepath.Join(t.TempDir(), "native.csv")
	native := start(t, "client", "-connect", server.native(), "-headless", "-still", "-peace", "-seed", "2", "-seconds", "600", "-latency", "200ms", "-jitter", "20ms", "-loss", "0.15", "-trace", table)
	native.await("playing")
	page := "http://" + address + "/?autopilot&still&peace&latency=200ms&jitter=20ms&loss=0.15"
	p := open(t, page+"#"+token)
	p.await("a match", playing)
	smooth(t, "page", p.watch(*playTime))
	// A picture of what came last jumps: so the counts show something.
	p.visit(page + "&kind=naive#" + token)
	server.await(`reason="left: the page was left"`)
	p.await("a match", playing)
	jumped, frames, worst := jumps(p.watch(0), false)
	t.Logf("drawn raw: %d of %d frames have a jump, the largest %.3f m", jumped, frames, worst)
	if jumped*20 < frames {
		t.Errorf("drawn raw, %d of %d frames have a jump, want one in twenty at least: the test shows nothing", jumped, frames)
	}
	p.close()
	server.players("1")
	native.stop()
	smooth(t, "program", read(t, table))
}

// smooth checks what a client has drawn.
func smooth(t *testing.T, name string, rows []row) {
	t.Helper()
	for _, own := range []bool{true, false} {
		jumped, frames, worst := jumps(rows, own)
		t.Logf("%s, own player %v: %d of %d frames have a jump, the largest %.3f m", name, own, jumped, frames, worst)
		if jumped*50 > frames {
			t.Errorf("%s, own player %v: %d of %d frames have a jump of 5 cm, want at most one in fifty", name, own, jumped, frames)
		}
	}
}

// needed is the least number of frames with motion.
const needed = 50

// watch returns the rows of a time of play, which is longer if the page draws slowly.
func (p *tab) watch(length time.Duration) []row {
	p.t.Helper()
	evaluate[bool](p, watch)
	for begin := time.Now(); ; time.Sleep(time.Second) {
		rows := evaluate[[]row](p, "rows")
		_, own, _ := jumps(rows, true)
		_, others, _ := jumps(rows, false)
		if len(rows) > 0 && rows[len(rows)-1].At-rows[0].At >= settle+length.Seconds() && min(own, others) >= needed {
			return rows
		}
		if time.Since(begin) > length+patience {
			p.t.Skipf("the machine drew only %d and %d frames with motion in %v, want %d", own, others, time.Since(begin), needed)
		}
	}
}

// read returns the rows of a program's trace.
func read(t *testing.T, path string) (rows []row) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines[1:] {
		var v [4]float64
		for i, column := range []int{1, 13, 14, 15} { // nanoseconds, where it is drawn
			if v[i], err = strconv.ParseFloat(line[column], 64); err != nil {
				t.Fatal(err)
			}
		}
		rows = append(rows, row{line[5], v[0] / 1e9, v[1], v[2], v[3]})
	}
	return rows
}

// settle is the time for the clocks to settle, in seconds.
const settle = 4

// jumps counts the frames in which the own player or another one moves on the floor, and those in
// which it moves more than 5 cm further than it can run.
func jumps(rows []row, own bool) (jumped, frames int, worst float64) {
	const speed, rate = 6.0, 1.1 // m/s; how fast the view of others may run
	last, from := map[string]row{}, 0.0
	for i, now := range rows {
		if i == 0 {
			from = now.At + settle
		}
		if own && now.Name != "me" || !own && !strings.HasPrefix(now.Name, "player-") {
			continue
		}
		was, known := last[now.Name]
		last[now.Name] = now
		passed, step := now.At-was.At, math.Hypot(now.X-was.X, now.Z-was.Z)
		// The engine drops what is longer than a quarter of a second, and then the clocks are set.
		if known && passed > 0.25 {
			from = max(from, now.At+1)
		}
		// Passengers are moved by their platform.
		if !known || now.At < from || now.Y > 0.01 || was.Y > 0.01 || step < 0.01 {
			continue
		}
		over := step - speed*rate*passed
		frames++
		worst = max(worst, over)
		if over > 0.05 {
			jumped++
		}
	}
	return jumped, frames, worst
}
