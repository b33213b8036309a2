package capture

import (
	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/internal/column"
	"github.com/tandem-ecs/tandem/systems/interpolation/internal/kernel"
	"github.com/tandem-ecs/tandem/systems/interpolation/internal/samples"
)

// Part is the capture of one table.
type Part[T any] struct {
	table     *samples.Table[T]
	now, last uint32 // the motion marks of this step and of the one before
	finite    func(*T) bool

	out kernel.Captured
}

// Plain is the inner loop of a capture. It captures the rows that made an ordinary movement, after
// a rest or after another one, and lists the other written rows. Nearly all rows move so.
type Plain[T any] func(p *Part[T])

// look only lists the written rows as others.
func look[T any](p *Part[T]) {
	p.out.Others = kernel.ChangedRows(p.table.Records(), p.table.Seen(), p.out.Others)
}

// Values captures values of any type.
func Values[T any](p *Part[T]) {
	look(p)
	t, out := p.table, &p.out
	records, prev, cur, seen, motion := t.Records(), t.Prev(), t.Cur(), t.Seen(), t.Motion()
	moving, others := out.Moving, out.Others[:0]
	for _, r := range out.Others {
		written, mark := &records[r], motion[r]
		if written.Revision()-seen[r] >= kernel.OwnWrites || mark == samples.Timed || !written.Plain() {
			others = append(others, r)
			continue
		}
		value := written.Value()
		if p.finite != nil && !p.finite(value) {
			others = append(others, r)
			continue
		}
		if mark == p.last {
			out.Went++
		}
		seen[r] = written.Revision()
		if column.SameBits(value, &cur[r]) {
			motion[r] = 0
			out.Rested = append(out.Rested, r)
			continue
		}
		prev[r] = cur[r] // at the step's start all but timed rows have arrived
		cur[r] = *value
		motion[r] = p.now
		moving = append(moving, r)
	}
	out.Moving, out.Others = moving, others
}

// Poses3D captures poses in space by the kernel, eight at a time.
func Poses3D(p *Part[components.Pose3D]) {
	t := p.table
	c := kernel.Capture3D{
		Logical: t.Records(), Prev: t.Prev(), Cur: t.Cur(), Seen: t.Seen(), Motion: t.Motion(),
		Now: p.now, Last: p.last, Timed: samples.Timed,
	}
	c.Run(kernel.Fastest, &p.out)
}
