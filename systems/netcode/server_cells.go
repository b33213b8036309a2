package netcode

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
)

// cells finds the slots near a place without a scan of all: a hash of cubic cells, each with a
// chain of the slots in it. A slot changes its chain only when it crosses into another cell. All
// memory is allocated at the start, in proportion to the slots and not to the world's size.
type cells struct {
	size  float64 // edge of a cell, in units of distance
	heads []int32 // by bucket: its first slot plus one; cells that share a bucket share a chain
	spots []spot  // by slot
}

// spot is the place of a slot.
type spot struct {
	cell       [3]int32
	next, prev int32 // in its bucket's chain, plus one; 0: none
	in         bool
}

func newCells(slots int, size float32) cells {
	buckets := 1
	for buckets < 2*slots {
		buckets *= 2
	}
	return cells{size: float64(size), heads: make([]int32, buckets), spots: make([]spot, slots)}
}

// index returns the cell's number on one axis. Cells at the end of the range hold everything
// beyond.
func (c *cells) index(x float64) int32 {
	const most = 1 << 30
	return int32(max(-most, min(math.Floor(x/c.size), most)))
}

func (c *cells) cell(at mgl32.Vec3) [3]int32 {
	return [3]int32{c.index(float64(at[0])), c.index(float64(at[1])), c.index(float64(at[2]))}
}

func (c *cells) bucket(cell [3]int32) *int32 {
	h := uint32(cell[0])*0x9e3779b1 ^ uint32(cell[1])*0x85ebca77 ^ uint32(cell[2])*0xc2b2ae3d
	h ^= h >> 15
	h *= 0x2c1b3c6d
	h ^= h >> 13
	return &c.heads[h&uint32(len(c.heads)-1)]
}

// place moves a slot. A position that is not a number is near nothing.
func (c *cells) place(slot int, at mgl32.Vec3) {
	s := &c.spots[slot]
	if at[0] != at[0] || at[1] != at[1] || at[2] != at[2] {
		c.remove(slot)
		return
	}
	cell := c.cell(at)
	if s.in {
		if cell == s.cell {
			return
		}
		c.remove(slot)
	}
	head := c.bucket(cell)
	s.cell, s.in, s.next, s.prev = cell, true, *head, 0
	if s.next != 0 {
		c.spots[s.next-1].prev = int32(slot) + 1
	}
	*head = int32(slot) + 1
}

// remove removes a slot.
func (c *cells) remove(slot int) {
	s := &c.spots[slot]
	if !s.in {
		return
	}
	if s.prev != 0 {
		c.spots[s.prev-1].next = s.next
	} else {
		*c.bucket(s.cell) = s.next
	}
	if s.next != 0 {
		c.spots[s.next-1].prev = s.prev
	}
	s.in, s.next, s.prev = false, 0, 0
}

// around appends the slots of all cells that the ball touches: everything in it, and some more.
func (c *cells) around(center mgl32.Vec3, radius float32, found []int32) []int32 {
	if center[0] != center[0] || center[1] != center[1] || center[2] != center[2] {
		return found
	}
	var low, high [3]int32
	for k := range 3 {
		x, r := float64(center[k]), float64(radius)*(1+1e-5) // distances in float32 are rounded
		low[k], high[k] = c.index(x-r), c.index(x+r)
	}
	for x := low[0]; x <= high[0]; x++ {
		for y := low[1]; y <= high[1]; y++ {
			for z := low[2]; z <= high[2]; z++ {
				found = c.at([3]int32{x, y, z}, found)
			}
		}
	}
	return found
}

// at appends the slots in a cell.
func (c *cells) at(cell [3]int32, found []int32) []int32 {
	for i := *c.bucket(cell); i != 0; i = c.spots[i-1].next {
		if c.spots[i-1].cell == cell {
			found = append(found, i-1)
		}
	}
	return found
}

// bitset is a set of slots.
type bitset []uint64

func newBitset(slots int) bitset { return make(bitset, (slots+63)/64) }

func (b bitset) has(i int) bool { return b[i/64]&(1<<(i%64)) != 0 }
func (b bitset) set(i int)      { b[i/64] |= 1 << (i % 64) }
func (b bitset) clear(i int)    { b[i/64] &^= 1 << (i % 64) }
