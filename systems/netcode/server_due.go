package netcode

import (
	"cmp"
	"slices"

	"github.com/go-gl/mathgl/mgl32"
)

// outlook holds the facts about the world's entities that a player's snapshot depends on. They are
// looked up before the encoding.
type outlook struct {
	body   EntityID   // of the player's entity; NoEntity: it has none
	eye    mgl32.Vec3 // the place around which the player is shown the world
	hasEye bool
	place  uint64 // of the eye on a curve through the world
}

// lookUp sets a player's outlook.
func (s *Server[S, I]) lookUp(p *Player[S, I]) {
	p.outlook = outlook{body: s.idOf(p.Entity)}
	if p.eye, p.hasEye = s.eyeOf(p); p.hasEye {
		p.outlook.place = curve(p.eye, &s.protocol.grid)
	}
}

// selectDue selects the players whose snapshot is due in a tick. The players' snapshots are spread
// over the ticks.
func (s *Server[S, I]) selectDue(tick uint64) {
	due := s.encoding.due[:0]
	for p := range s.all {
		if p.conn != nil && rateDue(tick+uint64(p.slot), p.rate, s.protocol.TickRate()) {
			due = append(due, p)
		}
	}
	due = s.guestsDue(tick, due)
	s.encoding.due = due
}

// sortDue looks up the outlooks of the due players, and puts neighbours side by side. They are
// shown nearly the same entities, whose states and changes are then still in the cache.
func (s *Server[S, I]) sortDue() {
	for _, p := range s.encoding.due {
		s.lookUp(p)
	}
	slices.SortFunc(s.encoding.due, func(a, b *Player[S, I]) int {
		return cmp.Or(cmp.Compare(a.outlook.place, b.outlook.place), cmp.Compare(a.slot, b.slot))
	})
}

// curve returns the place of a position on a curve that fills the grid: G. M. Morton's, which
// weaves the bits of the three numbers.
func curve(at mgl32.Vec3, g *Grid) (code uint64) {
	for axis, v := range at {
		size := g.Max[axis] - g.Min[axis]
		if !(size > 0 && v > g.Min[axis]) { // nor a number
			continue
		}
		x := uint64(min((v-g.Min[axis])/size, 1) * (1<<16 - 1))
		// Three bits apart: the halves move aside, then the halves of these, down to single bits.
		x = (x | x<<16) & 0x0000ff0000ff
		x = (x | x<<8) & 0x00f00f00f00f
		x = (x | x<<4) & 0x0c30c30c30c3
		x = (x | x<<2) & 0x249249249249
		code |= x << axis
	}
	return code
}
