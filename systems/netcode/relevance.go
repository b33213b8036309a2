package netcode

import (
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
)

// Interest limits by distance what a player is shown: what comes within Radius of his entity appears, and what goes beyond Leave disappears. The gap between the two keeps what
// stands at the border from flickering.
//
// The zero value shows everything. A player without an entity sees everything too.
type Interest struct {
	Radius float32 // units of distance; zero: no limit
	Leave  float32 // zero: Radius * 1.2
}

func (i *Interest) validate() error {
	if i.Radius == 0 && i.Leave == 0 {
		return nil
	}
	if i.Leave == 0 {
		i.Leave = i.Radius * 1.2
	}
	if !(i.Radius > 0) || !(i.Leave >= i.Radius) || math.IsInf(float64(i.Leave), 0) {
		return fmt.Errorf("netcode: an Interest of radius %v that is left at %v; the radius must be positive, and Leave not below it", i.Radius, i.Leave)
	}
	return nil
}

// relevance decides what a player may know of, and how urgent it is. The nearer something is, the more of his bandwidth it gets; his own things get the most.
func (s *Server[S, I]) relevance(p *Player[S, I]) {
	eye, hasEye := s.eyeOf(p)
	for _, e := range s.tracks.bySlot {
		if e.IsZero() || !s.world.Alive(e) {
			continue
		}
		rep := (*Replicated)(s.world.Get(e, s.tracks.replicated))
		p.encoder.SetRelevance(rep.ID, s.weigh(p, e, rep, eye, hasEye))
	}
}

func (s *Server[S, I]) weigh(p *Player[S, I], e arche.Entity, rep *Replicated, eye mgl32.Vec3, hasEye bool) float32 {
	const own, near = 20, 10
	if s.config.Relevant != nil && !s.config.Relevant(p, e) {
		return 0
	}
	if rep.Owner == p.number {
		return own
	}
	if !hasEye {
		return 1
	}
	distance := s.worldPosition(e).Sub(eye).Len()
	if limit := s.config.Interest.Radius; limit > 0 {
		if p.encoder.Relevant(rep.ID) {
			limit = s.config.Interest.Leave
		}
		if !(distance <= limit) {
			return 0
		}
	}
	if weight := near / (1 + distance/near); weight > 1 {
		return weight
	}
	return 1 // far away, or nobody knows where
}

func (s *Server[S, I]) eyeOf(p *Player[S, I]) (mgl32.Vec3, bool) {
	if p.transform() == nil {
		return mgl32.Vec3{}, false
	}
	return s.worldPosition(p.Entity), true
}

// worldPosition composes at most a few generations; replication allows sixteen.
func (s *Server[S, I]) worldPosition(e arche.Entity) mgl32.Vec3 {
	pose := (*components.Transform3D)(s.world.Get(e, s.tracks.logical)).Get()
	for range 16 {
		if !s.world.Has(e, s.tracks.parent) {
			break
		}
		e = (*components.Parent)(s.world.Get(e, s.tracks.parent)).Entity
		if e.IsZero() || !s.world.Alive(e) || !s.world.Has(e, s.tracks.logical) {
			break
		}
		pose = (*components.Transform3D)(s.world.Get(e, s.tracks.logical)).Get().Mul(pose)
	}
	return pose.Position
}
