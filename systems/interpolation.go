package systems

import (
	"fmt"
	"time"
	"unsafe"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/internal/kernel"
	"github.com/tandem-ecs/tandem/systems/internal/plain"
	"github.com/tandem-ecs/tandem/systems/internal/resource"
)

// Interpolator carries [components.Logical] values of type T to their [components.Visual]: it captures, at the end of every fixed step, who changed in it, and
// blends, once per frame, the two samples of everything in motion at the normal time. It is an [ecs.Plugin]; install one per type and
// engine.
//
// Make it with [Interpolation3D], [Interpolation2D], [InterpolationLinear], [Interpolation] or [InterpolationBatch]; the zero value is of no use. Methods that look at entities panic before it is installed
// and after its engine was closed. Like the engine it belongs to one goroutine at a time.
//
// The idea of revision counters, a skip flag and two transforms is Celerity's (Emergence devlog on transform interpolation). Celerity's code chases the logical
// value from the last visual one, which cuts corners and depends on the frame times; this keeps the last two samples with
// their times instead, as Unity, Godot and Bevy do, on Celerity's clock, which is ahead of the picture instead of behind it.
type Interpolator[T any] struct {
	blendOne  func(dst, prev, cur *T, t float32)
	blendAll  func(dst, prev, cur []T, t float32)
	blendRows func(rows []uint32, dst, prev, cur []T, t float32)
	// blendPairs is blendRows for samples that stand side by side; nil where a capture makes no such pairs.
	blendPairs func(rows []uint32, dst []T, pairs []kernel.Pair[T], t float32)
	normalize  func(v T) T // nil: values are taken as they are
	// capturePlain is the inner loop of a capture.
	capturePlain func(t *table[T], m *movingRows, p *movingPairs[T], g marks) (others []uint32, moved int)
	diff         *Difference[T]
	halfLife     time.Duration
	disabled     bool

	team team[T]

	clock *ecs.Time // the engine's; nil before it is installed on one
	world *arche.World
	cols  *columns[T]
	homes homes

	// What is in motion, as of the newest capture.
	step      interval
	capturing bool             // a capture is under way, or was broken off by a panic
	gen       uint32           // generation of the newest capture; never 0
	moving    []movingRows     // per table, in the order in which columns.collect finds them
	lastOnes  []movingRows     // the lists of the capture before, while the newest is being made
	pairs     []movingPairs[T] // per table, as moving
	common    int              // rows in all common lists
	timed     int              // rows in all timed lists
	rows      []uint32         // scratch
	one       T                // scratch
	drawings  int              // since the newest capture
	drawnAt   time.Duration    // the normal time of the newest drawing
	drawnOff  bool             // whether that was without interpolation
	redraw    bool             // what is in motion has changed since
	touched   []arche.Entity   // visual values that changed other than by being in motion, for whoever watches
	watched   bool
	movedOut  uint32 // counts the times at which samples were taken away
	settled   uint32 // counts the times at which samples were given
	fixes     corrections[T]

	shiftListeners []*shiftListener[T]

	// What has not been told yet of the entities that the graphics processor blends.
	gpuSteps  int            // captures, the newest of which says what is in ordinary motion
	gpuRested []arche.Entity // who is not any more since one of them
	gpuMoved  []arche.Entity // all else, one by one
	gpuLimit  int            // of each list
	gpuMissed bool           // there were too many to note
	gpuMotion Motion[T]      // scratch
	gpuRows   MovedRows[T]   // scratch
	gpuEach   eachMotion[T]  // scratch
	gpuDrawn  bool           // the newest sync has renewed their visual values
}

// interval is a span of fixed time.
type interval struct{ from, to time.Duration }

// fraction returns how far now is into the interval, 0 to 1. The quotient is formed in float64 so that it does not lose digits as time goes on.
func (i interval) fraction(now time.Duration) float32 {
	if i.to <= i.from || now >= i.to {
		return 1
	}
	// Rounding must not make it one too soon.
	return min(float32(float64(max(now-i.from, 0))/float64(i.to-i.from)), 1-1.0/(1<<24))
}

