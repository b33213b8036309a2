package arena

import "github.com/go-gl/mathgl/mgl32"

// zone is where something is at most: of the 32 strips of the floor along each axis those that it reaches into. A tick of many crates is mostly questions whether two things
// can touch at all, and most are answered by two words that stand side by side.
type zone struct{ x, z uint32 }

// zoneOf returns the zone of something round.
func zoneOf(at *mgl32.Vec3, radius float32) zone {
	radius += 1e-3 // more than rounding
	return zone{strips(at[0]-radius, at[0]+radius), strips(at[2]-radius, at[2]+radius)}
}

func strips(from, to float32) uint32 {
	return 2<<strip(to) - 1<<strip(from)
}

// strip returns the number of the strip that a coordinate is in. What is beside the floor counts as being at its edge.
func strip(v float32) uint {
	const perMetre = 32.0 / (2 * Half)
	return uint(min(max((v+Half)*perMetre, 0), 31))
}

// meets reports whether what is in one zone may touch what is in the other.
func (a zone) meets(b zone) bool { return a.x&b.x != 0 && a.z&b.z != 0 }

// zones are the zones of a group's members. They stand on the stack: what does not fit is compared with everything.
type zones struct {
	players [128]zone
	crates  [1024]zone
}

// far reports whether a crate and a player cannot touch.
func (z *zones) far(crate, player int) bool {
	return crate < len(z.crates) && player < len(z.players) && !z.crates[crate].meets(z.players[player])
}

// farCrates reports whether two crates cannot touch.
func (z *zones) farCrates(a, b int) bool {
	return a < len(z.crates) && b < len(z.crates) && !z.crates[a].meets(z.crates[b])
}

// movePlayer notes where a player is now.
func (z *zones) movePlayer(k int, p *State) {
	if k < len(z.players) {
		z.players[k] = zoneOf(&p.Pos, Radius)
	}
}

// move notes where a crate is now.
func (z *zones) move(i int, c *Crate) {
	if i < len(z.crates) {
		z.crates[i] = zoneOf(&c.Pos, CrateRadius)
	}
}
