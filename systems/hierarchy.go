package systems

import (
	"errors"
	"fmt"
	"log/slog"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/internal/census"
	"github.com/tandem-ecs/tandem/systems/internal/resource"
)

// Hierarchy composes the local poses of entities with a [components.Parent] to world poses, of both kinds: logical for the simulation, visual for the picture. It is an
// [ecs.Plugin]; install one per engine, in any order with [Interpolation3D], without which there are only logical poses and those of visual-only entities.
//
// Local poses are interpolated, world poses are composed from them: a child on a turning parent keeps its distance all the way, which blended world poses do not.
//
// Despawning a parent removes its subtree, at the latest by the next FixedEnd or VisualSync ([KeepOrphans] changes that). A parent that the world has never had, or not yet, counts as one that has
// died; it was nowhere, so what is kept of its children stands at their local poses. Parents that form a cycle, which only direct writes can make, count as roots; an error that names them is logged once.
//
// Make it with [Hierarchy3D]; the zero value is of no use. Like the engine it belongs to one goroutine at a time.
type Hierarchy struct {
	keepOrphans bool
	log         *slog.Logger
	closed      bool

	engine *ecs.Engine
	world  *arche.World
	ancestry
	family   family
	visual   poses      // in the order of those drawn
	logical  poses      // of parents, in the order of the newest sweep; only to keep orphans
	dirty    []uint64   // bit k: node k's local visual pose may have changed
	unsynced []unsynced // members whose drawn pose the interpolator does not write

	// The interpolator's counts when unsynced members were last listed, and whether some of those are still to get samples.
	movedOut, settled uint32
	expecting         bool

	bare components.Pose3D // the identity
	// Methods as values, made once.
	tookRows func(*table[components.Pose3D], []uint32, bool)
	tookOne  func(arche.Entity)

	ids struct{ parent, logical, visual, sample arche.ID }
}

// HierarchyOption changes how a hierarchy behaves.
type HierarchyOption func(*Hierarchy)

// KeepOrphans lets the children of a despawned parent live on without one, where they are in the world, instead of removing them.
func KeepOrphans() HierarchyOption { return func(h *Hierarchy) { h.keepOrphans = true } }

// WithLogger sets where faults of the data (cycles) are reported; the default is slog.Default(). It panics for nil.
func WithLogger(l *slog.Logger) HierarchyOption {
	if l == nil {
		panic("systems: WithLogger(nil); pass a logger, or leave the option out for slog.Default()")
	}
	return func(h *Hierarchy) { h.log = l }
}

// Hierarchy3D returns the plugin.
func Hierarchy3D(options ...HierarchyOption) *Hierarchy {
	h := &Hierarchy{log: slog.Default()}
	for _, o := range options {
		o(h)
	}
	return h
}

// ErrCycle is returned when an entity would become its own ancestor.
var ErrCycle = errors.New("an entity cannot become its own ancestor")

// Install adds the hierarchy's systems to the engine. It panics if it was installed before, on whatever engine.
func (h *Hierarchy) Install(e *ecs.Engine) {
	if h.engine != nil {
		panic("systems: this hierarchy is already installed on an engine; make one per engine")
	}
	h.engine, h.world = e, e.World()
	h.ids.parent = arche.ComponentID[components.Parent](h.world)
	h.ids.logical = arche.ComponentID[components.Transform3D](h.world)
	h.ids.visual = arche.ComponentID[components.Visual3D](h.world)
	h.ids.sample = arche.ComponentID[curSample[components.Pose3D]](h.world)
	h.ancestry.world, h.ancestry.parent, h.ancestry.living = h.world, h.ids.parent, census.Of(h.world, h.ids.parent)
	h.family = newFamily(h.world, h.ids.parent)
	h.bare = components.Identity3D()
	h.tookRows, h.tookOne = h.takeRows, h.takeOne
	resource.Put(h.world, h)
	e.AddAt(ecs.FixedEnd, ecs.OrderSweep, &hierarchySystem{h, "hierarchy's sweep", (*Hierarchy).sweep})
	e.AddAt(ecs.VisualSync, ecs.OrderSync-1, &hierarchySystem{h, "hierarchy's sweep", (*Hierarchy).sweep})
	e.AddAt(ecs.VisualSync, ecs.OrderPropagate, &hierarchySystem{h, "hierarchy's propagation", (*Hierarchy).propagate})
}

