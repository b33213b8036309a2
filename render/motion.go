package render

import (
	"fmt"
	"time"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/components"
)

// MotionBatch is any number of instances of one mesh that the graphics processor moves: each
// carries two poses, and the vertex shader blends them at the time of the frame.
//
// It suits a world of fixed steps. [MotionBatch.Step] begins one, and [MotionBatch.Move] gives
// those that move in it the pose where they will be at its end; each goes there from where it was.
// So a step costs one pose for each that moves, 40 bytes to the graphics processor, one more in the
// step after it has stopped, and nothing for those that rest; a frame in which no step ran uploads
// nothing. What moves in any other way, over a time of its own or not from where it was, is given
// both poses by [MotionBatch.Set]. Whoever has arrived rests at his newer pose without further
// calls. The picture is that of a [Batch] of poses blended by [components.Blend3D], up to rounding.
//
// It suits instances that are not children of something that moves, since blending the parts of a
// hierarchy is not blending their composition.
type MotionBatch struct {
	Mesh  Mesh
	Style Style
	Color Color // of instances added without one; changing it later does not change them

	// Of an instance in motion over the step, poses[newer] is where it goes and the other one where
	// it comes from: each step writes what the step before has read as the older. Of one with times
	// of its own the first is From and the second To. At rest both are the same.
	poses  [2][]components.Pose3D
	newer  int
	start  time.Duration // of the step
	end    time.Duration
	state  []rowState
	late   bool // some of those that moved in the step before have not been put to rest
	colors []Color

	times []MotionTime    // zero for all but those with times of their own
	ends  []time.Duration // when these arrive, in full
	own   int             // how many there are

	changes   [motionColumns]changes
	revision  uint64
	now       time.Duration
	lastSweep time.Duration
}

// Motion is the way of one instance: at From until Start, at To from End on.
type Motion struct {
	From, To components.Pose3D // in world space; rotations are normalised

	// Start and End are on the same time line as [MotionBatch.SetTime], and at most 18 minutes
	// apart. An End that is not after Start is a jump to To.
	Start, End time.Duration
}

// Still is the motion of something that rests.
func Still(p components.Pose3D) Motion { return Motion{From: p, To: p} }

// rowState says how an instance moves.
type rowState = uint8

const (
	atRest rowState = 0
	// plus the index of the newer pose: those of the step before have the other
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
		b.sweep()
	}
}

// sweep turns motions that ended long ago into rests, whose times do not matter, before the 32-bit
// stamps in the shader wrap around.
func (b *MotionBatch) sweep() {
	b.lastSweep = b.now
	for row := 0; b.own > 0 && row < len(b.state); row++ {
		if b.state[row] == inOwnTime && b.ends[row] < b.now-sweepEvery {
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
		b.changes[k].grow(row)
		b.changes[k].mark(row, b.revision)
	}
	b.set(row, &m)
	return row
}

// Step begins a fixed step between two times on the line of SetTime, the time of those who are
// moved from now on. Whoever moved in the step before, and is moved in this one neither by
// [MotionBatch.Move] nor by [MotionBatch.Set], has arrived.
func (b *MotionBatch) Step(start, end time.Duration) {
	b.settle()
	b.newer = 1 - b.newer
	b.start, b.end = start, end
	b.late = true
	b.revision++
}

// Move lets instances go on in the step that [MotionBatch.Step] has begun: row+k goes from where it
// was going, or rests, to poses[k], whose rotation must be of unit length, as those of samples are.
// It is the quick way, for many. It panics if there are no such rows.
func (b *MotionBatch) Move(row int, poses []components.Pose3D) {
	end := b.endOf(row, len(poses), "Move")
	if b.own > 0 {
		b.takeOver(row, end)
	}
	b.revision++
	copy(b.poses[b.newer][row:end], poses)
	moved := inStep + rowState(b.newer)
	for states := b.state[row:end]; len(states) > 0; states = states[1:] {
		states[0] = moved
	}
	b.changes[b.newer].markAll(row, end, b.revision)
}

// endOf returns the end of a run of rows.
func (b *MotionBatch) endOf(row, n int, what string) int {
	if row < 0 || row+n > len(b.state) {
		panic(fmt.Sprintf("render: %s of %d instances from row %d on in a MotionBatch of %d: Add appends instances, and returns their rows", what, n, row, len(b.state)))
	}
	return row + n
}

// takeOver makes instances with times of their own continue from where they were going.
func (b *MotionBatch) takeOver(row, end int) {
	for ; row < end; row++ {
		if b.state[row] == inOwnTime {
			b.revision++
			b.rest(row, &b.poses[1][row])
		}
	}
}

// settle puts to rest whoever moved in the step before and has not been moved in this one.
func (b *MotionBatch) settle() {
	if !b.late {
		return
	}
	b.late = false
	b.revision++
	older := 1 - b.newer
	for row := nextOf(b.state, 0, inStep+rowState(older)); row < len(b.state); row = nextOf(b.state, row+1, inStep+rowState(older)) {
		b.state[row] = atRest
		b.put(b.newer, row, &b.poses[older][row])
	}
}

// Set gives an instance its next motion. One that rests and is told to rest where it is does not
// count as changed.
func (b *MotionBatch) Set(row int, m Motion) { b.Assign(row, &m) }

// Assign is Set of a motion in memory, of which it keeps nothing.
func (b *MotionBatch) Assign(row int, m *Motion) {
	b.revision++
	b.set(row, m)
}

func (b *MotionBatch) set(row int, m *Motion) {
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

// SetColors is SetColor of many: row+k becomes colors[k]. It panics if there are no such rows.
func (b *MotionBatch) SetColors(row int, colors []Color) {
	b.endOf(row, len(colors), "SetColors")
	b.revision++
	for len(colors) > 0 {
		n := min(changeBlock-row%changeBlock, len(colors))
		held, differ := b.colors[row:row+n], uint32(0)
		for k := range held { // without a branch on whether one differs, which nobody can foresee
			differ |= held[k].bits() ^ colors[k].bits()
			held[k] = colors[k]
		}
		if differ != 0 {
			b.changes[MotionColors].mark(row, b.revision)
		}
		row, colors = row+n, colors[n:]
	}
}

// Remove takes an instance out. The last one moves into its row, and moved is the row that the last
// one had: the caller, who remembers rows, replaces moved by row. (Where row was the last itself,
// moved equals row.)
func (b *MotionBatch) Remove(row int) (moved int) {
	last := len(b.state) - 1
	if row < 0 || row > last {
		panic(fmt.Sprintf("render: Remove(%d) from a MotionBatch of %d instances: rows count from 0, and Remove moves the last one", row, last+1))
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

// Pose returns where an instance is drawn at the time of SetTime, computed on the processor: for
// labels, cameras and tests.
func (b *MotionBatch) Pose(row int) components.Pose3D {
	v := b.View()
	w := v.Times[row].weight(&v)
	from, to := &b.poses[0][row], &b.poses[1][row]
	if b.newer == 0 && v.Times[row].Inverse == 0 {
		// the same, but for a rounding: from the older to the newer
		from, to, w = to, from, float32(b.fraction())
	}
	return components.Blend3D(*from, *to, w)
}

// isUnit reports whether a rotation needs no normalising. Samples of an interpolator never do.
func isUnit(q *mgl32.Quat) bool {
	d := q.W*q.W + q.V[0]*q.V[0] + q.V[1]*q.V[1] + q.V[2]*q.V[2] - 1
	return d < 3e-7 && d > -3e-7
}

func tick(t time.Duration) int32 { return int32(t >> tickShift) }
