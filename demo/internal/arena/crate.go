package arena

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/components"
)

// CrateSize is the edge of a crate; it collides as an upright cylinder of CrateRadius.
const (
	CrateSize   = 1.0
	CrateRadius = 0.6

	crateDrag = 9.0 // m/s²
)

// Crate is what players push around. It stands on the floor.
type Crate struct {
	Pos  mgl32.Vec3 // of its middle
	Vel  mgl32.Vec3
	Yaw  float32
	Spin float32 // radians per second
}

// CrateAt returns a crate that rests on the floor.
func CrateAt(x, z, yaw float32) Crate {
	return Crate{Pos: mgl32.Vec3{x, CrateSize / 2, z}, Yaw: yaw}
}

// Pose returns where the crate is drawn.
func (c Crate) Pose() components.Pose3D {
	sin, cos := math.Sincos(float64(c.Yaw) / 2)
	return components.Pose3D{Position: c.Pos, Rotation: mgl32.Quat{W: float32(cos), V: mgl32.Vec3{0, float32(sin), 0}}, Scale: mgl32.Vec3{1, 1, 1}}
}

// Rests reports whether nothing moves it.
func (c Crate) Rests() bool { return c.Vel == mgl32.Vec3{} && c.Spin == 0 }

// Glide moves a crate for a tick and keeps it out of blocks and on the floor.
func (r Rules) Glide(c Crate) Crate {
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
	return r.contain(c)
}

func (r Rules) contain(c Crate) Crate {
	const edge = Half - CrateRadius
	for axis := 0; axis <= 2; axis += 2 {
		if abs(c.Pos[axis]) > edge {
			c.Pos[axis], c.Vel[axis] = mgl32.Clamp(c.Pos[axis], -edge, edge), -0.4*c.Vel[axis]
		}
	}
	for _, b := range r.Level.Blocks {
		near := mgl32.Vec3{mgl32.Clamp(c.Pos[0], b.Min[0], b.Max[0]), c.Pos[1], mgl32.Clamp(c.Pos[2], b.Min[2], b.Max[2])}
		out := c.Pos.Sub(near)
		l := out.Len()
		if l >= CrateRadius {
			continue
		}
		n := mgl32.Vec3{1, 0, 0}
		if l > 1e-4 {
			n = out.Mul(1 / l)
		}
		c.Pos = near.Add(n.Mul(CrateRadius))
		if v := c.Vel.Dot(n); v < 0 {
			c.Vel = c.Vel.Sub(n.Mul(1.4 * v))
		}
	}
	return c
}

// PushedBy returns the crate after a player has walked into it, and whether he touched it. The player feels nothing of it.
func (r Rules) PushedBy(c Crate, feet, speed mgl32.Vec3) (Crate, bool) {
	if feet[1] > CrateSize*0.9 {
		return c, false
	}
	out := flat(c.Pos.Sub(feet))
	l := out.Len()
	if l >= Radius+CrateRadius {
		return c, false
	}
	n := mgl32.Vec3{1, 0, 0}
	if l > 1e-4 {
		n = out.Mul(1 / l)
	}
	c.Pos = c.Pos.Add(n.Mul(Radius + CrateRadius - l))
	if v := speed.Dot(n) - c.Vel.Dot(n); v > 0 {
		c.Vel = c.Vel.Add(n.Mul(v))
	}
	// Whoever pushes beside the middle turns it.
	c.Spin = mgl32.Clamp(c.Spin+0.15*(n[2]*speed[0]-n[0]*speed[2]), -5, 5)
	return r.contain(c), true
}

// Part moves two crates out of each other, and reports whether they touched.
func Part(a, b *Crate) bool {
	out := flat(b.Pos.Sub(a.Pos))
	l := out.Len()
	if l >= 2*CrateRadius {
		return false
	}
	n := mgl32.Vec3{1, 0, 0}
	if l > 1e-4 {
		n = out.Mul(1 / l)
	}
	half := n.Mul((2*CrateRadius - l) / 2)
	a.Pos, b.Pos = a.Pos.Sub(half), b.Pos.Add(half)
	if v := a.Vel.Sub(b.Vel).Dot(n); v > 0 {
		kick := n.Mul(0.7 * v)
		a.Vel, b.Vel = a.Vel.Sub(kick), b.Vel.Add(kick)
	}
	return true
}
