package view

import (
	"fmt"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/demo/internal/arena"
	"github.com/tandem-ecs/tandem/systems/netcode"
)

// Trace calls row for every object. The own player is named "me", others "player-N"; platforms and
// crates are named by their number.
func (c *Client) Trace(row func(name string, logical, visual components.Pose3D)) {
	for i := range c.objects {
		v := &c.objects[i]
		name := c.label(v)
		if v.own && c.net.Replay() == nil {
			name = "me"
		}
		row(name, c.logicalWorld(v.entity), v.pose)
	}
}

// Bodies calls f for every object that the server replicates, with its name: that of
// [Client.Trace], and "player-N" for the own player too.
func (c *Client) Bodies(f func(name string, id netcode.EntityID)) {
	for i := range c.objects {
		if v := &c.objects[i]; v.rep.ID != netcode.NoEntity {
			f(c.label(v), v.rep.ID)
		}
	}
}

// label returns the name of an object.
func (c *Client) label(v *object) string {
	switch {
	case v.rep.Archetype == arena.ArchetypePlayer:
		return fmt.Sprintf("player-%d", v.rep.Owner)
	case v.rep.Archetype == arena.ArchetypeCrate:
		return fmt.Sprintf("crate-%d", v.rep.ID)
	case v.rep.Archetype == arena.ArchetypeRocket:
		_, rocket := c.rockets.Get(v.entity)
		return fmt.Sprintf("rocket-%d-%d", v.rep.Owner, rocket.N)
	case isPlatform(v.rep.Archetype):
		return fmt.Sprintf("platform-%d", v.rep.Archetype-arena.ArchetypePlatform+1)
	}
	return fmt.Sprintf("door-%d", v.rep.Archetype-arena.ArchetypeDoor+1)
}
