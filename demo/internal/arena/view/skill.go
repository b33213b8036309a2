package view

import (
	"math/rand/v2"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/demo/internal/settings"
	"github.com/tandem-ecs/tandem/systems/netcode"
)

// skill is how well a bot shoots.
type skill struct {
	// s: the bot shoots at a player that it has seen for so long, and at the place that the player
	// had so long ago
	reaction float32
	lead     float32 // the part of the player's way since then that the bot adds, 0 to 1
	error    float32 // standard deviation of the aim beside that place, in m for each m of distance
	rest     float32 // s between two bursts
	rockets  int     // it fires this many times fewer rockets
}

var skills = [...]skill{
	settings.Easy: {reaction: 0.45, lead: 0.4, error: 0.1, rest: 1.8, rockets: 8},
	settings.Fair: {reaction: 0.3, lead: 0.7, error: 0.055, rest: 1.2, rockets: 4},
	settings.Hard: {rest: 1, rockets: 1},
}

// eye follows the player that a bot aims at.
type eye struct {
	number uint16       // of that player; 0: none is in sight
	places []mgl32.Vec3 // of the newest ticks, the newest last
	error  mgl32.Vec3   // of the aim, in m for each m of distance
	until  netcode.Tick // the bot aims anew then
}

// aimEvery is the time in seconds after which a bot aims anew.
const aimEvery = 0.4

// look returns the point at which the bot aims, and false while there is no player in sight or the
// bot has not reacted yet.
func (a *Bot) look(c *Client, muzzle mgl32.Vec3, t netcode.Tick) (mgl32.Vec3, bool) {
	e, s, rate := &a.eye, &skills[a.Skill], float32(c.rules.Rate)
	at, number := c.nearest(muzzle, t)
	if number != e.number {
		e.number, e.places, e.until = number, e.places[:0], t
	}
	if number == 0 {
		return at, false
	}
	// One place more than the reaction takes shows the speed at its beginning.
	late := int(s.reaction * rate)
	if e.places = append(e.places, at); len(e.places) > late+2 {
		e.places = e.places[:copy(e.places, e.places[1:])]
	}
	if len(e.places) < late+2 {
		return at, false
	}
	if s.error > 0 && t.Sub(e.until) >= 0 {
		e.until = t.Add(int(aimEvery * rate))
		e.error = gauss(a.random).Mul(s.error)
	}
	speed := e.places[1].Sub(e.places[0]) // m in a tick
	target := e.places[1].Add(speed.Mul(float32(late) * s.lead))
	return target.Add(e.error.Mul(target.Sub(muzzle).Len())), true
}

// gauss returns a vector with three independent normal components of deviation 1.
func gauss(r *rand.Rand) mgl32.Vec3 {
	return mgl32.Vec3{float32(r.NormFloat64()), float32(r.NormFloat64()), float32(r.NormFloat64())}
}
