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

func mustEngine(rate int, plugins ...ecs.Plugin) *ecs.Engine {
	engine, err := ecs.New(ecs.Config{FixedRate: rate})
	if err != nil {
		panic(err)
	}
	engine.Install(plugins...)
	return engine
}

// How a write reaches the screen depends on the method.
func ExampleInterpolation3D() {
	engine := mustEngine(10, systems.Interpolation3D())
	bodies := generic.NewMap2[components.Transform3D, components.Visual3D](engine.World())
	body := bodies.New()
	logical, _ := bodies.Get(body)
	*logical = components.NewLogical(components.Identity3D())

	engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
		logical, _ := bodies.Get(body)
		switch engine.Time().Tick {
		case 0:
			logical.Set(components.At3D(1, 0, 0)) // moves there in this step
		case 1:
			logical.Teleport(components.At3D(50, 0, 0)) // is there from this step's start
		case 2:
			logical.SetOver(components.At3D(52, 0, 0), 200*time.Millisecond) // arrives two steps after this one's start
		}
	}))
	for range 9 {
		engine.Update(50 * time.Millisecond)
		_, visual := bodies.Get(body)
		fmt.Println(engine.Time().Normal, visual.Get().Position[0])
	}
	// Output:
	// 50ms 0.5
	// 100ms 50
	// 150ms 50
	// 200ms 50
	// 250ms 50.5
	// 300ms 51
	// 350ms 51.5
	// 400ms 52
	// 450ms 52
}

type rgb struct{ R, G, B float32 }

// Any type without pointers can be interpolated: here a traffic light's colour.
func ExampleInterpolation() {
	mix := func(from, to rgb, t float32) rgb {
		return rgb{from.R + (to.R-from.R)*t, from.G + (to.G-from.G)*t, from.B + (to.B-from.B)*t}
	}
	engine := mustEngine(4, systems.Interpolation(mix))
	lights := generic.NewMap2[components.Logical[rgb], components.Visual[rgb]](engine.World())
	green := components.NewLogical(rgb{G: 1})
	light := lights.NewWith(&green, &components.Visual[rgb]{})

	engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
		if engine.Time().Tick == 1 {
			logical, _ := lights.Get(light)
			logical.Set(rgb{R: 1})
		}
	}))
	for range 5 {
		engine.Update(125 * time.Millisecond)
		_, visual := lights.Get(light)
		fmt.Println(engine.Time().Normal, visual.Get())
	}
	// Output:
	// 125ms {0 1 0}
	// 250ms {0 1 0}
	// 375ms {0.5 0.5 0}
	// 500ms {1 0 0}
	// 625ms {1 0 0}
}

// Vectors that are blended linearly need no function: here a camera's offset from its target.
func ExampleInterpolationLinear() {
	engine := mustEngine(10, systems.InterpolationLinear[mgl32.Vec3]())
	offsets := generic.NewMap2[components.Logical[mgl32.Vec3], components.Visual[mgl32.Vec3]](engine.World())
	start := components.NewLogical(mgl32.Vec3{0, 2, -8})
	camera := offsets.NewWith(&start, &components.Visual[mgl32.Vec3]{})

	engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
		if engine.Time().Tick == 0 {
			logical, _ := offsets.Get(camera)
			logical.Set(mgl32.Vec3{0, 3, -4})
		}
	}))
	for range 3 {
		engine.Update(50 * time.Millisecond)
		_, visual := offsets.Get(camera)
		fmt.Println(engine.Time().Normal, visual.Get())
	}
	// Output:
	// 50ms [0 2.5 -6]
	// 100ms [0 3 -4]
	// 150ms [0 3 -4]
}

// tail is a chain of joints, each turned against the one before it, in radians.
type tail [6]float32