type hierarchySystem struct {
	h    *Hierarchy
	what string
	run  func(*Hierarchy)
}

func (s *hierarchySystem) Initialize(*arche.World) {}
func (s *hierarchySystem) Update(*arche.World)     { s.run(s.h) }
func (s *hierarchySystem) Name() string            { return s.what }

// Finalize of the last of the three, which engines finalise first, gives everything back.
func (s *hierarchySystem) Finalize(w *arche.World) {
	if !s.h.closed {
		s.h.closed = true
		s.h.family.close(w, resource.Take(w, s.h))
	}
}

// LogicalWorld returns the world pose that the simulation knows, as a column-major matrix, composed from the logical poses as they are now. An ancestor without a
// logical pose counts as an identity. Below one who has died, and is yet to be missed, it is composed from where that was last. It panics if the entity is dead.
func (h *Hierarchy) LogicalWorld(e arche.Entity) mgl32.Mat4 {
	h.mustLive("LogicalWorld", e)
	return h.worldOf(e, h.logicalLocal, h.lastLogical)
}

// VisualWorld returns the world pose to draw, as a column-major matrix, composed from the visual poses as they are now; from VisualSync on those are this frame's. An ancestor without a
// visual pose counts with its logical one. It panics if the entity is dead.
//
// The way up to the root is checked at every call. To read the poses of a whole world, use [Hierarchy.EachVisualWorld].
func (h *Hierarchy) VisualWorld(e arche.Entity) mgl32.Mat4 {
	h.mustLive("VisualWorld", e)
	return h.worldOf(e, h.visualLocal, h.lastVisual)
}

// EachVisualWorld calls f for every entity that has a Parent or children, with its world pose as of VisualSync, parents before their children: what has been written, reparented or shifted
// since then shows in the next frame. The matrix is valid during the call. The world's structure must not be changed meanwhile.
func (h *Hierarchy) EachVisualWorld(f func(e arche.Entity, world *mgl32.Mat4)) {
	nodes := h.family.orders[h.family.drawn].nodes
	for k := range nodes {
		if e := nodes[k].entity; h.world.Alive(e) {
			f(e, &h.visual.world[k])
		}
	}
}

func (h *Hierarchy) mustLive(what string, e arche.Entity) {
	if h.engine == nil {
		panic("systems: " + what + " of a hierarchy that is not installed; call engine.Install first")
	}
	if !h.living.Alive(e) {
		panic(fmt.Sprintf("systems: %s of %v, which is dead; check World.Alive first", what, e))
	}
}

// logicalLocal returns an entity's local pose as it was written, whatever its rotation's length: in its component, which a change of the structure moves. For one without any it is the identity.
func (h *Hierarchy) logicalLocal(e arche.Entity) *components.Pose3D {
	if logical := posePointer(h.world.GetUnchecked(e, h.ids.logical)); logical != nil {
		return logical
	}
	return &h.bare
}

// visualLocal returns what is drawn of an entity by itself, in the same way; that of an entity without a visual pose is its logical one.
func (h *Hierarchy) visualLocal(e arche.Entity) *components.Pose3D {
	if visual := posePointer(h.world.GetUnchecked(e, h.ids.visual)); visual != nil && !h.newborn(e) {
		return visual
	}
	return h.logicalLocal(e)
}

// newborn reports whether an entity is to have samples and has none yet. Its visual pose may be a zero that nobody has drawn; what will be drawn is its logical one.
func (h *Hierarchy) newborn(e arche.Entity) bool {
	return !h.world.HasUnchecked(e, h.ids.sample) && h.world.HasUnchecked(e, h.ids.logical) && h.interpolator() != nil
}

// interpolator returns the engine's interpolator of poses, or nil.
func (h *Hierarchy) interpolator() *Interpolator[components.Pose3D] {
	id := arche.ResourceID[Interpolator[components.Pose3D]](h.world)
	i, _ := h.world.Resources().Get(id).(*Interpolator[components.Pose3D])
	return i
}
