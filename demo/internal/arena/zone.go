package arena

import (
	"math/bits"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/systems/netcode"
)

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

// zones holds the zones of a group's members, and for each strip a bit per member that reaches into
// it. So the members that may touch a body are found without a test of all others. It lives on the
// stack. A member beyond its size counts as touching everything.
type zones struct {
	players   [maxPlayers]zone
	crates    [maxCrates]zone
	playersIn [2 * 32 * playerWords]uint64 // the strips along one axis, then those along the other
	cratesIn  [2 * 32 * crateWords]uint64
}

const (
	maxPlayers, playerWords = 128, maxPlayers / 64
	maxCrates, crateWords   = 1024, maxCrates / 64
)

// fill notes where the members of a group are.
func (z *zones) fill(g *netcode.BodyGroup[State, Input, Crate]) {
	for k := range g.Players {
		z.movePlayer(k, g.Players[k].State)
	}
	for i := range g.Bodies {
		z.move(i, &g.Bodies[i].State)
	}
}

// movePlayer updates the zone of a player.
func (z *zones) movePlayer(k int, p *State) {
	if k >= maxPlayers {
		return
	}
	if now := zoneOf(&p.Pos, Radius); now != z.players[k] {
		enter(z.playersIn[:], playerWords, k, z.players[k], now)
		z.players[k] = now
	}
}

// move updates the zone of a crate.
func (z *zones) move(i int, c *Crate) {
	if i >= maxCrates {
		return
	}
	if now := zoneOf(&c.Pos, CrateRadius); now != z.crates[i] {
		enter(z.cratesIn[:], crateWords, i, z.crates[i], now)
		z.crates[i] = now
	}
}

// enter moves a member from the strips of its old zone to those of its new one.
func enter(in []uint64, words, member int, from, to zone) {
	for set := uint64(from.x^to.x) | uint64(from.z^to.z)<<32; set != 0; set &= set - 1 {
		in[bits.TrailingZeros64(set)*words+member/64] ^= 1 << (member % 64)
	}
}

// nextPlayer returns the first of n players, from number k on, that a crate may touch; n if there
// is none.
func (z *zones) nextPlayer(crate, k, n int) int {
	if crate >= maxCrates {
		return k
	}
	return z.crates[crate].next(z.playersIn[:], playerWords, k, n)
}

// nextCrate returns the first of n crates, from number k on, that a crate may touch; n if there is
// none. The crate itself is among them.
func (z *zones) nextCrate(crate, k, n int) int {
	if crate >= maxCrates {
		return k
	}
	return z.crates[crate].next(z.cratesIn[:], crateWords, k, n)
}

func (a zone) next(in []uint64, words, k, n int) int {
	for ; k < min(n, words*64); k = (k/64 + 1) * 64 {
		var x, z uint64
		for set := a.x; set != 0; set &= set - 1 {
			x |= in[bits.TrailingZeros32(set)*words+k/64]
		}
		for set := a.z; set != 0; set &= set - 1 {
			z |= in[(32+bits.TrailingZeros32(set))*words+k/64]
		}
		if near := x & z >> (k % 64) << (k % 64); near != 0 {
			return k&^63 + bits.TrailingZeros64(near)
		}
	}
	return min(k, n)
}
