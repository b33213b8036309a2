package view

import (
	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/demo/internal/arena"
)

// Agreement counts the own player's hits: shots and rockets that hit a player on the own screen or
// on the server, but for void ones; see [arena.Event].
type Agreement struct {
	Hits, Agreed uint64 // Agreed: both have the same player hit
}

// Agreement returns the count since the beginning.
func (c *Client) Agreement() Agreement { return c.agreement }

// screen holds the player that each recent shot has hit on the own screen, by kind and number.
type screen [arena.RocketEnded + 1][256]uint16

// judge compares the server's result of an own shot with the screen.
func (c *Client) judge(e arena.Event) {
	if seen := c.screen[e.Kind][e.N]; !e.Void && (seen != 0 || e.Victim != 0) {
		c.agreement.Hits++
		if seen == e.Victim {
			c.agreement.Agreed++
		}
	}
}

// sight returns how far a ray goes in the picture, and the number of the player that it meets.
func (c *Client) sight(shot arena.Shot, radius, reach float32) (at float32, victim uint16) {
	for _, v := range c.objects {
		if v.rep.Archetype == arena.ArchetypePlayer && !v.own {
			if d, hit := shot.Hits(v.pose.Position, radius, arena.Height, reach); hit {
				reach, victim = d, v.rep.Owner
			}
		} else if v.rep.Archetype == arena.ArchetypeCrate {
			if d, hit := shot.Crate(v.pose.Position, reach); hit {
				reach, victim = d, 0
			}
		}
	}
	return reach, victim
}

// flight is a rocket in the picture.
type flight struct {
	at     mgl32.Vec3 // at the end of the last step
	hidden bool       // an own one that has met something on the screen
}

// watchRockets tests the own rockets' ways of a step against the picture. One that meets something
// blasts there and is hidden, until the server's result ends its flight.
func (c *Client) watchRockets(w *arche.World) {
	for query := c.rocketFilter.Query(w); query.Next(); {
		e := query.Entity()
		rep, rocket := query.Get()
		f, known := c.flights[e]
		at := c.poses.Get(e).Get().Position
		if !known {
			f.at = rocket.From
		}
		if own := rep.Owner == c.net.Number() && c.net.Replay() == nil; own && !f.hidden && c.set.Predict {
			if !known {
				c.screen[arena.RocketEnded][rocket.N] = 0
			}
			shot, reach := rocket.Shot(), at.Sub(f.at).Len()
			shot.From = f.at
			if d, victim := c.sight(shot, arena.RocketRadius, reach); d < reach {
				f.hidden = true
				c.screen[arena.RocketEnded][rocket.N] = victim
				c.blast(shot.At(d), rep.Owner)
			}
		}
		f.at = at
		c.flights[e] = f
	}
}

// endRocket shows the blast of a rocket that is removed, if it is at the end of its flight.
func (c *Client) endRocket(e arche.Entity, f flight) {
	rep, rocket := c.rockets.Get(e)
	if end := c.rules.RocketEnd(*rocket); !f.hidden && end.Sub(f.at).Len() < 0.3 {
		c.blast(end, rep.Owner)
	}
	delete(c.flights, e)
}

func (c *Client) blast(at mgl32.Vec3, owner uint16) {
	c.show(effect{at: c.now(), to: at, owner: owner, kind: blasts})
}
