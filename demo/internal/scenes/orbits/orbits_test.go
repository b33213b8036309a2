package orbits_test

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"
	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/demo/internal/frametimes"
	"github.com/tandem-ecs/tandem/demo/internal/scene"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
	"github.com/tandem-ecs/tandem/demo/internal/simulation"
	"github.com/tandem-ecs/tandem/demo/internal/trace"
)

// The ship's speed goes on across every change of its parent: the simulated one from step to step,
// and the drawn one from frame to frame, at any two rates.
func TestShipKeepsItsSpeed(t *testing.T) {
	for _, rate := range []int{5, 7, 10, 15, 30, 60, 100, 144, 240} {
		for _, frames := range []int{24, 83, 240} {
			t.Run(fmt.Sprintf("%d Hz at %d frames per second", rate, frames), func(t *testing.T) {
				rows, changes := fly(t, rate, frames, 50*time.Second)
				if changes != 12 {
					t.Fatalf("the ship has changed its parent %d times in 50 s, want every 4 s", changes)
				}
				least, most := math.Inf(1), 0.0
				for i := range rows[1:] {
					a, b := rows[i], rows[i+1]
					speed := b.drawn.Sub(a.drawn).Len() / (b.at - a.at)
					least, most = min(least, speed), max(most, speed)
				}
				if !(most <= 1.05*least) {
					t.Errorf("the ship is drawn at speeds of %.3f to %.3f units per second, more than 5 %% apart", least, most)
				}
				// Frames without a step add nothing; those with several see a chord of the way.
				first, least, most := rows[0], math.Inf(1), 0.0
				for _, b := range rows[1:] {
					if steps := b.tick - first.tick; steps > 0 {
						speed := b.logical.Sub(first.logical).Len() * float64(rate) / float64(steps)
						least, most = min(least, speed), max(most, speed)
						first = b
					}
				}
				if !(most <= 1.01*least) {
					t.Errorf("the ship flies at speeds of %.3f to %.3f units per second, more than 1 %% apart", least, most)
				}
			})
		}
	}
}

// row is the ship's in a trace.
type row struct {
	at             float64 // normal time in seconds
	tick           uint64
	logical, drawn mgl64.Vec3
}

// fly runs the scene and returns the ship's rows of the trace, and how often an entity has got
// another parent.
func fly(t *testing.T, rate, frames int, length time.Duration) (rows []row, changes int) {
	set := settings.Default()
	set.Scene, set.Rate = "orbits", rate
	s, err := simulation.New(set, &simulation.VirtualClock{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	graphed := slices.IndexFunc(s.Followed(), func(f scene.Followed) bool { return f.Name == "ship" })
	if graphed < 0 {
		t.Error("the graph does not show the ship")
	}
	var table bytes.Buffer
	w := trace.NewWriter(&table)
	parents := map[arche.Entity]arche.Entity{}
	filter := generic.NewFilter1[components.Parent]()
	source := frametimes.Steady(frames)
	for frame := 0; s.Time().Real < length; frame++ {
		s.Update(source())
		s.Scene().Trace(func(name string, logical, visual components.Pose3D) {
			if name != "ship" {
				return
			}
			w.Row(frame, s.Time(), name, logical, visual)
			if graphed >= 0 && s.Followed()[graphed].Position() != visual.Position {
				t.Fatal("the graph does not show the ship where it is drawn")
			}
		})
		query := filter.Query(s.World())
		for query.Next() {
			parent := query.Get().Entity
			if before, known := parents[query.Entity()]; known && before != parent {
				changes++
			}
			parents[query.Entity()] = parent
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(strings.TrimSpace(table.String()), "\n") {
		if i == 0 {
			if line != trace.Header {
				t.Fatalf("the trace begins with %q", line)
			}
			continue
		}
		rows = append(rows, read(t, strings.Split(line, ",")))
	}
	return rows, changes
}

// read reads a line of a trace.
func read(t *testing.T, fields []string) row {
	number := func(i int) float64 {
		v, err := strconv.ParseFloat(fields[i], 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	return row{
		at: number(2) / 1e9, tick: uint64(number(4)),
		logical: mgl64.Vec3{number(6), number(7), number(8)}, drawn: mgl64.Vec3{number(13), number(14), number(15)},
	}
}
