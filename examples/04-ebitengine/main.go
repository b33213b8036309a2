// 04-ebitengine is a scene for Ebitengine. A turret and balls move in twenty fixed steps a second,
// and are drawn at the display's rate. Rings show the poses of the simulation.
//
//	cd examples/04-ebitengine && go run .
package main

import (
	"image/color"
	"log"
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/vector"
	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/interpolation"
)

const width, height = 640, 400

var night, blue, orange = color.RGBA{16, 24, 38, 255}, color.RGBA{86, 180, 233, 255}, color.RGBA{230, 159, 0, 255}

type game struct {
	engine *ecs.Engine
	poses  *interpolation.Interpolator[components.Pose2D]
	bodies generic.Map2[components.Transform2D, components.Visual2D]
	all    [7]arche.Entity  // the turret, then the balls
	now    func() time.Time // time.Now, but in tests
	last   time.Time        // of the last frame
}

func newGame(now func() time.Time) *game {
	engine, err := ecs.New(ecs.Config{FixedRate: 20})
	if err != nil {
		log.Fatal(err)
	}
	g := &game{engine: engine, poses: interpolation.New2D(), now: now, last: now()}
	engine.Install(g.poses)
	g.bodies = generic.NewMap2[components.Transform2D, components.Visual2D](engine.World())
	for k := range g.all {
		start := components.NewLogical(path(k, 0))
		g.all[k] = g.bodies.NewWith(&start, &components.Visual2D{})
	}
	engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) { // once per fixed step
		for k, e := range g.all {
			logical, _ := g.bodies.Get(e)
			logical.Set(path(k, engine.Time().StepEnd.Seconds()))
		}
	}))
	return g
}

// path returns a pose after t seconds. The turret, k = 0, turns in the middle.
func path(k int, t float64) components.Pose2D {
	size, phase := 110*math.Sqrt(float64(k)), 2*float64(k)
	x, y := width/2+size*math.Sin(1.1*t+phase), height/2+0.6*size*math.Cos(1.7*t+phase)
	return components.Pose2D{Position: mgl32.Vec2{float32(x), float32(y)}, Rotation: float32(1.5 * t), Scale: mgl32.Vec2{1, 1}}
}

// Update is called once per frame, since main sets ebiten.SyncWithFPS.
func (g *game) Update() error {
	now := g.now()
	g.engine.Update(now.Sub(g.last)) // the time since the last frame
	g.last = now
	g.poses.SetEnabled(!ebiten.IsKeyPressed(ebiten.KeyR))
	if ebiten.IsKeyPressed(ebiten.KeySpace) {
		return g.engine.SetScale(0.1)
	}
	return g.engine.SetScale(1)
}

func (g *game) Draw(screen *ebiten.Image) {
	screen.Fill(night)
	for _, ball := range g.all[1:] {
		logical, visual := g.bodies.Get(ball)
		drawn, simulated := visual.Get().Position, logical.Get().Position
		vector.DrawFilledCircle(screen, drawn[0], drawn[1], 14, blue, true)
		vector.StrokeCircle(screen, simulated[0], simulated[1], 14, 1, orange, true)
	}
	_, turret := g.bodies.Get(g.all[0])
	from, to := turret.Get().Position, turret.Get().Apply(mgl32.Vec2{48, 0})
	vector.StrokeLine(screen, from[0], from[1], to[0], to[1], 10, color.White, true)
	vector.DrawFilledCircle(screen, from[0], from[1], 20, color.White, true)
}

func (g *game) Layout(int, int) (int, int) { return width, height }

func main() {
	ebiten.SetWindowSize(width, height)
	ebiten.SetWindowTitle("hold Space: slow motion; hold R: no interpolation")
	ebiten.SetTPS(ebiten.SyncWithFPS) // the engine's clock is the only one
	if err := ebiten.RunGame(newGame(time.Now)); err != nil {
		log.Fatal(err)
	}
}
