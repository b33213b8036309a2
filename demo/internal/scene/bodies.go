package scene

import (
	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
)

// Bodies spawns and reads entities that have a logical and a visual pose, in space or in the plane.
type Bodies[P any] struct {
	poses generic.Map2[components.Logical[P], components.Visual[P]]
}

// NewBodies returns the bodies of a world.
func NewBodies[P any](w *arche.World) Bodies[P] {
	return Bodies[P]{generic.NewMap2[components.Logical[P], components.Visual[P]](w)}
}

// Spawn makes a body in a pose.
func (b *Bodies[P]) Spawn(pose P) arche.Entity {
	logical := components.NewLogical(pose)
	return b.poses.NewWith(&logical, &components.Visual[P]{})
}

// Transform returns the component to which a body's logical pose is written.
func (b *Bodies[P]) Transform(e arche.Entity) *components.Logical[P] {
	logical, _ := b.poses.Get(e)
	return logical
}

// Logical returns a body's logical pose.
func (b *Bodies[P]) Logical(e arche.Entity) P { return b.Transform(e).Get() }

// Visual returns a body's visual pose.
func (b *Bodies[P]) Visual(e arche.Entity) P {
	_, visual := b.poses.Get(e)
	return visual.Get()
}
