package interpolation

import (
	"fmt"
	"log/slog"
	"reflect"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/internal/plugin"
	"github.com/tandem-ecs/tandem/internal/pointerfree"
	"github.com/tandem-ecs/tandem/internal/record"
	"github.com/tandem-ecs/tandem/systems/interpolation/internal/capture"
	"github.com/tandem-ecs/tandem/systems/interpolation/internal/draw"
	"github.com/tandem-ecs/tandem/systems/interpolation/internal/kernel"
	"github.com/tandem-ecs/tandem/systems/interpolation/internal/offset"
	"github.com/tandem-ecs/tandem/systems/interpolation/internal/samples"
)

// Interpolator carries [components.Logical] values of type T to their [components.Visual]: it
// captures the changes of every fixed step at its end, and blends the two samples of everything in
// motion once per frame, at the normal time. It is an [ecs.Plugin]; install one per type and
// engine.
//
// Make it with [New3D], [New2D], [NewLinear], [New] or [NewBatch]; the zero value is of no use.
// Methods that look at entities panic before it is installed and after its engine was closed. Like
// the engine it belongs to one goroutine at a time.
//
// The idea of revision counters, a skip flag and two transforms is Celerity's (Emergence devlog on
// transform interpolation). Celerity's code chases the logical value from the last visual one,
// which cuts corners and depends on the frame times. This one keeps the last two samples with their
// times, as Unity, Godot and Bevy do. It runs on Celerity's clock, which is ahead of the picture
// and not behind it.
type Interpolator[T any] struct {
	// Offset is the arithmetic of corrections ([components.Logical.Correct]). The interpolators of
	// poses and of linear values have one. Without it a correction moves as by Set.
	Offset Offset[T]
	// HalfLife is the real time in which the offset of a corrected prediction halves. 0 means
	// [DefaultHalfLife].
	HalfLife time.Duration
	// Workers is the number of goroutines besides the engine's own that take part in drawing frames
	// with at least 8192 entities in motion.
	//
	// 0 is the default, and mostly right. To wake a sleeping goroutine can take milliseconds, more
	// than the work. So workers do not sleep between frames. Each keeps a processor busy as long as
	// frames with that much work follow each other closely, and for some milliseconds more. Give at
	// most as many as there are processors to spare. The picture is the same to the bit. The
	// workers end when the engine is closed.
	Workers int

	// Log receives faults of the data: poses that are not finite. Nil means slog.Default().
	Log *slog.Logger

	blends    draw.Blends[T]
	bounds    samples.Bounds[T]
	normalize func(v T) T // nil: values are taken as they are
	plain     capture.Plain[T]
	disabled  bool

	clock *ecs.Time // the engine's; nil before it is installed on one
	world *arche.World
	// nil before the interpolator is installed, and after its engine was closed
	samples *samples.Store[T]
	offsets *offset.Set[T]
	capture *capture.Capturer[T]
	drawer  *draw.Drawer[T]
	feeds   []*Feed[T]

	installed record.Synchronizer[T] // a resource of the world
}

// New returns an interpolator for values of type T. The blend gets two samples and a fraction t, 0
// <= t < 1, and must return from at t = 0. T may be anything without pointers: a field of view, a
// health bar. Strings, slices and maps are pointers too: a T that holds any panics, and so does a T
// without size. With [Interpolator.Workers] several goroutines call the blend at a time.
//
// Structs of a few numbers are fast here. Arrays, and structs that hold any, such as mgl32.Vec4,
// are not: Go passes them to a function and back through memory, which takes several times as long
// as to blend them. [NewLinear] is for those that are blended linearly, [NewBatch] for all others.
//
// Corrected predictions of T move like others until the interpolator has an [Offset].
func New[T any](blend func(from, to T, t float32) T) *Interpolator[T] {
	if blend == nil {
		panic("interpolation: New needs a blend function; pass one that returns the value at fraction t of the way")
	}
	return newInterpolator("New",
		func(dst, prev, cur []T, t float32) { kernel.Blend(dst, prev, cur, t, blend) },
		func(rows []uint32, dst, prev, cur []T, t float32) { kernel.BlendList(rows, dst, prev, cur, t, blend) })
}

// newInterpolator returns an interpolator with the two ways of blending, which give the same bits.
// Its panics name an exported function.
func newInterpolator[T any](name string, all func(dst, prev, cur []T, t float32),
	rows func(rows []uint32, dst, prev, cur []T, t float32)) *Interpolator[T] {
	if reflect.TypeFor[T]().Size() == 0 {
		panic(fmt.Sprintf("interpolation: %s of %T, which has no size; there is nothing to interpolate", name, *new(T)))
	}
	if pointer := pointerfree.Pointer[T](); pointer != "" {
		panic(fmt.Sprintf("interpolation: %s of %T, which holds a pointer (%s), and samples must hold none; leave it out, or put an index or an array of fixed size in its place",
			name, *new(T), pointer))
	}
	return &Interpolator[T]{blends: draw.Blends[T]{All: all, Rows: rows}, plain: capture.Values[T]}
}

