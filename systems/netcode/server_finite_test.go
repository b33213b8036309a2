package netcode_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/netcode"
)

// logTo makes a server write its log to a buffer.
func logTo(log *bytes.Buffer) func(*netcode.ServerConfig[runner, input]) {
	return func(c *netcode.ServerConfig[runner, input]) { c.Log = slog.New(slog.NewTextHandler(log, nil)) }
}

// An entity whose pose is not finite for a while is shown at the last one that was, on a client as
// for a player's Rewind, and goes on from there. The server's log has it once.
func TestEntitiesThatAreNotFinite(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for name, spoil := range map[string]func(p *components.Pose3D){
		"position": func(p *components.Pose3D) { p.Position[0] = nan },
		"infinity": func(p *components.Pose3D) { p.Position[2] = -inf },
		"rotation": func(p *components.Pose3D) { p.Rotation.V[1] = nan },
		"scale":    func(p *components.Pose3D) { p.Scale[2] = inf },
	} {
		for _, jumps := range []bool{false, true} {
			var log bytes.Buffer
			m := newMatch(t, logTo(&log))
			e := m.crate(kindCrate, components.At3D(5, 0, 0))
			late := m.crate(kindCrate, func() components.Pose3D { p := components.At3D(0, 0, 0); spoil(&p); return p }())
			step := 0
			m.onServer(func() {
				step++
				if step == 300 {
					m.transform(late).Set(components.At3D(30, 0, 0))
				}
				// it stands, moves by 2 m, and stands
				x := 5 + float32(min(max(step-120, 0), 120))/tickRate
				pose := components.At3D(x, 0, 0)
				if step >= 180 && step < 280 {
					spoil(&pose)
				}
				if jumps && step == 180 {
					m.transform(e).Teleport(pose)
				} else if pose != m.transform(e).Get() {
					m.transform(e).Set(pose)
				}
			})
			a := m.join(perfect(), nil)
			last := float32(5)
			m.run(6*time.Second, func() {
				r, r2 := a.replicaOf(m, e), a.replicaOf(m, late)
				if r.IsZero() || r2.IsZero() {
					return
				}
				shown, shown2 := component[components.Visual3D](a.engine.World(), r).Get(), component[components.Visual3D](a.engine.World(), r2).Get()
				if !shown.IsFinite() || !shown2.IsFinite() {
					t.Fatalf("%s: drawn at %v and %v", name, shown, shown2)
				}
				if step >= 200 && step < 280 {
					// the last good one is that of step 179
					if want := 5 + float32(59)/tickRate; max(want-shown.Position[0], shown.Position[0]-want) > 0.01 {
						t.Fatalf("%s: in step %d drawn at %v, want %v", name, step, shown.Position, want)
					}
				}
				if x := shown.Position[0]; x < last-0.01 {
					t.Fatalf("%s: drawn at %v after %v", name, x, last)
				}
				last = shown.Position[0]
				if x := shown2.Position[0]; x > 0.01 && x < 29.99 {
					t.Fatalf("%s: an entity that came to be in step 300 glides by %v", name, x)
				}
				if p := m.of(a); p != nil {
					p.Rewind(func(at func(arche.Entity) (components.Pose3D, bool)) {
						if pose, ok := at(e); ok && !pose.IsFinite() {
							t.Fatalf("%s: a Rewind has %v", name, pose)
						}
					})
				}
			})
			if last < 6.99 {
				t.Errorf("%s: drawn at last at %v, want 7", name, last)
			}
			for _, e := range []arche.Entity{e, late} {
				if n := strings.Count(log.String(), fmt.Sprintf("entity=\"{id:%d gen:%d}\"", e.ID(), e.Generation())); n != 1 {
					t.Errorf("%s: %v is %d times in the log:\n%s", name, e, n, log.String())
				}
			}
		}
	}
}

