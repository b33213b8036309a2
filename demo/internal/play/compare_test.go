package play

import (
	"io"
	"log/slog"
	"math"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/demo/internal/arena/rules"
	"github.com/tandem-ecs/tandem/demo/internal/match"
	"github.com/tandem-ecs/tandem/demo/internal/options"
	"github.com/tandem-ecs/tandem/ecs"
)

// Both matches of -compare are the same on their servers, to the bit. In the naive picture the
// other player's speed is far less even.
func TestCompare(t *testing.T) {
	o := options.NewMatch()
	o.Headless, o.Peace, o.Still, o.Link = true, true, true, seed(1)
	r, s := rateFlags{hz: 60, sendHz: 10, seed: 26}, serverFlags{crates: 24, maxPlayers: 2, workers: 1, round: 3 * time.Minute}
	var sides []match.Config
	for range 2 {
		c, err := openLocal(&r, &clientInputFlags{}, &s, o, 2, slog.New(slog.DiscardHandler), io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		sides = append(sides, c)
	}
	c := sides[0]
	c.Other, c.Virtual = &sides[1], true
	m := begin(c, o, io.Discard)
	defer m.Close()
	places := map[string]mgl32.Vec3{}
	uneven := map[string]float64{} // m, of the steps of the other player's picture
	step := map[string]float64{}
	for n := range 10 * 60 {
		m.Advance(frame)
		if n < 4*60 {
			continue
		}
		m.Trace(func(_ ecs.Time, name string, _, visual components.Pose3D) {
			if name != "1:player-2" && name != "naive:1:player-2" {
				return
			}
			moved := float64(visual.Position.Sub(places[name]).Len())
			if _, known := step[name]; known && moved < 2 { // else it is a portal
				uneven[name] += math.Abs(moved - step[name])
			}
			places[name], step[name] = visual.Position, moved
		})
		var states []any
		for _, side := range sides {
			side.Server.(*server).match.Server().Players(func(p *rules.Player) { states = append(states, p.State) })
		}
		if len(states) != 4 || states[0] != states[2] || states[1] != states[3] {
			t.Fatalf("frame %d: the players of the two matches are in the states %+v", n, states)
		}
	}
	t.Logf("sum of the changes of the other player's steps: %v m", uneven)
	if tandem, naive := uneven["1:player-2"], uneven["naive:1:player-2"]; tandem == 0 || naive < 4*tandem {
		t.Errorf("the naive picture is uneven by %.1f m, that of Tandem by %.1f m: there is no contrast", naive, tandem)
	}
}
