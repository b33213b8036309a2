package netcode_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode"
)

// The runners of these tests run round a map that is 20 m long: behind its edge at 10 m they are at
// the other one.

const mapEdge = 10

func wrapRunner(s runner, in input, t netcode.Tick) runner {
	if s = stepRunner(s, in, t); s.X > mapEdge {
		s.X -= 2 * mapEdge
	}
	if s.X < -mapEdge {
		s.X += 2 * mapEdge
	}
	return s
}

// farApart is the word of these tests for a jump: no step leads so far.
func farApart(before, after components.Pose3D) bool {
	return before.Position.Sub(after.Position).Len() > 5
}

func wrapGame() netcode.Game[runner, input] {
	game := runnerGame()
	game.Step, game.Teleported, game.Snap = wrapRunner, farApart, 0
	return game
}

func toTheRight(netcode.Tick) input { return input{X: 1} }

// onServerEnd runs f at the end of each step of the server, when it has read the writes.
func (m *match) onServerEnd(f func()) {
	m.engine.AddAt(ecs.FixedEnd, netcode.OrderReplicate+1, ecs.SystemFunc(func(*arche.World) { f() }))
}

// wraps counts, frame by frame, how a body that runs to the right and wraps is drawn.
type wraps struct {
	begun          bool
	last           float32
	jumps, between int
	frozen, frames int
	beyond         float32 // past an edge
}

func (w *wraps) see(x float32) {
	if d := x - w.last; w.begun {
		w.frames++
		switch {
		case d < -1.2*mapEdge: // a smear has two frames at least
			w.jumps++
		case d < -0.02 || d > 0.6:
			w.between++
		case d < 0.005:
			w.frozen++
		}
	}
	w.begun, w.last, w.beyond = true, x, max(w.beyond, x-mapEdge, -mapEdge-x)
}

func (w *wraps) String() string {
	return fmt.Sprintf("%d jumps, %d frames in between, %d of %d frozen, %.2f m past an edge", w.jumps, w.between, w.frozen, w.frames, w.beyond)
}

// A player that wraps round the map in its step is drawn at the one edge or at the other, on its
// own screen and on others', at any rate of snapshots, in both input modes, with delayed inputs,
// and nothing is corrected. Others see it run on behind the edge.
func TestAPlayerThatWrapsRoundTheMap(t *testing.T) {
	for _, rate := range []int{60, 20, 10} {
		for _, c := range []struct {
			name  string
			mode  netcode.InputMode
			delay int
			path  func(seed uint64) linkPath
		}{
			{"seeds", netcode.OnTicks, 0, seeds},
			{"perfect", netcode.OnTicks, 0, func(uint64) linkPath { return perfect() }},
			{"delayed inputs", netcode.OnTicks, 6, seeds},
			{"on arrival", netcode.OnArrival, 0, seeds},
		} {
			t.Run(fmt.Sprintf("%s at %d", c.name, rate), func(t *testing.T) {
				m := newMatchOf(t, newProtocolFor(t, netcode.Config{}, wrapGame()), func(s *netcode.ServerConfig[runner, input]) {
					s.SnapshotRate, s.InputMode = rate, c.mode
				})
				a := m.join(c.path(1), func(k *netcode.ClientConfig[runner, input]) { k.InputDelay = c.delay })
				b := m.join(c.path(2), nil)
				bot, err := m.server.AddBot(runRight)
				if err != nil {
					t.Fatal(err)
				}
				a.input = toTheRight
				m.run(5*time.Second, nil)
				m.mustPlay()
				before := a.client.Stats().Corrections
				var own, other, robot wraps
				m.run(21*time.Second, func() {
					own.see(a.visual(a.client.Entity())[0])
					other.see(b.visual(b.client.Replica(m.id(m.of(a).Entity)))[0])
					robot.see(b.visual(b.client.Replica(m.id(bot.Entity)))[0])
				})
				corrections := a.client.Stats().Corrections - before
				t.Logf("own: %v; other: %v; bot: %v; %d corrections", &own, &other, &robot, corrections)
				for _, w := range []*wraps{&own, &other, &robot} {
					if w.jumps < 5 || w.between > 0 {
						t.Errorf("drawn with %v", w)
					}
				}
				if corrections > 0 && c.mode == netcode.OnTicks {
					t.Errorf("%d corrections", corrections)
				}
			})
		}
	}
}

