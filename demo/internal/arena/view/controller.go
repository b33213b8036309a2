package view

import (
	"math"
	"math/rand/v2"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/demo/internal/arena"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
	"github.com/tandem-ecs/tandem/systems/netcode"
)

// Controller decides the inputs of a client's player.
type Controller interface {
	// Input returns the input of a tick, and whether to push nearby things away in it. It is called
	// once per tick.
	Input(c *Client, t netcode.Tick) (in arena.Input, push bool)
}

// Bot is a controller that plays by itself. It runs from place to place, jumps now and then, and
// shoots at players in sight.
type Bot struct {
	Skill settings.Skill
	Peace bool // it does not shoot
	Near  bool // it stays in the view of a fixed camera

	random  *rand.Rand
	goal    mgl32.Vec3
	until   netcode.Tick // the tick at which the goal is abandoned
	started bool
	burst   int // ticks left to shoot; negative: ticks of rest
	eye     eye
}

// NewBot returns a bot. Its random choices come from the seed.
func NewBot(seed uint64) *Bot { return &Bot{random: rand.New(rand.NewPCG(seed, 7))} }

// Input implements [Controller].
func (a *Bot) Input(c *Client, t netcode.Tick) (in arena.Input, push bool) {
	me, ok := c.net.State()
	if !ok {
		return in, false
	}
	rate := c.rules.Rate
	way := flat(a.goal.Sub(me.Pos))
	if !a.started || t.Sub(a.until) > 0 || way.Len() < 0.8 {
		a.started = true
		a.choose(c, me)
		a.until = t.Add(rate * (2 + a.random.IntN(3)))
		way = flat(a.goal.Sub(me.Pos))
	}
	if l := way.Len(); l > 0.1 {
		in.X, in.Z = int8(math.Round(float64(way[0]/l*7))), int8(math.Round(float64(way[2]/l*7)))
	}
	in.Yaw, in.Pitch = arena.Toward(mgl32.Vec3{}, mgl32.Vec3{float32(in.X), 0, float32(in.Z)})
	in.Jump = a.random.IntN(rate*2) == 0 || me.Grounded && flat(me.Vel).Len() < 1 && t.Sub(a.until) > int32(-rate)
	if a.Peace {
		return in, false
	}
	push = a.random.IntN(rate*6) == 0
	muzzle := me.Pos.Add(mgl32.Vec3{0, arena.Muzzle, 0})
	if target, ok := a.look(c, muzzle, t); ok {
		in.Yaw, in.Pitch = arena.Toward(muzzle, target)
		skill := &skills[a.Skill]
		if a.burst--; a.burst < -int(skill.rest*float32(rate)) {
			a.burst = rate/2 + a.random.IntN(rate)
		}
		in.Fire = a.burst > 0
		// A rocket flies for a while: it is for targets that are near or stand still.
		in.Rocket = a.burst > 0 && target.Sub(muzzle).Len() < 9 && a.random.IntN(skill.rockets*rate/2) == 0
	}
	return in, push
}

// choose picks the next goal: usually a place on the floor, sometimes a portal, a crate or a
// platform.
func (a *Bot) choose(c *Client, me arena.State) {
	level := c.rules.Level
	random := func(least, most float64) float32 { return float32(least + (most-least)*a.random.Float64()) }
	if a.Near {
		a.goal = mgl32.Vec3{random(-8.5, 8.5), 0, random(-3, 12)}
		return
	}
	switch a.random.IntN(10) {
	case 0:
		a.goal = level.Portals[a.random.IntN(len(level.Portals))].Place
		return
	case 1, 2, 3:
		if len(c.objects) > 0 {
			v := c.objects[a.random.IntN(len(c.objects))]
			if v.rep.Archetype == arena.ArchetypeCrate || isPlatform(v.rep.Archetype) {
				a.goal = v.pose.Position
				return
			}
		}
	case 4: // through a door
		d := level.Doors[a.random.IntN(len(level.Doors))]
		a.goal = d.Plates[a.random.IntN(2)]
		return
	}
	edge := float64(level.Half) - 3
	a.goal = mgl32.Vec3{random(-edge, edge), 0, random(-edge, edge)}
}

// nearest returns the middle of the nearest other player in sight, as drawn, and its number.
func (c *Client) nearest(from mgl32.Vec3, t netcode.Tick) (at mgl32.Vec3, number uint16) {
	best := float32(16)
	for _, v := range c.objects {
		if v.rep.Archetype != arena.ArchetypePlayer || v.own {
			continue
		}
		middle := v.pose.Position.Add(mgl32.Vec3{0, arena.Height / 2, 0})
		d := middle.Sub(from)
		l := d.Len()
		if l >= best || l < 0.1 {
			continue
		}
		shot := arena.Shot{From: from, Direction: d.Mul(1 / l)}
		if c.rules.Reach(shot, t) >= l-0.5 {
			best, at, number = l, middle, v.rep.Owner
		}
	}
	return at, number
}

func flat(v mgl32.Vec3) mgl32.Vec3 { return mgl32.Vec3{v[0], 0, v[2]} }
