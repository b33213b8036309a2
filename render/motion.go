package render

import (
	"fmt"
	"time"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/components"
)

// MotionBatch is any number of instances of one mesh that the graphics processor moves: each carries the pose where it was and the pose where it is
// going with their times, and the vertex shader blends them at the time of the frame.
//
// A frame in which no fixed step ran uploads nothing. After a step only the rows that were Set go up. An instance that has arrived rests at its newer
// pose without further calls. The picture is that of a [Batch] of poses blended by [components.Blend3D], up to rounding.
//
// It suits instances that are not children of something that moves, since blending the parts of a hierarchy is not blending their composition.
type MotionBatch struct {
	Mesh  Mesh
	Style Style
	Color Color // of instances added without one; changing it later does not change them

	rows      []MotionRow
	colors    []Color
	ends      []time.Duration // when each row arrives, in full
	marks     []uint64        // revision at which a block of motionBlock rows changed last
	revision  uint64
	now       time.Duration
	lastSweep time.Duration
}

// Motion is the way of one instance: at From until Start, at To from End on.
type Motion struct {
	From, To components.Pose3D // in world space; rotations are normalised

	// Start and End are on the same time line as [MotionBatch.SetTime], and at most 18 minutes apart. An End that is not after Start is a jump to To.
	Start, End time.Duration
}

// Still is the motion of something that rests.
func Still(p components.Pose3D) Motion { return Motion{From: p, To: p} }

// MotionRow is a motion as backends upload it: 88 bytes without padding.
type MotionRow struct {
	From, To components.Pose3D
	Start    int32   // in ticks of 1024 ns, modulo 2^32
	Inverse  float32 // of the duration, per tick
}

const (
	motionBlock = 32 // rows that share a change mark
	tickShift   = 10 // a tick is 2^tickShift nanoseconds

	// sweepEvery is far below the 2^31 ticks (36 minutes) after which the difference of two 32-bit times changes its sign.
	sweepEvery = time.Duration(1) << (29 + tickShift)
)

// NewMotionBatch returns an empty batch.
func NewMotionBatch(mesh Mesh, style Style, color Color) *MotionBatch {
	return &MotionBatch{Mesh: mesh, Style: style, Color: color, revision: 1}
}

// SetTime sets the time at which the batch is drawn: [ecs.Time].Normal of the frame. It uploads nothing.
//
// Times may jump forwards by any amount and run backwards by at most nine minutes.
//
// [ecs.Time]: https://pkg.go.dev/github.com/tandem-ecs/tandem/ecs#Time
func (b *MotionBatch) SetTime(now time.Duration) {
	b.now = now
	if d := now - b.lastSweep; d >= sweepEvery || d < 0 {
		b.sweep()
	}
}

// sweep turns motions that ended long ago into rests, whose times do not matter, before the 32-bit stamps in the shader wrap around.
func (b *MotionBatch) sweep() {
	b.lastSweep = b.now
	for i := range b.rows {
		if r := &b.rows[i]; r.From != r.To && b.ends[i] < b.now-sweepEvery {
			r.From = r.To
			b.mark(i)
		}
	}
}

// Len returns the number of instances.
func (b *MotionBatch) Len() int { return len(b.rows) }

// Reset removes all instances and keeps the memory.
func (b *MotionBatch) Reset() {
	b.rows = b.rows[:0]
	b.colors = b.colors[:0]
	b.ends = b.ends[:0]
	b.revision++
}

// Add appends an instance in the batch's colour and returns its row.
func (b *MotionBatch) Add(m Motion) (row int) { return b.AddColor(m, b.Color) }

// AddColor appends an instance in a colour of its own and returns its row.
func (b *MotionBatch) AddColor(m Motion, c Color) (row int) {
	row = len(b.rows)
	b.rows = append(b.rows, MotionRow{})
	b.colors = append(b.colors, c)
	b.ends = append(b.ends, 0)
	if row/motionBlock >= len(b.marks) {
		b.marks = append(b.marks, 0)
	}
	b.set(row, &m)
	return row
}

// Set gives an instance its next motion. One that rests and is told to rest where it is does not count as changed.
func (b *MotionBatch) Set(row int, m Motion) { b.Assign(row, &m) }

