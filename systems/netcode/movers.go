package netcode

import (
	"fmt"
	"time"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/clocksync"
)

// scriptedMover is the motion of an archetype as a function of the tick.
type scriptedMover struct {
	path func(t Tick) components.Pose3D // with defaults; in the frame of its entity's parent
}

// at returns the pose at the beginning of a tick, with a unit rotation.
func (m *scriptedMover) at(t Tick) components.Pose3D { return m.path(t).Normalize() }

// between returns the pose at a moment of the server's clock, on the way between two ticks.
func (m *scriptedMover) between(grid clocksync.Grid, at time.Duration) components.Pose3D {
	k := grid.Index(at)
	edge := grid.Edge(k)
	share := float32(float64(at-edge) / float64(max(grid.Edge(k+1)-edge, 1)))
	return components.Blend3D(m.at(Tick(uint32(k))), m.at(Tick(uint32(k+1))), share)
}

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
