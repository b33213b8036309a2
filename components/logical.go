package components

import (
	"time"

	"github.com/tandem-ecs/tandem/internal/record"
)

// Logical holds a value of the simulation. Fixed-step systems write it, and nothing that is drawn
// ever flows back into it.
//
// Every write raises a revision counter. By it the synchronizer finds the values that have changed,
// once per fixed step. How a write reaches the screen depends on the method: [Logical.Set] is a
// movement and will be interpolated, [Logical.Teleport] is a jump and will not, [Logical.SetOver]
// arrives at a time of its own, [Logical.Correct] corrects a prediction without a visible jolt.
//
// A Logical that was never captured (made by [NewLogical], or the zero value) appears where it is:
// its first value is never interpolated from anywhere. Only one made by [InMotion] is. A live one
// appears where it is, too, when it is overwritten whole, by a new one or by another entity's. To
// go back to an earlier state, write its value with Set or Teleport. An older copy of the same
// Logical may carry the very revision that was captured last, and is then not noticed. That happens
// where a rollback restores a copy and writes it as often as the live one has been written since. A
// write from a normal stage is legal and takes effect in the next fixed step.
//
// A pose that is not finite ([Pose3D.IsFinite]) is kept as it was written, and not drawn: the
// entity stays where it is drawn, and goes on from there when it is written again.
//
// The idea of two transforms with revision counters and a skip-interpolation flag is from the
// Emergence devlog on transform interpolation (Celerity's Transform3dComponent).
//
// For a Pose3D the component is 48 bytes. It holds no pointers, and T must hold none: arche (0.15)
// moves components in memory without the knowledge of the garbage collector.
type Logical[T any] struct {
	// the only field: plugins read columns of Logicals as columns of records
	state record.Record[T]
}

// NewLogical returns a fresh logical value. In a pose a zero Rotation or Scale counts as left out;
// see [Pose3D.WithDefaults] and [Pose2D.WithDefaults]. Set and Teleport take both as they are.
func NewLogical[T any](v T) Logical[T] {
	leftOut(&v)
	return fresh(v)
}

// fresh returns a fresh logical value, with v as it is.
func fresh[T any](v T) Logical[T] { return Logical[T]{record.New(v)} }

// InMotion returns the components of an entity that appears in motion. Its picture is at from when
// the fixed step that makes it begins, and at to when that step ends. Give the entity both.
//
//	logical, visual := components.InMotion(muzzle, next)
//	bullets.NewWith(&logical, &visual) // a generic.Map2 of both
//
// The values are in the frame of the entity's [Parent]. The muzzle is where it is when the step
// begins: read it before the step moves the gun. For a shot in mid-step, put from behind the muzzle
// by that part of the way. In a pose a zero Rotation or Scale counts as left out, as in
// [NewLogical].
//
// Later in the same step [Logical.Set] changes the value at the step's end, [Logical.SetOver] gives
// the arrival, and [Logical.Teleport] cancels the motion. With [NoInterpolation] the picture is at
// to. An entity that is made in a normal stage rests at from until the next step begins.
//
// The Visual holds the start until the end of the step. So a world without an interpolator, such as
// a server's, has only to. Both components are for an entity that the synchronizer does not know
// yet: if they are written to another one, it jumps to to.
func InMotion[T any](from, to T) (Logical[T], Visual[T]) {
	leftOut(&from)
	leftOut(&to)
	return Logical[T]{record.NewInMotion(to)}, Visual[T]{value: from}
}

// leftOut completes a pose in which something was left out.
func leftOut[T any](v *T) {
	switch p := any(v).(type) {
	case *Pose3D:
		*p = p.WithDefaults()
	case *Pose2D:
		*p = p.WithDefaults()
	}
}

// Get returns the value as it was last written (a capture normalises rotations in the samples, not
// here).
func (l *Logical[T]) Get() T { return *l.state.Value() }

// Revision returns a counter that differs after every write. Compare it for inequality only: it
// wraps, and it jumps once when the value is first captured. Zero means never written since it was
// made, and not captured yet.
func (l *Logical[T]) Revision() uint32 { return l.state.Revision() }

// Set moves the value: the picture travels from the value at the start of this fixed step to v at
// its end. The last Set of a step counts. After a Teleport in the same step it is part of the jump,
// and after a Correct in the same step part of the corrected path.
func (l *Logical[T]) Set(v T) { l.state.Write(v, record.Moved, 0) }

// Teleport moves the value by a jump: from the start of this step on the picture shows v, and
// nothing in between. Children go along at their local values. A child that is Set in the same
// step, such as a turret that aims, still moves there during the step: Teleport it, too.
func (l *Logical[T]) Teleport(v T) { l.state.Write(v, record.Teleported, 0) }

// SetOver moves the value so that the picture arrives at v when d of simulated time has passed
// since this step began. It is for writers slower than the fixed rate: a 20 Hz source writes
// SetOver(v, 50*time.Millisecond) and moves at constant speed instead of in fits. A later write
// continues from the value that is drawn then. With d <= 0 the picture shows v from the start of
// this step on.
//
// Durations up to 536 ms are kept to the nanosecond, longer ones to one part in sixteen million, up
// to 146 years.
func (l *Logical[T]) SetOver(v T, d time.Duration) { l.state.Write(v, record.Arrives, d) }

// Correct replaces a mispredicted value by v. The simulation continues from v at once. The
// difference to the drawn value becomes an offset that decays in real time and exists only in the
// picture. If the interpolator has no Offset for T, the value moves as by Set.
//
// The corrected path through this step is the motion of the step before, ending at the step's final
// value. Code that also knows the corrected value at the start of the step passes both to
// Interpolator.Correct.
func (l *Logical[T]) Correct(v T) { l.state.Write(v, record.Corrected, 0) }
