// Package instancing draws a world's entities by instances that the graphics processor blends.
//
// A [Batcher] gives every entity with the marker [components.InterpolateOnGPU] an instance in a
// [render.MotionBatch]. It passes on the entity's samples after a fixed step has changed them, and
// removes the instance when the entity loses its marker or is removed.
//
//	batcher := instancing.New(poses, func(arche.Entity) *render.MotionBatch { return cubes })
//	engine.Install(poses, batcher)
//	...
//	batcher.Update()                    // in every frame, after engine.Update
//	view.AddMotion(cubes)
//	query := others.Query(world)        // others := generic.NewFilter1[components.Visual3D]().Without(generic.T[instancing.Instance]())
//
// After a fixed step the samples of all moving entities are copied from the interpolator's columns
// to the batches in runs of rows. Other frames copy nothing.
//
// Every entity is drawn in exactly one way, also in the frame in which its marker changes: an
// entity with an [Instance] is drawn by its batch, any other by its Visual.
package instancing

import (
	"cmp"
	"fmt"
	"slices"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/filter"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/render"
	"github.com/tandem-ecs/tandem/systems/interpolation"
)

// Instance is on the entities that have an instance at present. Do not add or remove it.
type Instance struct{ _ uint32 }

// Batcher keeps the instances of batches in step with a world. It is an [ecs.Plugin]; an engine may
// have one. Make it with [New]. All methods are for the engine's goroutine.
type Batcher struct {
	// Paint sets the colours of instances by their newest samples: the instance of entities[k],
	// which is at to[k] or moves there, becomes colors[k]. It is called whenever these samples
	// change, for many instances at once, and must keep none of the slices. Nil leaves every
	// instance in its batch's colour. Set it before Install.
	Paint func(colors []render.Color, entities []arche.Entity, to []components.Pose3D)

	poses   *interpolation.Interpolator[components.Pose3D]
	batchOf func(e arche.Entity) *render.MotionBatch

	engine   *ecs.Engine
	world    *arche.World
	ids      struct{ instance, marker, parent arche.ID }
	entering arche.CachedFilter // marked, without an instance
	leaving  arche.CachedFilter // with an instance that they must lose
	present  arche.CachedFilter // with an instance

	slots   []slot // by entity id
	batches []rows
	count   int // of all instances
	scratch []arche.Entity
	// entities whose newest samples the feed may not report: with a new instance, or without the
	// marker for a time
	unreported []arche.Entity
	feed       *interpolation.Feed[components.Pose3D]

	// scratch of Paint
	colors [maxRun]render.Color
	one    [1]arche.Entity
	pose   [1]components.Pose3D
}

// slot is the place of an entity's instance.
type slot struct {
	owner arche.Entity // zero: the slot is free
	batch int32
	row   int32
}

// rows lists the entities whose instances are the rows of a batch.
type rows struct {
	batch    *render.MotionBatch
	entities []arche.Entity
}

// New returns a batcher of the entities that the interpolator samples. batchOf chooses the batch of
// an entity's instance. It is called once for each entity; where it returns nil the entity gets no
// instance, and batchOf is called again in the next frame. The batches belong to the batcher from
// then on: other code must not add or remove instances.
func New(poses *interpolation.Interpolator[components.Pose3D], batchOf func(e arche.Entity) *render.MotionBatch) *Batcher {
	if poses == nil || batchOf == nil {
		panic("instancing: New needs an interpolator of poses in space and a function that chooses an entity's batch")
	}
	return &Batcher{poses: poses, batchOf: batchOf}
}

// Install adds the batcher's systems to the engine.
func (b *Batcher) Install(e *ecs.Engine) {
	if b.engine != nil {
		panic("instancing: this Batcher is already installed on an engine: make one for each engine")
	}
	b.engine, b.world = e, e.World()
	b.feed = b.poses.Subscribe(interpolation.Events[components.Pose3D]{Step: b.step, Moved: b.moved, Changed: b.changed})
	w := b.world
	b.ids.instance = arche.ComponentID[Instance](w)
	b.ids.marker = arche.ComponentID[components.InterpolateOnGPU](w)
	b.ids.parent = arche.ComponentID[components.Parent](w)
	logical, visual := arche.ComponentID[components.Transform3D](w), arche.ComponentID[components.Visual3D](w)
	with, wanted := arche.All(b.ids.instance), arche.All(b.ids.marker, logical, visual).Without(b.ids.parent)
	b.present = w.Cache().Register(with)
	b.entering = w.Cache().Register(filter.And(filter.Not(with), &wanted))
	b.leaving = w.Cache().Register(filter.And(with, filter.Not(&wanted)))
	e.AddAt(ecs.FixedEnd, ecs.OrderCapture-1, ecs.SystemFunc(b.noteUnreported))
	// Before the synchroniser: it then sees the markers as they stay for this frame, and writes the
	// visual values of entities that have lost their instance.
	e.AddAt(ecs.VisualSync, ecs.OrderSync-1, &memberSystem{b})
}

// memberSystem gives and removes instances.
type memberSystem struct{ b *Batcher }

func (s *memberSystem) Initialize(*arche.World) {}
func (s *memberSystem) Update(*arche.World)     { s.b.updateMembers() }
func (s *memberSystem) Name() string            { return "instancing" }
func (s *memberSystem) Finalize(w *arche.World) {
	w.Batch().Remove(arche.All(s.b.ids.instance), s.b.ids.instance)
	for _, f := range []*arche.CachedFilter{&s.b.leaving, &s.b.entering, &s.b.present} {
		w.Cache().Unregister(f)
	}
	s.b.clear()
}

