// systems runs arche-model's systems in Tandem's engine: they have the methods of its own. A
// reporter and a termination of arche-model observe a walker once per fixed step, and each frame
// draws the walker in between.
//
//	cd examples/09-arche-model && go run ./systems
package main

import (
	"fmt"
	"log"
	"time"

	"github.com/mlange-42/arche-model/reporter"
	"github.com/mlange-42/arche-model/resource"
	"github.com/mlange-42/arche-model/system"
	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/interpolation"
)

// walk is a system in the form of arche-model. It writes a pose, instead of a component of
// its own.
type walk struct {
	walkers *generic.Filter1[components.Transform2D]
}

func (s *walk) Initialize(*arche.World) {
	s.walkers = generic.NewFilter1[components.Transform2D]()
}

func (s *walk) Update(w *arche.World) {
	query := s.walkers.Query(w)
	for query.Next() {
		logical := query.Get()
		pose := logical.Get()
		pose.Position[0]++ // one unit per step
		logical.Set(pose)
	}
}

func (s *walk) Finalize(*arche.World) {}

// position is an observer of arche-model.
type position struct {
	bodies generic.Map1[components.Transform2D]
	walker arche.Entity
}

func (o *position) Initialize(w *arche.World) { o.bodies = generic.NewMap1[components.Transform2D](w) }
func (o *position) Update(*arche.World)       {}
func (o *position) Header() []string          { return []string{"x"} }
func (o *position) Values(*arche.World) []float64 {
	return []float64{float64(o.bodies.Get(o.walker).Get().Position[0])}
}

func main() {
	engine, err := ecs.New(ecs.Config{FixedRate: 10})
	if err != nil {
		log.Fatal(err)
	}
	engine.Install(interpolation.New2D())
	world := engine.World()
	// arche-model's own loop would add this: systems use it to end the program
	end := &resource.Termination{}
	arche.AddResource(world, end)

	bodies := generic.NewMap2[components.Transform2D, components.Visual2D](world)
	start := components.NewLogical(components.Identity2D())
	walker := bodies.NewWith(&start, &components.Visual2D{})

	engine.Add(ecs.FixedUpdate,
		&walk{},
		&reporter.RowCallback{
			Observer: &position{walker: walker},
			Callback: func(step int, row []float64) { fmt.Printf("step %d: x = %v\n", step, row[0]) },
		},
		&system.FixedTermination{Steps: 3},
	)
	engine.Add(ecs.Render, ecs.SystemFunc(func(*arche.World) {
		_, visual := bodies.Get(walker)
		fmt.Printf("  %v: drawn at %.2f\n", engine.Time().Normal, visual.Get().Position[0])
	}))
	for !end.Terminate {
		engine.Update(25 * time.Millisecond) // the only clock
	}
	engine.Close() // finalises the systems
}
