package arena

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/netcode"
)

// CrateSize is the edge length of a crate. It collides as an upright cylinder of CrateRadius.
const (
	CrateSize   = 1.0
	CrateRadius = 0.6

	crateDrag = 9.0 // m/s²
	// m/s: how fast a player is pushed out of a crate that cannot move, and a crate out of a door
	playerPushOut = 9.0
	// m/s: how fast a crate is pushed out of a player or a crate, beside its own motion: slowly
	// enough not to look like a jump
	cratePushOut = 2.4
)

// Crate is the state of a crate, which players push. It stands on the floor.
type Crate struct {
	Pos  mgl32.Vec3 // of its middle
	Vel  mgl32.Vec3
	Yaw  float32
	Spin float32 // radians per second

	Awake bool // it moves, or may touch something
}

// CrateAt returns a crate that stands on the floor.
func CrateAt(x, z, yaw float32) Crate {
	return Crate{Pos: mgl32.Vec3{x, CrateSize / 2, z}, Yaw: yaw, Awake: true}
}

// Pose returns the crate's pose.
func (c Crate) Pose() components.Pose3D {
	sin, cos := math.Sincos(float64(c.Yaw) / 2)
	return components.Pose3D{Position: c.Pos, Rotation: mgl32.Quat{W: float32(cos), V: mgl32.Vec3{0, float32(sin), 0}}, Scale: mgl32.Vec3{1, 1, 1}}
}

// Rests reports whether the crate has no speed.
func (c Crate) Rests() bool { return c.Vel == mgl32.Vec3{} && c.Spin == 0 }

// Glide moves a crate for a tick and keeps it out of blocks and doors and on the floor.
func (r *Rules) Glide(c Crate, t netcode.Tick) Crate {
	dt := 1 / float32(r.Rate)
	if l := c.Vel.Len(); l <= crateDrag*dt {
		c.Vel = mgl32.Vec3{}
	} else {
		c.Vel = c.Vel.Mul(1 - crateDrag*dt/l)
	}
	if c.Spin = c.Spin * (1 - 3*dt); abs(c.Spin) < 0.05 {
		c.Spin = 0
	}
	c.Pos = c.Pos.Add(c.Vel.Mul(dt))
	c.Yaw = float32(math.Mod(float64(c.Yaw+c.Spin*dt), 2*math.Pi))
	return r.confine(c, t)
}

func (r *Rules) confine(c Crate, t netcode.Tick) Crate {
	edge := r.Level.Half - CrateRadius
	for axis := 0; axis <= 2; axis += 2 {
		if abs(c.Pos[axis]) > edge {
			c.Pos[axis], c.Vel[axis] = mgl32.Clamp(c.Pos[axis], -edge, edge), -0.4*c.Vel[axis]
		}
	}
	for _, b := range r.Level.Blocks {
		c = c.outOf(b, 2*CrateRadius)
	}
	for i := range r.Level.Doors {
		if b, up := r.doorBox(i, t); up {
			c = c.outOf(b, playerPushOut/float32(r.Rate))
		}
	}
	return c
}

// outOf moves a crate out of a box, by no more than most.
func (c Crate) outOf(b Box, most float32) Crate {
	near := mgl32.Vec3{mgl32.Clamp(c.Pos[0], b.Min[0], b.Max[0]), c.Pos[1], mgl32.Clamp(c.Pos[2], b.Min[2], b.Max[2])}
	out := c.Pos.Sub(near)
	l := out.Len()
	if l >= CrateRadius {
		return c
	}
	n := mgl32.Vec3{1, 0, 0}
	if l > 1e-4 {
		n = out.Mul(1 / l)
	} else if size := b.Size(); size[0] > size[2] { // a door has come up under its middle
		n = mgl32.Vec3{0, 0, float32(math.Copysign(1, float64(c.Pos[2]-b.Center()[2])))}
	}
	c.Pos = c.Pos.Add(n.Mul(min(CrateRadius-l, most)))
	if v := c.Vel.Dot(n); v < 0 {
		c.Vel = c.Vel.Sub(n.Mul(1.4 * v))
	}
	return c
}

// StepCrates moves crates for a tick, with the players that push them and stand on them. The server
// runs it for all crates and players; a client runs it for its player and the bodies nearby.
func (r *Rules) StepCrates(g *netcode.BodyGroup[State, Input, Crate], t netcode.Tick) {
	// Up to these numbers they are on the stack.
	crates, players := make([]zone, 0, 1024), make([]zone, 0, 512)
	for i := range g.Bodies {
		crates = append(crates, zoneOf(&g.Bodies[i].State.Pos, CrateRadius))
	}
	for k := range g.Players {
		players = append(players, zoneOf(&g.Players[k].State.Pos, Radius))
	}
	for i := range g.Bodies {
		c := &g.Bodies[i].State
		before := *c
		for k := range players {
			if p := g.Players[k].State; crates[i].meets(players[k]) && r.push(c, p.Pos, p.Vel, t) {
				c.Awake = true
				crates[i] = zoneOf(&c.Pos, CrateRadius)
			}
		}
		if !c.Awake && !r.caught(c, t) {
			continue
		}
		*c = r.Glide(*c, t)
		crates[i] = zoneOf(&c.Pos, CrateRadius)
		for k := range crates {
			if other := &g.Bodies[k].State; k != i && crates[i].meets(crates[k]) && r.separate(c, other) {
				other.Awake = true
				crates[i], crates[k] = zoneOf(&c.Pos, CrateRadius), zoneOf(&other.Pos, CrateRadius)
			}
		}
		c.Awake = !c.Rests() || *c != before
	}
	for i := range g.Bodies {
		c := &g.Bodies[i].State
		for k := range players {
			if p := g.Players[k].State; crates[i].meets(players[k]) && p.Platform == 0 && (r.standOn(p, *c) || r.pushOut(p, *c)) {
				players[k] = zoneOf(&p.Pos, Radius)
			}
		}
	}
}

