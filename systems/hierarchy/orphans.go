package hierarchy

import (
	"slices"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/hierarchy/internal/tree"
	"github.com/tandem-ecs/tandem/systems/interpolation"
)

// The last world poses of dead parents are kept, for children that are reparented or stay as
// orphans.

// rememberParents keeps the logical world poses of parents, for the time after their despawn.
func (h *Hierarchy[P, M]) rememberParents() {
	if h.KeepOrphans {
		h.logical.resize(len(h.topology.order().Nodes()))
		h.remember(h.logical, h.topology.order(), h.logicalLocal)
	}
}

// remember renews the world poses of all living parents.
func (h *Hierarchy[P, M]) remember(f frames[P, M], o *tree.Order, local func(arche.Entity) *P) {
	nodes := o.Nodes()
	for k := range nodes { // parents come first
		if n := &nodes[k]; n.End() > int32(k)+1 && h.world.Alive(n.Entity()) {
			f.take(int32(k), local(n.Entity()))
			f.compose(nodes, int32(k), int32(k)+1)
		}
	}
}

// orphan detaches a child from a dead parent. The child stays at its place in the world: in space
// as well as in the plane, if the engine has hierarchies of both.
func (h *Hierarchy[P, M]) orphan(child, parent arche.Entity) {
	(*components.Parent)(h.world.Get(child, h.parent)).Entity = arche.Entity{}
	// The resources of an engine that was closed before it ran are still there.
	inSpace, inThePlane := Of(h.world), of[components.Pose2D, mgl32.Mat3](h.world)
	if inSpace != nil && inSpace.engine == h.engine {
		inSpace.release(child, parent)
	}
	if inThePlane != nil && inThePlane.engine == h.engine {
		inThePlane.release(child, parent)
	}
}

// release maps a child's poses from the frame of a dead parent to the world.
func (h *Hierarchy[P, M]) release(child, parent arche.Entity) {
	logical, visual := h.space.poseOf(h.lastLogical(parent)), h.space.poseOf(h.lastVisual(parent))
	h.moveFrame(child, interpolation.Frames[P]{
		Logical: func(p P) P { return h.space.mul(logical, p) },
		Drawn:   func(p P) P { return h.space.mul(visual, p) },
	})
}

// lastLogical returns the last world pose of a dead parent in the simulation. If that was not kept,
// it returns the one that was drawn.
func (h *Hierarchy[P, M]) lastLogical(e arche.Entity) M {
	o := h.topology.order()
	if k := o.Index(e); k >= 0 && h.KeepOrphans && o.Nodes()[k].End() > k+1 {
		return *h.logical.world(k)
	}
	return h.lastVisual(e)
}

// lastVisual returns the world pose at which an entity was drawn last, or the identity.
func (h *Hierarchy[P, M]) lastVisual(e arche.Entity) M {
	if k := h.topology.orders[h.topology.drawn].Index(e); k >= 0 {
		return *h.visual.world(k)
	}
	return h.space.origin
}

// rememberShifted maps the remembered poses to the coordinates of a shift. The function is that of
// a shift of all entities without a parent, including dead ones. It is nil after a shift of single
// entities.
func (h *Hierarchy[P, M]) rememberShifted(f func(P) P) {
	if h.KeepOrphans || f != nil {
		s := shifting[P, M]{h: h, frames: h.visual, order: &h.topology.orders[h.topology.drawn], from: &h.ofVisual, f: f}
		s.run()
	}
	if h.KeepOrphans {
		s := shifting[P, M]{h: h, frames: h.logical, order: h.topology.order(), from: &h.ofLogical, f: f, parents: true}
		s.run()
	}
}

// shifting renews the remembered poses of one kind. The order may be out of date: the present
// parents count, and for dead entities the former ones.
type shifting[P, M any] struct {
	h       *Hierarchy[P, M]
	frames  frames[P, M]
	order   *tree.Order
	from    *source[P, M]
	f       func(P) P
	parents bool      // only parents are remembered
	state   []renewal // by node
}

// renewal is the state of a pose during a shift.
type renewal uint8

const (
	stale renewal = iota
	begun         // its ancestors come first
	renewed
)

func (s *shifting[P, M]) run() {
	s.state = make([]renewal, len(s.order.Nodes()))
	for k := range s.order.Nodes() {
		if n := &s.order.Nodes()[k]; n.End() > int32(k)+1 || !s.h.world.Alive(n.Entity()) {
			s.renew(int32(k))
		}
	}
}

func (s *shifting[P, M]) renew(k int32) {
	if s.state[k] == stale {
		s.state[k] = begun
		s.compose(k)
		s.state[k] = renewed
	}
}

func (s *shifting[P, M]) compose(k int32) {
	n, f := &s.order.Nodes()[k], s.frames
	up := n.Parent()
	switch alive := s.h.world.Alive(n.Entity()); {
	case alive:
		f.take(k, s.from.local(n.Entity()))
		p := s.h.parentOf(n.Entity())
		if up = s.order.Index(p); up < 0 && s.h.living.Alive(p) { // it has become a member since
			above := s.h.worldOf(p, s.from)
			if slices.Contains(s.h.chain, n.Entity()) { // and has closed a cycle
				s.root(s.h.chain)
			} else {
				f.composeOn(k, &above)
			}
			return
		}
		if up >= 0 && s.state[up] == begun && s.h.path(n.Entity()) == 0 {
			s.root(s.h.chain)
			return
		}
	case s.parents && n.End() == k+1:
		return
	case up < 0 && s.f != nil:
		f.composeOn(k, nil)
		pose := s.f(s.h.space.poseOf(*f.world(k)))
		f.take(k, &pose)
	}
	if up < 0 {
		f.composeOn(k, nil)
		return
	}
	s.renew(up)              // nearly always done, since parents come first
	if s.state[k] == begun { // or else a member of a cycle
		f.composeOn(k, f.world(up))
	}
}

// root makes the members of a cycle roots.
func (s *shifting[P, M]) root(cycle []arche.Entity) {
	for _, e := range cycle {
		if k := s.order.Index(e); k >= 0 {
			s.frames.take(k, s.from.local(e))
			s.frames.composeOn(k, nil)
			s.state[k] = renewed
		}
	}
}
