package components_test

import (
	"fmt"
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/interpolation"
)

// A value that a fixed step writes is read back at once. The method of the write decides how it
// reaches the screen. Every write changes the revision.
func ExampleLogical() {
	door := components.NewLogical(components.At3D(0, 0, 0))
	before := door.Revision()
	door.Set(components.At3D(0, 2, 0)) // slides open
	fmt.Println(door.Get().Position, door.Revision() != before)
	door.Teleport(components.At3D(50, 2, 0)) // is elsewhere
	fmt.Println(door.Get().Position)
	// Output:
	// [0 2 0] true
	// [50 2 0]
}

// A Logical holds any value: here a colour's brightness, which a interpolation.New of float32 would
// carry to the screen.
func ExampleNewLogical() {
	brightness := components.NewLogical(float32(0.25))
	brightness.Set(1)
	fmt.Println(brightness.Get())
	// Output: 1
}

// A rocket at 30 m/s is fired in a fixed step of 50 ms, and meets a wall 4 m away in a later one.
// The picture shows it on its way in each frame, up to the wall, and not longer.
func ExampleInMotion() {
	const perStep, wall = 1.5, 4 // metres
	engine, err := ecs.New(ecs.Config{FixedRate: 20})
	if err != nil {
		panic(err)
	}
	defer engine.Close()
	engine.Install(interpolation.New3D())
	world := engine.World()
	rockets := generic.NewMap2[components.Transform3D, components.Visual3D](world)
	var rocket arche.Entity
	engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
		if rocket.IsZero() { // at the muzzle when this step begins
			logical, visual := components.InMotion(components.At3D(0, 0, 0), components.At3D(perStep, 0, 0))
			rocket = rockets.NewWith(&logical, &visual)
			return
		}
		if !world.Alive(rocket) {
			return
		}
		logical, _ := rockets.Get(rocket)
		x := logical.Get().Position[0]
		if way := wall - x; way > perStep {
			logical.Set(components.At3D(x+perStep, 0, 0))
		} else { // in the step of the hit
			left := time.Duration(way / perStep * float32(50*time.Millisecond))
			logical.SetOver(components.At3D(wall, 0, 0), left)
			engine.Commands().DespawnAfter(rocket, left)
		}
	}))
	for range 8 {
		if engine.Update(20 * time.Millisecond); world.Alive(rocket) {
			_, visual := rockets.Get(rocket)
			fmt.Printf("%v: x = %.1f\n", engine.Time().Normal, visual.Get().Position[0])
		} else {
			fmt.Printf("%v: gone\n", engine.Time().Normal)
		}
	}
	// Output:
	// 20ms: x = 0.6
	// 40ms: x = 1.2
	// 60ms: x = 1.8
	// 80ms: x = 2.4
	// 100ms: x = 3.0
	// 120ms: x = 3.6
	// 140ms: gone
	// 160ms: gone
}

// A gun on a tank: its pose in the world is the tank's times its own.
func ExamplePose3D_Mul() {
	tank := components.At3D(10, 0, 0)
	tank.Rotation = mgl32.QuatRotate(math.Pi/2, mgl32.Vec3{0, 1, 0}) // to the left, seen from above
	gun := components.At3D(0, 2, -3)                                 // above, and ahead along -Z
	fmt.Printf("%.1f\n", tank.Mul(gun).Position)
	fmt.Printf("%.1f\n", tank.Apply(mgl32.Vec3{0, 2, -3}))
	// Output:
	// [7.0 2.0 -0.0]
	// [7.0 2.0 -0.0]
}

// A ship of a game in the plane goes to space for the netcode, and comes back as it was.
func ExamplePose2D_In3D() {
	ship := components.At2D(3, 4)
	ship.Rotation = math.Pi / 2
	sent := ship.In3D()
	fmt.Println(sent.Position)
	fmt.Println(sent.Flat() == ship)
	// Output:
	// [3 4 0]
	// true
}

// Half of the way between two poses: the position half of the way, the rotation half of the
// shortest arc.
func ExampleBlend3D() {
	from, to := components.At3D(0, 0, 0), components.At3D(4, 0, 0)
	to.Rotation = mgl32.QuatRotate(math.Pi/2, mgl32.Vec3{0, 1, 0})
	half := components.Blend3D(from, to, 0.5)
	angle := 2 * math.Acos(float64(half.Rotation.W)) * 180 / math.Pi
	fmt.Printf("%.1f, turned by %.0f degrees\n", half.Position, angle)
	// Output: [2.0 0.0 0.0], turned by 45 degrees
}

// Angles in the plane take the shorter way round, through 180 degrees here and not through 0.
func ExampleBlend2D() {
	from, to := components.Identity2D(), components.Identity2D()
	from.Rotation, to.Rotation = 170*math.Pi/180, -170*math.Pi/180
	fmt.Printf("%.0f degrees\n", components.Blend2D(from, to, 0.5).Rotation*180/math.Pi)
	// Output: 180 degrees
}

// A zero pose has no size: start from the identity.
func ExampleIdentity3D() {
	var zero components.Pose3D
	point := mgl32.Vec3{1, 2, 3}
	fmt.Println(zero.Normalize().Apply(point), components.Identity3D().Apply(point))
	// Output: [0 0 0] [1 2 3]
}

// An entity that exists only to be seen, such as a camera or a spark, has a Visual and no Logical:
// normal systems move it by the frame's own time.
func ExampleVisual() {
	spark := components.NewVisual(components.At3D(0, 1, 0))
	pose := spark.Get()
	pose.Position[1] += 0.25 // NormalUpdate: speed * Time.NormalDelta
	spark.Set(pose)
	fmt.Println(spark.Get().Position)
	// Output: [0 1.25 0]
}

// A source of twenty values a second in a world of sixty steps: the picture takes the 50 ms that
// the source takes, instead of moving for one step and standing for two.
func ExampleLogical_SetOver() {
	buoy := components.NewLogical(components.Identity3D())
	fixedUpdate := func(tick uint64) { // in a game, a system in FixedUpdate
		if tick%3 == 0 {
			buoy.SetOver(components.At3D(0, float32(tick)/60, 0), 50*time.Millisecond)
		}
	}
	for tick := range uint64(7) {
		fixedUpdate(tick)
	}
	fmt.Println(buoy.Get().Position) // what the simulation knows is there at once
	// Output: [0 0.1 0]
}
