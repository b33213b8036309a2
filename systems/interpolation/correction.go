package interpolation

import (
	"fmt"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/internal/record"
	"github.com/tandem-ecs/tandem/systems/interpolation/internal/offset"
)

// Offset is the arithmetic by which a corrected prediction fades. An offset between two values is
// itself written as a T. The zero value has no arithmetic: corrections then move as by Set.
//
// Add(a, Sub(b, a)) is b. Scale(offset, 0) is no offset, and Scale(offset, 1) is the offset itself.
type Offset[T any] struct {
	Sub   func(to, from T) T               // the offset that leads from one value to another
	Add   func(base, offset T) T           // the value that an offset leads to
	Scale func(offset T, factor float32) T // a part of an offset; the factor may exceed 1
	// Len returns how long an offset is, in units of length. Only CorrectGently needs it: where it
	// is nil nothing fades gently.
	Len func(offset T) float32
}

// DefaultHalfLife makes an offset fall to 1 % within 0.7 s.
const DefaultHalfLife = 100 * time.Millisecond

// Correct corrects the prediction of an entity within the current fixed step, given the corrected
// values at the step's start and at its end. The samples take exactly that path, and the difference
// to the drawn value becomes an offset that fades. Call it from FixedUpdate. It reports whether the
// entity has samples. One without samples is just written. It panics for one that is dead or has no
// Logical.
func (i *Interpolator[T]) Correct(e arche.Entity, start, end T) bool {
	return i.correct(e, offset.Path[T]{Start: start}, end)
}

// CorrectGently is a Correct whose offset does not fade faster than at a speed, in units of length
// per second: a long offset shortens steadily, until it is so short that the half-life makes it
// slower. The speed is slow, but up to fast for an offset that would take more than a second. It is
// for bodies that others have pushed, such as a crate or the own player: the correction looks like
// motion. It also panics for speeds that are not positive, and for a fast below slow.
func (i *Interpolator[T]) CorrectGently(e arche.Entity, start, end T, slow, fast float32) bool {
	if !(slow > 0) || !(fast >= slow) {
		panic(fmt.Sprintf("interpolation: CorrectGently at %v to %v units per second; the speeds must be positive, and fast not below slow", slow, fast))
	}
	return i.correct(e, offset.Path[T]{Start: start, Slow: slow, Fast: fast}, end)
}

// CorrectOver is a Correct whose offset is gone after a duration, however long it is. It begins and
// ends to shorten slowly, and does so 1.25 times as fast in between as on the average. It is for
// entities that have to be in their place by then, such as what the player picks up. It also panics
// for a duration that is not positive.
func (i *Interpolator[T]) CorrectOver(e arche.Entity, start, end T, over time.Duration) bool {
	if over <= 0 {
		panic(fmt.Sprintf("interpolation: CorrectOver %v; the duration must be positive", over))
	}
	return i.correct(e, offset.Path[T]{Start: start, Over: over}, end)
}

func (i *Interpolator[T]) correct(e arche.Entity, path offset.Path[T], end T) bool {
	i.mustBeInstalled("Correct")
	if !i.samples.HasLogical(e) {
		panic(fmt.Sprintf("interpolation: Correct of %v, which is dead or has no Logical of %T", e, end))
	}
	r, ok := i.samples.Row(e)
	if !ok {
		i.samples.Record(e).Write(end, record.Moved, 0)
		return false
	}
	r.Record().Write(end, record.Corrected, 0)
	i.offsets.Know(e, path)
	return true
}
