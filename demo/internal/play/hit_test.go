package play

import (
	"strings"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/demo/internal/arena"
	"github.com/tandem-ecs/tandem/demo/internal/arena/rules"
	"github.com/tandem-ecs/tandem/demo/internal/arena/view"
	"github.com/tandem-ecs/tandem/systems/netcode"
)

// brawler runs at the other player, pushes it as often as possible, and shoots at it; every
// third of the time the player stands.
type brawler struct {
	rests int // in which third
}

func (b *brawler) Input(s *view.Client, t netcode.Tick) (in arena.Input, push bool) {
	me, ok := s.Net().State()
	if !ok {
		return in, false
	}
	for name, at := range places(s) {
		if !strings.HasPrefix(name, "player-") {
			continue
		}
		way := at.Sub(me.Pos)
		way[1] = 0
		if l := way.Len(); l > 1.5 && int(t)/90%3 != b.rests {
			in.X, in.Z = int8(way[0]/l*7), int8(way[2]/l*7)
		}
		in.Yaw, in.Pitch = arena.Toward(me.Pos.Add(mgl32.Vec3{0, arena.Muzzle, 0}), at.Add(mgl32.Vec3{0, arena.Height / 2, 0}))
		in.Fire = t%20 < 2
		push = t%41 == 0
	}
	return in, push
}

// motion is a player's motion in its own client's simulation.
type motion struct {
	last mgl32.Vec3
	any  bool
	fast [4]float32 // m in a tick, in the newest ones
}

// fastest records the newest state and returns the longest move of the player in one of the newest
// ticks.
func (m *motion) fastest(s *view.Client, state arena.State) (most float32) {
	copy(m.fast[1:], m.fast[:])
	if m.fast[0] = state.Vel.Len() / 60; state.Platform != 0 {
		path, now := arena.NewLevel().Platforms[state.Platform-1], s.Net().View().Seconds()
		// it is ridden at another time than that of the view
		m.fast[0] += path(now+1.0/60).Sub(path(now)).Len() + 0.01
	}
	for _, f := range m.fast {
		most = max(most, f)
	}
	return most
}

// A player that is pushed and shot sees it a round trip later, when it is metres from its predicted
// place. At the articles' condition the picture carries it there on top of its own motion, by at
// most 7 cm a frame. It was 35 cm when every offset was halved in 100 ms, whatever its size.
func TestBeingPushedIsSeenAsMotion(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine and much work: runs where the race detector does not")
	}
	// m: an offset of up to 3 m fades by 5 cm a frame, one of 4 m, which the arena lets jump, by
	// 6.7
	const most = 0.07
	worst, longest, pictures, corrections := float32(0), float32(0), 0, uint64(0)
	for n := range uint64(8) {
		v := newVirtual(t, func(c *rules.Config) { c.Seed, c.Crates = n+1, [2]int{0, 24}[n%2] })
		for i := range 2 {
			v.join(seed(10*n+uint64(i)+1), &brawler{rests: i})
		}
		v.run(5*time.Second, nil)
		var motions [2]motion
		v.run(15*time.Second, func() {
			for i, s := range v.clients {
				state, _ := s.Net().State()
				at, seen := places(s)["me"]
				m := &motions[i]
				fast := m.fastest(s, state)
				moved := at.Sub(m.last).Len()
				if m.any && seen && moved < 4 { // else through a portal, or sent back
					pictures++
					longest = max(longest, at.Sub(state.Pos).Len())
					if over := moved - fast; over > worst {
						worst = over
						if over > most {
							t.Errorf("seed %d: the player moved %.3f m in a frame, %.3f m further than its simulation does", n, moved, over)
						}
					}
				}
				m.last, m.any = at, seen
			}
		})
		for _, s := range v.clients {
			corrections += s.Net().Stats().Corrections
		}
	}
	t.Logf("beyond its own motion at most %.3f m in a frame, in %d; %d corrections, offsets of up to %.2f m", worst, pictures, corrections, longest)
	if corrections < 100 || longest < 2 {
		t.Errorf("%d corrections and offsets of up to %.2f m: the fights show too little", corrections, longest)
	}
}

// While the push is still being shown, the player's own actions show as soon as ever.
func TestThePushedPlayerAnswersAtOnce(t *testing.T) {
	v := newVirtual(t, nil)
	s := v.join(seed(5), nil)
	v.run(5*time.Second, nil)
	where := func() (seen, simulated mgl32.Vec3) {
		state, _ := s.Net().State()
		return places(s)["me"], state.Pos
	}
	v.match.Server().Players(func(p *rules.Player) {
		p.Teleport(arena.State{Pos: mgl32.Vec3{0, 0, 16}, Grounded: true})
	})
	v.run(2*time.Second, nil)
	v.match.Server().Players(func(p *rules.Player) {
		p.State.Vel, p.State.Grounded = mgl32.Vec3{8, 3, 0}, false
	})
	// The player lands and stands before the picture has reached it.
	for frames := 0; ; frames++ {
		v.run(frame, nil)
		seen, simulated := where()
		if d := simulated.Sub(seen); d[0] > 0.5 && mgl32.Abs(d[1]) < 0.01 && simulated[0] > 2 {
			if state, _ := s.Net().State(); state.Vel == (mgl32.Vec3{}) {
				break
			}
		}
		if frames > 120 {
			t.Fatal("no picture in which the player stands and is seen elsewhere")
		}
	}
	before, _ := where()
	s.SetController(scripted(func(netcode.Tick) arena.Input { return arena.Input{Z: 7} }))
	v.run(2*frame, nil)
	after, _ := where()
	// In two frames there are two steps, of which the picture has come to the end of the first.
	if moved := after[2] - before[2]; moved < 0.005 {
		t.Errorf("two frames after the press the player has moved %.4f m", moved)
	}
	if moved := after[0] - before[0]; moved < 0.06 || moved > 0.14 {
		t.Errorf("meanwhile the push has carried the player %.3f m in two frames, want 0.10", moved)
	}
}
