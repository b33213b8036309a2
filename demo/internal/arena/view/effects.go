package view

import (
	"time"

	"github.com/go-gl/mathgl/mgl32"
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