// Interpolation returns an interpolator for values of type T. The blend gets two samples and a fraction t, 0 <= t < 1, and must return from at t = 0. T may
// be anything without pointers: a field of view, a health bar. Strings, slices and maps are pointers too: a T that holds any panics, and so does a T without size. With
// [Interpolator.WithWorkers] several goroutines call the blend at a time.
//
// Structs of a few numbers are fast here. Arrays, and structs that hold any, such as mgl32.Vec4, are not: Go passes them to a function and back through memory, which
// takes several times as long as to blend them. [InterpolationLinear] is for those that are blended linearly, [InterpolationBatch] for all others.
//
// Corrected predictions of T move like others until the interpolator knows how to subtract: [Interpolator.WithDifference].
func Interpolation[T any](blend func(from, to T, t float32) T) *Interpolator[T] {
	if blend == nil {
		panic("systems: Interpolation needs a blend function; pass one that returns the value at fraction t of the way")
	}
	return newInterpolator("Interpolation",
		func(dst, prev, cur *T, t float32) { *dst = blend(*prev, *cur, t) },
		func(dst, prev, cur []T, t float32) { kernel.Blend(dst, prev, cur, t, blend) },
		func(rows []uint32, dst, prev, cur []T, t float32) { kernel.BlendList(rows, dst, prev, cur, t, blend) })
}

// newInterpolator returns an interpolator with the three ways of blending, which give the same bits, or panics in the name of an exported function.
func newInterpolator[T any](name string, one func(dst, prev, cur *T, t float32), all func(dst, prev, cur []T, t float32),
	rows func(rows []uint32, dst, prev, cur []T, t float32)) *Interpolator[T] {
	if unsafe.Sizeof(*new(T)) == 0 {
		panic(fmt.Sprintf("systems: %s of %T, which has no size; there is nothing to interpolate", name, *new(T)))
	}
	if pointer := plain.Pointer[T](); pointer != "" {
		panic(fmt.Sprintf("systems: %s of %T, which holds a pointer (%s), and samples must hold none; leave it out, or put an index or an array of fixed size in its place",
			name, *new(T), pointer))
	}
	i := &Interpolator[T]{blendOne: one, blendAll: all, blendRows: rows, halfLife: defaultHalfLife}
	i.capturePlain = func(t *table[T], m *movingRows, _ *movingPairs[T], g marks) ([]uint32, int) {
		return capturePlain(i, t, m, g)
	}
	return i
}

// Interpolation3D returns the interpolator of poses in space: positions and scales linearly, rotations along the shortest arc.
func Interpolation3D() *Interpolator[components.Pose3D] {
	one := func(dst, prev, cur *components.Pose3D, t float32) { *dst = kernel.BlendOne3D(prev, cur, t) }
	i := newInterpolator("Interpolation3D", one, kernel.Blend3D, kernel.BlendList3D)
	i.blendPairs = kernel.BlendPairs3D
	i.normalize = func(p components.Pose3D) components.Pose3D {
		kernel.Normalize3D(&p)
		return p
	}
	i.capturePlain = newCapturePlain3D()
	return i.WithDifference(difference3D)
}

// Interpolation2D returns the interpolator of poses in the plane: positions and scales linearly, angles by the shorter way round.
func Interpolation2D() *Interpolator[components.Pose2D] {
	one := func(dst, prev, cur *components.Pose2D, t float32) { *dst = kernel.BlendOne2D(prev, cur, t) }
	return newInterpolator("Interpolation2D", one, kernel.Blend2D, kernel.BlendList2D).WithDifference(difference2D)
}

// Install adds the interpolator's systems to the engine. It panics if it was installed before, on whatever engine.
func (i *Interpolator[T]) Install(e *ecs.Engine) {
	if i.clock != nil {
		panic("systems: this interpolator is already installed on an engine; make one per engine")
	}
	i.world = e.World()
	i.clock = arche.GetResource[ecs.Time](i.world)
	i.cols = newColumns[T](i.world)
	i.homes = newHomes(i.world, i.cols.ids.logical, i.cols.ids.visual, []arche.ID{
		i.cols.ids.prev, i.cols.ids.cur, i.cols.ids.seen, i.cols.ids.motion, i.cols.ids.span,
	})
	resource.Put(i.world, i)
	e.AddAt(ecs.FixedUpdate, ecs.OrderBegin, &interpolatorSystem[T]{i, "sampling", (*Interpolator[T]).settleIn})
	e.AddAt(ecs.FixedEnd, ecs.OrderCapture, &interpolatorSystem[T]{i, "capture", (*Interpolator[T]).capture})
	e.AddAt(ecs.VisualSync, ecs.OrderSync, &interpolatorSystem[T]{i, "visual synchronizer", (*Interpolator[T]).sync})
}

// interpolatorSystem is one of the three places where the interpolator works.
type interpolatorSystem[T any] struct {
	i    *Interpolator[T]
	what string
	run  func(*Interpolator[T])
}

// Initialize of whichever comes first starts the workers: an engine that is closed before it runs would not end them.
func (s *interpolatorSystem[T]) Initialize(*arche.World) { s.i.startWorkers() }

