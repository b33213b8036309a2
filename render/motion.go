package render

import (
	"bytes"
	"fmt"
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/components"
)

// MotionBatch is any number of instances of one mesh that the graphics processor moves. Each
// instance has two poses, and the vertex shader blends them at the time of the frame.
//
// It suits a world of fixed steps. [MotionBatch.Step] begins a step, and [MotionBatch.Move] gives
// each moving instance its pose at the end of the step. The instance moves there from its previous
// pose. A step uploads one pose of 40 bytes for each moving instance, one more in the step after it
// has stopped, and nothing for instances at rest. A frame in which no step ran uploads nothing.
// [MotionBatch.Set] gives both poses to an instance that moves in any other way: over a time of its
// own, or from another pose. At the end of its motion an instance rests at its newer pose without
// further calls. The picture is that of a [Batch] of poses blended by [components.Blend3D], up to
// rounding.
//
// It does not suit children of moving parents, since blending the parts of a hierarchy is not
// blending their composition.
type MotionBatch struct {
	Mesh  Mesh
	Style Style
	Color Color // of instances added without one; changing it later does not change them

	// An instance that moves with the step moves from poses[1-newer] to poses[newer]: each step
	// writes over the older poses of the step before. An instance with a time of its own has From
	// in the first and To in the second. At rest both poses are the same.
	poses  [2][]components.Pose3D
	newer  int
	start  time.Duration // of the step
	end    time.Duration
	state  []rowState
	late   bool // instances that moved in the step before are not yet at rest
	colors []Color

	times []MotionTime    // zero for all but instances with a time of their own
	ends  []time.Duration // when these end, with all digits
	own   int             // number of them

	changes   [motionColumns]changes
	revision  uint64
	now       time.Duration
	lastSweep time.Duration
}

// Motion is the motion of one instance: at From until Start, at To from End on.
type Motion struct {
	From, To components.Pose3D // in world space; rotations are normalised

	// Start and End are on the same time line as [MotionBatch.SetTime], and at most 18 minutes
	// apart. An End that is not after Start is a jump to To.
	Start, End time.Duration
}

// Still returns the motion of an instance at rest.
func Still(p components.Pose3D) Motion { return Motion{From: p, To: p} }

// rowState is the way in which an instance moves.
type rowState = uint8

const (
	atRest rowState = 0
	// plus the index of the newer pose: instances of the step before have the other index
	inStep    rowState = 1
	inOwnTime rowState = 3
)

const (
	tickShift = 10 // a tick is 2^tickShift nanoseconds

	// sweepEvery is far below the 2^31 ticks (36 minutes) after which the difference of two 32-bit
	// times changes its sign.
	sweepEvery = time.Duration(1) << (29 + tickShift)
)

// NewMotionBatch returns an empty batch.
func NewMotionBatch(mesh Mesh, style Style, color Color) *MotionBatch {
	return &MotionBatch{Mesh: mesh, Style: style, Color: color, revision: 1}
}

// SetTime sets the time at which the batch is drawn: [ecs.Time].Normal of the frame. It uploads
// nothing.
//
// Times may jump forwards by any amount, and run backwards by at most nine minutes where instances
// have times of their own.
//
// [ecs.Time]: https://pkg.go.dev/github.com/tandem-ecs/tandem/ecs#Time
func (b *MotionBatch) SetTime(now time.Duration) {
	b.now = now
	if d := now - b.lastSweep; d >= sweepEvery || d < 0 {
		// The 32-bit stamps in the shader wrap around. Those of instances at rest do not matter.
		b.lastSweep = now
		b.stop(0, len(b.state), now-sweepEvery)
	}
}

// stop puts to rest the instances from row up to end whose motion, over a time of their own, ends
// before a time. They rest at its end.
func (b *MotionBatch) stop(row, end int, before time.Duration) {
	for ; b.own > 0 && row < end; row++ {
		if b.state[row] == inOwnTime && b.ends[row] < before {
			b.revision++
			b.rest(row, &b.poses[1][row])
		}
	}
}

