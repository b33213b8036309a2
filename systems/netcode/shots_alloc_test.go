package netcode_test

import (
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/netcode"
)

// A protocol with shots allocates nothing while nothing is fired. A shot costs a bounded number of
// allocations, those of its replicas among them, however long it flies.
func TestAllocationsOfShots(t *testing.T) {
	m := newMatchOf(t, shotProtocol(t, nil), nil)
	a, b := m.join(seeds(600), nil), m.join(seeds(601), nil)
	firing, presses := true, 0
	a.input = presser(func(t netcode.Tick) (input, bool) {
		press := firing && t%20 == 0
		if press {
			presses++
		}
		return input{}, press
	})
	b.input = func(at netcode.Tick) input { return input{X: int8(at/30%3) - 1} }
	m.run(15*time.Second, nil)
	m.mustPlay()
	if n := len(rockets(b.engine.World())); n == 0 {
		t.Error("the other client sees no shots")
	}
	firing = false
	m.run(3*time.Second, nil)
	perSecond := testing.AllocsPerRun(10, func() { m.run(time.Second, nil) })
	firing = true
	m.run(3*time.Second, nil)
	presses = 0
	const runs = 5
	perShot := testing.AllocsPerRun(runs, func() { m.run(2*time.Second, nil) }) * (runs + 1) / float64(presses)
	t.Logf("%.1f allocations a second without shots, %.1f a shot, server and two clients together", perSecond, perShot)
	if perSecond > 0.05*tickRate {
		t.Errorf("%.0f allocations a second without shots", perSecond)
	}
	if presses < 30 || perShot > 40 {
		t.Errorf("%.1f allocations a shot, of %d", perShot, presses)
	}
}

// Mistakes in the use of shots panic with their remedy.
func TestMistakesWithShots(t *testing.T) {
	type other struct{ X float32 }
	path := func(other, float64) (components.Pose3D, bool) { return components.Identity3D(), true }
	fire := func(_, _ runner, _ input, _ netcode.Tick, _ func(other)) {}
	mustPanic(t, "shots without a path", func() {
		netcode.PredictShots(newProtocol(t, netcode.Config{}), "shot", netcode.Shots[runner, input, other]{Fire: fire})
	}, "both Fire and Path")
	mustPanic(t, "shots of an archetype that is a scripted mover", func() {
		netcode.PredictShots(newProtocol(t, netcode.Config{}), "shot", netcode.Shots[runner, input, other]{Archetype: kindLift, Fire: fire, Path: path})
	}, "only one of them")
	mustPanic(t, "a scripted mover of the archetype of shots", func() {
		shotProtocol(t, nil).SetScriptedMover(kindRocket, liftPath)
	}, "only one of them")
	mustPanic(t, "bodies of the archetype of shots", func() {
		b := boxes()
		b.Archetypes = []uint16{kindRocket}
		netcode.PredictBodies(shotProtocol(t, nil), "box", b)
	}, "only one of them")
	mustPanic(t, "two shots of one archetype", func() {
		netcode.PredictShots(shotProtocol(t, nil), "shot", netcode.Shots[runner, input, other]{Archetype: kindRocket, Fire: fire, Path: path})
	}, "only one of them")
	mustPanic(t, "two shots with one component", func() {
		s := shots()
		s.Archetype++
		netcode.PredictShots(shotProtocol(t, nil), "shot", s)
	}, "another type")
	mustPanic(t, "the component of shots replicated", func() {
		netcode.ReplicateComponent(shotProtocol(t, nil), "again", netcode.StructComponent[rocket]())
	}, "another type")
	mustPanic(t, "a replicated component for shots", func() {
		netcode.PredictShots(newProtocol(t, netcode.Config{}), "shot", netcode.Shots[runner, input, health]{
			Archetype: kindRocket, Codec: healthCodec{}, Path: func(health, float64) (components.Pose3D, bool) { return components.Identity3D(), true },
			Fire: func(_, _ runner, _ input, _ netcode.Tick, _ func(health)) {},
		})
	}, "leave that to PredictShots")
	mustPanic(t, "shots with a pointer", func() {
		netcode.PredictShots(newProtocol(t, netcode.Config{}), "shot", netcode.Shots[runner, input, titled]{
			Path: func(titled, float64) (components.Pose3D, bool) { return components.Identity3D(), true },
			Fire: func(_, _ runner, _ input, _ netcode.Tick, _ func(titled)) {},
		})
	}, "holds a pointer")
}
