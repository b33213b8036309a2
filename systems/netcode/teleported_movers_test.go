package netcode_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/interpolation"
	"github.com/tandem-ecs/tandem/systems/netcode"
)

// The cabin of these tests is one of a paternoster: it rises 10 m in two seconds, and is at the
// bottom again.

const (
	kindCabin   = 41
	cabinPeriod = 120
	cabinTop    = 10
)

func cabinHeight(t netcode.Tick) float32 {
	return cabinTop * float32(t%cabinPeriod) / cabinPeriod
}

func cabinPath(t netcode.Tick) components.Pose3D { return components.At3D(0, cabinHeight(t), 0) }

// stepCabin takes a runner aboard that dashes, and one ashore that walks back along z. HX is its
// height, in the cabin or in the world.
func stepCabin(s runner, in input, t netcode.Tick) runner {
	switch {
	case in.Dash && !s.Ride:
		s.Ride, s.HX = true, s.HX-cabinHeight(t.Add(1))
	case in.Z < 0 && s.Ride:
		s.Ride, s.HX = false, s.HX+cabinHeight(t.Add(1))
	}
	s.X += float32(in.X) * runSpeed / tickRate
	return s
}

func cabinProtocol(t testing.TB) *protocol {
	t.Helper()
	game := runnerGame()
	game.Step, game.Teleported, game.Snap, game.States, game.Distance = stepCabin, farApart, 0, nil, nil
	game.Pose = func(s runner) components.Pose3D { return components.At3D(s.X, s.HX, s.Z) }
	game.MovementBase = func(s runner) netcode.MovementBase {
		if s.Ride {
			return netcode.MovementBase{Mover: kindCabin}
		}
		return netcode.MovementBase{}
	}
	p := newProtocolFor(t, netcode.Config{}, game)
	p.SetScriptedMover(kindCabin, cabinPath, farApart)
	return p
}

// rising counts, frame by frame, how something that the cabin carries is drawn.
type rising struct {
	begun          bool
	last           float32
	jumps, between int
}

func (r *rising) see(y float32) {
	switch d := y - r.last; {
	case !r.begun:
	case d < -cabinTop*0.6 || d > cabinTop*0.6: // a smear has two frames at least
		r.jumps++
	case d < -0.05 || d > 0.1: // one that leaves fades from the cabin's time to that of the view
		r.between++
	}
	r.begun, r.last = true, y
}

func (r *rising) must(t *testing.T, name string, jumps int) {
	t.Helper()
	if r.jumps < jumps || r.between > 0 {
		t.Errorf("%s: %d jumps, %d frames in between", name, r.jumps, r.between)
	}
}

// A scripted mover whose path jumps is drawn at its top or at its bottom: on each client, and in
// the picture of a server that draws. So are its passengers, on their own and on others' screens,
// what is attached to it, and what is attached to a passenger. Nothing is corrected.
func TestPaternoster(t *testing.T) {
	for _, rate := range []int{60, 20, 10} {
		for _, mode := range inputModes {
			m := newMatchOf(t, cabinProtocol(t), func(c *netcode.ServerConfig[runner, input]) { c.SnapshotRate, c.InputMode = rate, mode })
			m.engine.Install(interpolation.New3D())
			m.engine.Install(quietHierarchy(true))
			cabin, lamp, hat := m.crate(kindCabin, cabinPath(0)), m.crate(kindCrate, components.At3D(0, 0, 0)), m.crate(kindCrate, components.At3D(0, 0, 0))
			m.engine.World().Add(cabin, arche.ComponentID[components.Visual3D](m.engine.World()))
			m.hang(lamp, cabin, components.At3D(0, 2, 0))
			a, b := m.join(seeds(1), nil), m.join(seeds(2), nil)
			m.run(4*time.Second, nil)
			m.mustPlay()
			rider := m.of(a).Entity
			m.hang(hat, rider, components.At3D(0, 1, 0))
			a.input = func(at netcode.Tick) input {
				s, _ := a.client.State()
				return input{Dash: !s.Ride && at%cabinPeriod == 60, X: int8(at/10%3) - 1}
			}
			m.run(4*time.Second, nil)
			if !m.of(a).State.Ride {
				t.Fatal("the runner is not in the cabin")
			}
			before := a.client.Stats().Corrections
			var there rising
			var ways [2][4]rising
			m.run(20*time.Second, func() {
				w := m.engine.World()
				there.see((*components.Visual3D)(w.Get(cabin, arche.ComponentID[components.Visual3D](w))).Get().Position[1])
				for i, p := range []*player{a, b} {
					base := p.world(p.replicaOf(m, cabin))[1]
					for k, e := range []arche.Entity{cabin, lamp, rider, hat} {
						y := p.world(p.replicaOf(m, e))[1]
						ways[i][k].see(y)
						if k == 1 && (y-base > 2.01 || y-base < 1.99) {
							t.Fatalf("the lamp is %v m above the cabin", y-base)
						}
					}
				}
			})
			there.must(t, "the server", 9)
			for i, name := range []string{"cabin", "lamp", "rider", "hat"} {
				ways[0][i].must(t, name+" on the own screen", 9)
				ways[1][i].must(t, name+" on the other's screen", 9)
			}
			if n := a.client.Stats().Corrections - before; n > 0 && mode == netcode.OnTicks {
				t.Errorf("%d corrections", n)
			}
		}
	}
}