// Large values, and all that hold arrays, are blended fastest in batches. A loop over pointers copies none of them.
func ExampleInterpolationBatch() {
	interpolation := systems.InterpolationBatch(func(dst, from, to []tail, t float32) {
		for k := range dst {
			a, b := &from[k], &to[k]
			for joint := range a {
				dst[k][joint] = a[joint] + t*components.AngleBetween(a[joint], b[joint])
			}
		}
	})
	engine := mustEngine(10, interpolation)
	tails := generic.NewMap2[components.Logical[tail], components.Visual[tail]](engine.World())
	start := components.NewLogical(tail{0, 0.5, 3})
	dog := tails.NewWith(&start, &components.Visual[tail]{})

	engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
		if engine.Time().Tick == 0 {
			logical, _ := tails.Get(dog)
			logical.Set(tail{1, 0.5, -3}) // the third joint turns on by 0.28, not back by 6
		}
	}))
	for range 3 {
		engine.Update(25 * time.Millisecond)
		_, visual := tails.Get(dog)
		fmt.Printf("%v %.2f\n", engine.Time().Normal, visual.Get())
	}
	// Output:
	// 25ms [0.25 0.50 3.07 0.00 0.00 0.00]
	// 50ms [0.50 0.50 3.14 0.00 0.00 0.00]
	// 75ms [0.75 0.50 3.21 0.00 0.00 0.00]
}

// A large world keeps its origin near the player: everything is moved back, and nothing is seen of it.
func ExampleInterpolator_Shift() {
	interpolation := systems.Interpolation3D()
	engine := mustEngine(10, interpolation)
	bodies := generic.NewMap2[components.Transform3D, components.Visual3D](engine.World())
	start := components.NewLogical(components.At3D(998, 0, 0))
	player := bodies.NewWith(&start, &components.Visual3D{})
	origin := float32(0)

	engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
		logical, _ := bodies.Get(player)
		pose := logical.Get()
		pose.Position[0]++
		logical.Set(pose)
		if pose.Position[0] >= 1000 {
			origin += 1000
			interpolation.Shift(func(p components.Pose3D) components.Pose3D {
				p.Position[0] -= 1000
				return p
			})
		}
	}))
	for range 5 {
		engine.Update(50 * time.Millisecond)
		_, visual := bodies.Get(player)
		x := visual.Get().Position[0]
		fmt.Printf("%v: %v from the origin, %v in all\n", engine.Time().Normal, x, origin+x)
	}
	// Output:
	// 50ms: 998.5 from the origin, 998.5 in all
	// 100ms: -1 from the origin, 999 in all
	// 150ms: -0.5 from the origin, 999.5 in all
	// 200ms: 0 from the origin, 1000 in all
	// 250ms: 0.5 from the origin, 1000.5 in all
}

// A child on a turning parent, and what becomes of it.
func ExampleHierarchy3D() {
	hierarchy := systems.Hierarchy3D()
	engine := mustEngine(10, systems.Interpolation3D(), hierarchy)
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

// A prediction is mended: the simulation is right at once, the picture gets there without a jolt.
func ExampleInterpolator_WithHalfLife() {
	engine := mustEngine(10, systems.Interpolation3D().WithHalfLife(100*time.Millisecond))
	bodies := generic.NewMap2[components.Transform3D, components.Visual3D](engine.World())
	start := components.NewLogical(components.Identity3D())
	body := bodies.NewWith(&start, &components.Visual3D{})

	engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
		if engine.Time().Tick == 1 {
			logical, _ := bodies.Get(body)
			logical.Correct(components.At3D(8, 0, 0))
		}
	}))
	for range 5 {
		engine.Update(100 * time.Millisecond)
		logical, visual := bodies.Get(body)
		fmt.Println(engine.Time().Normal, logical.Get().Position[0], visual.Get().Position[0])
	}
	// Output:
	// 100ms 8 0
	// 200ms 8 4
	// 300ms 8 6
	// 400ms 8 7
	// 500ms 8 7.5
}

// Velocities need no system of one's own.
func ExampleMotion3D() {
	engine := mustEngine(10, systems.Interpolation3D(), systems.Motion3D())
	bodies := generic.NewMap3[components.Transform3D, components.Visual3D, components.Velocity3D](engine.World())
	start := components.NewLogical(components.Identity3D())
	body := bodies.NewWith(&start, &components.Visual3D{}, &components.Velocity3D{Linear: mgl32.Vec3{5, 0, 0}})
	for range 3 {
		engine.Update(50 * time.Millisecond)
		_, visual, _ := bodies.Get(body)
		fmt.Println(engine.Time().Normal, visual.Get().Position[0])
	}
	// Output:
	// 50ms 0.25
	// 100ms 0.5
	// 150ms 0.75
}
