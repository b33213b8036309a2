package arena

import "github.com/go-gl/mathgl/mgl32"

// zone bounds the place of a body: one bit for each of the 32 strips of the floor along each axis
// that the body reaches into. A tick of many crates mostly tests whether two bodies can touch at
// all. The zones answer most of these tests by two words.
type zone struct{ x, z uint32 }

// zoneOf returns the zone of a round body.
func zoneOf(at *mgl32.Vec3, radius float32) zone {
	radius += 1e-3 // more than any rounding error
	return zone{strips(at[0]-radius, at[0]+radius), strips(at[2]-radius, at[2]+radius)}
}

func strips(from, to float32) uint32 {
	return 2<<strip(to) - 1<<strip(from)
}

// strip returns the number of the strip that a coordinate is in. A coordinate beyond the floor
// counts as its edge.
func strip(v float32) uint {
	const perMetre = 32.0 / (2 * Half)
	return uint(min(max((v+Half)*perMetre, 0), 31))
}

// meets reports whether bodies in two zones may touch.
func (a zone) meets(b zone) bool { return a.x&b.x != 0 && a.z&b.z != 0 }
