package render

import (
	"encoding/binary"
	"math/bits"

	"github.com/tandem-ecs/tandem/components"
)

// A MotionBatch as backends see it: columns, of which they keep copies, and what has changed in
// each.

// MotionColumn is one of the arrays of a [MotionBatch], each with a value for every instance.
type MotionColumn uint8

// The columns.
const (
	MotionPoses0  MotionColumn = iota // one of the two poses of each instance
	MotionPoses1                      // the other one
	MotionTimes                       // [MotionTime]
	MotionColors                      // [Color]
	motionColumns = 4
)

// MotionTime is the time of an instance that moves over one of its own, from the first of its poses
// to the second: 8 bytes without padding. It is zero for others.
type MotionTime struct {
	Start   int32   // in ticks of 1024 ns, modulo 2^32
	Inverse float32 // of the duration, per tick; 0: the instance moves with the step, or rests
}

// MotionView is a batch at the time of SetTime. An instance is drawn at the blend of its first pose
// (fraction 0) and its second (1), at Weight, or, where its time's Inverse is not zero, at (Tick -
// Start) * Inverse, the difference taken modulo 2^32 and the fraction kept within 0 and 1.
type MotionView struct {
	Poses  [2][]components.Pose3D // the slices belong to the batch
	Times  []MotionTime
	Colors []Color

	Weight float32 // of the second pose
	Tick   int32
}

// View returns the batch as it is to be drawn. The slices are valid until the batch is changed.
func (b *MotionBatch) View() MotionView {
	b.settle()
	weight := b.fraction()
	if b.newer == 0 {
		weight = 1 - weight
	}
	return MotionView{Poses: b.poses, Times: b.times, Colors: b.colors, Weight: float32(weight), Tick: tick(b.now)}
}

// fraction is how far the time is into the step, 0 to 1. The quotient is formed in float64 so that
// it does not lose digits as time goes on.
func (b *MotionBatch) fraction() float64 {
	if b.now >= b.end || b.end <= b.start {
		return 1
	}
	return float64(max(b.now-b.start, 0)) / float64(b.end-b.start)
}

// weight returns the weight of an instance's second pose.
func (t MotionTime) weight(v *MotionView) float32 {
	if t.Inverse == 0 {
		return v.Weight
	}
	return min(max(float32(v.Tick-t.Start)*t.Inverse, 0), 1)
}

// Revision changes with every change of the batch other than SetTime.
func (b *MotionBatch) Revision() uint64 {
	b.settle()
	return b.revision
}

// NextChange returns the first range of rows of a column, from row on (0, or the end of the range
// before), that changed after the given revision; an empty one (from == to == Len) when there is
// none left. Ranges are whole blocks of 32 rows, and ranges less than two blocks apart are reported
// as one, since a second upload costs more than two blocks.
func (b *MotionBatch) NextChange(column MotionColumn, since uint64, row int) (from, to int) {
	b.settle()
	return b.changes[column].next(since, row, len(b.state))
}

// changeBlock is how many rows share a change mark.
const changeBlock = 32

// changes says what has changed in a column.
type changes struct {
	marks []uint64 // revision at which each block changed last
}

func (c *changes) grow(row int) {
	if row/changeBlock >= len(c.marks) {
		c.marks = append(c.marks, 0)
	}
}

func (c *changes) mark(row int, revision uint64) { c.marks[row/changeBlock] = revision }

// markAll marks the rows from one up to another.
func (c *changes) markAll(row, end int, revision uint64) {
	for block := row / changeBlock; block*changeBlock < end; block++ {
		c.marks[block] = revision
	}
}

func (c *changes) next(since uint64, row, n int) (from, to int) {
	blocks := (n + changeBlock - 1) / changeBlock
	// row is 0 or the end of a range, which may be cut short by the last row
	i := (row + changeBlock - 1) / changeBlock
	for i < blocks && c.marks[i] <= since {
		i++
	}
	if i >= blocks {
		return n, n
	}
	from = i * changeBlock
	end := i + 1
	for gap := 0; i < blocks && gap <= 2; i++ {
		if c.marks[i] > since {
			end, gap = i+1, 0
		} else {
			gap++
		}
	}
	return from, min(end*changeBlock, n)
}

// nextOf returns the first row, from the given one on, that is in a state; len(states) if there is
// none. It looks at eight at a time, as most often there are few.
func nextOf(states []rowState, row int, state rowState) int {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	for ; row+8 <= len(states); row += 8 {
		x := binary.LittleEndian.Uint64(states[row:]) ^ ones*uint64(state)
		// The lowest zero byte has its top bit set in this, whatever is above (Mycroft 1987).
		if zero := (x - ones) & ^x & tops; zero != 0 {
			return row + bits.TrailingZeros64(zero)/8
		}
	}
	for ; row < len(states); row++ {
		if states[row] == state {
			return row
		}
	}
	return row
}
