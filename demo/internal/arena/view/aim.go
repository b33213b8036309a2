package view

import (
	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/demo/internal/arena"
)

// aimHelp is the cosine of the angle within which AimAlong finds a player: 9 degrees. A thumb is
// less exact than a mouse.
const aimHelp = 0.988

// AimAlong returns the aim in a direction over the floor, x to the right of the picture and z
// downwards. If a player is near that direction, the aim is at the player, as drawn.
func (c *Client) AimAlong(x, z float32) (yaw uint16, pitch int8) {
	direction := mgl32.Vec3{x, 0, z}.Normalize()
	me, playing := c.net.State()
	if !playing {
		return arena.Toward(mgl32.Vec3{}, direction)
	}
	muzzle := me.Pos.Add(mgl32.Vec3{0, arena.Muzzle, 0})
	target, best := muzzle.Add(direction), float32(aimHelp)
	for _, v := range c.objects {
		if v.rep.Archetype != arena.ArchetypePlayer || v.own {
			continue
		}
		middle := v.pose.Position.Add(mgl32.Vec3{0, arena.Height / 2, 0})
		way := flat(middle.Sub(muzzle))
		if l := way.Len(); l > 0.3 && way.Dot(direction)/l > best {
			target, best = middle, way.Dot(direction)/l
		}
	}
	return arena.Toward(muzzle, target)
}
