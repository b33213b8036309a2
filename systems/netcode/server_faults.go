package netcode

import (
	"fmt"

	arche "github.com/mlange-42/arche/ecs"
)

// fault is why clients draw an entity below one that is not replicated at a wrong pose.
type fault uint8

const (
	noFault fault = iota
	moverFault
	shotFault
	bodyFault
	playerFault
	shearFault
)

// faults are the sentences of the log and of ecs.Check. Each goes on with the names.
var faults = [...]string{
	moverFault:  "a scripted mover is below an entity that is not replicated, and clients draw it off by that one's pose, since they have its path in the frame of its parent: give the parent Replicated, or remove the mover's Parent and have its path in the world",
	shotFault:   "a shot of PredictShots is below an entity that is not replicated, and clients draw it off by that one's pose, since they have its path in the frame of its parent: give the parent Replicated, or remove the shot's Parent and have its path in the world",
	bodyFault:   "a body of PredictBodies is below an entity that is not replicated: the server does not step it, but clients near it predict it as a body without a parent: give the parent Replicated, and clients leave it to the server, or remove its Parent, and both step it",
	playerFault: "a player's entity is below an entity that is not replicated: others see it at its place, but its own client draws it off by that one's pose, since it predicts Game.Pose in the frame of the parent: give the parent Replicated, or name what carries the player in Game.MovementBase",
	shearFault:  "an entity is turned below an entity that is not replicated and is scaled by different amounts along its axes: clients draw it in its place, without the shear: scale the parent evenly, or give it Replicated",
}

// blame finds out why clients draw an entity at a wrong pose, and logs it once.
func (s *Server[S, I]) blame(e arche.Entity, tr *replicationState, d *descendant, c *chain) {
	d.fault = noFault
	if !d.is {
		return
	}
	if c.sheared {
		d.fault = shearFault
	}
	switch away := c.now != d.local; {
	case away && s.protocol.movers[tr.archetype] != nil:
		d.fault = moverFault
	case away && tr.poseless:
		d.fault = shotFault
	case s.bodies != nil && s.bodies.predicts(tr.archetype) && c.base == NoEntity:
		d.fault = bodyFault
	case away && s.predictsItself(tr.owner, e):
		d.fault = playerFault
	}
	if bit := uint8(1) << d.fault; d.fault != noFault && d.logged&bit == 0 {
		d.logged |= bit
		s.config.Log.Error("tandem: "+faults[d.fault], "entity", e, "id", tr.id.String(), "archetype", tr.archetype, "parent", s.parentOf(e))
	}
}

// predictsItself reports whether an entity is that of a player with a client.
func (s *Server[S, I]) predictsItself(number uint16, e arche.Entity) bool {
	if number == 0 {
		return false
	}
	p := s.Player(number)
	return p != nil && p.Entity == e && p.bot == nil
}

// misdrawn returns the findings of ecs.Check in a server's world.
func (s *Server[S, I]) misdrawn() (mistakes []string) {
	for slot := range s.ancestors.below {
		d, e := &s.ancestors.below[slot], s.interest.subjects[slot].entity
		if d.is && d.fault != noFault && s.marked(e) {
			mistakes = append(mistakes, fmt.Sprintf("%s (entity %+v, archetype %d, parent %+v)",
				faults[d.fault], e, s.replicated.Get(e).Archetype, s.parentOf(e)))
		}
	}
	return mistakes
}