// New3D returns the interpolator of poses in space: positions and scales linearly, rotations along
// the shortest arc.
func New3D() *Interpolator[components.Pose3D] {
	i := newInterpolator("New3D", kernel.Fastest.Blend3D, kernel.Fastest.BlendList3D)
	i.normalize = components.Pose3D.Normalize
	i.plain = capture.Poses3D
	i.bounds = samples.Bounds[components.Pose3D]{Finite: finite3D, Default: components.Identity3D()}
	i.Offset = Offset[components.Pose3D](offset.Pose3D())
	return i
}

// New2D returns the interpolator of poses in the plane: positions and scales linearly, angles by
// the shorter way round.
func New2D() *Interpolator[components.Pose2D] {
	i := newInterpolator("New2D", kernel.Blend2D, kernel.BlendList2D)
	i.bounds = samples.Bounds[components.Pose2D]{Finite: finite2D, Default: components.Identity2D()}
	i.Offset = Offset[components.Pose2D](offset.Pose2D())
	return i
}

// Install adds the interpolator's systems to the engine. It panics if it was installed before, on
// any engine.
func (i *Interpolator[T]) Install(e *ecs.Engine) {
	if i.clock != nil {
		panic("interpolation: this interpolator is already installed on an engine; make one per engine")
	}
	o := &i.Offset
	known := o.Sub != nil && o.Add != nil && o.Scale != nil
	switch {
	case !known && (o.Sub != nil || o.Add != nil || o.Scale != nil || o.Len != nil):
		panic("interpolation: an Offset needs all of Sub, Add and Scale; set them, or none of them")
	case i.HalfLife < 0:
		panic(fmt.Sprintf("interpolation: a HalfLife of %v; it must be positive, or 0 for the default", i.HalfLife))
	case i.HalfLife == 0:
		i.HalfLife = DefaultHalfLife
	}
	if i.Workers < 0 {
		panic(fmt.Sprintf("interpolation: %d Workers; there must be zero or more", i.Workers))
	}
	i.world = e.World()
	i.clock = arche.GetResource[ecs.Time](i.world)
	i.samples = samples.New(i.world, i.normalize)
	i.samples.SetBounds(i.reporting(i.bounds))
	i.offsets = offset.New(offset.Arithmetic[T](i.Offset), i.samples.Normal, i.HalfLife)
	i.drawer = draw.New(i.samples, i.offsets, i.clock, i.blends, i.Workers)
	i.drawer.SetEnabled(!i.disabled)
	i.capture = capture.New(i.samples, i.offsets, i.drawer, i.plain)
	plugin.Put(i.world, i)
	plugin.Put(i.world, &i.installed)
	for _, f := range i.feeds {
		f.open()
	}
	of := fmt.Sprintf(" of %T", *new(T))
	// Install does not start the workers: an engine that is closed before it runs would not end
	// them.
	e.AddAt(ecs.FixedUpdate, ecs.OrderBegin, &plugin.System{What: "sampling" + of, Run: i.capture.Attach, Start: i.drawer.Start, Stop: i.close})
	e.AddAt(ecs.FixedEnd, ecs.OrderCapture, &plugin.System{What: "capture" + of, Run: func() {
		i.capture.Run(samples.Interval{From: i.clock.StepStart, To: i.clock.StepEnd})
	}})
	e.AddAt(ecs.VisualSync, ecs.OrderSync, &plugin.System{What: "visual synchronizer" + of, Run: i.drawer.Sync})
}

// close releases everything.
func (i *Interpolator[T]) close() {
	i.drawer.Stop()
	plugin.Take(i.world, &i.installed)
	i.samples.Close(plugin.Take(i.world, i))
	i.samples = nil
}

// SetEnabled switches interpolation on or off for all entities. While it is off, visual values are
// those of the newest fixed step. After switching back in the middle of a motion the picture is as
// if interpolation had never been off.
func (i *Interpolator[T]) SetEnabled(on bool) {
	if i.disabled == !on {
		return
	}
	i.disabled = !on
	if i.samples != nil {
		i.drawer.SetEnabled(on)
		i.samples.NoteAllActive()
	}
}

// Enabled reports whether interpolation is on.
func (i *Interpolator[T]) Enabled() bool { return !i.disabled }

// Fraction returns how far the normal time is into the newest fixed step, 0 to below 1: the
// fraction at which everything in ordinary motion is drawn.
func (i *Interpolator[T]) Fraction() float32 {
	i.mustBeInstalled("Fraction")
	return i.samples.Step().Fraction(i.clock.Normal)
}

// Of returns the interpolator of values of type T that is installed on a world's engine, or nil.
func Of[T any](w *arche.World) *Interpolator[T] {
	i, _ := w.Resources().Get(arche.ResourceID[Interpolator[T]](w)).(*Interpolator[T])
	return i
}

func (i *Interpolator[T]) mustBeInstalled(what string) {
	if i.samples == nil {
		panic("interpolation: " + what + " of an interpolator that is not installed (any more); call engine.Install first")
	}
}

// present returns the time before which nothing will be drawn any more. Within a step that is its
// start, whatever time the frame shows afterwards.
func (i *Interpolator[T]) present() time.Duration {
	now := i.clock
	if now.Fixed == now.StepStart {
		return now.StepStart
	}
	return now.Normal
}
