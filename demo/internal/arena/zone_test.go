package arena

import (
	"math/rand/v2"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/systems/netcode"
)

// apart reports whether two things are too far from each other along one axis of the floor to
// touch.
func apart(a, b *mgl32.Vec3, reach float32) bool {
	x, z := b[0]-a[0], b[2]-a[2]
	return x >= reach || x <= -reach || z >= reach || z <= -reach
}

// Zones of touching bodies meet, and zones of distant bodies do not: a strip is 1.25 m wide.
func TestZones(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		anywhere := func() float32 { return (random.Float32()*2 - 1) * (Half + 3) }
		for range 200 {
			a := mgl32.Vec3{anywhere(), 0, anywhere()}
			b := a.Add(mgl32.Vec3{random.Float32()*12 - 6, 0, random.Float32()*12 - 6})
			meets := zoneOf(&a, Radius).meets(zoneOf(&b, CrateRadius))
			if !apart(&a, &b, Radius+CrateRadius) && !meets {
				t.Fatalf("%v and %v touch, and do not meet", a, b)
			}
			const wide = Radius + CrateRadius + 2*1.25 + 0.01
			inside := max(abs(a[0]), abs(a[2]), abs(b[0]), abs(b[2])) < Half
			if apart(&a, &b, wide) && inside && meets {
				t.Fatalf("%v and %v meet", a, b)
			}
		}
	})
}

// The most crates and players that a server takes are stepped without allocations.
func TestCratesAreSteppedWithoutAllocations(t *testing.T) {
	g := netcode.BodyGroup[State, Input, Crate]{Bodies: make([]netcode.Body[Crate], 900), Players: make([]netcode.Actor[State, Input], 512)}
	for i := range g.Players {
		g.Players[i].State = new(State)
	}
	r := rules()
	if n := testing.AllocsPerRun(2, func() { r.StepCrates(&g, 0) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Two crates among many are stepped like two alone.
func TestManyCrates(t *testing.T) {
	r := rules()
	step := func(n int) []netcode.Body[Crate] {
		g := netcode.BodyGroup[State, Input, Crate]{Bodies: make([]netcode.Body[Crate], n)}
		for i := range g.Bodies {
			g.Bodies[i].State = CrateAt(-15, 13, 0) // at rest, far from the last two
			g.Bodies[i].State.Awake = false
		}
		g.Bodies[n-2].State, g.Bodies[n-1].State = CrateAt(0, 15, 0), CrateAt(0.5, 15, 0)
		for range 30 {
			r.StepCrates(&g, 0)
		}
		return g.Bodies[n-2:]
	}
	few, many := step(2), step(1025)
	if few[0].State.Pos != many[0].State.Pos || few[1].State.Pos != many[1].State.Pos {
		t.Errorf("two of many end at %v and %v, alone at %v and %v", many[0].State.Pos, many[1].State.Pos, few[0].State.Pos, few[1].State.Pos)
	}
	if d := many[1].State.Pos.Sub(many[0].State.Pos).Len(); d < 2*CrateRadius-1e-3 {
		t.Errorf("they are still within each other, %v m apart", d)
	}
}
