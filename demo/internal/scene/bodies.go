package scene

import (
	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
)

// Bodies spawns and reads entities that have a logical and a visual pose.
type Bodies struct {
	poses generic.Map2[components.Transform3D, components.Visual3D]
}

// NewBodies returns the bodies of a world.
func NewBodies(w *arche.World) Bodies {
	return Bodies{generic.NewMap2[components.Transform3D, components.Visual3D](w)}
}

// Spawn makes a body in a pose.
func (b *Bodies) Spawn(pose components.Pose3D) arche.Entity {
	logical := components.NewLogical(pose)
	return b.poses.NewWith(&logical, &components.Visual3D{})
}

// Transform returns the component to which a body's logical pose is written.
func (b *Bodies) Transform(e arche.Entity) *components.Transform3D {
	logical, _ := b.poses.Get(e)
	return logical
}

// Logical returns a body's logical pose.
func (b *Bodies) Logical(e arche.Entity) components.Pose3D { return b.Transform(e).Get() }

// Visual returns a body's visual pose.
func (b *Bodies) Visual(e arche.Entity) components.Pose3D {
	_, visual := b.poses.Get(e)
	return visual.Get()
}
