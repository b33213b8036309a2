package render

import "github.com/tandem-ecs/tandem/components"

// This file is the side of a MotionBatch that backends use: columns, of which they keep copies, and
// the changed ranges of each.

// MotionColumn is one of the arrays of a [MotionBatch], each with a value for every instance.
type MotionColumn uint8

// The columns.
const (
	MotionPoses0  MotionColumn = iota // the first of the two poses of each instance
	MotionPoses1                      // the second
	MotionTimes                       // [MotionTime]
	MotionColors                      // [Color]
	motionColumns = 4
)

// MotionTime is the time of an instance that moves over a time of its own, from the first of its
// poses to the second: 8 bytes without padding. It is zero for all other instances.
type MotionTime struct {
	Start   int32   // in ticks of 1024 ns, modulo 2^32
	Inverse float32 // of the duration, per tick; 0: the instance moves with the step, or rests
}

// MotionView is a batch at the time of SetTime. An instance is drawn at a blend of its first pose
// (fraction 0) and its second (fraction 1). The fraction is Weight, or, where the Inverse of its
// time is not zero, (Tick - Start) * Inverse: the difference is taken modulo 2^32, and the fraction
// is kept within 0 and 1.
type MotionView struct {
	Poses  [2][]components.Pose3D // the slices belong to the batch
	Times  []MotionTime
	Colors []Color

	Weight float32 // of the second pose
	Tick   int32
}

// View returns the batch as it is drawn at the time of SetTime. The slices are valid until the
// batch is changed.
func (b *MotionBatch) View() MotionView {
	b.settle()
	weight := b.fraction()
	if b.newer == 0 {
		weight = 1 - weight
	}
	return MotionView{Poses: b.poses, Times: b.times, Colors: b.colors, Weight: float32(weight), Tick: tick(b.now)}
}

// fraction returns the part of the step that has passed, 0 to 1. The quotient is formed in float64,
// so that it does not lose digits as time passes.
func (b *MotionBatch) fraction() float64 {
	if b.now >= b.end || b.end <= b.start {
		return 1
	}
	return float64(max(b.now-b.start, 0)) / float64(b.end-b.start)
}

// Revision changes with every change of the batch other than SetTime.
func (b *MotionBatch) Revision() uint64 {
	b.settle()
	return b.revision
}

// NextChange returns the first range of rows of a column that changed after the given revision, at
// row or after it (0, or the end of the previous range). When none is left, the range is empty:
// from == to == Len. Ranges are whole blocks of 32 rows. Ranges less than two blocks apart are
// reported as one, since a second upload costs more than two blocks.
func (b *MotionBatch) NextChange(column MotionColumn, since uint64, row int) (from, to int) {
	b.settle()
	return b.changes[column].next(since, row, len(b.state))
}

// changeBlock is the number of rows that share a change mark.
const changeBlock = 32

// changes holds the revision of the last change of each block of a column's rows.
type changes []uint64

func (c changes) mark(row int, revision uint64) { c[row/changeBlock] = revision }

func (c changes) next(since uint64, row, n int) (from, to int) {
	blocks := (n + changeBlock - 1) / changeBlock
	// row is 0 or the end of a range, and that may be the last row instead of the end of a block
	i := (row + changeBlock - 1) / changeBlock
	for i < blocks && c[i] <= since {
		i++
	}
	if i >= blocks {
		return n, n
	}
	from = i * changeBlock
	end := i + 1
	for gap := 0; i < blocks && gap <= 2; i++ {
		if c[i] > since {
			end, gap = i+1, 0
		} else {
			gap++
		}
	}
	return from, min(end*changeBlock, n)
}