// caught reports whether a door comes up under a crate.
func (r *Rules) caught(c *Crate, t netcode.Tick) bool {
	for i := range r.Level.Doors {
		if d := &r.Level.Doors[i]; d.Blocked(c.Pos, CrateRadius) {
			_, up := r.doorBox(i, t)
			return up
		}
	}
	return false
}

// onTop reports whether feet are on a crate, or so near to its top that they step onto it.
func onTop(c Crate, feet mgl32.Vec3) bool {
	return feet[1] >= CrateSize-stepHeight && feet[1] <= CrateSize && flat(c.Pos.Sub(feet)).Len() < CrateRadius
}

// touch returns the direction from a player to a crate, and by how much they overlap, if they do.
func touch(c Crate, feet mgl32.Vec3) (n mgl32.Vec3, overlap float32, touches bool) {
	if feet[1] > CrateSize*0.9 || onTop(c, feet) {
		return n, 0, false
	}
	out := flat(c.Pos.Sub(feet))
	l := out.Len()
	if l >= Radius+CrateRadius {
		return n, 0, false
	}
	if n = (mgl32.Vec3{1, 0, 0}); l > 1e-4 {
		n = out.Mul(1 / l)
	}
	return n, Radius + CrateRadius - l, true
}

// push moves a crate that a player has walked into, and reports whether it touched the player.
func (r *Rules) push(c *Crate, feet, speed mgl32.Vec3, t netcode.Tick) bool {
	n, overlap, touches := touch(*c, feet)
	if !touches {
		return false
	}
	if v := speed.Dot(n) - c.Vel.Dot(n); v > 0 {
		c.Vel = c.Vel.Add(n.Mul(v))
	}
	// The crate glides in this tick; only the rest of the overlap is moved.
	dt := 1 / float32(r.Rate)
	c.Pos = c.Pos.Add(n.Mul(max(min(overlap, cratePushOut*dt)-c.Vel.Dot(n)*dt, 0)))
	// A push beside the middle turns the crate.
	c.Spin = mgl32.Clamp(c.Spin+0.15*(n[2]*speed[0]-n[0]*speed[2]), -5, 5)
	*c = r.confine(*c, t)
	return true
}

// standOn lets a player stand on a crate and move along with it. It reports whether the player
// stands on the crate.
func (r *Rules) standOn(s *State, c Crate) bool {
	if s.Vel[1] > 0 || !onTop(c, s.Pos) {
		return false
	}
	s.Pos = s.Pos.Add(flat(c.Vel).Mul(1 / float32(r.Rate)))
	s.Pos[1], s.Vel[1], s.Grounded = CrateSize, 0, true
	return true
}

// pushOut keeps a player out of a crate that cannot move: it stands at a wall, or another player
// pushes it from the other side. It reports whether they overlapped.
func (r *Rules) pushOut(s *State, c Crate) bool {
	const soft = 0.02 // m of overlap that is allowed
	n, overlap, touches := touch(c, s.Pos)
	if !touches || overlap < soft {
		return false
	}
	s.Pos = s.Pos.Sub(n.Mul(min(overlap-soft, playerPushOut/float32(r.Rate))))
	if v := s.Vel.Dot(n); v > 0 {
		s.Vel = s.Vel.Sub(n.Mul(v))
	}
	return true
}

// separate moves two crates out of each other, and reports whether they touched.
func (r *Rules) separate(a, b *Crate) bool {
	out := flat(b.Pos.Sub(a.Pos))
	l := out.Len()
	if l >= 2*CrateRadius {
		return false
	}
	n := mgl32.Vec3{1, 0, 0}
	if l > 1e-4 {
		n = out.Mul(1 / l)
	}
	half := n.Mul(min(2*CrateRadius-l, 2*cratePushOut/float32(r.Rate)) / 2)
	a.Pos, b.Pos = a.Pos.Sub(half), b.Pos.Add(half)
	if v := a.Vel.Sub(b.Vel).Dot(n); v > 0 {
		kick := n.Mul(0.7 * v)
		a.Vel, b.Vel = a.Vel.Sub(kick), b.Vel.Add(kick)
	}
	return true
}

// crateDistance returns how far apart two states of a crate are, in metres.
func crateDistance(a, b Crate) float64 {
	turn := math.Remainder(float64(a.Yaw-b.Yaw), 2*math.Pi)
	return float64(a.Pos.Sub(b.Pos).Len()) + float64(a.Vel.Sub(b.Vel).Len())/10 + math.Abs(turn)/4 + math.Abs(float64(a.Spin-b.Spin))/20
}
