package kernel

import (
	"slices"
	"unsafe"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/internal/record"
)

// OwnWrites is the number of writes to one value in one step up to which a raised revision is an
// ordinary movement. Revisions start at hashes, so a greater distance means that the value was
// probably exchanged for that of another entity.
const OwnWrites = 256

// Capture3D is one table of poses at the end of a fixed step. All columns have the table's length.
type Capture3D struct {
	Logical   []record.Record[components.Pose3D]
	Prev, Cur []components.Pose3D // the samples
	Seen      []uint32            // the logical revision at the last capture
	Motion    []uint32            // marks of the rows in motion

	Now   uint32 // the mark of rows in motion over this step
	Last  uint32 // the mark that rows in motion over the step before have
	Timed uint32 // the mark that rows with an interval of their own have
}

// Captured receives the outcome of a capture as lists of rows in ascending order. Run appends to
// them; their memory is the caller's to reuse.
type Captured struct {
	Moving []uint32 // captured: samples, Seen and Motion are set
	// every row is, and Moving is unchanged: the assembly does not write that list
	All    bool
	Rested []uint32 // written, but with the value that they had: Seen is set, Motion is zero
	Others []uint32 // written, but not by an ordinary movement: untouched
	Went   int      // how many of Moving and Rested were in motion over the step before

	changed []uint32 // scratch
}

// Reset empties the lists. Moving goes to the memory of the slice given.
func (o *Captured) Reset(moving []uint32) {
	*o = Captured{Moving: moving[:0], Rested: o.Rested[:0], Others: o.Others[:0], changed: o.changed[:0]}
}

// Run finds the rows that were written since the last capture and captures those that made an
// ordinary movement, from a standing start or from one to the next: prev becomes cur, and cur the
// logical value with its rotation normalised as by [components.NormalizeQuat].
//
// A movement is ordinary if its record is Plain, its revision rose by less than [OwnWrites], its
// row is not Timed, and the value is finite.
//
// A run of rows from the first one on that have all moved is captured without a scan: a third less
// work if a whole table moves. The others are searched for part by part, so that the lines of the
// scan are still in the cache for the capture.
func (c *Capture3D) Run(p Path, out *Captured) {
	n := len(c.Seen)
	c.Logical, c.Prev, c.Cur, c.Motion = c.Logical[:n], c.Prev[:n], c.Cur[:n], c.Motion[:n]
	out.All, out.changed = false, out.changed[:0]
	run := 0
	if p.avx2() {
		run = c.takeRun(out)
	}
	nearlyAll := run > 0 && n-run < perTurn
	if !nearlyAll {
		out.Moving = appendRun(out.Moving, run)
	}
	listed := len(out.Moving)
	c.takeScattered(p, run, out)
	if !nearlyAll {
		return
	}
	if len(out.Moving)-listed == n-run {
		out.All, out.Moving = true, out.Moving[:listed]
		return
	}
	out.changed = append(out.changed[:0], out.Moving[listed:]...)
	out.Moving = append(appendRun(out.Moving[:listed], run), out.changed...)
}

// part is the number of rows that are scanned before the found ones are captured. Their records
// stay in the second-level cache, and the change between both loops is rare enough not to matter.
// With a hundredth of a million rows moving it is a tenth faster than 2048 rows.
const part = 8192

// takeRun captures rows from the first one on, until eight that have not all moved, and returns how
// many.
func (c *Capture3D) takeRun(out *Captured) (rows int) {
	whole := len(c.Seen) &^ (perTurn - 1)
	for rows < whole {
		n := min(whole-rows, perCall)
		done := c.takeTurns(uint32(rows), n/perTurn, out) * perTurn
		rows += done
		if done < n {
			break
		}
	}
	return rows
}

// appendRun appends the first n rows.
func appendRun(rows []uint32, n int) []uint32 {
	rows = slices.Grow(rows, n)[:len(rows)+n]
	for r, run := 0, rows[len(rows)-n:]; r < len(run); r++ {
		run[r] = uint32(r)
	}
	return rows
}

// takeScattered looks for rows that have changed, from a row on, and captures them.
func (c *Capture3D) takeScattered(p Path, first int, out *Captured) {
	for n := len(c.Seen); first < n; first += part {
		revisions := unsafe.Pointer(c.Logical[first].RevisionCell())
		out.changed = p.Changed(uint32(first), revisions, unsafe.Sizeof(c.Logical[0]), c.Seen[first:min(n, first+part)], out.changed)
		taken := c.take(p, out.changed, out)
		out.changed = append(out.changed[:0], out.changed[taken:]...)
	}
	c.takeSingly(out.changed, out)
}

// take captures changed rows, which ascend, and returns how many: in assembly all but the last few,
// which go with those of the next part.
func (c *Capture3D) take(p Path, rows []uint32, out *Captured) (taken int) {
	if !p.avx2() {
		c.takeSingly(rows, out)
		return len(rows)
	}
	all := len(rows)
	for len(rows) >= perTurn {
		// Eight neighbours or more are captured as they lie, those before them by the list.
		alone := 0
		for alone+perTurn <= len(rows) && rows[alone+perTurn-1]-rows[alone] != perTurn-1 {
			alone++
		}
		if alone > 0 {
			// a whole number of turns: a few neighbours may go with the others
			n := min(alone+perTurn-1, len(rows)) &^ (perTurn - 1)
			c.takeListed(rows[:n], out)
			rows = rows[n:]
			continue
		}
		turns := neighbours(rows) / perTurn
		done := c.takeTurns(rows[0], turns, out)
		out.Moving = append(out.Moving, rows[:done*perTurn]...)
		rows = rows[done*perTurn:]
		if done < turns {
			c.takeSingly(rows[:perTurn], out)
			rows = rows[perTurn:]
		}
	}
	return all - len(rows)
}

