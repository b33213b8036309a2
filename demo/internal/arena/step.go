package arena

import (
	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/systems/netcode"
)

// Size and motion of a player.
const (
	Radius    = 0.4  // m
	Height    = 1.7  // m
	Speed     = 6.0  // m/s
	Gravity   = 20.0 // m/s²
	JumpSpeed = 8.2  // m/s: 1.68 m high
	Cooldown  = 0.25 // s between shots

	groundGrip, airGrip = 70.0, 18.0 // m/s²
	stepHeight          = 0.35       // m that a player climbs without a jump
)

// Rules are the game's rules at a tick rate, for one server or one client.
type Rules struct {
	Level *Level
	Rate  int // ticks per second

	// match states, which NewProtocol makes
	Doors []*netcode.MatchState[Door]
	Round *netcode.MatchState[Round]
}

// Seconds returns the time of a tick's state in the level's clock.
func (r *Rules) Seconds(t netcode.Tick) float64 { return float64(t) / float64(r.Rate) }

// Step returns a player's state one tick later. It depends only on its arguments, on the platforms'
// places at the tick, and on the match states' values in the tick.
func (r *Rules) Step(s State, in Input, t netcode.Tick) State {
	if s.Platform == watches {
		return s
	}
	dt := 1 / float32(r.Rate)
	s.Yaw, s.Pitch = in.angles()
	now, next := r.Seconds(t), r.Seconds(t.Add(1))

	wanted := mgl32.Vec3{float32(in.X), 0, float32(in.Z)}.Mul(Speed / 7.0)
	if l := wanted.Len(); l > Speed {
		wanted = wanted.Mul(Speed / l)
	}
	grip := float32(airGrip)
	if s.Grounded {
		grip = groundGrip
	}
	// The ground brakes a player. In the air a player keeps its speed until it steers.
	if s.Grounded || wanted != (mgl32.Vec3{}) {
		change := wanted.Sub(mgl32.Vec3{s.Vel[0], 0, s.Vel[2]})
		if l := change.Len(); l > grip*dt {
			change = change.Mul(grip * dt / l)
		}
		s.Vel = s.Vel.Add(change)
	}
	var carried mgl32.Vec3
	spot, rode := s.PlatformPos, s.Platform
	if i := int(s.Platform) - 1; i >= 0 && i < len(r.Level.Platforms) {
		s.Pos = r.Level.Platforms[i](now).Add(s.PlatformPos)
		carried = r.Level.Platforms[i](next).Sub(r.Level.Platforms[i](now))
	} else {
		s.Platform = 0
	}
	if in.Jump && s.Grounded {
		s.Vel = s.Vel.Add(carried.Mul(1 / dt))
		s.Vel[1] = JumpSpeed
		s.Platform, s.Grounded, carried = 0, false, mgl32.Vec3{}
	}
	s.Vel[1] -= Gravity * dt
	before := s.Pos
	s.Pos = s.Pos.Add(carried).Add(s.Vel.Mul(dt))
	r.collide(&s, before, carried, t, dt)

	if s.Cooldown > 0 {
		s.Cooldown--
	}
	if in.Fire && s.Cooldown == 0 && r.RoundAt(t).Fights() {
		s.Cooldown = uint8(min(max(Cooldown*float32(r.Rate), 1), 255))
		s.Shots++
	}
	r.stepRockets(&s, in, t)
	for _, p := range r.Level.Portals {
		if s.Pos[1] < 0.3 && flat(s.Pos.Sub(p.Place)).Len() < PortalRadius {
			s.Pos = r.Level.Portals[p.To].Exit
			s.Teleports++
			break
		}
	}
	s.PlatformPos = mgl32.Vec3{}
	if s.Platform != 0 {
		s.PlatformPos = s.Pos.Sub(r.Level.Platforms[s.Platform-1](next))
		if s.Platform == rode && s.Vel == (mgl32.Vec3{}) {
			// the player stands still: keep the position to the bit
			s.PlatformPos = spot
		}
	}
	return s
}

// stepRockets loads and fires a player's rockets.
func (r *Rules) stepRockets(s *State, in Input, t netcode.Tick) {
	if s.Reload > 0 {
		s.Reload--
	}
	if s.Refill++; s.Spent == 0 {
		s.Refill = 0
	} else if float32(s.Refill) >= rocketRefill*float32(r.Rate) {
		s.Spent, s.Refill = s.Spent-1, 0
	}
	if in.Rocket && s.Reload == 0 && s.Spent < RocketAmmo && r.RoundAt(t).Fights() {
		s.Reload = uint8(min(rocketReload*float32(r.Rate), 255))
		s.Spent++
		s.Rockets++
	}
}

