package play

import (
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/demo/internal/arena"
	"github.com/tandem-ecs/tandem/demo/internal/arena/rules"
	"github.com/tandem-ecs/tandem/systems/netcode"
)

// A player runs over a switch plate at a shut door, at the articles' condition: the door stops the
// player and opens, and the player goes on. No prediction is wrong, because the door is announced.
// In the pictures of both players the door moves as evenly as on the server.
func TestADoorOpensForARunner(t *testing.T) {
	v := newVirtual(t, nil)
	runner, watcher := v.join(seed(1), nil), v.join(seed(2), nil)
	v.run(5*time.Second, nil)
	doorway := arena.NewLevel().Doors[1]
	x, z := doorway.Shut.Center()[0], doorway.Shut.Center()[2]
	v.match.Server().Player(runner.Net().Number()).Teleport(arena.State{Pos: mgl32.Vec3{x, 0, z + 5}, Grounded: true})
	v.run(2*time.Second, nil)
	before := runner.Net().Stats().Corrections
	runner.SetController(scripted(func(netcode.Tick) arena.Input { return arena.Input{Z: -7} }))
	var last [2]float32
	stood, moved, leap := 0, [2]int{}, float32(0)
	v.run(1800*time.Millisecond, func() {
		if s, _ := runner.Net().State(); abs(s.Pos[2]-z-0.2-arena.Radius) < 0.01 {
			stood++
		}
		for i, s := range v.clients {
			y := places(s)["door-2"][1]
			if y != last[i] && last[i] != 0 {
				moved[i]++
				leap = max(leap, abs(y-last[i]))
			}
			last[i] = y
		}
	})
	s, _ := runner.Net().State()
	if s.Pos[2] > z-1 || stood < 20 || stood > 80 {
		t.Errorf("the player has stood at the door for %d frames, and has come to %v; want half a second to one, and through", stood, s.Pos)
	}
	if made := runner.Net().Stats().Corrections - before; made > 0 {
		t.Errorf("the player was corrected %d times, the last by %v", made, runner.Net().Stats().CorrectionError)
	}
	if even := float32(arena.DoorHeight) / 36; leap > even*1.05 || moved[0] < 36 || moved[1] < 36 {
		t.Errorf("the door moved in %v pictures of the two, by %.3f m at most, want 36 and %.3f", moved, leap, even)
	}
	v.run(4*time.Second, nil)
	if y := places(watcher)["door-2"][1]; abs(y-arena.DoorHeight/2) > 1e-3 {
		t.Errorf("long after the door's middle is at a height of %.3f m, want it shut", y)
	}
}

func abs(v float32) float32 { return max(v, -v) }

// A round has a warm-up, in which no player can be hurt, and an end, after which all begin anew.
// Both ends have the same phase in the same tick.
func TestRounds(t *testing.T) {
	const length = 12 * time.Second
	fired := 0
	v := newVirtual(t, func(c *rules.Config) {
		c.Round = length
		c.Shot = func(*rules.Player, bool) { fired++ }
	})
	for i := range 2 {
		v.join(seed(uint64(i)+1), &brawler{rests: i})
	}
	pawns := generic.NewMap1[arena.Pawn](v.match.Engine().World())
	shots, scores, wrong := map[arena.Phase]int{}, map[arena.Phase]uint16{}, 0
	var order []arena.Phase
	healthy := true
	v.run(50*time.Second, func() {
		now := v.match.Server().Tick().Add(-1) // of the last step
		phase := v.match.Rules().RoundAt(now).Phase
		if len(order) == 0 || order[len(order)-1] != phase {
			order = append(order, phase)
		}
		shots[phase] += fired
		fired = 0
		scores[phase] = 0
		v.match.Server().Players(func(p *rules.Player) {
			pawn := pawns.Get(p.Entity)
			scores[phase] += pawn.Score
			healthy = healthy && (phase != arena.WarmUp || pawn.Health == arena.FullHealth)
		})
		for _, s := range v.clients {
			// the first snapshot tells a client the phase
			if s.Net().Stats().Snapshots > 0 && s.Rules().RoundAt(now) != v.match.Rules().RoundAt(now) {
				wrong++
			}
		}
	})
	want := []arena.Phase{arena.WarmUp, arena.Running, arena.Over, arena.WarmUp, arena.Running}
	if len(order) != len(want) || order[0] != want[0] || order[2] != want[2] || order[4] != want[4] {
		t.Errorf("the phases are %v, want %v", order, want)
	}
	if shots[arena.WarmUp] != 0 || shots[arena.Over] != 0 || shots[arena.Running] < 40 {
		t.Errorf("%v shots by phase", shots)
	}
	if scores[arena.WarmUp] != 0 || scores[arena.Over] == 0 || !healthy || wrong != 0 {
		t.Errorf("%v points at the ends of phases; unhurt in the warm-up: %v; %d wrong phases", scores, healthy, wrong)
	}
}
