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
	list      *samples.Active
	now, last uint32 // the motion marks of this step and of the one before

	rested []uint32 // rows that were written, but with the value that they had
	others []uint32 // rows that were written, but not by an ordinary movement
	went   int      // the number of captured rows that were in motion over the step before
}

// Plain is the inner loop of a capture. It captures the rows that made an ordinary movement, after
// a rest or after another one. Nearly all rows do.
type Plain[T any] struct {
	take func(p *Part[T])
	look func(p *Part[T]) // only lists the written rows as others
}

// Values returns the loop for values of any type.
func Values[T any](normal func(T) T) Plain[T] {
	var rows []uint32 // scratch
	look := func(p *Part[T]) {
		rows = kernel.ChangedRows(p.table.Records(), p.table.Seen(), rows[:0])
		p.others = rows
	}
	take := func(p *Part[T]) {
		look(p)
		takeValues(p, normal)
	}
	return Plain[T]{take, look}
}

// takeValues captures the ordinary movements among the others.
func takeValues[T any](p *Part[T], normal func(T) T) {
	t, moving := p.table, p.list.Rows()
	records, prev, cur, seen, motion := t.Records(), t.Prev(), t.Cur(), t.Seen(), t.Motion()
	others := p.others[:0]
	for _, r := range p.others {
		written, mark := &records[r], motion[r]
		if written.Revision()-seen[r] >= kernel.OwnWrites || mark == samples.Timed || !written.Plain() {
			others = append(others, r)
			continue
		}
		if mark == p.last {
			p.went++
		}
		seen[r] = written.Revision()
		value := *written.Value()
		if normal != nil {
			value = normal(value)
		}
		if column.SameBits(&value, &cur[r]) {
			motion[r] = 0
			p.rested = append(p.rested, r)
			continue
		}
		prev[r] = cur[r] // at the step's start all but timed rows have arrived
		cur[r] = value
		motion[r] = p.now
		moving = append(moving, r)
	}
	p.others = others
	p.list.Fill(moving, false)
}

// Poses3D returns the loop for poses in space, which the kernel captures eight at a time.
func Poses3D() Plain[components.Pose3D] {
	var out kernel.Captured
	take := func(p *Part[components.Pose3D]) {
		t := p.table
		out.Moving, out.Rested, out.Others, out.Went = p.list.Rows(), p.rested, out.Others[:0], 0
		c := kernel.Capture3D{
			Logical: t.Records(), Prev: t.Prev(), Cur: t.Cur(), Seen: t.Seen(), Motion: t.Motion(),
			Now: p.now, Last: p.last, Timed: samples.Timed,
		}
		c.Run(&out)
		p.list.Fill(out.Moving, out.All)
		p.rested, p.others, p.went = out.Rested, out.Others, out.Went
	}
	look := func(p *Part[components.Pose3D]) {
		out.Others = kernel.ChangedRows(p.table.Records(), p.table.Seen(), out.Others[:0])
		p.others = out.Others
	}
	return Plain[components.Pose3D]{take, look}
}