// Len returns the number of instances.
func (b *MotionBatch) Len() int { return len(b.state) }

// Reset removes all instances and keeps the memory.
func (b *MotionBatch) Reset() { b.cut(0) }

// cut leaves the first n instances.
func (b *MotionBatch) cut(n int) {
	b.poses[0], b.poses[1] = b.poses[0][:n], b.poses[1][:n]
	b.state, b.colors, b.times, b.ends = b.state[:n], b.colors[:n], b.times[:n], b.ends[:n]
	if n == 0 {
		b.own, b.late = 0, false
	}
	b.revision++
}

// Add appends an instance in the batch's colour and returns its row.
func (b *MotionBatch) Add(m Motion) (row int) { return b.AddColor(m, b.Color) }

// AddColor appends an instance in a colour of its own and returns its row.
func (b *MotionBatch) AddColor(m Motion, c Color) (row int) {
	row = len(b.state)
	b.poses[0], b.poses[1] = append(b.poses[0], components.Pose3D{}), append(b.poses[1], components.Pose3D{})
	b.state, b.colors = append(b.state, atRest), append(b.colors, c)
	b.times, b.ends = append(b.times, MotionTime{}), append(b.ends, 0)
	b.revision++
	for k := range b.changes {
		if row/changeBlock == len(b.changes[k]) {
			b.changes[k] = append(b.changes[k], 0)
		}
		b.changes[k].mark(row, b.revision)
	}
	b.Set(row, m)
	return row
}

// Step begins a fixed step between two times on the time line of SetTime. Instances that are moved
// from now on move over this step. An instance that moved in the step before, and is given no
// motion by [MotionBatch.Move] or [MotionBatch.Set] in this one, comes to rest.
func (b *MotionBatch) Step(start, end time.Duration) {
	b.settle()
	b.newer = 1 - b.newer
	b.start, b.end = start, end
	b.late = true
	b.revision++
}

// Move moves instances in the step that [MotionBatch.Step] has begun: row+k moves from its newest
// pose to poses[k]. Rotations must be of unit length, as those of samples are. It is the fast way
// for many instances. It panics if there are no such rows.
func (b *MotionBatch) Move(row int, poses []components.Pose3D) {
	end := b.endOf(row, len(poses), "Move")
	b.stop(row, end, math.MaxInt64) // and continue in the step
	b.revision++
	copy(b.poses[b.newer][row:end], poses)
	moved := inStep + rowState(b.newer)
	for states := b.state[row:end]; len(states) > 0; states = states[1:] {
		states[0] = moved
	}
	for block := row / changeBlock; block*changeBlock < end; block++ {
		b.changes[b.newer][block] = b.revision
	}
}

// endOf returns the end of a run of rows.
func (b *MotionBatch) endOf(row, n int, what string) int {
	if row < 0 || row+n > len(b.state) {
		panic(fmt.Sprintf("render: %s of %d instances from row %d in a MotionBatch of %d: use rows that Add has returned", what, n, row, len(b.state)))
	}
	return row + n
}

// settle puts to rest the instances that moved in the step before and have no motion in this one.
func (b *MotionBatch) settle() {
	if !b.late {
		return
	}
	b.late = false
	b.revision++
	older := 1 - b.newer
	for row := 0; ; row++ {
		ahead := bytes.IndexByte(b.state[row:], inStep+rowState(older)) // mostly few are
		if ahead < 0 {
			return
		}
		row += ahead
		b.state[row] = atRest
		b.put(b.newer, row, &b.poses[older][row])
	}
}

// Set gives an instance its next motion. An instance at rest that is set to rest at its own pose
// does not count as changed.
func (b *MotionBatch) Set(row int, m Motion) {
	b.revision++
	from, to := m.From, m.To
	for _, q := range [...]*mgl32.Quat{&from.Rotation, &to.Rotation} {
		if !isUnit(q) {
			*q = components.NormalizeQuat(*q)
		}
	}
	switch {
	case m.End <= m.Start || from == to:
		b.rest(row, &to)
	case m.Start == b.start && m.End == b.end:
		b.setTimes(row, inStep+rowState(b.newer), MotionTime{})
		b.put(b.newer, row, &to)
		b.put(1-b.newer, row, &from)
	default:
		b.setTimes(row, inOwnTime, MotionTime{Start: tick(m.Start), Inverse: (1 << tickShift) / float32(m.End-m.Start)})
		b.ends[row] = m.End
		b.put(0, row, &from)
		b.put(1, row, &to)
	}
}

