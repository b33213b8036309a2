package arena

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/systems/netcode"
)

// Shots.
const (
	Range     = 45.0 // m
	Muzzle    = 1.1  // m above the feet
	HitRadius = 0.5  // m: slightly larger than the player
)

// Shot is a ray from a muzzle.
type Shot struct{ From, Direction mgl32.Vec3 }

// ShotOf returns the ray of a shooter's newest shot.
func ShotOf(s State) Shot {
	return Shot{s.Pos.Add(mgl32.Vec3{0, Muzzle, 0}), Direction(s.Yaw, s.Pitch)}
}

// At returns the point at a distance.
func (s Shot) At(distance float32) mgl32.Vec3 { return s.From.Add(s.Direction.Mul(distance)) }

// Reach returns how far a shot of a tick flies before the level or a door stops it.
func (r *Rules) Reach(s Shot, t netcode.Tick) float32 {
	reach := s.reach(r.Level)
	for i := range r.Level.Doors {
		if b, up := r.doorBox(i, t); up {
			if at, ok := s.Box(b); ok {
				reach = min(reach, at)
			}
		}
	}
	return reach
}

// reach returns how far the shot flies before the level stops it.
func (s Shot) reach(l *Level) float32 {
	reach := float32(Range)
	if s.Direction[1] < -1e-4 {
		reach = min(reach, -s.From[1]/s.Direction[1])
	}
	for axis := 0; axis <= 2; axis += 2 {
		if d := s.Direction[axis]; d > 1e-6 {
			reach = min(reach, (l.Half-s.From[axis])/d)
		} else if d < -1e-6 {
			reach = min(reach, (-l.Half-s.From[axis])/d)
		}
	}
	for _, b := range l.Blocks {
		if at, ok := s.Box(b); ok {
			reach = min(reach, at)
		}
	}
	return max(reach, 0)
}

// Box returns the distance at which the shot meets a box, and whether it does at all.
func (s Shot) Box(b Box) (float32, bool) {
	from, to := float32(0), float32(math.MaxFloat32) // by slabs
	for axis := range 3 {
		d := s.Direction[axis]
		if abs(d) < 1e-7 {
			if s.From[axis] < b.Min[axis] || s.From[axis] > b.Max[axis] {
				return 0, false
			}
			continue
		}
		a, c := (b.Min[axis]-s.From[axis])/d, (b.Max[axis]-s.From[axis])/d
		from, to = max(from, min(a, c)), min(to, max(a, c))
	}
	return from, from <= to
}

// Hits returns the distance at which the shot meets an upright capsule, given the middle of its
// foot, and whether it does within reach.
func (s Shot) Hits(feet mgl32.Vec3, radius, height, reach float32) (float32, bool) {
	// The nearest approach of the ray to the capsule's axis is found by steps along the axis'
	// height: exact for level shots, and to a millimetre for others.
	low, high := feet[1]+radius, feet[1]+height-radius
	best, ok := float32(0), false
	y := mgl32.Clamp(s.From[1], low, high)
	for range 4 {
		center := mgl32.Vec3{feet[0], y, feet[2]}
		along := center.Sub(s.From).Dot(s.Direction)
		if along < 0 || along > reach+radius {
			return 0, false
		}
		near := s.At(along)
		gap := near.Sub(center)
		best, ok = along, gap.Dot(gap) <= radius*radius
		y = mgl32.Clamp(near[1], low, high)
	}
	if !ok {
		return 0, false
	}
	best = max(best-radius, 0)
	return best, best <= reach
}

// Crate returns the distance at which the shot meets a crate, and whether it does within reach. The
// crate counts as a cuboid along the axes.
func (s Shot) Crate(pos mgl32.Vec3, reach float32) (float32, bool) {
	h := mgl32.Vec3{CrateSize / 2, CrateSize / 2, CrateSize / 2}
	at, ok := s.Box(Box{pos.Sub(h), pos.Add(h)})
	return at, ok && at <= reach
}
