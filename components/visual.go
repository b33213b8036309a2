package components

import (
	"fmt"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/internal/record"
)

// Visual holds the value to draw: the one at the normal time, between the last two logical samples.
// Normal systems (cameras, particles, sound) and the renderer read it; fixed-step systems must not.
//
// On an entity that also has a [Logical] of the same type it is written by the synchronizer, at
// VisualSync of every frame in which it moves, and it needs no initial value. An entity with a
// Visual and no Logical exists only to be seen (particles, effects, a camera rig): normal systems
// move it with Set. Servers give their entities none.
//
// The synchronizer keeps the samples in hidden components of the same entity. When a Visual has
// been removed, it detaches them at its next look: as FixedUpdate begins, at the end of FixedEnd,
// or in VisualSync. An entity that gets a Visual again after that is drawn at its logical value. A
// Visual that is removed and added again between two looks, or overwritten, is not noticed. A
// resting entity then shows the new content, which may be a zero, until it moves. So give a new
// Visual the value to show by NewVisual(logical.Get()), or make the next step show it by
// logical.Teleport(logical.Get()).
type Visual[T any] struct {
	value T
}

// NewVisual returns a visual value for an entity that is only visual.
func NewVisual[T any](v T) Visual[T] { return Visual[T]{value: v} }

// Get returns the value to draw.
func (v *Visual[T]) Get() T { return v.value }

// Set replaces the value of an entity that is only visual. On an entity with a [Logical] the
// synchronizer overwrites it as soon as that moves.
func (v *Visual[T]) Set(value T) { v.value = value }

// Advise returns the remedy if entities of a world have a [Logical] and a Visual of type T and
// nothing draws them, and "" otherwise. The engine logs it; see ecs.Config.Log.
func (*Visual[T]) Advise(w *arche.World) string {
	if w.Resources().Has(arche.ResourceID[record.Synchronizer[T]](w)) {
		return ""
	}
	both := arche.All(arche.ComponentID[Logical[T]](w), arche.ComponentID[Visual[T]](w))
	query := w.Query(&both)
	defer query.Close()
	n := query.Count()
	if n == 0 {
		return ""
	}
	plugin := "interpolation.New or interpolation.NewLinear"
	switch any(new(T)).(type) {
	case *Pose3D:
		plugin = "interpolation.New3D"
	case *Pose2D:
		plugin = "interpolation.New2D"
	}
	return fmt.Sprintf("%d entities have a Logical and a Visual of %T, and no interpolator draws them; install %s on the engine", n, *new(T), plugin)
}
