package systems

import (
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
)

// The hidden components. Each is a column of its own, so that a kernel streams what it needs and nothing else.
type (
	prevSample[T any] struct{ _ T }         // the value at the interval's start
	curSample[T any]  struct{ _ T }         // the value at its end
	seenMark[T any]   struct{ _ uint32 }    // the logical revision at the last capture
	motionMark[T any] struct{ _ uint32 }    // in motion: the generation of the capture, or timedMark; at rest: 0
	sampleSpan[T any] struct{ _ spanOwner } // rarely touched
)

// spanOwner is what only the slow paths need: an interval of the entity's own, and whose samples these are.
type spanOwner struct {
	from, to time.Duration // valid while the motion mark says timedMark
	owner    arche.Entity
}

// table is one of arche's tables as slices over its columns. It is valid until the world's structure changes.
type table[T any] struct {
	logical []components.Logical[T]
	visual  []T // a Visual is its value and nothing else
	prev    []T
	cur     []T
	seen    []uint32
	motion  []uint32
	span    []spanOwner
	mask    *arche.Mask
	still   bool // entities here carry NoInterpolation
	gpu     bool // entities here carry InterpolateOnGPU and no Parent
}

// columns are the tables of the entities that have samples of type T.
type columns[T any] struct {
	ids     struct{ logical, visual, prev, cur, seen, motion, span, still, gpu, parent arche.ID }
	tables  tables
	typed   []table[T]
	misfits bool // the newest look has found entities that have samples or what samples belong to, but not both
}

func newColumns[T any](w *arche.World) *columns[T] {
	c := &columns[T]{}
	c.ids.logical = arche.ComponentID[components.Logical[T]](w)
	c.ids.visual = arche.ComponentID[components.Visual[T]](w)
	c.ids.prev = arche.ComponentID[prevSample[T]](w)
	c.ids.cur = arche.ComponentID[curSample[T]](w)
	c.ids.seen = arche.ComponentID[seenMark[T]](w)
	c.ids.motion = arche.ComponentID[motionMark[T]](w)
	c.ids.span = arche.ComponentID[sampleSpan[T]](w)
	c.ids.still = arche.ComponentID[components.NoInterpolation](w)
	c.ids.gpu = arche.ComponentID[components.InterpolateOnGPU](w)
	c.ids.parent = arche.ComponentID[components.Parent](w)
	whoever := &fitOrMisfit{arche.All(c.ids.logical, c.ids.visual), c.ids.prev}
	c.tables = newTablesOf(w, whoever, c.ids.logical, c.ids.visual, c.ids.prev, c.ids.cur, c.ids.seen, c.ids.motion, c.ids.span)
	return c
}

// fitOrMisfit is a filter for entities that have samples, or what samples belong to, or both: one query finds the tables, and that nobody fits into none.
type fitOrMisfit struct {
	both   arche.Mask // logical and visual
	sample arche.ID
}

// Matches makes it a filter.
func (f *fitOrMisfit) Matches(mask *arche.Mask) bool {
	return mask.Contains(&f.both) || mask.Get(f.sample)
}

func (c *columns[T]) close() {
	c.tables.close()
	c.typed = nil
}

// collect returns all tables. The slice is reused by the next call.
func (c *columns[T]) collect() []table[T] {
	found := c.tables.find()
	if c.tables.same {
		return c.typed
	}
	c.typed, c.misfits = c.typed[:0], false
	for k := range found {
		rows := &found[k]
		if rows.info.partial {
			c.misfits = true
			continue
		}
		c.typed = append(c.typed, table[T]{
			logical: column[components.Logical[T]](rows, 0),
			visual:  column[T](rows, 1),
			prev:    column[T](rows, 2),
			cur:     column[T](rows, 3),
			seen:    column[uint32](rows, 4),
			motion:  column[uint32](rows, 5),
			span:    column[spanOwner](rows, 6),
			mask:    &rows.info.mask,
			still:   rows.info.mask.Get(c.ids.still),
			gpu:     rows.info.mask.Get(c.ids.gpu) && !rows.info.mask.Get(c.ids.parent),
		})
	}
	return c.typed
}