// takeListed captures rows, of which there are a multiple of eight.
func (c *Capture3D) takeListed(rows []uint32, out *Captured) {
	for len(rows) > 0 {
		turns := min(len(rows), perCall) / perTurn
		done := c.takeListTurns(rows[:turns*perTurn], out)
		out.Moving = append(out.Moving, rows[:done*perTurn]...)
		rows = rows[done*perTurn:]
		if done < turns {
			// One of the next eight is not like the others.
			c.takeSingly(rows[:perTurn], out)
			rows = rows[perTurn:]
		}
	}
}

// neighbours returns how many rows from the first on follow each other without a gap.
func neighbours(rows []uint32) int {
	if last := len(rows) - 1; rows[last]-rows[0] == uint32(last) {
		return len(rows)
	}
	low, high := 0, len(rows)-1 // row low is a neighbour, row high is not
	for high-low > 1 {
		if middle := int(uint(low+high) / 2); rows[middle]-rows[0] == uint32(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// cacheLine is the size of the blocks that memory and caches exchange.
const cacheLine = 64

// takeTurns captures rows eight at a time by assembly and stops before eight of which one did not
// move, or not ordinarily.
func (c *Capture3D) takeTurns(first uint32, turns int, out *Captured) (done int) {
	arguments := c.arguments(int(first), turns*perTurn)
	if len(c.Prev) >= farColumn && uintptr(unsafe.Pointer(arguments.prev))%cacheLine == 0 {
		arguments.far = 1
	}
	done = captureAVX2(&arguments)
	out.Went += arguments.went
	return done
}

// takeListTurns is takeTurns for the rows of a list, which ascend.
func (c *Capture3D) takeListTurns(rows []uint32, out *Captured) (done int) {
	// inside the table, as are the others; all columns are equally long
	_ = c.Seen[rows[len(rows)-1]]
	arguments := c.arguments(0, len(c.Seen))
	arguments.turns = len(rows) / perTurn
	if len(c.Seen) >= farRows {
		arguments.far = 1
	}
	done = captureListAVX2(&arguments, &rows[0])
	out.Went += arguments.went
	return done
}

// arguments are those for n rows from the first one on.
func (c *Capture3D) arguments(first, n int) captureArguments {
	end := first + n
	return captureArguments{
		logical: unsafe.Pointer(&c.Logical[first:end][0]), prev: &c.Prev[first:end][0], cur: &c.Cur[first:end][0],
		seen: &c.Seen[first:end][0], motion: &c.Motion[first:end][0],
		turns: n / perTurn, now: c.Now, last: c.Last, timed: c.Timed,
	}
}

// captureArguments is read by the assembly, by offset.
type captureArguments struct {
	logical   unsafe.Pointer
	prev, cur *components.Pose3D
	seen      *uint32
	motion    *uint32
	turns     int
	now, last uint32
	timed     uint32
	// not zero: prev, which is then on a boundary of 32 bytes, is written past the caches; the rows
	// of a list are fetched ahead
	far  uint32
	went int
}

// takeSingly captures rows one by one, in Go.
func (c *Capture3D) takeSingly(rows []uint32, out *Captured) {
	logical, prev, cur, seen, motion := c.Logical, c.Prev, c.Cur, c.Seen, c.Motion
	moving, went := out.Moving, 0
	for _, r := range rows {
		written, mark, old := &logical[r], motion[r], &cur[r]
		if !written.Plain() || written.Revision()-seen[r] >= OwnWrites || mark == c.Timed {
			out.Others = append(out.Others, r)
			continue
		}
		// Written out: Go compares structs of arrays by calling functions.
		value := written.Value()
		p, q, s := &value.Position, &value.Rotation, &value.Scale
		w, x, y, z := q.W, q.V[0], q.V[1], q.V[2]
		// The sum of finite numbers may be infinite, that of others is never finite.
		if sum := (p[0] + p[1]) + (p[2] + s[0]) + (s[1] + s[2]); sum-sum != 0 && !value.IsFinite() {
			out.Others = append(out.Others, r)
			continue
		}
		if !isUnit(w, x, y, z) {
			if sum := (w + x) + (y + z); sum-sum != 0 && !value.IsFinite() {
				out.Others = append(out.Others, r)
				continue
			}
			unit := components.NormalizeQuat(*q)
			w, x, y, z = unit.W, unit.V[0], unit.V[1], unit.V[2]
		}
		if mark == c.Last {
			went++
		}
		seen[r] = written.Revision()
		if p[0] == old.Position[0] && p[1] == old.Position[1] && p[2] == old.Position[2] &&
			w == old.Rotation.W && x == old.Rotation.V[0] && y == old.Rotation.V[1] && z == old.Rotation.V[2] &&
			s[0] == old.Scale[0] && s[1] == old.Scale[1] && s[2] == old.Scale[2] {
			motion[r] = 0
			out.Rested = append(out.Rested, r)
			continue
		}
		prev[r] = *old
		old.Position[0], old.Position[1], old.Position[2] = p[0], p[1], p[2]
		old.Rotation.W, old.Rotation.V[0], old.Rotation.V[1], old.Rotation.V[2] = w, x, y, z
		old.Scale[0], old.Scale[1], old.Scale[2] = s[0], s[1], s[2]
		motion[r] = c.Now
		moving = append(moving, r)
	}
	out.Moving, out.Went = moving, out.Went+went
}
