package hierarchy_test

import (
	"fmt"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	. "github.com/tandem-ecs/tandem/internal/coretest"
	"github.com/tandem-ecs/tandem/systems/hierarchy"
	"github.com/tandem-ecs/tandem/systems/interpolation"
)

// A passenger steps from the ground onto a moving ferry. Reparent keeps the passenger's place in
// the world, in both samples, so the picture does not change.
func ExampleHierarchy_Reparent() {
	hierarchy := hierarchy.New3D()
	engine := MustEngine(10, interpolation.New3D(), hierarchy)
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
		fmt.Printf("%v: drawn at %.1f in the world, logically at %v in its parent's frame\n",
			engine.Time().Normal, hierarchy.VisualWorld(passenger).At(0, 3), l.Get().Position[0])
	}
	// Output:
	// 50ms: drawn at 4.0 in the world, logically at 4 in its parent's frame
	// 100ms: drawn at 4.0 in the world, logically at 4 in its parent's frame
	// 150ms: drawn at 4.0 in the world, logically at 4 in its parent's frame
	// hierarchy: cannot make {2 0} the parent of {1 0}: an entity cannot become its own ancestor
	// 200ms: drawn at 4.0 in the world, logically at 1 in its parent's frame
	// 250ms: drawn at 4.0 in the world, logically at 1 in its parent's frame
	// 300ms: drawn at 4.0 in the world, logically at 1 in its parent's frame
	// 350ms: drawn at 4.5 in the world, logically at 1 in its parent's frame
	// 400ms: drawn at 5.0 in the world, logically at 1 in its parent's frame
}

// A tank with a turret with a gun: each pose is local to its parent, and a renderer gets those of
// the world.
func ExampleHierarchy_EachVisualWorld() {
	hierarchy := hierarchy.New3D()
	engine := MustEngine(10, interpolation.New3D(), hierarchy)
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
	hierarchy.EachVisualWorld(func(e arche.Entity, world *mgl32.Mat4) {
		// a renderer draws them there, parents come first
		p := world.Col(3).Vec3()
		fmt.Printf("%s at x %.0f, y %.0f\n", names[e], p[0], p[1])
	})
	// Output:
	// tank at x 0, y 0
	// turret at x 0, y 2
	// gun at x -1, y 2
}

// A child on a turning parent, and what becomes of it.
func Example_hierarchy() {
	hierarchy := hierarchy.New3D()
	engine := MustEngine(10, interpolation.New3D(), hierarchy)
	world := engine.World()
	bodies := generic.NewMap2[components.Transform3D, components.Visual3D](world)
	parents := generic.NewMap1[components.Parent](world)
	start := components.NewLogical(components.Identity3D())
	carousel := bodies.NewWith(&start, &components.Visual3D{})
	seat := components.NewLogical(components.At3D(2, 0, 0))
	horse := bodies.NewWith(&seat, &components.Visual3D{})
	parents.Assign(horse, &components.Parent{Entity: carousel})

	engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
		if engine.Time().Tick == 0 {
			logical, _ := bodies.Get(carousel)
			pose := logical.Get()
			pose.Rotation = mgl32.QuatRotate(mgl32.DegToRad(90), mgl32.Vec3{0, 1, 0})
			logical.Set(pose)
		}
	}))
	show := func() {
		p := hierarchy.VisualWorld(horse).Col(3).Vec3()
		fmt.Printf("%v: %.3f, %.3f from the middle\n", engine.Time().Normal, p, p.Len())
	}
	engine.Update(50 * time.Millisecond)
	show()
	engine.Update(50 * time.Millisecond)
	show()
	if err := hierarchy.Reparent(horse, arche.Entity{}); err != nil { // stays where it is
		fmt.Println(err)
	}
	show()
	// A parent takes its children with it.
	if err := hierarchy.Reparent(horse, carousel); err != nil {
		fmt.Println(err)
	}
	fmt.Println(hierarchy.Reparent(carousel, horse) != nil)
	world.RemoveEntity(carousel)
	engine.Update(0)
	fmt.Println(world.Alive(horse))
	// Output:
	// 50ms: [1.414 0.000 -1.414], 2.000 from the middle
	// 100ms: [0.000 0.000 -2.000], 2.000 from the middle
	// 100ms: [0.000 0.000 -2.000], 2.000 from the middle
	// true
	// false
}