// noteUnreported notes the entities with an instance that the feed does not report now, and that
// may get their marker back before they lose the instance.
func (b *Batcher) noteUnreported(*arche.World) {
	b.unreported = append(b.unreported, b.list(&b.leaving)...)
	if len(b.unreported) > 2*b.count+64 { // many steps in a frame, or Update is never called
		b.unreported = slices.DeleteFunc(b.unreported, func(e arche.Entity) bool { return b.slotOf(e) == nil })
		slices.SortFunc(b.unreported, func(a, b arche.Entity) int { return cmp.Compare(a.ID(), b.ID()) })
		b.unreported = slices.Compact(b.unreported)
	}
}

// marked reports whether the graphics processor blends a living entity.
func (b *Batcher) marked(e arche.Entity) bool {
	return b.world.HasUnchecked(e, b.ids.marker) && !b.world.HasUnchecked(e, b.ids.parent)
}

// slotOf returns the place of an entity's instance, nil if it has none.
func (b *Batcher) slotOf(e arche.Entity) *slot {
	if int(e.ID()) >= len(b.slots) || b.slots[e.ID()].owner != e {
		return nil
	}
	return &b.slots[e.ID()]
}

func (b *Batcher) clear() {
	for k := range b.batches {
		b.batches[k].batch.Reset()
	}
	b.slots, b.batches, b.count, b.unreported = nil, nil, 0, nil
}

// updateMembers gives and removes instances. While no entity changes it looks at three filters.
func (b *Batcher) updateMembers() {
	for _, e := range b.list(&b.leaving) {
		b.world.Remove(e, b.ids.instance)
		b.remove(b.slots[e.ID()])
		b.poses.Redraw(e) // the synchroniser does so too, except in a pause
	}
	query := b.world.Query(&b.present)
	alive := query.Count()
	query.Close()
	if alive < b.count {
		b.removeDead()
	}
	for _, e := range b.list(&b.entering) {
		m, ok := b.poses.Shown(e)
		if !ok {
			continue // spawned since the newest fixed step: the next one gives it samples
		}
		if batch := b.batchOf(e); batch != nil {
			b.world.Add(e, b.ids.instance)
			b.add(e, batch, m)
		}
	}
}

// list returns the entities that match a filter, so that the world may be changed for each.
func (b *Batcher) list(f *arche.CachedFilter) []arche.Entity {
	b.scratch = b.scratch[:0]
	query := b.world.Query(f)
	for query.Next() {
		b.scratch = append(b.scratch, query.Entity())
	}
	return b.scratch
}

// removeDead removes the instances of entities that are no longer alive.
func (b *Batcher) removeDead() {
	for k := range b.batches {
		for row := len(b.batches[k].entities) - 1; row >= 0; row-- {
			if e := b.batches[k].entities[row]; !b.world.Alive(e) {
				b.remove(b.slots[e.ID()])
			}
		}
	}
}

func (b *Batcher) add(e arche.Entity, batch *render.MotionBatch, m interpolation.Samples[components.Pose3D]) {
	k := 0
	for k < len(b.batches) && b.batches[k].batch != batch {
		k++
	}
	if k == len(b.batches) {
		if batch.Len() > 0 {
			panic(fmt.Sprintf("instancing: the batch has %d instances already: give New a function that returns empty batches", batch.Len()))
		}
		b.batches = append(b.batches, rows{batch: batch})
	}
	color := batch.Color
	if b.Paint != nil {
		color = b.colorOf(e, &m.To)
	}
	// The next Update sets its motion: a step may have begun that the batch does not know yet.
	row := batch.AddColor(render.Still(m.To), color)
	b.unreported = append(b.unreported, e)
	b.batches[k].entities = append(b.batches[k].entities, e)
	if n := int(e.ID()) + 1; n > len(b.slots) {
		b.slots = append(b.slots, make([]slot, max(n, 2*len(b.slots))-len(b.slots))...)
	}
	b.slots[e.ID()] = slot{e, int32(k), int32(row)}
	b.count++
}

// remove removes an instance. The batch's last instance moves to its row.
func (b *Batcher) remove(s slot) {
	o := &b.batches[s.batch]
	last := o.batch.Remove(int(s.row))
	mover := o.entities[last]
	o.entities[s.row] = mover
	o.entities = o.entities[:last]
	b.slots[mover.ID()].row = s.row
	b.slots[s.owner.ID()] = slot{}
	b.count--
}

// Update passes the changed samples and the time of the frame to the batches. Call it once in each
// frame, after the engine's Update or in its Render stage, and before the batches are drawn.
func (b *Batcher) Update() {
	if b.engine == nil {
		panic("instancing: Update before Install: call engine.Install first")
	}
	b.feed.Deliver()
	for _, e := range b.unreported {
		b.changed(e)
	}
	b.unreported = b.unreported[:0]
	b.noteUnreported(b.world) // the feed has not reported these
	now := b.engine.Time().Normal
	for k := range b.batches {
		b.batches[k].batch.SetTime(now)
	}
}

// Len returns the number of instances.
func (b *Batcher) Len() int { return b.count }