// A player that enters the cabin, or leaves it, shortly before or after the cabin jumps is drawn at
// one end or at the other.
func TestBoardingAPaternoster(t *testing.T) {
	for _, rate := range []int{60, 20} {
		for phase := netcode.Tick(0); phase < cabinPeriod; phase += 3 {
			if rate == 60 && phase > cabinPeriod/2 {
				// Others see a cabin at their own tick. It may have jumped when they see its
				// passenger leave.
				break
			}
			boardCabin(t, rate, phase)
		}
	}
}

// boardCabin boards the cabin at a tick of its period, and leaves it a quarter of a period later.
func boardCabin(t *testing.T, rate int, phase netcode.Tick) {
	t.Helper()
	m := newMatchOf(t, cabinProtocol(t), func(c *netcode.ServerConfig[runner, input]) { c.SnapshotRate = rate })
	m.engine.Install(quietHierarchy(true))
	m.crate(kindCabin, cabinPath(0))
	a, b := m.join(seeds(1), nil), m.join(seeds(2), nil)
	m.run(4*time.Second, nil)
	m.mustPlay()
	begin := (m.server.Tick()/cabinPeriod + 1) * cabinPeriod
	m.of(a).Teleport(runner{HX: cabinHeight(phase)})
	m.run(time.Second, nil)
	a.input = func(at netcode.Tick) input {
		return input{Dash: at == begin+phase, Z: -b2i(at == begin+phase+cabinPeriod/4), X: int8(at/10%3) - 1}
	}
	var own, other rising
	var path []float32
	rode, astray := false, 0
	m.run(6*time.Second, func() {
		s := m.of(a).State
		rode = rode || s.Ride
		if path = append(path, s.HX); s.Ride {
			path[len(path)-1] += cabinHeight(m.server.Tick())
		}
		own.see(a.world(a.client.Entity())[1])
		y := b.world(b.replicaOf(m, m.of(a).Entity))[1]
		other.see(y)
		// It is where it was in the last second, or in the cabin, or on a short way between.
		cabin, _ := b.client.Tick()
		near := mgl32.Abs(y-cabinHeight(cabin)) < 2.5 || mgl32.Abs(y-cabinHeight(cabin.Add(1))) < 2.5
		for _, was := range path[max(len(path)-120, 0):] {
			near = near || mgl32.Abs(y-was) < 2.5
		}
		if !near {
			astray++
		}
	})
	if !rode || m.of(a).State.Ride {
		t.Fatal("the runner has not taken the cabin")
	}
	if astray > 0 {
		t.Errorf("%d snapshots a second, phase %d: other's screen: %d frames astray", rate, phase, astray)
	}
	own.must(t, fmt.Sprintf("%d snapshots a second, phase %d: own screen", rate, phase), 0)
	other.must(t, fmt.Sprintf("%d snapshots a second, phase %d: other's screen", rate, phase), 0)
}

func b2i(b bool) int8 {
	if b {
		return 1
	}
	return 0
}

// Jumps allocate nothing, on either end.
func TestJumpsAllocateNothing(t *testing.T) {
	m := newMatchOf(t, cabinProtocol(t), nil)
	m.engine.Install(quietHierarchy(true))
	m.crate(kindCabin, cabinPath(0))
	a, b := m.join(perfect(), nil), m.join(perfect(), nil)
	a.input = func(at netcode.Tick) input { return input{Dash: at%240 == 60, Z: -b2i(at%240 == 200)} }
	b.input = func(netcode.Tick) input { return input{Dash: true} }
	m.run(20*time.Second, nil)
	m.mustPlay()
	if n := testing.AllocsPerRun(5, func() { m.run(4*time.Second, nil) }) / (4 * tickRate); n > 0.05 {
		t.Errorf("%.3f allocations a tick", n)
	}
}