// A Step that returns a state that is not finite leaves the player where it is on both ends,
// without a correction, and each end's log has it once. With another input the player moves on.
func TestStatesThatAreNotFinite(t *testing.T) {
	for name, spoil := range map[string]func(*runner){
		"a NaN in the pose":       func(s *runner) { s.X = float32(math.NaN()) },
		"an infinity in the pose": func(s *runner) { s.Z = float32(math.Inf(-1)) },
		"a NaN beside the pose":   func(s *runner) { s.HX = float32(math.NaN()) },
	} {
		game := runnerGame()
		game.Step = func(s runner, in input, at netcode.Tick) runner {
			if s = stepRunner(s, in, at); in.Dash {
				spoil(&s)
			}
			return s
		}
		game.Distance, game.Tolerance = nil, 0
		var log, here bytes.Buffer
		m := newMatchOf(t, newProtocolFor(t, netcode.Config{}, game), logTo(&log))
		a := m.join(perfect(), func(c *netcode.ClientConfig[runner, input]) { c.Log = slog.New(slog.NewTextHandler(&here, nil)) })
		m.run(3*time.Second, nil)
		m.mustPlay()
		before := a.client.Stats().Corrections
		way := func(in input, d time.Duration) float32 {
			from, _ := a.client.State()
			a.input = func(netcode.Tick) input { return in }
			m.run(d, func() {
				own, _ := a.client.State()
				if pose := poseRunner(own); !pose.IsFinite() || !finiteRunner(own) || !finiteRunner(m.of(a).State) {
					t.Fatalf("%s: the client is at %+v, the server at %+v", name, own, m.of(a).State)
				}
			})
			to, _ := a.client.State()
			return to.X - from.X
		}
		if x := way(input{X: 1}, time.Second); x < 5.5 || x > 6.5 {
			t.Errorf("%s: ran %v m in a second", name, x)
		}
		if x := way(input{X: 1, Dash: true}, time.Second); x > 0.2 {
			t.Errorf("%s: ran %v m with states that are not finite", name, x)
		}
		if x := way(input{X: 1}, time.Second); x < 5.5 || x > 6.5 {
			t.Errorf("%s: ran %v m in a second afterwards", name, x)
		}
		if n := a.client.Stats().Corrections - before; n > 0 {
			t.Errorf("%s: %d corrections", name, n)
		}
		for end, text := range map[string]string{"server": log.String(), "client": here.String()} {
			if n := strings.Count(text, "Game.Step returned a state"); n != 1 {
				t.Errorf("%s: the %s's log has it %d times:\n%s", name, end, n, text)
			}
		}
	}
}

func finiteRunner(s runner) bool {
	sum := s.X + s.Z + s.Dash + s.HX + s.HZ
	return sum-sum == 0
}

// A state that the game sets to a NaN, in a fixed step, in a normal stage or by Teleport, is
// replaced by the last good one, and the player runs on.
func TestStatesThatAreSetToNaN(t *testing.T) {
	for name, set := range map[string]func(p *netcode.Player[runner, input]){
		"set":      func(p *netcode.Player[runner, input]) { p.State.X = float32(math.NaN()) },
		"teleport": func(p *netcode.Player[runner, input]) { p.Teleport(runner{X: 1, Z: float32(math.NaN())}) },
	} {
		for _, inStep := range []bool{true, false} {
			var log bytes.Buffer
			m := newMatch(t, logTo(&log))
			a := m.join(perfect(), nil)
			m.run(3*time.Second, nil)
			m.mustPlay()
			a.input = func(netcode.Tick) input { return input{X: 1} }
			due := false
			m.onServer(func() {
				if due && inStep {
					set(m.of(a))
					due = false
				}
			})
			m.run(time.Second, nil)
			if due = true; !inStep {
				set(m.of(a))
			}
			from := m.of(a).State.X
			m.run(time.Second, func() {
				if own, _ := a.client.State(); !finiteRunner(own) {
					t.Fatalf("%s: the client is at %+v", name, own)
				}
				if r := a.client.Entity(); !r.IsZero() && !component[components.Visual3D](a.engine.World(), r).Get().IsFinite() {
					t.Fatalf("%s: drawn nowhere", name)
				}
			})
			own, _ := a.client.State()
			if at := m.of(a).State; !finiteRunner(at) || inStep && at.X < from+5 || own.X < 9 {
				t.Errorf("%s: the server has the player at %+v, the client at %+v", name, at, own)
			}
			if n := strings.Count(log.String(), "the game has set a state of a player"); n != 1 {
				t.Errorf("%s: the log has it %d times:\n%s", name, n, log.String())
			}
			if n := strings.Count(log.String(), "level=ERROR"); n != 1 {
				t.Errorf("%s: the log has %d errors for one player:\n%s", name, n, log.String())
			}
		}
	}
}

// No numbers of a pose make velocities that the wire cannot hold.
func TestHugeMotions(t *testing.T) {
	m := newMatch(t, nil)
	e := m.crate(kindCrate, components.At3D(0, 0, 0))
	side := float32(1)
	m.onServer(func() {
		side = -side
		p := components.Identity3D()
		p.Position = mgl32.Vec3{side * math.MaxFloat32, 0, 0}
		m.transform(e).Set(p)
	})
	a := m.join(perfect(), nil)
	m.run(3*time.Second, func() {
		if r := a.replicaOf(m, e); !r.IsZero() && !component[components.Visual3D](a.engine.World(), r).Get().IsFinite() {
			t.Fatal("drawn nowhere")
		}
	})
}
