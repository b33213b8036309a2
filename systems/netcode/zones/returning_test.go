package zones_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
	"github.com/tandem-ecs/tandem/systems/netcode/zones"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/custody"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/internal/land"
)

// walk lets a client walk along X until it is at a place.
func (c *client) walk(to float32) {
	c.input = func(netcode.Tick) (in input) {
		if at, _ := c.State(); at.X < to {
			in.X = 1
		}
		return in
	}
}

// A client whose zone is down waits for it, and does not become another player elsewhere.
func TestZoneOfAPlayerIsDown(t *testing.T) {
	w := newWorld(t, quadrants())
	w.begin("nw", 0)
	w.begin("ne", 0)
	w.run(2*time.Second, nil)
	c := w.join("nw", runner{-8, -15}, linksim.Condition{Delay: 20 * time.Millisecond})
	w.run(2*time.Second, nil)
	c.walk(12)
	w.run(4*time.Second, nil)
	number, l := c.Number(), w.listens["ne"]
	if w.zones["ne"].Server().Player(number) == nil {
		t.Fatal("the player has not crossed")
	}
	w.zones["ne"].kill()
	l.Close(transport.Reason{Code: transport.Failed, Text: "refused"})
	w.run(6*time.Second, nil)
	w.begin("ne", 0)
	w.run(6*time.Second, nil)
	if s, why := c.Status(); s != netcode.Playing || c.Number() != number {
		t.Errorf("the client is %v (%v) as player %d, before %d", s, why, c.Number(), number)
	}
}

// A zone whose places are those of absent players lets no other one in, and the player that walks
// there stays with its zone, as the same player.
func TestZoneFullOfAbsentPlayers(t *testing.T) {
	w := newWorld(t, quadrants())
	w.places = 2
	w.begin("nw", 0)
	w.begin("ne", 0)
	w.run(2*time.Second, nil)
	w.join("ne", runner{12, -15}, linksim.Condition{Delay: 20 * time.Millisecond})
	w.run(time.Second, nil)
	w.join("ne", runner{14, -15}, linksim.Condition{Delay: 20 * time.Millisecond})
	w.run(time.Second, nil)
	w.clients = w.clients[:1] // the machine of the second one is gone
	w.run(12*time.Second, nil)
	c := w.join("nw", runner{-8, -15}, linksim.Condition{Delay: 20 * time.Millisecond})
	w.run(2*time.Second, nil)
	number := c.Number()
	c.walk(12)
	w.run(8*time.Second, nil)
	if s, why := c.Status(); s != netcode.Playing || c.Number() != number || w.zones["nw"].Server().Player(number) == nil {
		t.Errorf("the client is %v (%v) as player %d, before %d", s, why, c.Number(), number)
	}
}

// A player returns to a zone that takes no newcomers.
func TestReturnToADrainedZone(t *testing.T) {
	w := newWorld(t, quadrants())
	nw := w.begin("nw", 0)
	w.run(2*time.Second, nil)
	c := w.join("nw", runner{-8, -15}, linksim.Condition{Delay: 20 * time.Millisecond})
	w.run(2*time.Second, nil)
	nw.DrainForTest()
	number, clients := c.Number(), w.clients
	w.clients = nil
	w.run(20*time.Second, nil)
	w.clients = clients
	w.run(5*time.Second, nil)
	if s, why := c.Status(); s != netcode.Playing || c.Number() != number {
		t.Errorf("the client is %v (%v) as player %d, before %d", s, why, c.Number(), number)
	}
}

// More saved events than an entity has receipts reach it, within one zone too.
func TestManyLetters(t *testing.T) {
	w := newWorld(t, quadrants())
	nw := w.begin("nw", 0)
	w.run(time.Second, nil)
	e := nw.spawnAt(kindCrate, -5, -5)
	w.run(100*time.Millisecond, nil)
	sent := 0
	for range 8 {
		for range 50 {
			if err := nw.SendSaved(e, fmt.Append(nil, sent)); err != nil {
				t.Fatal(err)
			}
			sent++
		}
		w.run(3*time.Second, nil)
	}
	w.run(3*time.Second, nil)
	if waiting := nw.Stats().Letters; len(nw.events) != sent || waiting > 0 {
		t.Errorf("%d of %d letters were received, and %d wait", len(nw.events), sent, waiting)
	}
}

// An entity that arrives in the last moment of a process is in its last checkpoint, whole.
func TestArrivalInTheLastMoment(t *testing.T) {
	w := newWorld(t, quadrants())
	w.begin("nw", 20)
	ne := w.begin("ne", 0)
	w.run(2*time.Second, nil)
	var taken custody.Name
	for i := 0; i < 6000 && taken == 0; i++ {
		w.run(frame, nil)
		ne.PendingForTest(func(n custody.Name) { taken = n })
	}
	if taken == 0 {
		t.Fatal("nothing has arrived")
	}
	ne.engine.Close()
	ne.Close()
	ne.kill()
	w.run(100*time.Millisecond, nil)
	again := w.begin("ne", 0)
	w.run(2*time.Second, nil)
	if _, has := again.states()[taken]; w.owners()[taken] != 1 || !has {
		t.Errorf("the entity has %d owners, and its carried component: %v", w.owners()[taken], has)
	}
}