// A correction whose two ends are at two ends of a jump is drawn as a jump, and not across the map.
// A small one behind a jump that both ends have made fades.
func TestACorrectionAcrossAJump(t *testing.T) {
	m := newMatchOf(t, newProtocolFor(t, netcode.Config{}, wrapGame()), nil)
	path := perfect()
	path.Send.Delay, path.Receive.Delay = 50*time.Millisecond, 50*time.Millisecond
	a := m.join(path, nil)
	m.run(3*time.Second, nil)
	m.mustPlay()
	p := m.of(a)
	x := func() float32 { return a.visual(a.client.Entity())[0] }
	// The server holds back a player that has crossed the edge on its own screen, and pushes
	// another one over it. Neither is a Teleport of the server's.
	for _, c := range []struct {
		name     string
		state, x float32 // where the client believes it is, and where the server puts it
	}{{"held back", -9.9, 9.8}, {"pushed over", 9.9, -9.8}} {
		p.Teleport(runner{X: c.state})
		m.run(2*time.Second, nil)
		before := a.client.Stats().Corrections
		p.State.X = c.x
		m.run(2*time.Second, func() {
			if at := x(); at > -9.5 && at < 9.5 {
				t.Fatalf("%s: drawn at %v", c.name, at)
			}
		})
		if x() != c.x || a.client.Stats().Corrections == before {
			t.Errorf("%s: drawn at %v in the end, after %d corrections", c.name, x(), a.client.Stats().Corrections-before)
		}
	}
	// Both ends make the jump, and the server is pushed by a quarter of a metre on the way.
	p.Teleport(runner{X: 9.5})
	m.run(2*time.Second, nil)
	a.input = toTheRight
	pushed, jumped, fades := false, false, 0
	last := x()
	m.run(time.Second, func() {
		if p.State.X < -9 && !pushed {
			p.State.X, pushed = p.State.X+0.25, true
		}
		at := x()
		if jumped = jumped || at < -9; !jumped && at < 9.4 {
			t.Fatalf("drawn at %v before the jump", at)
		}
		if d := at - last; jumped && d > 6.0/120+0.005 && d < 0.2 {
			fades++
		} else if d > 0.2 {
			t.Errorf("a correction of 0.25 m is drawn as a jump of %v", d)
		}
		last = at
	})
	if !pushed || fades < 3 {
		t.Errorf("pushed %v: the correction fades over %d frames", pushed, fades)
	}
}

