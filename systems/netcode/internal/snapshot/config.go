package snapshot

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"

	"github.com/go-gl/mathgl/mgl32"
)

// Grid defines the positions that can be sent: whole multiples of Resolution from Min, up to Max on
// each axis. An axis whose Min and Max are equal takes no bits, which makes a 2D game. At most 2^26
// steps on an axis.
type Grid struct {
	Min, Max   mgl32.Vec3
	Resolution float32 // units of distance; a position is off by at most half of it on each axis
}

// Range defines the velocities that can be sent: multiples of Resolution from -Max to Max on each
// axis, at most 32767 of them either way. Without a Max none is sent.
type Range struct {
	Max        float32 // units, or radians, per second
	Resolution float32 // likewise: a velocity is off by at most half of it
}

// Config holds what both ends must agree on, with the registered components. The zero value is
// filled with the defaults that each field states.
type Config struct {
	// Version is the game's own number for its protocol: builds with different numbers refuse each
	// other.
	Version uint32

	// TickRate is the number of ticks in a second, by which velocities become distances; zero means
	// 60.
	TickRate int

	// MaxEntities bounds how many entities are replicated at a time, up to 65535; zero means 4096.
	// All memory is allocated for them at the start: with the defaults below and without components
	// 3.9 KB for each on a server and 2.2 KB on a client. An encoder takes 4 bytes for each, 64 for
	// each that is relevant to its client, and from 13 to 140 KB for what it has sent. The data
	// that encoders share takes half a kilobyte for each, on every goroutine that encodes.
	MaxEntities int

	// Position is the grid of positions; zero means 1/512 from -1024 to 1024 on each axis. Use
	// 1/4096 if positions feed back into a simulation.
	Position Grid

	// RotationBits is the size of each of the three components that are sent of a rotation, 9 to
	// 15; zero means 11. A rotation is off by at most 0.55, 0.14 or 0.009 degrees with 9, 11 or 15
	// bits, and 0.2, 0.05 or 0.003 in the mean.
	RotationBits int

	// Velocity and Angular turn velocities on. Since positions are then predicted from the last
	// acknowledged ones, and velocities from the distance covered since, they cost little: 7 to 11
	// bits more for a thrown cube, nothing for a body that keeps its course. In return a view can
	// follow curves between snapshots (a third less error in the scene of 901 cubes). {Max: 64,
	// Resolution: 1.0/16} suits people and vehicles.
	Velocity, Angular Range

	// History is how many states of each entity a client keeps as possible baselines; zero means
	// 32, at most 128. It should cover the states sent of one entity in a round trip: 32 reach for
	// half a second at 60 a second.
	History int

	// Revisions is for how many commits a server keeps the states of entities, rounded up to a
	// power of two; zero means 64, at most 1024. It should cover the commits between the sending of
	// a state and its use as an acknowledged baseline: 64 last for a second at 60 a second. The
	// state of an entity that has rested for longer is kept all the same. An entity whose state has
	// been overwritten is sent without a baseline.
	Revisions int
}

func (c Config) withDefaults() Config {
	c.TickRate = cmp.Or(c.TickRate, 60)
	c.MaxEntities = cmp.Or(c.MaxEntities, 4096)
	c.Position = cmp.Or(c.Position, Grid{Min: mgl32.Vec3{-1024, -1024, -1024}, Max: mgl32.Vec3{1024, 1024, 1024}, Resolution: 1.0 / 512})
	c.RotationBits = cmp.Or(c.RotationBits, 11)
	c.History = cmp.Or(c.History, 32)
	c.Revisions = cmp.Or(c.Revisions, 64)
	return c
}

func (c *Config) validate() error {
	between := func(name string, v, low, high int) error {
		if v < low || v > high {
			return fmt.Errorf("snapshot: Config.%s is %d: it must be %d to %d", name, v, low, high)
		}
		return nil
	}
	for _, err := range []error{
		between("TickRate", c.TickRate, 1, 1000),
		between("MaxEntities", c.MaxEntities, 1, 65535),
		between("RotationBits", c.RotationBits, 9, 15),
		between("History", c.History, 2, 128),
		between("Revisions", c.Revisions, 2, 1024),
		c.Position.validate(),
		c.Velocity.validate("Velocity"),
		c.Angular.validate("Angular"),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}

const maxSteps = 1 << 26 // on an axis of a Grid

func (g *Grid) validate() error {
	if !(g.Resolution > 0) || math.IsInf(float64(g.Resolution), 0) {
		return fmt.Errorf("snapshot: Config.Position.Resolution is %v: give a positive distance, such as 1/512", g.Resolution)
	}
	for k := range 3 {
		span := float64(g.Max[k]) - float64(g.Min[k])
		if !(span >= 0) || span/float64(g.Resolution) > maxSteps-1 {
			return fmt.Errorf("snapshot: Config.Position spans %v to %v on axis %d: Max must not be below Min, nor more than 2^26 steps of %v above it",
				g.Min[k], g.Max[k], k, g.Resolution)
		}
	}
	return nil
}

func (r *Range) validate(name string) error {
	if *r == (Range{}) {
		return nil
	}
	if !(r.Max > 0) || !(r.Resolution > 0) || !(r.Max/r.Resolution >= 1) || !(r.Max/r.Resolution <= math.MaxInt16) {
		return fmt.Errorf("snapshot: Config.%s is %+v: Max must be 1 to 32767 times the Resolution, or both zero", name, *r)
	}
	return nil
}

// quantizer turns states into records and back. All arithmetic is in float64 and free of fused
// operations, so that every machine gets the same bits.
type quantizer struct {
	min        [3]float64
	resolution float64
	most       [3]int32 // greatest value on each axis
	bits       [3]uint  // that this value takes

	rotation          axis // its resolution is not used
	velocity, angular axis
	ageUnit           float64 // seconds
	ahead             int64   // position steps that one velocity step makes in a tick, times 2^16
	back              int64   // velocity steps that a position step in one tick makes, times 2^16
}

// axis is one axis of a velocity, or one component of a rotation.
type axis struct {
	resolution float64
	most       int32 // 0: not sent
	bits       uint  // of an absolute value with its sign
}

func newAxis(r Range) axis {
	if r.Max == 0 {
		return axis{}
	}
	most := int32(math.Round(float64(r.Max) / float64(r.Resolution)))
	return axis{float64(r.Resolution), most, uint(bits.Len32(uint32(2 * most)))}
}

func newQuantizer(c *Config) quantizer {
	q := quantizer{
		resolution: float64(c.Position.Resolution),
		rotation:   axis{most: 1<<(c.RotationBits-1) - 1, bits: uint(c.RotationBits)},
		velocity:   newAxis(c.Velocity),
		angular:    newAxis(c.Angular),
		ageUnit:    1 / (8 * float64(c.TickRate)),
	}
	for k := range 3 {
		q.min[k] = float64(c.Position.Min[k])
		q.most[k] = int32(math.Ceil((float64(c.Position.Max[k]) - q.min[k]) / q.resolution))
		q.bits[k] = uint(bits.Len32(uint32(q.most[k])))
	}
	if q.velocity.most > 0 {
		perTick := q.velocity.resolution / q.resolution / float64(c.TickRate)
		q.ahead = clampedFixed(perTick)
		q.back = clampedFixed(1 / perTick)
	}
	return q
}

// clampedFixed returns v times 2^16, bounded so that products in predict stay within 64 bits.
func clampedFixed(v float64) int64 { return int64(min(math.Round(v*(1<<16)), 1<<26)) }
