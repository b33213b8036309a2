package view

import (
	"slices"
	"time"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/demo/internal/arena"
	"github.com/tandem-ecs/tandem/render"
)

// effect is a short visual effect.
type effect struct {
	kind       effectKind
	at         time.Duration // real time at which it begins
	from, to   mgl32.Vec3
	owner      uint16
	fromMuzzle bool // from becomes the owner's muzzle when the effect begins
}

type effectKind uint8

const (
	streak    effectKind = iota // of a shot
	pushes                      // the ring of a push
	teleports                   // a player has vanished or appeared
	blasts                      // of a rocket
)

// mark is the place of a player in a picture.
type mark struct {
	at    time.Duration // real time
	place mgl32.Vec3
	owner uint16
}

// markTime is how long a mark is shown.
const markTime = 1200 * time.Millisecond

// track marks where the players are in this picture, and shows all marks. Even motion has marks at
// even distances.
func (p *painter) track() {
	c := p.client
	now := c.now()
	c.marked = slices.DeleteFunc(c.marked, func(m mark) bool { return now-m.at > markTime })
	for _, v := range c.objects {
		if v.rep.Archetype == arena.ArchetypePlayer {
			c.marked = append(c.marked, mark{now, v.pose.Position, v.rep.Owner})
		}
	}
	for _, m := range c.marked {
		fade := 1 - float32(now-m.at)/float32(markTime)
		p.flat(render.Disc, m.place.Add(mgl32.Vec3{0, 0.05, 0}), 0.3, p.c.player(m.owner).Alpha(0.9*fade))
	}
}

const maxEffects = 256

// show adds an effect, unless there are too many.
func (c *Client) show(e effect) {
	if len(c.effects) < maxEffects {
		c.effects = append(c.effects, e)
	}
}

// length returns how long an effect is shown.
func (e *effect) length() time.Duration {
	return [...]time.Duration{streak: 140 * time.Millisecond, pushes: 450 * time.Millisecond, teleports: 400 * time.Millisecond, blasts: 450 * time.Millisecond}[e.kind]
}
