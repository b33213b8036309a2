package interpolation_test

import (
	"fmt"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	. "github.com/tandem-ecs/tandem/internal/coretest"
	"github.com/tandem-ecs/tandem/systems/interpolation"
)

// How a write reaches the screen depends on the method.
func Example_poses() {
	engine := MustEngine(10, interpolation.New3D())
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
			// arrives two steps after this one's start
			logical.SetOver(components.At3D(52, 0, 0), 200*time.Millisecond)
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
func Example_values() {
	mix := func(from, to rgb, t float32) rgb {
		return rgb{from.R + (to.R-from.R)*t, from.G + (to.G-from.G)*t, from.B + (to.B-from.B)*t}
	}
	engine := MustEngine(4, interpolation.New(mix))
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
func Example_linear() {
	engine := MustEngine(10, interpolation.NewLinear[mgl32.Vec3]())
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

// Large values, and all that hold arrays, are blended fastest in batches. A loop over pointers
// copies none of them.
func Example_batch() {
	interpolation := interpolation.NewBatch(func(dst, from, to []tail, t float32) {
		for k := range dst {
			a, b := &from[k], &to[k]
			for joint := range a {
				dst[k][joint] = a[joint] + t*components.AngleBetween(a[joint], b[joint])
			}
		}
	})
	engine := MustEngine(10, interpolation)
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

// A large world keeps its origin near the player: everything is moved back, and nothing is seen of
// it.
func ExampleInterpolator_Shift() {
	interpolation := interpolation.New3D()
	engine := MustEngine(10, interpolation)
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

// A prediction is mended: the simulation is right at once, the picture gets there without a jolt.
func Example_correction() {
	poses := interpolation.New3D()
	poses.HalfLife = 100 * time.Millisecond
	engine := MustEngine(10, poses)
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

// An entity that is not to be interpolated, such as one that clicks from place to place, carries a
// marker. It shows the newest step's end.
func ExampleInterpolator() {
	interpolator := interpolation.New3D()
	engine := MustEngine(10, interpolator)
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
		s, _ := interpolator.Samples(both[0])
		fmt.Printf("%v: %.2f and %.0f, between %.0f at %v and %.0f at %v\n", engine.Time().Normal, smooth.Get().Position[0], stepped.Get().Position[0],
			s.From.Position[0], s.Start, s.To.Position[0], s.End)
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
