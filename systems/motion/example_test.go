package motion_test

import (
	"fmt"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	. "github.com/tandem-ecs/tandem/internal/coretest"
	"github.com/tandem-ecs/tandem/systems/interpolation"
	"github.com/tandem-ecs/tandem/systems/motion"
)

// Velocities need no system of one's own.
func Example_motion() {
	engine := MustEngine(10, interpolation.New3D(), motion.New3D())
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
