package play

import (
	"io"
	"log/slog"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/demo/internal/arena"
	"github.com/tandem-ecs/tandem/demo/internal/arena/rules"
	"github.com/tandem-ecs/tandem/demo/internal/arena/view"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/loopback"
)

const frame = time.Second / 60

// virtual is a server and its players on one virtual clock.
type virtual struct {
	t       testing.TB
	match   *rules.Match
	own     *loopback.Listener
	clients []*view.Client
}

func newVirtual(t testing.TB, change func(c *rules.Config)) *virtual {
	t.Helper()
	v := &virtual{t: t, own: loopback.Listen(loopback.Config{})}
	c := rules.Config{Listener: v.own, Seed: 1, Log: slog.New(slog.DiscardHandler)}
	if change != nil {
		change(&c)
	}
	var err error
	if v.match, err = rules.New(c); err != nil {
		t.Fatal(err)
	}
	return v
}

// seed is the condition of the articles: 200 ms round trip, give or take ten per cent, 15 % loss.
func seed(n uint64) settings.Link {
	return settings.Link{Latency: 200 * time.Millisecond, Jitter: 20 * time.Millisecond, Loss: 0.15, Seed: n}
}

// scripted is a controller whose input depends on the tick alone.
type scripted func(t netcode.Tick) arena.Input

func (f scripted) Input(_ *view.Client, t netcode.Tick) (in arena.Input, push bool) {
	return f(t), false
}

func (v *virtual) dial() transport.Conn { return localConn{v.own.Dial(), v.match} }