func (s *interpolatorSystem[T]) Update(*arche.World) { s.run(s.i) }
func (s *interpolatorSystem[T]) Name() string        { return fmt.Sprintf("%s of %T", s.what, *new(T)) }

// Finalize of the last of the three, which engines finalise first, gives everything back.
func (s *interpolatorSystem[T]) Finalize(w *arche.World) {
	if s.i.cols == nil {
		return
	}
	s.i.stopWorkers()
	s.i.cols.close()
	s.i.homes.close(w, resource.Take(w, s.i))
	s.i.cols = nil
}

// SetEnabled switches interpolation on or off for all entities. While it is off visual values are those of the newest fixed step. Switching back in
// the middle of a motion shows what would have been shown anyway.
func (i *Interpolator[T]) SetEnabled(on bool) {
	if i.disabled == !on {
		return
	}
	i.disabled = !on
	i.reportAllMoving()
}

// Enabled reports whether interpolation is on.
func (i *Interpolator[T]) Enabled() bool { return !i.disabled }

// Fraction returns how far the normal time is into the newest fixed step, 0 to below 1: the fraction at which everything in ordinary motion is drawn.
func (i *Interpolator[T]) Fraction() float32 {
	i.mustBeInstalled("Fraction")
	return i.step.fraction(i.clock.Normal)
}

// Samples returns the two samples of an entity and the interval of fixed time between them. For one at rest both are the value at which it rests, and the interval is the newest
// step. It reports false for an entity that has no samples (yet).
func (i *Interpolator[T]) Samples(e arche.Entity) (prev, cur T, from, to time.Duration, ok bool) {
	i.mustBeInstalled("Samples")
	r, ok := i.row(e)
	if !ok {
		return prev, cur, 0, 0, false
	}
	switch *r.motion {
	case 0:
		return *r.cur, *r.cur, i.step.from, i.step.to, true
	case timedMark:
		return *r.prev, *r.cur, r.span.from, r.span.to, true
	default:
		return *r.prev, *r.cur, i.step.from, i.step.to, true
	}
}

func (i *Interpolator[T]) mustBeInstalled(what string) {
	if i.cols == nil {
		panic("systems: " + what + " of an interpolator that is not installed (any more); call engine.Install first")
	}
}

// row finds one entity's columns.
func (i *Interpolator[T]) row(e arche.Entity) (r row[T], ok bool) {
	ids := &i.cols.ids
	if !i.world.Alive(e) || !i.world.Has(e, ids.cur) || !i.world.Has(e, ids.logical) || !i.world.Has(e, ids.visual) {
		return r, false
	}
	get := i.world.GetUnchecked
	return row[T]{
		logical: (*components.Logical[T])(get(e, ids.logical)),
		visual:  (*T)(get(e, ids.visual)),
		prev:    (*T)(get(e, ids.prev)),
		cur:     (*T)(get(e, ids.cur)),
		seen:    (*uint32)(get(e, ids.seen)),
		motion:  (*uint32)(get(e, ids.motion)),
		span:    (*spanOwner)(get(e, ids.span)),
	}, true
}

// row is one entity's cells.
type row[T any] struct {
	logical           *components.Logical[T]
	visual, prev, cur *T
	seen, motion      *uint32
	span              *spanOwner
}

// at is the value of a row at a fixed time that the newest capture covers or that lies after it, without the offset of a correction.
func (i *Interpolator[T]) at(r row[T], now time.Duration) T {
	iv := i.step
	switch *r.motion {
	case 0:
		return *r.cur
	case timedMark:
		iv = interval{r.span.from, r.span.to}
	}
	t := iv.fraction(now)
	if t == 1 {
		return *r.cur
	}
	i.blendOne(&i.one, r.prev, r.cur, t)
	return i.one
}

// present returns the time before which nothing will be drawn any more: within a step its start, whatever the frame that the step belongs to will show.
func (i *Interpolator[T]) present() time.Duration {
	now := i.clock
	if now.Fixed == now.StepStart {
		return now.StepStart
	}
	return now.Normal
}

// sameBits reports whether two values have the same memory: the only equality that any T has.
func sameBits[T any](a, b *T) bool {
	size := unsafe.Sizeof(*a)
	return unsafe.String((*byte)(unsafe.Pointer(a)), size) == unsafe.String((*byte)(unsafe.Pointer(b)), size)
}

func (i *Interpolator[T]) normal(v T) T {
	if i.normalize == nil {
		return v
	}
	return i.normalize(v)
}