// The velocity that clients are sent behind a jump of a step is that of the motion. A gate that
// turns the player turns it too. Behind a Teleport there is none.
func TestVelocityBehindAJump(t *testing.T) {
	game := wrapGame()
	game.Step = func(s runner, in input, t netcode.Tick) runner {
		if s = stepRunner(s, in, t); s.X > mapEdge { // into the gate, and out of it along z
			s.X, s.Z, s.HX = -5, s.Z+20, 1
		}
		if s.HX == 1 {
			s.Z, s.X = s.Z-float32(in.X)*runSpeed/tickRate, s.X-float32(in.X)*runSpeed/tickRate
		}
		return s
	}
	game.Pose = func(s runner) components.Pose3D {
		pose := components.At3D(s.X, 0, s.Z)
		if s.HX == 1 {
			pose.Rotation = mgl32.QuatRotate(math.Pi/2, mgl32.Vec3{0, 1, 0})
		}
		return pose
	}
	m := newMatchOf(t, newProtocolFor(t, netcode.Config{}, game), nil)
	p := m.bot(runRight)
	m.run(time.Second, nil)
	var before netcode.EntityState
	jumps := 0
	m.onServerEnd(func() {
		now, ok := m.server.State(p.Entity)
		if ok && now.Discontinuity != before.Discontinuity {
			switch jumps++; jumps {
			case 1:
				if d := now.Velocity.Sub(mgl32.Vec3{0, 0, -runSpeed}).Len(); d > 0.01 || before.Velocity.Sub(mgl32.Vec3{runSpeed}).Len() > 0.01 {
					t.Errorf("velocity %v before the gate and %v behind it", before.Velocity, now.Velocity)
				}
			case 2:
				if now.Velocity != (mgl32.Vec3{}) {
					t.Errorf("after a Teleport the velocity is %v", now.Velocity)
				}
			}
		}
		before = now
	})
	if m.run(2*time.Second, nil); jumps != 1 {
		t.Fatalf("%d jumps, want 1", jumps)
	}
	m.onServer(func() {
		if jumps == 1 {
			p.Teleport(runner{X: -9})
		}
	})
	if m.run(time.Second, nil); jumps != 2 {
		t.Fatalf("%d jumps, want 2", jumps)
	}
}

// A player that shoots at one that wraps hits it at the end where it sees it, also if the target
// has wrapped since. The rewound pose is never between the ends. A Teleport is not taken back.
func TestRewindOverAJump(t *testing.T) {
	for _, rate := range []int{60, 20} {
		m := newMatchOf(t, newProtocolFor(t, netcode.Config{}, wrapGame()), func(c *netcode.ServerConfig[runner, input]) { c.SnapshotRate = rate })
		path := perfect()
		path.Send.Delay, path.Receive.Delay = 50*time.Millisecond, 50*time.Millisecond
		a := m.join(path, nil)
		target := m.bot(runRight)
		m.run(4*time.Second, nil)
		m.mustPlay()
		drawn := map[netcode.Tick]float32{} // by the tick of the input in front of the picture
		a.input = func(at netcode.Tick) input {
			drawn[at] = a.logical(a.replicaOf(m, target.Entity))[0]
			return input{}
		}
		compared, past, wrong := 0, 0, 0
		worst := 0.0
		m.onServer(func() {
			seen, ok := drawn[m.server.Tick()]
			if !ok {
				return
			}
			m.of(a).Rewind(func(at func(arche.Entity) (components.Pose3D, bool)) {
				pose, ok := at(target.Entity)
				if !ok {
					t.Fatal("the target is not there")
				}
				compared++
				if now := m.transform(target.Entity).Get().Position[0]; now < -8 && pose.Position[0] > 8 {
					past++ // it has wrapped since
				}
				if x := pose.Position[0]; x > mapEdge || x < -mapEdge {
					t.Fatalf("rewound to %v", x)
				}
				if d := math.Abs(float64(seen - pose.Position[0])); d < 10 {
					worst = max(worst, d)
				} else {
					wrong++
				}
			})
		})
		m.run(20*time.Second, nil)
		// around a jump, Rewind is at its other end before the screen is: for less than an interval
		if limit := 6 * (tickRate/rate + 1); compared < 1000 || past < 20 || wrong > limit || worst > 0.25 {
			t.Errorf("%d snapshots a second: rewound up to %.3f m from where it was seen in %d ticks, %d of them over a jump, and %d times at the other end",
				rate, worst, compared, past, wrong)
		}
		t.Logf("%d snapshots a second: up to %.3f m off in %d ticks, %d over a jump, %d at the other end", rate, worst, compared, past, wrong)
		m.onServer(func() { target.Teleport(runner{X: -5, Z: 50}) })
		m.run(time.Second/tickRate+1, nil)
		m.of(a).Rewind(func(at func(arche.Entity) (components.Pose3D, bool)) {
			if pose, _ := at(target.Entity); pose.Position[2] != 50 {
				t.Errorf("after a Teleport the target is rewound to %v", pose.Position)
			}
		})
	}
}
