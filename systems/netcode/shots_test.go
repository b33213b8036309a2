package netcode_test

import (
	"math"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/netcode"
)

// The shots of these tests: a runner that dashes fires a rocket along z, and a volley of eight with
// a dash to the side of Z. The dash is its cooldown.

const (
	kindRocket  = 20
	rocketSpeed = 20.0
)

// rocket is the component of the shots: the muzzle, the velocity, the ticks of the flight, and the
// tick of the launch, modulo 2^16.
type rocket struct {
	X, Z, VX, VZ float32
	Ticks        uint16 `range:"0,2000"`
	Born         uint16
}

func rocketPath(r rocket, age float64) (components.Pose3D, bool) {
	s := float32(age / tickRate)
	return components.At3D(r.X+s*r.VX, 1, r.Z+s*r.VZ), age <= float64(r.Ticks)
}

// volley is how many rockets a dash fires.
func volley(in input) int {
	if in.Z < 0 {
		return 8
	}
	return 1
}

func fireRocket(before, after runner, in input, t netcode.Tick, launch func(rocket)) {
	if !in.Dash || before.Dash > 0 {
		return
	}
	for i := range volley(in) {
		launch(rocket{X: after.X, Z: after.Z, VX: float32(i) - 3, VZ: rocketSpeed, Ticks: 60, Born: uint16(t)})
	}
}

func shots() netcode.Shots[runner, input, rocket] {
	return netcode.Shots[runner, input, rocket]{Archetype: kindRocket, Fire: fireRocket, Path: rocketPath}
}

// shotGame is the runners' game with a dash that cools down: it cannot begin before the last one is
// over. A stun of the server is a dash that the client does not know of.
func shotGame() netcode.Game[runner, input] {
	g := runnerGame()
	g.Step = func(s runner, in input, t netcode.Tick) runner {
		if s.Dash > 0 {
			in.Dash = false
		}
		return stepRunner(s, in, t)
	}
	return g
}

func shotProtocol(t testing.TB, change func(s *netcode.Shots[runner, input, rocket])) *protocol {
	t.Helper()
	p := newProtocolFor(t, netcode.Config{}, shotGame())
	s := shots()
	if change != nil {
		change(&s)
	}
	netcode.PredictShots(p, "rocket", s)
	return p
}

// inFlight is a rocket in a world.
type inFlight struct {
	entity arche.Entity
	netcode.Replicated
	rocket rocket
	at     mgl32.Vec3
}

// rockets lists the rockets in a world.
func rockets(w *arche.World) (all []inFlight) {
	replicated, pose, path := arche.ComponentID[netcode.Replicated](w), arche.ComponentID[components.Transform3D](w), arche.ComponentID[rocket](w)
	query := w.Query(arche.All(replicated, pose, path))
	for query.Next() {
		all = append(all, inFlight{
			query.Entity(), *(*netcode.Replicated)(query.Get(replicated)), *(*rocket)(query.Get(path)),
			(*components.Transform3D)(query.Get(pose)).Get().Position,
		})
	}
	return all
}

// presser returns an input function that dashes in the ticks of a set.
func presser(press func(t netcode.Tick) (input, bool)) func(t netcode.Tick) input {
	return func(t netcode.Tick) input {
		if in, ok := press(t); ok {
			in.Dash = true
			return in
		}
		return input{X: 1}
	}
}

// A shot is on the screen in the step of the press, on the line. The same entity gets the ID of the
// server's shot, and its picture does not leap then.
func TestShotAppearsInTheStepOfThePress(t *testing.T) {
	handed, worst, pressed, late := 0, 0.0, 0, 0
	for seed := range uint64(3) {
		m := newMatchOf(t, shotProtocol(t, nil), nil)
		var fresh []netcode.Replicated
		a := m.join(seeds(100+seed), func(c *netcode.ClientConfig[runner, input]) {
			c.Spawn = func(w *arche.World, r netcode.Replicated, owned bool) arche.Entity {
				if r.Archetype == kindRocket {
					if fresh = append(fresh, r); !owned {
						t.Error("an own shot is not owned")
					}
				}
				return w.NewEntity(arche.ComponentID[components.Transform3D](w), arche.ComponentID[components.Visual3D](w))
			}
		})
		m.run(3*time.Second, nil)
		m.mustPlay()
		var press bool
		a.input = presser(func(t netcode.Tick) (input, bool) {
			press = t%30 == 0
			return input{}, press
		})
		ids := map[arche.Entity]netcode.EntityID{}
		last := map[arche.Entity]mgl32.Vec3{}
		a.afterStep(func() {
			if press {
				pressed++
				if n := len(fresh); n == 0 || fresh[n-1].ID != netcode.NoEntity || fresh[n-1].Owner != a.client.Number() {
					late++
				}
			}
			fresh = fresh[:0]
		})
		stretch := 1.0
		m.run(8*time.Second, func() {
			w := a.engine.World()
			seen := map[arche.Entity]mgl32.Vec3{}
			for _, r := range rockets(w) {
				at := a.visual(r.entity)
				seen[r.entity] = at
				if before, known := ids[r.entity]; known && before == netcode.NoEntity && r.ID != netcode.NoEntity {
					handed++
					if a.client.Replica(r.ID) != r.entity {
						t.Errorf("the replica of %v is another entity", r.ID)
					}
				}
				// In a frame it flies a 120th of a second at its speed.
				if was, known := last[r.entity]; known {
					way := math.Hypot(float64(r.rocket.VX), float64(r.rocket.VZ)) / 120
					leap := math.Abs(float64(at.Sub(was).Len()) - way*stretch)
					if at[2] < r.rocket.Z+rocketSpeed*59/tickRate {
						// it ends in the middle of a frame
						worst = max(worst, leap)
					}
				}
				ids[r.entity] = r.ID
			}
			last, stretch = seen, a.client.Stats().Stretch // of the next frame
		})
	}
	t.Logf("%d presses, %d late, %d handed over, worst leap %.6f m", pressed, late, handed, worst)
	if pressed < 40 || late > 0 || handed < 30 {
		t.Errorf("%d presses, %d without a shot in their step; %d handed over", pressed, late, handed)
	}
	if worst > 0.001 {
		t.Errorf("a shot leaps by %.4f m in a frame", worst)
	}
}
