package hierarchy_test

import (
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	. "github.com/tandem-ecs/tandem/internal/coretest"
	"github.com/tandem-ecs/tandem/systems/hierarchy"
	"github.com/tandem-ecs/tandem/systems/interpolation"
	"github.com/tandem-ecs/tandem/systems/motion"
)

type labelled struct {
	X    float32
	Text string
}

// A frame is the same in every order of installing plugins and adding the game's own systems.
func TestPluginsInAnyOrder(t *testing.T) {
	var reference []mgl32.Mat4
	for _, order := range permutations(4) {
		e, err := ecs.New(ecs.Config{FixedRate: 10})
		if err != nil {
			t.Fatal(err)
		}
		w := e.World()
		h := hierarchy.New3D()
		logicals := generic.NewMap1[components.Transform3D](w)
		var child, parent arche.Entity
		var got []mgl32.Mat4
		game := func() {
			// The last of the user's systems writes, and the first one of the frame looks.
			e.Add(ecs.FixedEnd, ecs.SystemFunc(func(*arche.World) {
				p := At(0, float64(e.Time().Tick), 0)
				logicals.Get(child).Set(p)
			}))
			e.Add(ecs.VisualSync, ecs.SystemFunc(func(*arche.World) { got = append(got, h.VisualWorld(child)) }))
		}
		plugins := []func(){
			func() { e.Install(interpolation.New3D()) }, func() { e.Install(h) }, func() { e.Install(motion.New3D()) }, game,
		}
		for _, k := range order {
			plugins[k]()
		}
		m := generic.NewMap2[components.Transform3D, components.Visual3D](w)
		l := components.NewLogical(components.Identity3D())
		parent = m.NewWith(&l, &components.Visual3D{})
		child = m.NewWith(&l, &components.Visual3D{})
		velocities, parents := generic.NewMap1[components.Velocity3D](w), generic.NewMap1[components.Parent](w)
		velocities.Assign(parent, &components.Velocity3D{Linear: mgl32.Vec3{1, 0, 0}, Angular: mgl32.Vec3{0, 1, 0}})
		parents.Assign(child, &components.Parent{Entity: parent})
		for range 50 {
			e.Update(17 * time.Millisecond)
		}
		if reference == nil {
			reference = got
		}
		for k := range reference {
			if got[k] != reference[k] {
				t.Fatalf("order %v: frame %d differs", order, k)
			}
		}
	}
}

func TestPluginsAreInstalledOnce(t *testing.T) {
	e, err := ecs.New(ecs.Config{})
	if err != nil {
		t.Fatal(err)
	}
	ip, h := interpolation.New3D(), hierarchy.New3D()
	MustSay(t, "Shift", func() { ip.Shift(func(p components.Pose3D) components.Pose3D { return p }) }, "Install")
	MustSay(t, "Samples", func() { ip.Samples(arche.Entity{}) }, "Install")
	MustSay(t, "Fraction", func() { ip.Fraction() }, "Install")
	MustSay(t, "LogicalWorld", func() { h.LogicalWorld(arche.Entity{}) }, "Install")
	MustSay(t, "VisualWorld", func() { h.VisualWorld(arche.Entity{}) }, "Install")
	MustSay(t, "Reparent", func() { _ = h.Reparent(arche.Entity{}, arche.Entity{}) }, "Install")
	e.Install(ip, h, interpolation.New2D())
	MustSay(t, "a second interpolator of one type", func() { e.Install(interpolation.New3D()) }, "already installed")
	MustSay(t, "a second hierarchy", func() { e.Install(hierarchy.New3D()) }, "already installed")
	other, err := ecs.New(ecs.Config{})
	if err != nil {
		t.Fatal(err)
	}
	MustSay(t, "an interpolator for two engines", func() { other.Install(ip) }, "one per engine")
	MustSay(t, "a hierarchy for two engines", func() { other.Install(h) }, "one per engine")
	MustSay(t, "no blend", func() { interpolation.New[float64](nil) }, "blend")
	MustSay(t, "a pointer", func() {
		interpolation.New(func(a, _ labelled, _ float32) labelled { return a })
	}, "holds a pointer (Text string)", "an index or an array of fixed size")
	MustSay(t, "no size", func() { interpolation.New(func(a, _ struct{}, _ float32) struct{} { return a }) }, "no size")
	MustSay(t, "half a difference", func() {
		ip := interpolation.New2D()
		ip.Offset.Add = nil
		other.Install(ip)
	}, "Sub, Add and Scale")
	MustSay(t, "no half-life", func() {
		ip := interpolation.NewLinear[float32]()
		ip.HalfLife = -1
		other.Install(ip)
	}, "positive")
	dead := e.World().NewEntity()
	e.World().RemoveEntity(dead)
	MustSay(t, "no way to shift", func() { ip.Shift(nil) }, "pass one")
	MustSay(t, "the dead", func() { h.VisualWorld(dead) }, "dead")
	if _, ok := ip.Samples(dead); ok {
		t.Error("the dead have samples")
	}
	e.Update(0)
	e.Close()
	MustSay(t, "after Close", func() { ip.Fraction() }, "any more")
}

// An engine that was closed before it ran leaves nothing in the way of the next one.
func TestClosedBeforeTheFirstUpdate(t *testing.T) {
	s := NewStage(t, 10, hierarchy.New3D())
	e := s.Spawn(At(1, 0, 0))
	s.Close()
	next := NewStageWith(t, ecs.Config{World: s.W}, hierarchy.New3D())
	next.Update(0)
	next.Near("drawn", next.X(e), 1, 0)
}

// permutations returns every order of the numbers from 0 to n-1.
func permutations(n int) (all [][]int) {
	if n == 0 {
		return [][]int{nil}
	}
	for _, p := range permutations(n - 1) {
		for k := 0; k <= len(p); k++ {
			q := append(append(append([]int(nil), p[:k]...), n-1), p[k:]...)
			all = append(all, q)
		}
	}
	return all
}