func (v *virtual) join(link settings.Link, controller view.Controller) *view.Client {
	v.t.Helper()
	s, err := view.New(view.Config{
		Dial: func() (transport.Conn, error) { return v.dial(), nil },
		Link: link, Controller: controller, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	if err != nil {
		v.t.Fatal(err)
	}
	v.clients = append(v.clients, s)
	return s
}

func (v *virtual) run(d time.Duration, each func()) {
	for ; d > 0; d -= frame {
		v.match.Engine().Update(frame)
		for _, s := range v.clients {
			s.Advance(frame)
		}
		if each != nil {
			each()
		}
	}
}

// places returns the drawn positions of a client's objects, by their names in its trace.
func places(s *view.Client) map[string]mgl32.Vec3 {
	all := map[string]mgl32.Vec3{}
	s.Trace(func(name string, _, visual components.Pose3D) { all[name] = visual.Position })
	return all
}

// circle runs round on the open floor.
func circle(t netcode.Tick) arena.Input {
	sin, cos := math.Sincos(float64(t) / 60 * 2)
	return arena.Input{X: int8(math.Round(7 * cos)), Z: int8(math.Round(7 * sin))}
}

// At the articles' condition no player jumps by more than five centimetres a frame beyond its true
// motion, and steady running is never corrected.
func TestTwoClientsPlaySmoothly(t *testing.T) {
	for n := range uint64(2) {
		v := newVirtual(t, nil)
		a, b := v.join(seed(10*n+1), scripted(circle)), v.join(seed(10*n+2), scripted(circle))
		v.run(6*time.Second, nil)
		before := [2]uint64{a.Net().Stats().Corrections, b.Net().Stats().Corrections}
		last := [2]map[string]mgl32.Vec3{}
		worst := float32(0)
		v.run(20*time.Second, func() {
			for i, s := range v.clients {
				if status, reason := s.Net().Status(); status != netcode.Playing {
					t.Fatalf("client %d is %v: %v", i, status, reason)
				}
				now := places(s)
				if len(now) != 7 {
					t.Fatalf("client %d sees %d things, want two players, three platforms and two doors", i, len(now))
				}
				for name, at := range now {
					if was, ok := last[i][name]; ok && (name == "me" || strings.HasPrefix(name, "player")) {
						worst = max(worst, at.Sub(was).Len())
					}
				}
				last[i] = now
			}
		})
		// Six metres a second are 0.1 m per frame.
		if worst > arena.Speed/60+0.05 {
			t.Errorf("seed %d: somebody moved %.3f m in a frame, at most %.3f are true", n, worst, arena.Speed/60.0)
		}
		for i, s := range v.clients {
			if made := s.Net().Stats().Corrections - before[i]; made > 0 {
				t.Errorf("seed %d: client %d was corrected %d times, the last by %v", n, i, made, s.Net().Stats().CorrectionError)
			}
		}
		t.Logf("seed %d: the worst frame moved somebody by %.4f m", n, worst)
	}
}

// hunter aims at the drawn place of the other player, and shoots now and then.
type hunter struct{}

func (*hunter) Input(s *view.Client, t netcode.Tick) (in arena.Input, push bool) {
	me, ok := s.Net().State()
	if !ok {
		return in, false
	}
	for name, at := range places(s) {
		if strings.HasPrefix(name, "player-") {
			in.Yaw, in.Pitch = arena.Toward(me.Pos.Add(mgl32.Vec3{0, arena.Muzzle, 0}), at.Add(mgl32.Vec3{0, arena.Height / 2, 0}))
			in.Fire = t%30 == 0
		}
	}
	return in, false
}

// With lag compensation shots hit visible targets; without it they hit places that the target has
// left.
func TestShotsHitWhatIsSeen(t *testing.T) {
	share := func(noRewind bool) float64 {
		shots, hits := 0, 0
		count := false
		v := newVirtual(t, func(c *rules.Config) {
			c.NoRewind = noRewind
			c.Shot = func(_ *rules.Player, hit bool) {
				if count {
					shots++
					if hit {
						hits++
					}
				}
			}
		})
		// Along the front, where nothing stands between the two; the target runs to and fro.
		v.join(seed(1), &hunter{})
		v.join(seed(2), scripted(func(t netcode.Tick) arena.Input {
			if t/80%2 == 0 {
				return arena.Input{X: 7}
			}
			return arena.Input{X: -7}
		}))
		place := func() {
			v.match.Server().Players(func(p *rules.Player) {
				state := p.State
				state.Pos = mgl32.Vec3{0, 0, 18}
				if p.Number() == 2 {
					state.Pos = mgl32.Vec3{-4, 0, 13.5}
				}
				state.Vel = mgl32.Vec3{}
				p.Teleport(state)
			})
		}
		v.run(3*time.Second, nil)
		place()
		v.run(2*time.Second, nil)
		count = true
		pawns := generic.NewMap1[arena.Pawn](v.match.Engine().World())
		v.run(20*time.Second, func() {
			// Nobody is sent back, where walls would be in the way.
			v.match.Server().Players(func(p *rules.Player) { pawns.Get(p.Entity).Health = arena.FullHealth })
		})
		if shots < 30 {
			t.Fatalf("only %d shots in twenty seconds", shots)
		}
		t.Logf("rewind %v: %d of %d shots hit", !noRewind, hits, shots)
		return float64(hits) / float64(shots)
	}
	if s := share(false); s < 0.9 {
		t.Errorf("%.0f %% of the shots hit what was seen, want nine of ten at least", 100*s)
	}
	if s := share(true); s > 0.4 {
		t.Errorf("%.0f %% hit without lag compensation: the test shows nothing", 100*s)
	}
}

// A portal is a jump in every picture, and no player is drawn on the way.
func TestPortalsAreNeverSeenAsMotion(t *testing.T) {
	v := newVirtual(t, nil)
	level := arena.NewLevel()
	runner := v.join(seed(3), scripted(func(netcode.Tick) arena.Input { return arena.Input{} }))
	watcher := v.join(seed(4), nil)
	v.run(3*time.Second, nil)
	for round := range 6 {
		v.match.Server().Players(func(p *rules.Player) {
			if p.Number() == runner.Net().Number() {
				state := p.State
				// Straight towards the pad.
				state.Pos = level.Portals[round%4].Exit
				p.Teleport(state)
			}
		})
		pad := level.Portals[round%4]
		way := pad.Place.Sub(pad.Exit).Normalize()
		v.run(time.Second, nil)
		runner.SetController(scripted(func(netcode.Tick) arena.Input { return arena.Input{X: int8(way[0] * 7), Z: int8(way[2] * 7)} }))
		warps := func() uint8 { s, _ := runner.Net().State(); return s.Teleports }
		begin := warps()
		last := map[*view.Client]mgl32.Vec3{}
		jumps := map[*view.Client]int{}
		v.run(1200*time.Millisecond, func() {
			if warps() != begin {
				runner.SetController(nil)
			}
			for _, s := range v.clients {
				name := "me"
				if s == watcher {
					for n := range places(s) {
						if strings.HasPrefix(n, "player-") {
							name = n
						}
					}
				}
				at := places(s)[name]
				if was, ok := last[s]; ok {
					moved := at.Sub(was).Len()
					if moved > 10 {
						jumps[s]++
					} else if moved > arena.Speed/60+0.06 {
						t.Errorf("round %d: %s is drawn moving %.2f m in a frame", round, name, moved)
					}
				}
				last[s] = at
			}
		})
		for _, s := range v.clients {
			if jumps[s] != 1 {
				t.Errorf("round %d: %d jumps are seen, want one", round, jumps[s])
			}
		}
	}
}

// The own player answers within a tick and a frame, whatever the line is like; without prediction
// it waits for the round trip.
func TestTheOwnPlayerAnswersAtOnce(t *testing.T) {
	// Frames after the press until the player's picture has moved, the one that takes the press
	// included.
	answer := func(predict bool, rate int) int {
		v := newVirtual(t, nil)
		s := v.join(seed(5), nil)
		s.Set(settings.Settings{Predict: predict, Reconcile: true})
		v.run(5*time.Second, nil)
		before := places(s)["me"]
		s.SetController(scripted(func(netcode.Tick) arena.Input { return arena.Input{X: 7} }))
		for frames := 1; frames < 1000; frames++ {
			v.match.Engine().Update(time.Second / time.Duration(rate))
			s.Advance(time.Second / time.Duration(rate))
			if places(s)["me"].Sub(before).Len() > 1e-4 {
				return frames
			}
		}
		t.Fatal("the player never moves")
		return 0
	}
	for _, rate := range []int{30, 60, 144, 240} {
		ticks := (rate + 59) / 60 // frames in a tick, rounded up
		got, late := answer(true, rate), answer(false, rate)
		t.Logf("%d frames a second: the player moves in the picture of frame %d, without prediction in that of %d", rate, got, late)
		if got > ticks+1 {
			t.Errorf("%d frames a second: the player moves in the picture of frame %d, want %d at most", rate, got, ticks+1)
		}
		if late < rate/5 {
			t.Errorf("%d frames a second, no prediction: frame %d already; the test shows nothing", rate, late)
		}
	}
}