// rest puts an instance to rest.
func (b *MotionBatch) rest(row int, p *components.Pose3D) {
	b.setTimes(row, atRest, MotionTime{})
	b.put(0, row, p)
	b.put(1, row, p)
}

// put writes one of the two poses.
func (b *MotionBatch) put(k, row int, p *components.Pose3D) {
	if b.poses[k][row] != *p {
		b.poses[k][row] = *p
		b.changes[k].mark(row, b.revision)
	}
}

func (b *MotionBatch) setTimes(row int, state rowState, t MotionTime) {
	if b.state[row] == inOwnTime {
		b.own--
	}
	if state == inOwnTime {
		b.own++
	}
	b.state[row] = state
	if b.times[row] != t {
		b.times[row] = t
		b.changes[MotionTimes].mark(row, b.revision)
	}
}

// SetColor changes an instance's colour.
func (b *MotionBatch) SetColor(row int, c Color) {
	if b.colors[row] != c {
		b.colors[row] = c
		b.revision++
		b.changes[MotionColors].mark(row, b.revision)
	}
}

// SetColors is SetColor of many instances: row+k becomes colors[k]. It panics if there are no such
// rows.
func (b *MotionBatch) SetColors(row int, colors []Color) {
	b.endOf(row, len(colors), "SetColors")
	b.revision++
	for len(colors) > 0 {
		n := min(changeBlock-row%changeBlock, len(colors))
		held, differ := b.colors[row:row+n], uint32(0)
		for k := range held {
			// without a branch on each difference, since it could not be predicted
			differ |= held[k].bits() ^ colors[k].bits()
			held[k] = colors[k]
		}
		if differ != 0 {
			b.changes[MotionColors].mark(row, b.revision)
		}
		row, colors = row+n, colors[n:]
	}
}

// Remove removes an instance. The last instance moves into its row, and moved is the row that the
// last one had: a caller that remembers rows replaces moved by row. (If row was the last itself,
// moved equals row.)
func (b *MotionBatch) Remove(row int) (moved int) {
	last := len(b.state) - 1
	if row < 0 || row > last {
		panic(fmt.Sprintf("render: Remove(%d) from a MotionBatch of %d instances: rows count from 0, and each Remove moves the last instance", row, last+1))
	}
	b.revision++
	b.setTimes(row, b.state[last], b.times[last])
	b.setTimes(last, atRest, MotionTime{})
	b.ends[row] = b.ends[last]
	b.put(0, row, &b.poses[0][last])
	b.put(1, row, &b.poses[1][last])
	b.SetColor(row, b.colors[last])
	b.cut(last)
	return last
}

// Pose returns the pose at which an instance is drawn at the time of SetTime, computed on the
// processor, for labels, cameras and tests.
func (b *MotionBatch) Pose(row int) components.Pose3D {
	v := b.View()
	from, to, w := &b.poses[0][row], &b.poses[1][row], v.Weight
	switch t := v.Times[row]; {
	case t.Inverse != 0:
		w = min(max(float32(v.Tick-t.Start)*t.Inverse, 0), 1)
	case b.newer == 0: // the same up to rounding: from the older to the newer
		from, to, w = to, from, float32(b.fraction())
	}
	return components.Blend3D(*from, *to, w)
}

// isUnit reports whether a rotation needs no normalising. Samples of an interpolator need none.
func isUnit(q *mgl32.Quat) bool {
	d := q.W*q.W + q.V[0]*q.V[0] + q.V[1]*q.V[1] + q.V[2]*q.V[2] - 1
	return d < 3e-7 && d > -3e-7
}

func tick(t time.Duration) int32 { return int32(t >> tickShift) }
