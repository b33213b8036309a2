package ecs_test

import (
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/ecs"
)

// The methods that programs outside this module are compiled against. That this file compiles is
// the test.
var _ interface {
	World() *arche.World
	Add(ecs.Stage, ...ecs.System)
	Remove(ecs.System) bool
	SetEnabled(ecs.System, bool)
	Install(...ecs.Plugin)
	Update(time.Duration)
	Time() ecs.Time
	StartAt(tick uint64) error
	SetScale(float64) error
	SetStretch(float64) error
	SetRate(int) error
	RequestStep() error
	HoldClock(owner string) (release func(), err error)
	Close()
} = (*ecs.Engine)(nil)
