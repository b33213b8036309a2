// loop runs Tandem's plugins in arche-model's loop: one system of the model hands its ticks to the
// engine as frames, and a UI system draws. Systems that move something run in the engine's fixed
// steps, so there is one clock only.
//
//	cd examples/09-arche-model && go run ./loop
package main

import (
	"fmt"
	"log"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/mlange-42/arche-model/model"
	"github.com/mlange-42/arche-model/system"
	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/interpolation"
	"github.com/tandem-ecs/tandem/systems/motion"
)

const framesPerSecond = 40

// frames is a system of the model. Each tick of the model is one frame of the engine.
type frames struct{ engine *ecs.Engine }

func (f *frames) Initialize(*arche.World) {}
func (f *frames) Update(*arche.World)     { f.engine.Update(time.Second / framesPerSecond) }
func (f *frames) Finalize(*arche.World)   { f.engine.Close() }

// painter is a UI system of the model. It reads visual poses.
type painter struct {
	engine *ecs.Engine
	bodies generic.Map1[components.Visual2D]
	body   arche.Entity
}

func (p *painter) InitializeUI(w *arche.World) { p.bodies = generic.NewMap1[components.Visual2D](w) }
func (p *painter) UpdateUI(*arche.World) {
	fmt.Printf("%5v: drawn at %.2f, after %d steps\n", p.engine.Time().Normal,
		p.bodies.Get(p.body).Get().Position[0], p.engine.Time().Tick)
}
func (p *painter) PostUpdateUI(*arche.World) {}
func (p *painter) FinalizeUI(*arche.World)   {}

func main() {
	m := model.New()
	m.TPS = framesPerSecond
	m.FPS = -1 // UI systems run in every tick

	// The engine works on the model's world.
	engine, err := ecs.New(ecs.Config{FixedRate: 10, World: &m.World})
	if err != nil {
		log.Fatal(err)
	}
	engine.Install(interpolation.New2D(), motion.New2D())

	bodies := generic.NewMap3[components.Transform2D, components.Visual2D, components.Velocity2D](&m.World)
	start := components.NewLogical(components.Identity2D())
	body := bodies.NewWith(&start, &components.Visual2D{}, &components.Velocity2D{Linear: mgl32.Vec2{10, 0}})

	m.AddSystem(&frames{engine})
	m.AddSystem(&system.FixedTermination{Steps: 12})
	m.AddUISystem(&painter{engine: engine, body: body})
	m.Run() // in real time: 40 ticks a second
}