// Assign is Set of a motion in memory, of which it keeps nothing.
func (b *MotionBatch) Assign(row int, m *Motion) {
	r := &b.rows[row]
	if m.To == r.To && m.From == m.To && r.From == r.To {
		return
	}
	b.set(row, m)
}

func (b *MotionBatch) set(row int, m *Motion) {
	r := &b.rows[row]
	r.From = m.From
	r.To = m.To
	for _, q := range [...]*mgl32.Quat{&r.From.Rotation, &r.To.Rotation} {
		if !isUnit(q) {
			*q = components.NormalizeQuat(*q)
		}
	}
	r.Start = tick(m.Start)
	b.ends[row] = m.End
	if d := m.End - m.Start; d > 0 {
		r.Inverse = (1 << tickShift) / float32(d)
	} else {
		r.From = r.To
		r.Inverse = 1
	}
	b.mark(row)
}

// SetColor changes an instance's colour.
func (b *MotionBatch) SetColor(row int, c Color) {
	if b.colors[row] != c {
		b.colors[row] = c
		b.mark(row)
	}
}

// Remove takes an instance out. The last one moves into its row, and moved is the row that the last one had: the caller, who remembers rows, replaces moved by row. (Where row was
// the last itself, moved equals row.)
func (b *MotionBatch) Remove(row int) (moved int) {
	last := len(b.rows) - 1
	if row < 0 || row > last {
		panic(fmt.Sprintf("render: Remove(%d) from a MotionBatch of %d instances: rows count from 0, and Remove moves the last one", row, last+1))
	}
	if row != last {
		b.rows[row] = b.rows[last]
		b.colors[row] = b.colors[last]
		b.ends[row] = b.ends[last]
		b.mark(row)
	}
	b.rows = b.rows[:last]
	b.colors = b.colors[:last]
	b.ends = b.ends[:last]
	b.revision++
	return last
}

// Pose returns where an instance is drawn at the time of SetTime, computed on the processor: for labels, cameras and tests.
func (b *MotionBatch) Pose(row int) components.Pose3D {
	r := &b.rows[row]
	return components.Blend3D(r.From, r.To, r.fraction(tick(b.now)))
}

// isUnit reports whether a rotation needs no normalising. Samples of an interpolator never do, and this is most of what a step costs.
func isUnit(q *mgl32.Quat) bool {
	d := q.W*q.W + q.V[0]*q.V[0] + q.V[1]*q.V[1] + q.V[2]*q.V[2] - 1
	return d < 3e-7 && d > -3e-7
}

func (r *MotionRow) fraction(now int32) float32 {
	return min(max(float32(now-r.Start)*r.Inverse, 0), 1)
}

func tick(t time.Duration) int32 { return int32(t >> tickShift) }

func (b *MotionBatch) mark(row int) {
	b.revision++
	b.marks[row/motionBlock] = b.revision
}

// What follows is for backends.

// Rows returns the motions and colours as they lie in memory. The slices belong to the batch.
func (b *MotionBatch) Rows() ([]MotionRow, []Color) { return b.rows, b.colors }

// Tick returns the time of SetTime in the units of [MotionRow].
func (b *MotionBatch) Tick() int32 { return tick(b.now) }

// Revision changes with every change of the batch other than SetTime.
func (b *MotionBatch) Revision() uint64 { return b.revision }

// NextChange returns the first range of rows, from row on (0, or the end of the range before), that changed after the given revision; an empty one (from == to == Len) when there is none left.
// Ranges are whole blocks of 32 rows, and ranges less than two blocks apart are reported as one, since a second upload costs more than two blocks.
func (b *MotionBatch) NextChange(since uint64, row int) (from, to int) {
	n := len(b.rows)
	blocks := (n + motionBlock - 1) / motionBlock
	i := (row + motionBlock - 1) / motionBlock // row is 0 or the end of a range, which may be cut short by the last row
	for i < blocks && b.marks[i] <= since {
		i++
	}
	if i >= blocks {
		return n, n
	}
	from = i * motionBlock
	end := i + 1
	for gap := 0; i < blocks && gap <= 2; i++ {
		if b.marks[i] > since {
			end, gap = i+1, 0
		} else {
			gap++
		}
	}
	return from, min(end*motionBlock, n)
}
