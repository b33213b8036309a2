package zones_test

import (
	"slices"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
	"github.com/tandem-ecs/tandem/systems/netcode/zones"
)

var goodLine = linksim.Condition{Delay: 20 * time.Millisecond, Jitter: 2 * time.Millisecond}

// mustBeOwnedOnce checks in each frame of a time that no entity has two owners.
func (w *world) mustBeOwnedOnce(d time.Duration) {
	w.t.Helper()
	w.run(d, func() {
		for n, k := range w.owners() {
			if k > 1 {
				w.t.Fatalf("at %v: %v has %d owners", w.now, n, k)
			}
		}
	})
}

func (w *world) owned() (n int) { return len(w.owners()) }

// leave takes a client out of the world, whose process runs no more.
func (w *world) leave(c *client) {
	w.clients = slices.DeleteFunc(w.clients, func(o *client) bool { return o == c })
}

// A player that leaves while it visits the next zone leaves nothing behind, there neither.
func TestPlayerLeavesInMidVisit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, quadrants())
	nw, ne := w.begin("nw", 0), w.begin("ne", 0)
	w.run(2*time.Second, nil)
	c := w.join("nw", runner{-3, -20}, goodLine)
	w.run(3*time.Second, nil)
	if s, why := c.Status(); s != netcode.Playing || ne.GuestsForTest() != 1 {
		t.Fatalf("the client is %v (%v), and ne has %d guests, want 1", s, why, ne.GuestsForTest())
	}
	c.Leave()
	w.mustBeOwnedOnce(16 * time.Second)
	if nw.Server().Stats().Players != 0 || w.owned() != 0 || ne.GuestsForTest() != 0 || nw.VisitsForTest() != 0 {
		t.Errorf("%d players, %d entities, %d guests, %d visits; want none", nw.Server().Stats().Players, w.owned(), ne.GuestsForTest(), nw.VisitsForTest())
	}
	if nw.Stats().Ghosts+ne.Stats().Ghosts != 0 {
		t.Errorf("%d and %d ghosts are left", nw.Stats().Ghosts, ne.Stats().Ghosts)
	}
}

// The process of a client stands still at any moment of a crossing, and runs again after a
// while: its player is where it was left, in whichever zone that is, and in one only.
func TestPlayerVanishesAtTheBorder(t *testing.T) {
	t.Parallel()
	for _, away := range []time.Duration{4 * time.Second, 26 * time.Second} {
		w := newWorld(t, quadrants())
		w.begin("nw", 0)
		w.begin("ne", 0)
		w.run(2*time.Second, nil)
		for i, x := range []float32{-0.5, 1.9, 2.2} {
			c := w.join("nw", runner{-8, -20 - float32(i)}, goodLine)
			w.run(2500*time.Millisecond, nil)
			number := c.Number()
			c.input = func(netcode.Tick) input { return input{X: 1} }
			for end := w.now + 4*time.Second; w.now < end; {
				if at, _ := c.State(); at.X >= x {
					break
				}
				w.mustBeOwnedOnce(frame)
			}
			w.leave(c)
			w.mustBeOwnedOnce(away)
			w.clients = append(w.clients, c)
			c.input = func(netcode.Tick) input { return input{} }
			w.mustBeOwnedOnce(6 * time.Second)
			if s, why := c.Status(); s != netcode.Playing || c.Number() != number || w.owned() != i+1 {
				t.Errorf("stopped at %v for %v: the client is %v (%v) as player %d, before %d; %d entities have an owner, want %d",
					x, away, s, why, c.Number(), number, w.owned(), i+1)
			}
		}
	}
}

// A full zone takes no player: it goes on in the zone that it has, beyond the border too, and
// crosses when there is room.
func TestFullZone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, quadrants())
	w.tune = func(name string, c *zones.Config[runner, input]) {
		if name == "ne" {
			c.Server.MaxPlayers = 1
		}
	}
	nw, ne := w.begin("nw", 0), w.begin("ne", 0)
	w.run(2*time.Second, nil)
	first := w.join("ne", runner{20, -20}, goodLine)
	w.run(2*time.Second, nil)
	c := w.join("nw", runner{-6, -20}, goodLine)
	w.run(2*time.Second, nil)
	before := c.Stats()
	c.input = func(netcode.Tick) (in input) {
		if at, _ := c.State(); at.X < 5 {
			in.X = 1
		}
		return in
	}
	w.mustBeOwnedOnce(6 * time.Second)
	at, _ := c.State()
	if s, why := c.Status(); s != netcode.Playing || at.X < 4 || nw.Stats().Owned != 1 || nw.Stats().PutOff == 0 {
		t.Errorf("the client is %v (%v) at %v, nw has %d entities and has put off %d times", s, why, at, nw.Stats().Owned, nw.Stats().PutOff)
	}
	first.Leave()
	w.mustBeOwnedOnce(4 * time.Second)
	s := c.Stats()
	if nw.Stats().Owned != 0 || ne.Stats().Owned != 1 || s.Corrections != before.Corrections || s.Reconnects != before.Reconnects {
		t.Errorf("with room nw has %d entities and ne %d; %d corrections, %d reconnects", nw.Stats().Owned, ne.Stats().Owned,
			s.Corrections-before.Corrections, s.Reconnects-before.Reconnects)
	}
}
