package main

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/demo/internal/arena"
	"github.com/tandem-ecs/tandem/demo/internal/trace"
	"github.com/tandem-ecs/tandem/ecs"
)

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
		if err := run([]string{host, client}, 1, &out); err != nil {
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
	if err := run(nil, 1, os.Stderr); err == nil || !strings.Contains(err.Error(), "jumpcheck.sh") {
		t.Errorf("without traces: %v, want what makes them", err)
	}
	if err := run([]string{"none.csv", "none.csv"}, 1, os.Stderr); err == nil {
		t.Error("no file, and no error")
	}
}
