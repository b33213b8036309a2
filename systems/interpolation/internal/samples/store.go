// Package samples keeps the two newest captured values of every entity that has both the Logical
// and the Visual of a type, in hidden components of the entity, and the set of those that are in
// motion.
//
// It attaches and detaches the hidden components, and it alone counts the rows in motion. Package
// capture writes values into the columns, and package draw reads them.
package samples

import (
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/internal/column"
)

// The hidden components. Each is a column of its own, so that a kernel streams only the data that
// it needs.
type (
	prevSample[T any] struct{ _ T }      // the value at the interval's start
	curSample[T any]  struct{ _ T }      // the value at its end
	seenMark[T any]   struct{ _ uint32 } // the logical revision at the last capture
	// in motion: the generation of the capture, or Timed; at rest: 0
	motionMark[T any] struct{ _ uint32 }
	sampleSpan[T any] struct{ _ span } // rarely touched
)

// span holds the data that only the slow paths need: the entity's own interval, and the entity.
type span struct {
	own Interval // valid while the motion mark says Timed
	// the generation of the capture after which, or in which, the interval was set
	captured uint32
	owner    arche.Entity
	reported bool // a value that is not finite
}

// Interval is a span of fixed time.
type Interval struct{ From, To time.Duration }

// Fraction returns how far a time is into the interval, 0 to 1. The quotient is formed in float64
// so that it does not lose digits as time goes on.
func (i Interval) Fraction(now time.Duration) float32 {
	if i.To <= i.From || now >= i.To {
		return 1
	}
	// Rounding must not make it one too soon.
	return min(float32(float64(max(now-i.From, 0))/float64(i.To-i.From)), 1-1.0/(1<<24))
}

// Store keeps the samples of all entities of one world and type.
type Store[T any] struct {
	world     *arche.World
	ids       ids
	normalize func(T) T
	bounds    Bounds[T]
	hidden    []arche.ID
	found     column.Tables
	tables    []Table[T]
	// mismatched says that the newest look has found entities of that filter.
	mismatched bool
	filters    filters

	begun    bool     // Attach was called
	step     Interval // the newest captured one
	gen      uint32   // generation of the newest capture; never 0 after the first
	active   []Active // per table: the rows in motion, as of the newest capture
	previous []Active // the lists of the capture before
	common   int      // rows in all common lists
	timed    int      // rows in all timed lists
	relist   bool     // a mark was set outside a capture: the lists must be rebuilt
	logs     []*Log
}

type ids struct{ logical, visual, prev, cur, seen, motion, span, still, gpu, parent arche.ID }

// New returns the store of a world's values of type T. Values go through normalize before they
// become samples.
func New[T any](w *arche.World, normalize func(T) T) *Store[T] {
	s := &Store[T]{world: w, normalize: normalize}
	s.ids = ids{
		logical: arche.ComponentID[components.Logical[T]](w), visual: arche.ComponentID[components.Visual[T]](w),
		prev: arche.ComponentID[prevSample[T]](w), cur: arche.ComponentID[curSample[T]](w),
		seen: arche.ComponentID[seenMark[T]](w), motion: arche.ComponentID[motionMark[T]](w),
		span:   arche.ComponentID[sampleSpan[T]](w),
		still:  arche.ComponentID[components.NoInterpolation](w),
		gpu:    arche.ComponentID[components.InterpolateOnGPU](w),
		parent: arche.ComponentID[components.Parent](w),
	}
	s.hidden = []arche.ID{s.ids.prev, s.ids.cur, s.ids.seen, s.ids.motion, s.ids.span}
	both := arche.All(s.ids.logical, s.ids.visual)
	// One query finds the tables, and the entities that fit into none.
	s.found = column.NewFor(w, maskFilter(func(m *arche.Mask) bool { return m.Contains(&both) || m.Get(s.ids.prev) }),
		s.ids.logical, s.ids.visual, s.ids.prev, s.ids.cur, s.ids.seen, s.ids.motion, s.ids.span)
	s.filters = newFilters(w, both, s.ids.prev)
	return s
}

// Close unregisters the filters. If the samples are ours, it removes them all: another engine's
// interpolator cannot use them.
func (s *Store[T]) Close(ours bool) {
	s.found.Close()
	s.tables = nil
	if ours {
		s.world.Batch().Remove(arche.All(s.hidden[0]), s.hidden...)
	}
	s.world.Cache().Unregister(&s.filters.mismatched)
}

// World returns the world.
func (s *Store[T]) World() *arche.World { return s.world }

// Step returns the newest captured step.
func (s *Store[T]) Step() Interval { return s.step }

// Normal returns the sample of a value: the value, normalised.
func (s *Store[T]) Normal(v T) T {
	if s.normalize == nil {
		return v
	}
	return s.normalize(v)
}
