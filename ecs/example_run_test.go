package ecs_test

import (
	"context"
	"errors"
	"fmt"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
)

// A program without a display runs its engine by real time. Here a system ends it. A server ends
// with a signal: signal.NotifyContext(context.Background(), os.Interrupt).
func ExampleEngine_Run() {
	engine, err := ecs.New(ecs.Config{FixedRate: 1000})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, end := context.WithCancelCause(context.Background())
	engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
		if engine.Time().Tick == 20 {
			end(errors.New("the match is over"))
		}
	}))
	fmt.Println(engine.Run(ctx))
	// Output: the match is over
}

// A test of a game looks for plugins that were forgotten. Here it is the interpolator.
func ExampleCheck() {
	engine, err := ecs.New(ecs.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer engine.Close()
	crates := generic.NewMap2[components.Transform3D, components.Visual3D](engine.World())
	crates.New()
	for _, mistake := range ecs.Check(engine.World()) {
		fmt.Println(mistake) // in a test: t.Error(mistake)
	}
	// Output: 1 entities have a Logical and a Visual of components.Pose3D, and no interpolator draws them; install interpolation.New3D on the engine
}
