package netcode

import (
	"fmt"

	"github.com/tandem-ecs/tandem/components"
)

// scriptedMover is the motion of an archetype as a function of the tick.
type scriptedMover struct {
	path func(t Tick) components.Pose3D // with defaults; in the frame of its entity's parent
}

// at returns the pose at the beginning of a tick, with a unit rotation.
func (m *scriptedMover) at(t Tick) components.Pose3D { return m.path(t).Normalize() }

// SetScriptedMover moves all entities of an archetype along a path that is a function of the tick:
// platforms, doors, the sun. The server sends no motion of them. Clients draw them at the same tick
// as their own player, so that a player stands on the platform that carries it. The path may read a
// [MatchState] at t; it is called for past, present and future ticks. It panics for a nil path and
// for an archetype of [Bodies] or [Shots].
func (p *Protocol[S, I]) SetScriptedMover(archetype uint16, path func(t Tick) components.Pose3D) {
	if path == nil {
		panic("netcode: SetScriptedMover without a path; pass a function of the tick")
	}
	if p.bodies != nil && p.bodies.has(archetype) {
		panic(fmt.Sprintf("netcode: archetype %d is a scripted mover and a body; it can be only one of them", archetype))
	}
	if p.hasShots(archetype) {
		panic(fmt.Sprintf("netcode: archetype %d is a scripted mover and a shot; it can be only one of them", archetype))
	}
	p.movers[archetype] = &scriptedMover{path: withDefaults(path)}
}
