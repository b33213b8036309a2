package hierarchy

import (
	"errors"
	"fmt"
	"log/slog"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/internal/alive"
	"github.com/tandem-ecs/tandem/internal/plugin"
	"github.com/tandem-ecs/tandem/internal/record"
	"github.com/tandem-ecs/tandem/systems/interpolation"
)

// Hierarchy composes the local poses of entities with a [components.Parent] to world poses, of both
// kinds: logical for the simulation, visual for the picture. It is an [ecs.Plugin]; install one per
// engine, in any order with [interpolation.New3D], without which there are only logical poses and
// those of visual-only entities.
//
// Local poses are interpolated, and world poses are composed from them. So a child on a turning
// parent keeps its distance all the way, which blended world poses would not.
//
// Despawning a parent removes its subtree, at the latest by the next FixedEnd or VisualSync
// ([Hierarchy.KeepOrphans] changes that). A parent that the world has never had, or not yet, counts
// as a dead one. It had no place, so children that are kept stand at their local poses. Parents
// that form a cycle, which only direct writes can make, count as roots. An error that names them is
// logged once.
//
// Make it with [New3D]; the zero value is of no use. Like the engine it belongs to one goroutine at
// a time.
type Hierarchy[P, M any] struct {
	// KeepOrphans keeps the children of a despawned parent, without a parent, at their place in the
	// world. Otherwise they are removed with it.
	KeepOrphans bool
	// Log receives faults of the data, such as cycles of parents. Nil means slog.Default().
	Log *slog.Logger

	engine *ecs.Engine
	ancestry
	space    space[P, M]
	topology topology[P]
	visual   frames[P, M] // in the order that was drawn last
	// of parents, in the order of the newest sweep; used only with KeepOrphans
	logical             frames[P, M]
	ofLogical, ofVisual source[P, M]
	above               M        // scratch
	dirty               []uint64 // bit k: node k's local visual pose may have changed
	// members whose visual pose the interpolator does not write
	uninterpolated []uninterpolated[P]

	expecting bool // some uninterpolated members will get samples
	source    *interpolation.Interpolator[P]
	feed      *interpolation.Feed[P] // of the source
	fresh     bool                   // the feed has delivered nothing yet
	takingAll bool

	ids struct{ logical, visual, otherLogical, otherVisual arche.ID }

	installed plugin.Serving[components.Parent, P] // a resource of the world
}

// Hierarchy3D is the hierarchy of poses in space, Hierarchy2D that of poses in the plane.
type (
	Hierarchy3D = Hierarchy[components.Pose3D, mgl32.Mat4]
	Hierarchy2D = Hierarchy[components.Pose2D, mgl32.Mat3]
)

// New3D returns the plugin for poses in space, with world poses as mgl32.Mat4.
func New3D() *Hierarchy3D { return newHierarchy(space3D()) }

// New2D returns the plugin for poses in the plane, with world poses as mgl32.Mat3.
func New2D() *Hierarchy2D { return newHierarchy(space2D()) }

func newHierarchy[P, M any](s space[P, M]) *Hierarchy[P, M] {
	h := &Hierarchy[P, M]{space: s, visual: s.newFrames(), logical: s.newFrames()}
	h.ofLogical = source[P, M]{h.logicalLocal, h.lastLogical}
	h.ofVisual = source[P, M]{h.visualLocal, h.lastVisual}
	return h
}

// Of returns the hierarchy of poses in space that is installed on a world's engine, or nil.
func Of(w *arche.World) *Hierarchy3D { return of[components.Pose3D, mgl32.Mat4](w) }

func of[P, M any](w *arche.World) *Hierarchy[P, M] {
	h, _ := w.Resources().Get(arche.ResourceID[Hierarchy[P, M]](w)).(*Hierarchy[P, M])
	return h
}

// ErrCycle is returned when an entity would become its own ancestor.
var ErrCycle = errors.New("an entity cannot become its own ancestor")

// The places of the hierarchy's systems in their stages.
const (
	// OrderSweep, in FixedEnd: the subtrees of despawned parents are removed. Systems of OrderUser
	// run before it, the capture runs after it.
	OrderSweep = ecs.OrderCapture - 1000
	// OrderPropagate, in VisualSync: world poses are composed from the visual poses.
	OrderPropagate = ecs.OrderSync + 1000
)

// Install adds the hierarchy's systems to the engine. It panics if it was installed before, on any
// engine.
func (h *Hierarchy[P, M]) Install(e *ecs.Engine) {
	if h.engine != nil {
		panic("hierarchy: this hierarchy is already installed on an engine; make one per engine")
	}
	if h.Log == nil {
		h.Log = slog.Default()
	}
	h.engine, h.world = e, e.World()
	h.parent = arche.ComponentID[components.Parent](h.world)
	h.living = alive.In(h.world, h.parent)
	h.ids.logical = arche.ComponentID[components.Logical[P]](h.world)
	h.ids.visual = arche.ComponentID[components.Visual[P]](h.world)
	h.topology = newTopology[P](h.world, h.parent)
	h.ids.otherLogical, h.ids.otherVisual = h.space.other(h.world)
	plugin.Put(h.world, h)
	plugin.Put(h.world, &h.installed)
	e.AddAt(ecs.FixedEnd, OrderSweep, &plugin.System{What: "hierarchy's sweep", Run: h.sweep, Stop: h.close})
	e.AddAt(ecs.VisualSync, ecs.OrderSync-1, &plugin.System{What: "hierarchy's sweep", Run: h.sweep})
	e.AddAt(ecs.VisualSync, OrderPropagate, &plugin.System{What: "hierarchy's propagation", Run: h.propagate})
}

