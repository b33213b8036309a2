package ecs_test

import (
	"slices"
	"strings"
	"testing"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/hierarchy"
	"github.com/tandem-ecs/tandem/systems/interpolation"
	"github.com/tandem-ecs/tandem/systems/motion"
)

// spawnAll makes one entity that needs each of the plugins, in space and in the plane, and its
// child.
func spawnAll(w *arche.World) {
	space := generic.NewMap4[components.Parent, components.Velocity3D, components.Visual3D, components.Transform3D](w)
	plane := generic.NewMap4[components.Transform2D, components.Visual2D, components.Velocity2D, components.Parent](w)
	root, flat := space.New(), plane.New()
	for range 2 {
		p, _, _, _ := space.Get(space.New())
		p.Entity = root
	}
	_, _, _, p := plane.Get(plane.New())
	p.Entity = flat
}

// A good world has no mistakes. Without one of its plugins it has a sentence with the remedy.
func TestCheckNamesMissingPlugins(t *testing.T) {
	plugins := map[string]struct {
		make func() ecs.Plugin
		want string
	}{
		"interpolation.New3D": {func() ecs.Plugin { return interpolation.New3D() }, "3 entities have a Logical and a Visual of components.Pose3D"},
		"interpolation.New2D": {func() ecs.Plugin { return interpolation.New2D() }, "2 entities have a Logical and a Visual of components.Pose2D"},
		"motion.New3D":        {motion.New3D, "3 entities have a Velocity3D and a Transform3D"},
		"motion.New2D":        {motion.New2D, "2 entities have a Velocity2D and a Transform2D"},
		"hierarchy.New3D":     {func() ecs.Plugin { return hierarchy.New3D() }, "2 entities have a Parent and a Visual3D"},
		"hierarchy.New2D":     {func() ecs.Plugin { return hierarchy.New2D() }, "1 entity has a Parent and a Visual2D"},
	}
	missing := func(without string) []string {
		e := newEngine(t, ecs.Config{})
		defer e.Close()
		for name, p := range plugins {
			if name != without {
				e.Install(p.make())
			}
		}
		spawnAll(e.World())
		before := ecs.Check(e.World())
		e.Update(0)
		if after := ecs.Check(e.World()); !slices.Equal(before, after) {
			t.Errorf("without %s: %q, and after a frame %q", without, before, after)
		}
		return before
	}
	if got := missing(""); len(got) != 0 {
		t.Errorf("a good world: %q", got)
	}
	for name, p := range plugins {
		got := missing(name)
		if len(got) != 1 || !strings.Contains(got[0], p.want) || !strings.HasSuffix(got[0], "install "+name+" on the engine") {
			t.Errorf("without %s: %q", name, got)
		}
	}
}

// Without any plugin all sentences come, always in the same order. A closed engine's plugins do not
// count, nor does the wrong one of two.
func TestCheckIsComplete(t *testing.T) {
	check := func(plugins ...ecs.Plugin) []string {
		e := newEngine(t, ecs.Config{})
		e.Install(plugins...)
		spawnAll(e.World())
		e.Update(0)
		if len(plugins) > 0 {
			e.Close()
		}
		return ecs.Check(e.World())
	}
	want := check()
	if len(want) != 6 || !slices.IsSorted(want) {
		t.Errorf("%q", want)
	}
	all := []ecs.Plugin{hierarchy.New2D(), motion.New2D(), interpolation.New3D(), motion.New3D(), interpolation.New2D(), hierarchy.New3D()}
	if got := check(all...); !slices.Equal(got, want) {
		t.Errorf("after the engine was closed: %q", got)
	}
}

// Entities that need no plugin are no mistakes: a server's without Visuals, velocities and parents
// that are never drawn, and parents that name no entity.
func TestCheckAcceptsAServersWorld(t *testing.T) {
	e := newEngine(t, ecs.Config{})
	w := e.World()
	if got := ecs.Check(w); len(got) != 0 {
		t.Errorf("an empty world: %q", got)
	}
	bodies := generic.NewMap2[components.Transform3D, components.Parent](w)
	root := bodies.New()
	_, p := bodies.Get(bodies.New())
	p.Entity = root
	winds := generic.NewMap1[components.Velocity3D](w)
	winds.New()
	shown := generic.NewMap2[components.Visual3D, components.Parent](w)
	shown.New()
	if got := ecs.Check(w); len(got) != 0 {
		t.Errorf("%q", got)
	}
}

// fuel is a component of a game that takes part.
type fuel struct{ Litres float32 }

func (*fuel) Check(w *arche.World) []string {
	return []string{"b: install the pump", "a: install the pipe"}
}

func TestCheckAsksTheGamesComponents(t *testing.T) {
	e := newEngine(t, ecs.Config{})
	tanks := generic.NewMap2[fuel, needy](e.World())
	tanks.New()
	want := []string{"a: install the pipe", "b: install the pump", "install the plugin of needy components"}
	if got := ecs.Check(e.World()); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
