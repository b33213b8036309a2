// Package instancing keeps [render.MotionBatch]es in step with a world: it gives every entity that
// the graphics processor blends (see [components.InterpolateOnGPU]) an instance, hands on its
// samples when a fixed step has changed them, and takes the instance away when the entity loses its
// marker or dies.
//
//	crowd := instancing.New(poses, func(arche.Entity) *render.MotionBatch { return cubes })
//	engine.Install(poses, crowd)
//	...
//	crowd.Update()                      // in every frame, after engine.Update
//	view.AddMotion(cubes)
//	query := others.Query(world)        // others := generic.NewFilter1[components.Visual3D]().Without(generic.T[instancing.Instance]())
//
// In a fixed step the samples of all that move go from the interpolator's columns to the batches,
// run by run, and in other frames nothing does.
//
// Every entity is drawn by exactly one of the two ways, in the very frame in which it changes
// sides: who has an [Instance] is drawn by the batch, everybody else by his Visual.
package instancing

import (
	"cmp"
	"fmt"
	"slices"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/render"
	"github.com/tandem-ecs/tandem/systems/interpolation"
)

// Instance is carried by the entities that have an instance at present. Do not add or remove it.
type Instance struct{ _ uint32 }

// Crowd keeps batches in step with a world. It is an [ecs.Plugin]; there may be one per engine. All
// methods are for the engine's goroutine.
type Crowd struct {
	poses *interpolation.Interpolator[components.Pose3D]
	sort  func(e arche.Entity) *render.MotionBatch
	paint func(colors []render.Color, who []arche.Entity, to []components.Pose3D)

	engine  *ecs.Engine
	world   *arche.World
	ids     struct{ instance, marker, parent, visual arche.ID }
	comers  arche.CachedFilter // marked, without an instance
	leavers [4]arche.CachedFilter
	present arche.CachedFilter // with an instance

	slots   []slot // by entity id
	batches []owners
	count   int // of all instances
	changes []arche.Entity
	// those whose samples nobody may have told of: instances that are new, or were not marked for a
	// time
	newcomers []arche.Entity
	listener  listener
	feed      *interpolation.Feed[components.Pose3D]
}

// slot is where an entity's instance is.
type slot struct {
	owner arche.Entity // the zero entity: none
	batch int32
	row   int32
}

// owners are whose instances the rows of a batch are.
type owners struct {
	batch *render.MotionBatch
	rows  []arche.Entity
}

// New returns a crowd of what the interpolator knows. The function says into which batch an entity
// goes, once for each; for one that is not to be drawn it returns nil, and is asked again in the
// next frame. Batches belong to the crowd from then on: nobody else adds to them or takes from
// them.
func New(poses *interpolation.Interpolator[components.Pose3D], sort func(e arche.Entity) *render.MotionBatch) *Crowd {
	if poses == nil || sort == nil {
		panic("instancing: New needs an interpolator of poses in space and a function that says into which batch an entity goes")
	}
	c := &Crowd{poses: poses, sort: sort}
	c.listener.c = c
	return c
}

// WithColors lets a function paint instances by their newest samples: who[k], who is or goes to
// to[k], becomes colors[k]. It is called whenever these samples change, for many at once, and keeps
// none of the slices. Without it instances have their batch's colour. WithColors returns the crowd.
func (c *Crowd) WithColors(paint func(colors []render.Color, who []arche.Entity, to []components.Pose3D)) *Crowd {
	c.paint = paint
	return c
}

// Install adds the crowd's system to the engine.
func (c *Crowd) Install(e *ecs.Engine) {
	if c.engine != nil {
		panic("instancing: this crowd is already installed on an engine; make one per engine")
	}
	c.engine, c.world = e, e.World()
	c.feed = c.poses.Subscribe(interpolation.Events[components.Pose3D]{
		Step: c.listener.step, Moved: c.listener.moved, Changed: c.listener.changed,
	})
	w := c.world
	c.ids.instance = arche.ComponentID[Instance](w)
	c.ids.marker = arche.ComponentID[components.InterpolateOnGPU](w)
	c.ids.parent = arche.ComponentID[components.Parent](w)
	c.ids.visual = arche.ComponentID[components.Visual3D](w)
	logical, visual := arche.ComponentID[components.Transform3D](w), c.ids.visual
	register := func(f arche.MaskFilter) arche.CachedFilter { return w.Cache().Register(&f) }
	c.comers = register(arche.All(c.ids.marker, logical, visual).Without(c.ids.instance, c.ids.parent))
	with := arche.All(c.ids.instance)
	c.leavers = [4]arche.CachedFilter{
		register(with.Without(c.ids.marker)), register(with.Without(logical)), register(with.Without(visual)),
		register(arche.MaskFilter{Include: arche.All(c.ids.instance, c.ids.parent)}),
	}
	c.present = register(arche.MaskFilter{Include: with})
	e.AddAt(ecs.FixedEnd, ecs.OrderCapture-1, &overlooked{c})
	// Before the synchroniser, which then finds the world as it stays for this frame, and gives
	// visual values to who has left.
	e.AddAt(ecs.VisualSync, ecs.OrderSync-1, &changing{c})
}

// changing is the system in which entities change sides.
type changing struct{ c *Crowd }

func (s *changing) Initialize(*arche.World) {}
func (s *changing) Update(*arche.World)     { s.c.change() }
func (s *changing) Name() string            { return "crowd" }
func (s *changing) Finalize(w *arche.World) {
	w.Batch().Remove(arche.All(s.c.ids.instance), s.c.ids.instance)
	for _, f := range append(s.c.leavers[:], s.c.comers, s.c.present) {
		w.Cache().Unregister(&f)
	}
	s.c.clear()
}

