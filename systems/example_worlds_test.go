package systems_test

import (
	"fmt"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems"
)

// Somebody steps from the ground onto a ferry that is under way. Reparent keeps his place in the world, in both samples, so that nothing is seen of it.
func ExampleHierarchy_Reparent() {
	hierarchy := systems.Hierarchy3D()
	engine := mustEngine(10, systems.Interpolation3D(), hierarchy)
	bodies := generic.NewMap2[components.Transform3D, components.Visual3D](engine.World())
	put := func(x float32) arche.Entity {
		l := components.NewLogical(components.At3D(x, 0, 0))
		return bodies.NewWith(&l, &components.Visual3D{})
	}
	ferry, passenger := put(0), put(4)

	engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
		l, _ := bodies.Get(ferry)
		pose := l.Get()
		pose.Position[0]++ // 10 units a second
		l.Set(pose)
		if engine.Time().Tick == 2 {
			if err := hierarchy.Reparent(passenger, ferry); err != nil {
				fmt.Println(err)
			}
			fmt.Println(hierarchy.Reparent(ferry, passenger))
		}
	}))
	for range 8 {
		engine.Update(50 * time.Millisecond)
		l, _ := bodies.Get(passenger)
		fmt.Printf("%v: drawn at %.1f in the world, logically at %v in his parent's frame\n",
			engine.Time().Normal, hierarchy.VisualWorld(passenger).At(0, 3), l.Get().Position[0])
	}
	// Output:
	// 50ms: drawn at 4.0 in the world, logically at 4 in his parent's frame
	// 100ms: drawn at 4.0 in the world, logically at 4 in his parent's frame
	// 150ms: drawn at 4.0 in the world, logically at 4 in his parent's frame
	// systems: cannot make {2 0} the parent of {1 0}: an entity cannot become its own ancestor
	// 200ms: drawn at 4.0 in the world, logically at 1 in his parent's frame
	// 250ms: drawn at 4.0 in the world, logically at 1 in his parent's frame
	// 300ms: drawn at 4.0 in the world, logically at 1 in his parent's frame
	// 350ms: drawn at 4.5 in the world, logically at 1 in his parent's frame
	// 400ms: drawn at 5.0 in the world, logically at 1 in his parent's frame
}

// Who is not to be interpolated, such as what clicks from place to place, carries a marker. It shows the newest step's end.
func ExampleInterpolator() {
	interpolator := systems.Interpolation3D()
	engine := mustEngine(10, interpolator)
	bodies := generic.NewMap2[components.Transform3D, components.Visual3D](engine.World())
	markers := generic.NewMap1[components.NoInterpolation](engine.World())
	var both []arche.Entity
	for range 2 {
		l := components.NewLogical(components.Identity3D())
		both = append(both, bodies.NewWith(&l, &components.Visual3D{}))
	}
	markers.Assign(both[1], &components.NoInterpolation{})

	engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
		for _, e := range both {
			l, _ := bodies.Get(e)
			l.Set(components.At3D(float32(engine.Time().Tick+1), 0, 0))
		}
	}))
	show := func() {
		_, smooth := bodies.Get(both[0])
		_, stepped := bodies.Get(both[1])
		prev, cur, from, to, _ := interpolator.Samples(both[0])
		fmt.Printf("%v: %.2f and %.0f, between %.0f at %v and %.0f at %v\n", engine.Time().Normal, smooth.Get().Position[0], stepped.Get().Position[0],
			prev.Position[0], from, cur.Position[0], to)
	}
	for range 3 {
		engine.Update(75 * time.Millisecond)
		show()
	}
	interpolator.SetEnabled(false) // everybody is drawn so, until it is on again
	engine.Update(0)
	show()
	// Output:
	// 75ms: 0.75 and 1, between 0 at 0s and 1 at 100ms
	// 150ms: 1.50 and 2, between 1 at 100ms and 2 at 200ms
	// 225ms: 2.25 and 3, between 2 at 200ms and 3 at 300ms
	// 225ms: 3.00 and 3, between 2 at 200ms and 3 at 300ms
}

// A tank with a turret with a gun: each pose is local to its parent, and a renderer gets those of the world.
func ExampleHierarchy_EachVisualWorld() {
	hierarchy := systems.Hierarchy3D()
	engine := mustEngine(10, systems.Interpolation3D(), hierarchy)
	bodies := generic.NewMap2[components.Transform3D, components.Visual3D](engine.World())
	parents := generic.NewMap1[components.Parent](engine.World())
	names := map[arche.Entity]string{}
	put := func(name string, pose components.Pose3D, parent arche.Entity) arche.Entity {
		l := components.NewLogical(pose)
		e := bodies.NewWith(&l, &components.Visual3D{})
		if !parent.IsZero() {
			parents.Assign(e, &components.Parent{Entity: parent})
		}
		names[e] = name
		return e
	}
	quarter := components.Identity3D()
	quarter.Rotation = mgl32.QuatRotate(mgl32.DegToRad(90), mgl32.Vec3{0, 1, 0})
	tank := put("tank", quarter, arche.Entity{})
	turret := put("turret", components.At3D(0, 2, 0), tank)
	put("gun", components.At3D(0, 0, -1), turret)

	engine.Update(time.Second / 60)
	hierarchy.EachVisualWorld(func(e arche.Entity, world *mgl32.Mat4) { // a renderer draws them there, parents come first
		p := world.Col(3).Vec3()
		fmt.Printf("%s at x %.0f, y %.0f\n", names[e], p[0], p[1])
	})
	// Output:
	// tank at x 0, y 0
	// turret at x 0, y 2
	// gun at x -1, y 2
}
