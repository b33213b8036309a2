package netcode

import arche "github.com/mlange-42/arche/ecs"

// logged says which lines about mistakes of the game are in the client's log. Each is written once.
type logged struct{ unplaced, unseen, uninterpolated, foreignParent bool }

// logUndrawn logs, once each, why the new entity of a replica cannot be drawn.
func (c *Client[S, I]) logUndrawn(r Replicated, e arche.Entity) {
	warn := func(done *bool, text string) {
		if !*done {
			*done = true
			c.config.Log.Warn("tandem: "+text, "archetype", r.Archetype, "id", r.ID.String())
		}
	}
	if !c.transforms.Has(e) {
		warn(&c.logged.unplaced, "Spawn returned an entity without a Transform3D, which the client has added: add it in ClientConfig.Spawn, and a Visual3D for the entity to be seen")
	} else if !c.visuals.Has(e) {
		warn(&c.logged.unseen, "Spawn returned an entity without a Visual3D, so it cannot be seen: add one in ClientConfig.Spawn, unless this client draws nothing")
	}
	if c.interpolator() == nil {
		warn(&c.logged.uninterpolated, "replicas are not drawn, because the client's engine has no interpolator: install interpolation.New3D on it, unless this client draws nothing")
	}
}