// A process that stands still for longer than its lease while it still asks the others ends.
func TestFrozenWhileAsking(t *testing.T) {
	w := newWorld(t, quadrants())
	w.begin("nw", 2)
	w.begin("ne", 2)
	w.run(3*time.Second, nil)
	w.zones["nw"].kill()
	w.zones["ne"].kill()
	again := w.begin("nw", 0)
	w.run(time.Second, nil)
	w.now += 13 * time.Second
	w.run(3*time.Second, nil)
	if !errors.Is(again.Err(), zones.ErrFrozen) {
		t.Errorf("it ended with %v", again.Err())
	}
}

// Ghosts follow their entities also when a change of the map has made the two zones no neighbours.
func TestGhostsAfterASplit(t *testing.T) {
	two := &land.Map{Zones: []land.Zone{
		{Name: "nw", Number: 1, Land: []land.Rect{{MinX: -1000, MinZ: -1000, MaxX: 0, MaxZ: 1000}}},
		{Name: "ne", Number: 2, Land: []land.Rect{{MinX: 0, MinZ: -1000, MaxX: 1000, MaxZ: 1000}}},
	}}
	w := newWorld(t, two)
	nw, ne := w.begin("nw", 0), w.begin("ne", 0)
	w.run(time.Second, nil)
	e := nw.spawnAt(kindCrate, -10, -5)
	w.run(time.Second, nil)
	g := ne.ghost()
	m, err := two.Split("nw", "new", 'x', -500) // its process does not run
	if err != nil {
		t.Fatal(err)
	}
	w.putMap(m)
	w.run(time.Second, nil)
	l := nw.bodies.Get(e)
	pose := l.Get()
	pose.Position[2] = -20
	l.Set(pose)
	w.run(time.Second, nil)
	if !ne.engine.World().Alive(g) || ne.bodies.Get(g).Get().Position != pose.Position {
		t.Error("the ghost does not follow")
	}
}

// An entity that is attached to one of another zone goes to that zone.
func TestBoardingAGhost(t *testing.T) {
	w := newWorld(t, quadrants())
	nw, ne := w.begin("nw", 0), w.begin("ne", 0)
	w.run(time.Second, nil)
	ne.spawnAt(kindCrate, 10, -5)
	e := nw.spawnAt(kindCrate, -5, -5)
	w.run(time.Second, nil)
	l := nw.bodies.Get(e)
	l.Set(components.At3D(0, 1, 0)) // relative to its parent
	parents := generic.NewMap1[components.Parent](nw.engine.World())
	parents.Assign(e, &components.Parent{Entity: nw.ghost()})
	w.run(time.Second, nil)
	if to, _ := nw.Owner(e); to != 2 || nw.Stats().HandOvers != 1 {
		t.Errorf("it belongs to zone %d, after %d hand-overs", to, nw.Stats().HandOvers)
	}
}

// A ghost has the scale of its entity, and so has what is handed over.
func TestScalesCrossBorders(t *testing.T) {
	w := newWorld(t, quadrants())
	nw, ne := w.begin("nw", 0), w.begin("ne", 0)
	w.run(time.Second, nil)
	e := nw.spawnAt(kindCrate, -10, -5)
	w.run(time.Second, nil)
	g := ne.ghost()
	for _, scale := range []mgl32.Vec3{{3, 3, 3}, {1, 0.5, -2}, {0, 0, 0}, {1.3, 1, 1}} {
		l := nw.bodies.Get(e)
		pose := l.Get()
		pose.Scale = scale
		l.Set(pose)
		w.run(time.Second/2, nil)
		if got := ne.bodies.Get(g).Get().Scale; got.Sub(scale).Len() > 0.001 {
			t.Errorf("a ghost has a scale of %v, want %v", got, scale)
		}
	}
	l := nw.bodies.Get(e)
	pose := l.Get()
	pose.Position[0] = 10
	l.Set(pose)
	w.run(time.Second, nil)
	if to, _ := ne.Owner(g); to != 2 || ne.bodies.Get(g).Get() != pose {
		t.Errorf("it belongs to zone %d at %+v, want zone 2 at %+v", to, ne.bodies.Get(g).Get(), pose)
	}
	late := w.begin("sw", 0) // it meets an entity that has a scale
	w.run(time.Second, nil)
	pose.Position[0] = -1
	ne.bodies.Get(g).Set(pose)
	w.run(time.Second, nil)
	if got := late.bodies.Get(late.ghost()).Get().Scale; got.Sub(pose.Scale).Len() > 0.001 {
		t.Errorf("a ghost that appears has a scale of %v, want %v", got, pose.Scale)
	}
}
