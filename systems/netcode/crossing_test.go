package netcode_test

import (
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// A player that crosses a border fifty times is not corrected, and nothing that it sees leaps,
// appears twice or vanishes, also if the ways to the two servers differ. On a bad line it is
// corrected hardly more often than without a border.
func TestCrossingABorder(t *testing.T) {
	line := func(delay, jitter time.Duration, loss float64) linksim.Path {
		return linksim.Symmetric(linksim.Condition{Delay: delay * time.Millisecond, Jitter: jitter * time.Millisecond, Loss: loss})
	}
	for name, lines := range map[string][2]linksim.Path{
		"good":      {line(25, 5, 0), line(45, 8, 0)},
		"different": {line(5, 2, 0), line(100, 5, 0)},
		"bad":       {line(50, 10, 0.05), line(70, 15, 0.05)},
		"one bad":   {line(5, 2, 0), line(60, 10, 0.15)},
	} {
		t.Run(name, func(t *testing.T) {
			still := cross(t, lines, 0)
			moving := cross(t, lines, 50)
			bad := lines[1].Send.Loss > 0
			if !bad && (moving.corrections > 0 || moving.jumps > 2) || moving.corrections > 2*still.corrections+5 {
				t.Errorf("%d corrections, the largest of %g, and %d jumps of the clock; without a border %d", moving.corrections, moving.worst, moving.jumps, still.corrections)
			}
			if most := max(0.05, 2*still.leap); moving.leap > most {
				t.Errorf("a leap of %.3f m, of %s; want at most %.3f", moving.leap, moving.where, most)
			}
			t.Logf("50 crossings: %d corrections (largest %g), %d jumps of the clock, leaps at most %.4f m; without a border %d (%g), %.4f m",
				moving.corrections, moving.worst, moving.jumps, moving.leap, still.corrections, still.worst, still.leap)
		})
	}
}

// crossed is what a client has noticed of crossings.
type crossed struct {
	corrections uint64
	jumps       uint64 // of its clock
	worst       float64
	leap        float32
	where       string
}

// cross lets a client cross a border a number of times, or play as long without one.
func cross(t *testing.T, lines [2]linksim.Path, times int) (r crossed) {
	t.Helper()
	b := newBorder(t, true, "north", "south")
	b.paths["north"], b.paths["south"] = lines[0], lines[1]
	b.join("north", nil)
	b.input = func(t netcode.Tick) input { return input{X: int8(1 - 2*(t/90%2)), Z: int8(1 - 2*(t/70%2))} }
	b.run(10*time.Second, nil)
	b.mustPlay()
	l := b.leaps()
	before, last := b.client.Stats(), b.client.Stats()
	bodies, body, carrier := b.ids(), b.client.Entity(), b.carrier()
	if carrier.IsZero() {
		t.Fatal("the rider is on nothing")
	}
	each := func() {
		l.frame()
		s := b.client.Stats()
		if s.Corrections != last.Corrections {
			r.worst = max(r.worst, s.CorrectionError)
		}
		last = s
		if now := b.ids(); !maps.Equal(now, bodies) {
			t.Fatalf("at %v the client shows other entities: %d, of %d before", b.now, len(now), len(bodies))
		}
		if now := b.carrier(); now != carrier {
			t.Fatalf("at %v the rider is on %v, before on %v", b.now, now, carrier)
		}
		at := b.owner.server.Tick().Add(-gateTicks / 2)
		if got, want := b.gate.At(at), b.owner.gate.At(at); got != want {
			t.Fatalf("at %v the client's match state of tick %d is %d, want %d", b.now, at, got, want)
		}
	}
	for i := range times {
		at := []string{"south", "north"}[i%2]
		if !b.visit(at, 5*time.Second, each) {
			t.Fatalf("crossing %d: no visitor", i)
		}
		b.handOver(at, i%4, each)
		b.run(2500*time.Millisecond, each)
		b.mustPlay()
		if n := b.client.Stats().Moves; n != uint64(i+1) {
			t.Fatalf("crossing %d: %d moves", i, n)
		}
	}
	if times == 0 {
		b.run(150*time.Second, each)
	}
	after := b.client.Stats()
	r.jumps = after.Jumps - before.Jumps
	if after.Reconnects != before.Reconnects || after.Malformed != before.Malformed {
		t.Errorf("%d reconnects and %d malformed packets, want none", after.Reconnects-before.Reconnects, after.Malformed-before.Malformed)
	}
	if b.client.Entity() != body {
		t.Error("the own body is another entity")
	}
	r.corrections, r.leap, r.where = after.Corrections-before.Corrections, l.most, l.where
	return r
}

// leaps measures by how much entities of the client leave their straight ways from frame to frame.
type leaps struct {
	b     *border
	last  map[arche.Entity][2]mgl32.Vec3
	seen  map[arche.Entity]int
	most  float32
	where string
}

func (b *border) leaps() *leaps {
	return &leaps{b: b, last: map[arche.Entity][2]mgl32.Vec3{}, seen: map[arche.Entity]int{}}
}

func (l *leaps) frame() {
	w := l.b.engine.World()
	visuals := generic.NewMap[components.Visual3D](w)
	q := w.Query(arche.All(arche.ComponentID[components.Visual3D](w), arche.ComponentID[netcode.Replicated](w)))
	for q.Next() {
		e := q.Entity()
		at := visuals.Get(e).Get().Position
		before := l.last[e]
		if l.seen[e]++; l.seen[e] > 2 && e != l.b.client.Entity() {
			if leap := at.Sub(before[0]).Sub(before[0].Sub(before[1])).Len(); leap > l.most {
				l.most, l.where = leap, fmt.Sprintf("%v at %v", e, l.b.now)
			}
		}
		l.last[e] = [2]mgl32.Vec3{at, before[0]}
	}
}

// A player that comes to a server whose clock is a little behind waits there for its tick. Its
// client is not corrected: no state is taken for that of another tick.
func TestCrossingToABehindServer(t *testing.T) {
	b := newBorder(t, true, "north", "south")
	b.zones["north"].engine.Update(3 * time.Second / tickRate)
	b.join("north", nil)
	b.input = func(t netcode.Tick) input { return input{X: int8(1 - 2*(t/90%2))} }
	b.run(5*time.Second, nil)
	b.mustPlay()
	before := b.client.Stats()
	if !b.visit("south", 5*time.Second, nil) {
		t.Fatal("no visitor")
	}
	if ahead := b.owner.server.Tick().Sub(b.zones["south"].server.Tick()); ahead != 3 {
		t.Fatalf("south is %d ticks behind, want 3", ahead)
	}
	b.cutOff("north") // its last states are lost
	b.run(4*2*borderFrame, nil)
	b.handOver("south", 0, nil)
	b.run(3*time.Second, nil)
	b.mustPlay()
	after := b.client.Stats()
	if after.Moves != 1 || after.Corrections != before.Corrections {
		t.Errorf("%d moves and %d corrections (the last of %g), want 1 and 0", after.Moves, after.Corrections-before.Corrections, after.CorrectionError)
	}
}