// close releases everything.
func (h *Hierarchy[P, M]) close() {
	plugin.Take(h.world, &h.installed)
	h.topology.close(h.world, plugin.Take(h.world, h))
}

// LogicalWorld returns an entity's world pose in the simulation as a column-major matrix, composed
// from the present logical poses: in a step those of its start, until a system moves the entity or
// an ancestor. An ancestor without a logical pose counts as an identity. Below
// an ancestor that was despawned since the last sweep it is composed from that one's last place. It
// panics for an entity that is dead, and for one that the hierarchy cannot serve because its poses
// are of the other kind.
func (h *Hierarchy[P, M]) LogicalWorld(e arche.Entity) M {
	h.mustServe("LogicalWorld", e)
	return h.worldOf(e, &h.ofLogical)
}

// VisualWorld returns an entity's world pose to draw as a column-major matrix, composed from the
// present visual poses. From VisualSync on those are this frame's. An ancestor without a visual
// pose counts with its logical one. It panics for an entity that is dead, and for one that the
// hierarchy cannot serve because its poses are of the other kind.
//
// The way up to the root is checked at every call. To read the poses of a whole world, use
// [Hierarchy.EachVisualWorld].
func (h *Hierarchy[P, M]) VisualWorld(e arche.Entity) M {
	h.mustServe("VisualWorld", e)
	return h.worldOf(e, &h.ofVisual)
}

// EachVisualWorld calls f for every entity that has a Parent or children, with its world pose as of
// VisualSync, parents before their children. Writes, reparenting and shifts since then show in the
// next frame. The matrix is valid during the call. f must not change the world's structure.
func (h *Hierarchy[P, M]) EachVisualWorld(f func(e arche.Entity, world *M)) {
	nodes := h.topology.orders[h.topology.drawn].Nodes()
	for k := range nodes {
		if e := nodes[k].Entity(); h.world.Alive(e) {
			f(e, h.visual.world(int32(k)))
		}
	}
}

// source returns the poses of one kind, logical or visual: the local pose of a living entity, and
// the last world pose of a dead one.
type source[P, M any] struct {
	local func(arche.Entity) *P
	last  func(arche.Entity) M
}

// worldOf composes the world pose of a living entity down from its root, or from the last world
// pose of a dead ancestor.
func (h *Hierarchy[P, M]) worldOf(e arche.Entity, from *source[P, M]) M {
	chain, gone := h.upward(e)
	if gone.IsZero() {
		return h.visual.along(chain, from.local, nil)
	}
	h.above = from.last(gone)
	return h.visual.along(chain, from.local, &h.above)
}

// mustServe panics for an entity that has no world pose here.
func (h *Hierarchy[P, M]) mustServe(what string, e arche.Entity) {
	if h.engine == nil {
		panic("hierarchy: " + what + " of a hierarchy that is not installed; call engine.Install first")
	}
	if !h.living.Alive(e) {
		panic(fmt.Sprintf("hierarchy: %s of %v, which is dead; check World.Alive first", what, e))
	}
	has := h.world.HasUnchecked
	switch {
	case has(e, h.ids.logical) || has(e, h.ids.visual):
	case has(e, h.ids.otherLogical) || has(e, h.ids.otherVisual):
		panic(fmt.Sprintf("hierarchy: %s of %v, which this hierarchy cannot serve; %s", what, e, h.space.advice))
	}
}

// logicalLocal returns an entity's local pose as it was written, with a rotation of any length. It
// lies in the component, which a structural change moves. For an entity without one it is the
// identity.
func (h *Hierarchy[P, M]) logicalLocal(e arche.Entity) *P {
	if logical := (*P)(h.world.GetUnchecked(e, h.ids.logical)); logical != nil {
		return logical
	}
	return &h.space.identity
}

// visualLocal returns an entity's local visual pose in the same way. For an entity without one it
// is the logical pose.
func (h *Hierarchy[P, M]) visualLocal(e arche.Entity) *P {
	if visual := (*P)(h.world.GetUnchecked(e, h.ids.visual)); visual != nil && !h.awaitsSamples(e) {
		return visual
	}
	return h.logicalLocal(e)
}

// awaitsSamples reports whether an entity will get samples and has none yet. Its visual pose may be
// a zero that was never drawn, and its logical one will be drawn. An entity that appears in motion
// is drawn at its visual pose.
func (h *Hierarchy[P, M]) awaitsSamples(e arche.Entity) bool {
	logical := (*record.Record[P])(h.world.GetUnchecked(e, h.ids.logical))
	if logical == nil || logical.InMotion() {
		return false
	}
	i := h.interpolator()
	return i != nil && !i.HasSamples(e)
}

// interpolator returns the engine's interpolator of poses, or nil.
func (h *Hierarchy[P, M]) interpolator() *interpolation.Interpolator[P] {
	return interpolation.Of[P](h.world)
}

// follow subscribes to the engine's interpolator, which may be installed later than the hierarchy.
func (h *Hierarchy[P, M]) follow() {
	i := h.interpolator()
	if i == h.source {
		return
	}
	if h.feed != nil {
		h.feed.Close()
	}
	h.source, h.feed = i, nil
	if i == nil {
		return
	}
	h.fresh = true
	h.feed = i.Subscribe(interpolation.Events[P]{
		Attached: func() {
			if h.expecting {
				h.listUninterpolated(nil)
			}
		},
		Detached:   func() { h.listUninterpolated(nil) },
		Moved:      h.takeRows,
		Changed:    h.takeOne,
		ShiftEnded: h.rememberShifted,
	})
}
