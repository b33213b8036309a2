package zones_test

import (
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
	"github.com/tandem-ecs/tandem/systems/netcode/zones"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/custody"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/names"
)

// A zone that is killed begins again in place with the state of its newest checkpoint, and its
// players return.
func TestZoneIsKilledAndBeginsAgain(t *testing.T) {
	w := newWorld(t, quadrants())
	for _, name := range []string{"nw", "ne", "sw", "se"} {
		w.begin(name, 20)
	}
	w.run(2*time.Second, nil)
	c := w.join("nw", runner{-15, -15}, linksim.Condition{Delay: 20 * time.Millisecond})
	w.run(4500*time.Millisecond, nil)
	if s, why := c.Status(); s != netcode.Playing {
		t.Fatalf("the client is %v: %v", s, why)
	}
	number, at := c.Number(), w.now
	w.zones["nw"].kill()
	w.run(500*time.Millisecond, nil)
	again := w.begin("nw", 20)
	back := time.Duration(0)
	w.run(6*time.Second, func() {
		for n, k := range w.owners() {
			if k > 1 {
				t.Fatalf("at %v entity %v has %d owners", w.now, n, k)
			}
		}
		if back == 0 && again.Server().Player(number) != nil && again.Server().Player(number).Connected() {
			back = w.now - at
		}
	})
	if s, why := c.Status(); s != netcode.Playing || c.Number() != number || back == 0 || back > 5*time.Second {
		t.Errorf("the client is %v (%v) as player %d, before %d; back after %v", s, why, c.Number(), number, back)
	}
	if got := len(w.owners()); got != 81 {
		t.Errorf("%d entities have an owner, want 80 crates and a player", got)
	}
	t.Logf("back after %v", back)
}

// A zone that is ended in order loses nothing: all is in the last checkpoint, of the same moment.
func TestZoneEndsAndBeginsAgain(t *testing.T) {
	w := newWorld(t, quadrants())
	w.begin("nw", 20)
	w.begin("ne", 0)
	w.run(2*time.Second, nil)
	c := w.join("nw", runner{-15, -15}, linksim.Condition{Delay: 20 * time.Millisecond})
	w.run(2700*time.Millisecond, nil)
	old := w.zones["nw"]
	before, _ := c.State()
	crates := old.states()
	old.engine.Close()
	old.Close()
	old.kill()
	w.run(100*time.Millisecond, nil)
	again := w.begin("nw", 20)
	w.run(300*time.Millisecond, nil)
	for n, fuel := range again.states() {
		if was, ok := crates[n]; !ok || fuel > was || fuel < was-0.5 {
			t.Errorf("crate %v has %v of fuel, before %v", n, fuel, was)
		}
		delete(crates, n)
	}
	w.run(4*time.Second, nil)
	if s, why := c.Status(); s != netcode.Playing || len(crates) > 0 {
		t.Errorf("the client is %v (%v), and %d crates are lost", s, why, len(crates))
	}
	if after, _ := c.State(); after != before {
		t.Errorf("the player is at %v, before at %v", after, before)
	}
}

// A zone that has ended in order delays no other one, and goes on at once in another folder.
func TestEndedZoneDelaysNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, quadrants())
	w.begin("nw", 5)
	w.begin("ne", 5)
	w.run(2*time.Second, nil)
	old := w.zones["ne"]
	crates := len(old.states())
	old.engine.Close()
	old.Close()
	old.kill()
	w.zones["nw"].kill()
	w.run(100*time.Millisecond, nil)
	nw := w.begin("nw", 5)
	w.run(500*time.Millisecond, nil)
	if !nw.Active() {
		t.Error("a zone that begins again waits for one that has ended")
	}
	delete(w.zones, "ne") // with its folder
	ne := w.begin("ne", 5)
	w.run(500*time.Millisecond, nil)
	if n := len(ne.states()); !ne.Active() || n < crates-2 || n > crates+2 {
		t.Errorf("elsewhere the zone is active: %v, with %d of %d crates", ne.Active(), n, crates)
	}
}

// states returns the fuel of the crates of a zone.
func (p *place) states() map[custody.Name]float32 {
	all := map[custody.Name]float32{}
	q := p.engine.World().Query(p.filter)
	for q.Next() {
		all[(*names.ID)(q.Get(arche.ComponentID[names.ID](p.engine.World()))).Name] = p.wander.Get(q.Entity()).Fuel
	}
	return all
}

// A process that is cut off from NATS stops simulating before another one can take its zone, and
// ends when it learns of that.
func TestTakeOver(t *testing.T) {
	w := newWorld(t, quadrants())
	old := w.begin("nw", 10)
	w.begin("ne", 10)
	w.run(3*time.Second, nil)
	old.conn.Close()
	w.run(11*time.Second, nil)
	if old.FrozenForTest() {
		t.Fatal("the process has stopped within its lease")
	}
	w.run(2*time.Second, nil)
	if !old.FrozenForTest() {
		t.Fatal("the process simulates without a lease")
	}
	ticks := old.engine.Time().Tick
	w.run(time.Second, nil)
	if now := old.engine.Time().Tick; now != ticks {
		t.Errorf("it has run %d steps without a lease", now-ticks)
	}
}

// An event reaches its entity in whichever zone it is, and a saved one survives a crash of both.
func TestEvents(t *testing.T) {
	w := newWorld(t, quadrants())
	for _, name := range []string{"nw", "ne"} {
		w.begin(name, 0)
	}
	w.run(time.Second, nil)
	ne, nw := w.zones["ne"], w.zones["nw"]
	ne.spawnAt(kindCrate, 5, -5)
	w.run(time.Second, nil)
	ghost := nw.ghost()
	if ghost.IsZero() || !nw.Send(ghost, []byte("hit")) {
		t.Fatal("no ghost, or no way to its owner")
	}
	if err := nw.SendSaved(ghost, []byte("pay")); err != nil {
		t.Fatal(err)
	}
	w.run(4*time.Second, nil)
	if len(ne.events) != 2 || ne.events[0] != "hit" || ne.events[1] != "pay" || len(nw.events) != 0 {
		t.Errorf("received %q and %q", ne.events, nw.events)
	}
	if s := nw.Stats(); s.Letters != 0 {
		t.Errorf("%d letters wait", s.Letters)
	}
}

func (p *place) spawnAt(kind uint16, x, z float32) arche.Entity {
	pose := p.somewhere()
	pose.Position[0], pose.Position[2] = x, z
	return p.spawn(kind, pose)
}

// ghost returns one of the ghosts of a zone.
func (p *place) ghost() (e arche.Entity) {
	q := p.engine.World().Query(arche.All(arche.ComponentID[zones.Ghost](p.engine.World())))
	for q.Next() {
		e = q.Entity()
	}
	return e
}