func flat(v mgl32.Vec3) mgl32.Vec3 { return mgl32.Vec3{v[0], 0, v[2]} }

// collide keeps a player on top of floors and out of walls.
func (r *Rules) collide(s *State, before, carried mgl32.Vec3, t netcode.Tick, dt float32) {
	edge := r.Level.Half - Radius
	now, next := r.Seconds(t), r.Seconds(t.Add(1))
	for axis := 0; axis <= 2; axis += 2 {
		if s.Pos[axis] > edge || s.Pos[axis] < -edge {
			s.Pos[axis], s.Vel[axis] = mgl32.Clamp(s.Pos[axis], -edge, edge), 0
		}
	}
	rode := s.Platform
	s.Grounded, s.Platform = false, 0
	for _, b := range r.Level.Blocks {
		collideBlock(s, b, before, stepHeight)
	}
	for i := range r.Level.Doors {
		if b, up := r.doorBox(i, t); up {
			step := float32(0)
			if b.reaches(before, Radius-0.02) {
				step = stepHeight // it comes up under the player, and lifts the player
			}
			collideBlock(s, b, before, step)
		}
	}
	for i, path := range r.Level.Platforms {
		was, is := path(now), path(next)
		top := is[1] + PlatformHeight/2
		over := abs(s.Pos[0]-is[0]) < PlatformWidth/2+0.1 && abs(s.Pos[2]-is[2]) < PlatformWidth/2+0.1
		above := before[1]-(was[1]+PlatformHeight/2) >= -0.02
		if over && above && s.Pos[1] <= top && s.Vel[1] <= 0 {
			if int(rode) != i+1 { // speed in the world becomes speed relative to the platform
				s.Vel = s.Vel.Sub(is.Sub(was).Mul(1 / dt))
			}
			s.Pos[1], s.Vel[1] = top, 0
			s.Platform, s.Grounded = uint8(i+1), true
			break
		}
	}
	if rode != 0 && s.Platform == 0 && carried != (mgl32.Vec3{}) {
		s.Vel = s.Vel.Add(carried.Mul(1 / dt)) // the player has stepped off
	}
	if s.Pos[1] <= 0 {
		s.Pos[1], s.Vel[1] = 0, max(s.Vel[1], 0)
		s.Grounded = true
	}
}

// collideBlock lands a player on a block that is no more than step above the player's feet, or
// pushes the player out of it by the shortest way.
func collideBlock(s *State, b Box, before mgl32.Vec3, step float32) {
	near := mgl32.Vec3{mgl32.Clamp(s.Pos[0], b.Min[0], b.Max[0]), 0, mgl32.Clamp(s.Pos[2], b.Min[2], b.Max[2])}
	out := flat(s.Pos).Sub(near)
	if out.Dot(out) >= Radius*Radius || s.Pos[1] >= b.Max[1] || s.Pos[1]+Height <= b.Min[1] {
		return
	}
	if before[1] >= b.Max[1]-step && s.Vel[1] <= 0 {
		s.Pos[1], s.Vel[1] = b.Max[1], 0
		s.Grounded = true
		return
	}
	if l := out.Len(); l > 1e-4 {
		n := out.Mul(1 / l)
		s.Pos = s.Pos.Add(n.Mul(Radius - l))
		if v := s.Vel.Dot(n); v < 0 {
			s.Vel = s.Vel.Sub(n.Mul(v))
		}
		return
	}
	// The middle is inside: push to the nearest side.
	sides := [...]struct {
		axis int
		to   float32
	}{{0, b.Min[0] - Radius}, {0, b.Max[0] + Radius}, {2, b.Min[2] - Radius}, {2, b.Max[2] + Radius}}
	best := sides[0]
	for _, side := range sides[1:] {
		if abs(side.to-s.Pos[side.axis]) < abs(best.to-s.Pos[best.axis]) {
			best = side
		}
	}
	s.Pos[best.axis], s.Vel[best.axis] = best.to, 0
}

func abs(v float32) float32 { return max(v, -v) }