// overlooked is the system that notes whom a capture will not tell of.
type overlooked struct{ c *Crowd }

func (s *overlooked) Initialize(*arche.World) {}
func (s *overlooked) Update(*arche.World)     { s.c.overlook() }
func (s *overlooked) Name() string            { return "crowd: overlooked" }
func (s *overlooked) Finalize(*arche.World)   {}

// overlook notes who has an instance but is not told of now, and may be marked again before he
// would lose it. While there is nobody it looks at four filters.
func (c *Crowd) overlook() {
	for k := range c.leavers {
		if c.number(&c.leavers[k]) > 0 {
			c.newcomers = append(c.newcomers, c.members(&c.leavers[k])...)
		}
	}
	if len(c.newcomers) > 2*c.count+64 { // many steps in a frame, or nobody who calls Update
		c.newcomers = slices.DeleteFunc(c.newcomers, func(e arche.Entity) bool { return c.slotOf(e) == nil })
		slices.SortFunc(c.newcomers, func(a, b arche.Entity) int { return cmp.Compare(a.ID(), b.ID()) })
		c.newcomers = slices.Compact(c.newcomers)
	}
}

// marked reports whether the graphics processor blends a living entity.
func (c *Crowd) marked(e arche.Entity) bool {
	return c.world.HasUnchecked(e, c.ids.marker) && !c.world.HasUnchecked(e, c.ids.parent)
}

// slotOf returns where an entity's instance is, nil if it has none.
func (c *Crowd) slotOf(e arche.Entity) *slot {
	if int(e.ID()) >= len(c.slots) || c.slots[e.ID()].owner != e {
		return nil
	}
	return &c.slots[e.ID()]
}

func (c *Crowd) clear() {
	for k := range c.batches {
		c.batches[k].batch.Reset()
	}
	c.slots, c.batches, c.count, c.newcomers = nil, nil, 0, nil
}

// change lets entities change sides. While nobody does it looks at six filters.
func (c *Crowd) change() {
	for k := range c.leavers {
		for _, e := range c.members(&c.leavers[k]) {
			c.world.Remove(e, c.ids.instance)
			c.drop(c.slots[e.ID()])
			c.poses.Redraw(e) // the synchroniser does so too, but not in a pause
		}
	}
	if c.number(&c.present) < c.count {
		c.bury()
	}
	for _, e := range c.members(&c.comers) {
		m, ok := c.poses.Shown(e)
		if !ok {
			continue // born since the newest fixed step; the next one gives it samples
		}
		if batch := c.sort(e); batch != nil {
			c.world.Add(e, c.ids.instance)
			c.add(e, batch, m)
		}
	}
}

// members lists who passes a filter, so that the world may be changed for each.
func (c *Crowd) members(f *arche.CachedFilter) []arche.Entity {
	c.changes = c.changes[:0]
	query := c.world.Query(f)
	for query.Next() {
		c.changes = append(c.changes, query.Entity())
	}
	return c.changes
}

func (c *Crowd) number(f *arche.CachedFilter) int {
	query := c.world.Query(f)
	defer query.Close()
	return query.Count()
}

// bury drops the instances of the dead.
func (c *Crowd) bury() {
	for k := range c.batches {
		for row := len(c.batches[k].rows) - 1; row >= 0; row-- {
			if e := c.batches[k].rows[row]; !c.world.Alive(e) {
				c.drop(c.slots[e.ID()])
			}
		}
	}
}

func (c *Crowd) add(e arche.Entity, batch *render.MotionBatch, m interpolation.Samples[components.Pose3D]) {
	k := 0
	for k < len(c.batches) && c.batches[k].batch != batch {
		k++
	}
	if k == len(c.batches) {
		if batch.Len() > 0 {
			panic(fmt.Sprintf("instancing: a batch that has %d instances already; give the crowd empty ones", batch.Len()))
		}
		c.batches = append(c.batches, owners{batch: batch})
	}
	color := batch.Color
	if c.paint != nil {
		color = c.listener.colorOf(e, &m.To)
	}
	// How it moves is for the next Update: a step that the batch does not know of yet may have
	// begun.
	row := batch.AddColor(render.Still(m.To), color)
	c.newcomers = append(c.newcomers, e)
	c.batches[k].rows = append(c.batches[k].rows, e)
	if n := int(e.ID()) + 1; n > len(c.slots) {
		c.slots = append(c.slots, make([]slot, max(n, 2*len(c.slots))-len(c.slots))...)
	}
	c.slots[e.ID()] = slot{e, int32(k), int32(row)}
	c.count++
}

// drop takes an instance away; the batch's last one takes its row.
func (c *Crowd) drop(s slot) {
	o := &c.batches[s.batch]
	last := o.batch.Remove(int(s.row))
	mover := o.rows[last]
	o.rows[s.row] = mover
	o.rows = o.rows[:last]
	c.slots[mover.ID()].row = s.row
	c.slots[s.owner.ID()] = slot{}
	c.count--
}

// Update hands the samples that have changed to the batches, and the time of the frame. To be
// called once per frame, after the engine's Update or in its Render stage, and before the batches
// are drawn.
func (c *Crowd) Update() {
	if c.engine == nil {
		panic("instancing: Update of a crowd that is not installed; call engine.Install first")
	}
	c.feed.Deliver()
	for _, e := range c.newcomers {
		c.listener.changed(e)
	}
	c.newcomers = c.newcomers[:0]
	c.overlook() // what has just been told was not told of these
	now := c.engine.Time().Normal
	for k := range c.batches {
		c.batches[k].batch.SetTime(now)
	}
}

// Len returns how many instances there are.
func (c *Crowd) Len() int { return c.count }
