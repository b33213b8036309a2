package components

import (
	"fmt"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/internal/plugin"
)

// Check returns the remedy if entities of a world have a velocity and nothing integrates it, and
// nothing otherwise. It is called by ecs.Check.
func (*Velocity3D) Check(w *arche.World) []string {
	return unmoved[Velocity3D, Pose3D](w, "Velocity3D and a Transform3D", "motion.New3D")
}

// Check returns the remedy if entities of a world have a velocity and nothing integrates it, and
// nothing otherwise. It is called by ecs.Check.
func (*Velocity2D) Check(w *arche.World) []string {
	return unmoved[Velocity2D, Pose2D](w, "Velocity2D and a Transform2D", "motion.New2D")
}

// Check returns a sentence for each of the first entities whose value is not finite, if it is a
// pose: the picture keeps the last one that was. It is called by ecs.Check.
func (*Logical[T]) Check(w *arche.World) (mistakes []string) {
	id, more := arche.ComponentID[Logical[T]](w), 0
	all := arche.All(id)
	for query := w.Query(&all); query.Next(); {
		value := (*Logical[T])(query.Get(id)).state.Value()
		if p, ok := any(value).(interface{ IsFinite() bool }); !ok {
			query.Close()
			return nil
		} else if p.IsFinite() {
			continue
		}
		if len(mistakes) == mostNotFinite {
			more++
			continue
		}
		mistakes = append(mistakes, fmt.Sprintf("entity %v has a %T that is not finite (%v), and is drawn at the last one that was; look for a division by zero, or an overflow, where it is written",
			query.Entity(), *value, *value))
	}
	if more > 0 {
		mistakes = append(mistakes, fmt.Sprintf("%s a %T that is not finite, too", entities(more), *new(T)))
	}
	return mistakes
}

// mostNotFinite is how many entities with such values are listed.
const mostNotFinite = 8

// unmoved looks for entities with velocities V and logical poses P.
func unmoved[V, P any](w *arche.World, have, remedy string) []string {
	if plugin.Serves[V, P](w) {
		return nil
	}
	both := arche.All(arche.ComponentID[V](w), arche.ComponentID[Logical[P]](w))
	query := w.Query(&both)
	defer query.Close()
	n := query.Count()
	if n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s a %s, and nothing moves them; install %s on the engine", entities(n), have, remedy)}
}

// Check returns the remedies if entities of a world have a parent, are drawn, and nothing composes
// their poses in the world. It is called by ecs.Check.
func (*Parent) Check(w *arche.World) []string {
	return append(uncomposed[Pose3D](w, "Visual3D", "hierarchy.New3D"), uncomposed[Pose2D](w, "Visual2D", "hierarchy.New2D")...)
}

// uncomposed looks for entities with a parent and visual poses P. Without those, as on a server,
// an entity needs no hierarchy.
func uncomposed[P any](w *arche.World, visual, remedy string) []string {
	if plugin.Serves[Parent, P](w) {
		return nil
	}
	parent := arche.ComponentID[Parent](w)
	both := arche.All(parent, arche.ComponentID[Visual[P]](w))
	n := 0
	for query := w.Query(&both); query.Next(); {
		if !(*Parent)(query.Get(parent)).Entity.IsZero() {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s a Parent and a %s, and are drawn as if they had no parent; install %s on the engine", entities(n), visual, remedy)}
}

// entities begins a sentence about n entities.
func entities(n int) string {
	if n == 1 {
		return "1 entity has"
	}
	return fmt.Sprintf("%d entities have", n)
}
