package netcode

import (
	"fmt"

	"github.com/tandem-ecs/tandem/components"
)

// scriptedMover is the motion of an archetype as a function of the tick.
type scriptedMover struct {
	path       func(t Tick) components.Pose3D // with defaults; in the frame of its entity's parent
	teleported teleported
}

// at returns the pose at the beginning of a tick, with a unit rotation.
func (m *scriptedMover) at(t Tick) components.Pose3D { return m.path(t).Normalize() }

// SetScriptedMover moves all entities of an archetype along a path that is a function of the tick:
// platforms, doors, the sun. The server sends no motion of them. Clients draw them at the same tick
// as their own player, so that a player stands on the platform that carries it. The path may read a
// [MatchState] at t, and is in the frame of the entity's Parent, if it has one; it is called for
// past, present and future ticks.
//
// A path that jumps, such as that of a paternoster from its top to its bottom, needs a function
// teleported: it reports whether the step from one pose of the path to another is a jump, as
// Game.Teleported does. Every screen then draws the mover, its passengers and what is attached to
// it at one end or at the other.
//
// It panics for a nil path, for more than one teleported, and for an archetype of [Bodies] or
// [Shots].
func (p *Protocol[S, I]) SetScriptedMover(archetype uint16, path func(t Tick) components.Pose3D, teleported ...func(before, after components.Pose3D) bool) {
	if path == nil {
		panic("netcode: SetScriptedMover without a path; pass a function of the tick")
	}
	if len(teleported) > 1 {
		panic("netcode: SetScriptedMover with several functions teleported; pass one that reports every jump of the path")
	}
	if p.bodies != nil && p.bodies.has(archetype) {
		panic(fmt.Sprintf("netcode: archetype %d is a scripted mover and a body; it can be only one of them", archetype))
	}
	if p.hasShots(archetype) {
		panic(fmt.Sprintf("netcode: archetype %d is a scripted mover and a shot; it can be only one of them", archetype))
	}
	mover := &scriptedMover{path: withDefaults(path)}
	if len(teleported) == 1 {
		mover.teleported = teleported[0]
	}
	p.movers[archetype] = mover
}
