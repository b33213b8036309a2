package netcode

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
)

// cells finds the slots near a place without a scan of all: a hash of cubic cells. The slots of a
// cell lie side by side, with all that decides whether they are shown to a player. All memory is
// allocated at the start, in proportion to the slots and not to the world's size.
type cells struct {
	size    float64     // edge of a cell, in units of distance
	buckets []int32     // by slot: its bucket plus one; 0: it is in none
	starts  []int32     // by bucket: its first place in the list; then the list's end
	list    []neighbour // in the order of buckets; cells that share a bucket are mixed
}

// neighbour is a slot in the list.
type neighbour struct {
	at    mgl32.Vec3
	id    EntityID
	root  int32
	owner uint16
}

func newCells(slots int, size float32) cells {
	buckets := 1
	for buckets < 2*slots {
		buckets *= 2
	}
	return cells{size: float64(size), buckets: make([]int32, slots), starts: make([]int32, buckets+1), list: make([]neighbour, 0, slots)}
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

func (c *cells) bucket(cell [3]int32) int32 {
	h := uint32(cell[0])*0x9e3779b1 ^ uint32(cell[1])*0x85ebca77 ^ uint32(cell[2])*0xc2b2ae3d
	h ^= h >> 15
	h *= 0x2c1b3c6d
	h ^= h >> 13
	return int32(h & uint32(len(c.starts)-2))
}

// place moves a slot, from the next sort on. A position that is not a number is near nothing.
func (c *cells) place(slot int, at mgl32.Vec3) {
	if at[0] != at[0] || at[1] != at[1] || at[2] != at[2] {
		c.buckets[slot] = 0
		return
	}
	c.buckets[slot] = c.bucket(c.cell(at)) + 1
}

// remove removes a slot, from the next sort on.
func (c *cells) remove(slot int) { c.buckets[slot] = 0 }

// sort makes the list anew.
func (c *cells) sort(subjects []subject) {
	clear(c.starts)
	n := int32(0)
	for _, b := range c.buckets[:len(subjects)] {
		if b > 0 {
			c.starts[b-1]++
			n++
		}
	}
	end := int32(0)
	for b, count := range c.starts {
		end += count
		c.starts[b] = end
	}
	c.list = c.list[:n]
	for slot := len(subjects) - 1; slot >= 0; slot-- {
		if b := c.buckets[slot]; b > 0 {
			c.starts[b-1]-- // from the bucket's end to its start
			u := &subjects[slot]
			c.list[c.starts[b-1]] = neighbour{u.at, u.id, u.root, u.owner}
		}
	}
}

// around appends the lists of all cells that the ball touches: everything in it, and some more. A
// list that two of the cells share is there twice.
func (c *cells) around(center mgl32.Vec3, radius float32, lists [][]neighbour) [][]neighbour {
	if center[0] != center[0] || center[1] != center[1] || center[2] != center[2] {
		return lists
	}
	var low, high [3]int32
	for k := range 3 {
		x, r := float64(center[k]), float64(radius)*(1+1e-5) // distances in float32 are rounded
		low[k], high[k] = c.index(x-r), c.index(x+r)
	}
	for x := low[0]; x <= high[0]; x++ {
		for y := low[1]; y <= high[1]; y++ {
			for z := low[2]; z <= high[2]; z++ {
				if list := c.in(c.bucket([3]int32{x, y, z})); len(list) > 0 {
					lists = append(lists, list)
				}
			}
		}
	}
	return lists
}

// in returns the slots in a bucket.
func (c *cells) in(bucket int32) []neighbour { return c.list[c.starts[bucket]:c.starts[bucket+1]] }

// bitset is a set of slots.
type bitset []uint64

func newBitset(slots int) bitset { return make(bitset, (slots+63)/64) }

func (b bitset) has(i int) bool { return b[i/64]&(1<<(i%64)) != 0 }
func (b bitset) set(i int)      { b[i/64] |= 1 << (i % 64) }
func (b bitset) clear(i int)    { b[i/64] &^= 1 << (i % 64) }
