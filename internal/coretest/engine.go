package coretest

import "github.com/tandem-ecs/tandem/ecs"

func MustEngine(rate int, plugins ...ecs.Plugin) *ecs.Engine {
	engine, err := ecs.New(ecs.Config{FixedRate: rate})
	if err != nil {
		panic(err)
	}
	engine.Install(plugins...)
	return engine
}
