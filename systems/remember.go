package systems

import (
	"slices"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
)

// What is left of the dead: where they were in the world, for the children that are taken from them, or that stay as orphans.

// rememberParents keeps the logical world poses of parents at hand for the time when they are gone.
func (h *Hierarchy) rememberParents() {
	if h.keepOrphans {
		h.logical.resize(len(h.family.order().nodes))
		h.remember(&h.logical, h.family.order(), h.logicalLocal)
	}
}

// remember renews the world poses of all living parents.
func (h *Hierarchy) remember(p *poses, o *order, local func(arche.Entity) *components.Pose3D) {
	for k := range o.nodes { // parents come first
		if n := &o.nodes[k]; n.end > int32(k)+1 && h.world.Alive(n.entity) {
			p.local[k].set(local(n.entity))
			p.compose(o.nodes, int32(k), int32(k)+1)
		}
	}
}

// orphan cuts a child loose from a parent that is gone, where it is in the world.
func (h *Hierarchy) orphan(child, parent arche.Entity) {
	(*components.Parent)(h.world.Get(child, h.ids.parent)).Entity = arche.Entity{}
	logical, visual := poseOf(h.lastLogical(parent)), poseOf(h.lastVisual(parent))
	h.moveFrame(child, frames{
		logical: func(p components.Pose3D) components.Pose3D { return logical.Mul(p) },
		drawn:   func(p components.Pose3D) components.Pose3D { return visual.Mul(p) },
	})
}

// lastLogical returns where the simulation has known a parent that died; if nobody has kept that, where it was drawn.
func (h *Hierarchy) lastLogical(e arche.Entity) mgl32.Mat4 {
	o := h.family.order()
	if k := o.index(e); k >= 0 && h.keepOrphans && o.nodes[k].end > k+1 {
		return h.logical.world[k]
	}
	return h.lastVisual(e)
}

// lastVisual returns where an entity was drawn last; the identity if it was not.
func (h *Hierarchy) lastVisual(e arche.Entity) mgl32.Mat4 {
	if k := h.family.orders[h.family.drawn].index(e); k >= 0 {
		return h.visual.world[k]
	}
	return mgl32.Ident4()
}

// rememberShifted takes what is remembered to the coordinates that a shift has taken everybody to. The function is that of a shift of all that have no parent, the dead included; nil after one of
// single entities.
func (h *Hierarchy) rememberShifted(f func(components.Pose3D) components.Pose3D) {
	if h.keepOrphans || f != nil {
		s := shifting{h: h, poses: &h.visual, order: &h.family.orders[h.family.drawn], local: h.visualLocal, last: h.lastVisual, f: f}
		s.run()
	}
	if h.keepOrphans {
		s := shifting{h: h, poses: &h.logical, order: h.family.order(), local: h.logicalLocal, last: h.lastLogical, f: f, parents: true}
		s.run()
	}
}

// shifting renews the remembered poses of one kind. The order may be out of date: parents count as they are now, and for the dead as they were.
type shifting struct {
	h       *Hierarchy
	poses   *poses
	order   *order
	local   func(arche.Entity) *components.Pose3D
	last    func(arche.Entity) mgl32.Mat4
	f       func(components.Pose3D) components.Pose3D
	parents bool      // nothing is remembered of those who were no parents
	state   []renewal // by node
}

// renewal is how far a pose has been renewed.
type renewal uint8

const (
	stale renewal = iota
	begun         // those above it come first
	renewed
)

func (s *shifting) run() {
	s.state = make([]renewal, len(s.order.nodes))
	for k := range s.order.nodes {
		if n := &s.order.nodes[k]; n.end > int32(k)+1 || !s.h.world.Alive(n.entity) {
			s.renew(int32(k))
		}
	}
}

func (s *shifting) renew(k int32) {
	if s.state[k] == stale {
		s.state[k] = begun
		s.compose(k)
		s.state[k] = renewed
	}
}

func (s *shifting) compose(k int32) {
	n, own, world := &s.order.nodes[k], &s.poses.local[k], &s.poses.world[k]
	up := n.up
	switch alive := s.h.world.Alive(n.entity); {
	case alive:
		own.set(s.local(n.entity))
		p := s.h.parentOf(n.entity)
		if up = s.order.index(p); up < 0 && s.h.living.Alive(p) { // it has joined since
			above := s.h.worldOf(p, s.local, s.last)
			if slices.Contains(s.h.chain, n.entity) { // and has closed a cycle
				s.root(s.h.chain)
			} else {
				compose(world, &above, own)
			}
			return
		}
		if up >= 0 && s.state[up] == begun && s.h.path(n.entity) == 0 {
			s.root(s.h.chain)
			return
		}
	case s.parents && n.end == k+1:
		return
	case up < 0 && s.f != nil:
		own.to(world)
		pose := s.f(poseOf(*world))
		own.set(&pose)
	}
	if up < 0 {
		own.to(world)
		return
	}
	s.renew(up)              // nearly always done, since parents come first
	if s.state[k] == begun { // or else a member of a cycle
		compose(world, &s.poses.world[up], own)
	}
}

// root makes the members of a cycle roots.
func (s *shifting) root(cycle []arche.Entity) {
	for _, e := range cycle {
		if k := s.order.index(e); k >= 0 {
			s.poses.local[k].set(s.local(e))
			s.poses.local[k].to(&s.poses.world[k])
			s.state[k] = renewed
		}
	}
}
