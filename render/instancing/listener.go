package instancing

import (
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/render"
	"github.com/tandem-ecs/tandem/systems"
)

// listener hands a crowd's batches what the interpolator tells.
type listener struct {
	c *Crowd
	m systems.Motion[components.Pose3D] // scratch, with the step's times

	// Scratch of painting.
	colors [most]render.Color
	one    [1]arche.Entity
	pose   [1]components.Pose3D
}

var _ systems.MotionListener[components.Pose3D] = (*listener)(nil)

// most is how many instances are moved at a time: so few that their poses are still in the nearest cache when they are painted.
const most = 256

// Step begins a step in all batches.
func (l *listener) Step(start, end time.Duration) {
	l.m.Start, l.m.End = start, end
	for k := range l.c.batches {
		l.c.batches[k].batch.Step(start, end)
	}
}

// Moved moves instances by runs: as long as rows of the table and rows of a batch are in the same order, which nearly all are, since they came in one.
func (l *listener) Moved(rows *systems.MovedRows[components.Pose3D]) {
	n := rows.Len()
	for k, next := 0, 0; k < n; k = next {
		next = k + 1
		first := rows.Row(k)
		e := rows.Owner(first)
		s := l.c.slotOf(e)
		if s == nil {
			continue // it becomes an instance in the next frame
		}
		if !rows.Continues {
			l.m.From, l.m.To = rows.From[first], rows.To[first]
			l.Changed(e, &l.m)
			continue
		}
		for ; next < min(n, k+most); next++ {
			r := rows.Row(next)
			ahead := next - k
			if int(r) != int(first)+ahead {
				break
			}
			if after := l.c.slotOf(rows.Owner(r)); after == nil || after.batch != s.batch || int(after.row) != int(s.row)+ahead {
				break
			}
		}
		l.move(&l.c.batches[s.batch], int(s.row), rows.To[first:int(first)+next-k])
	}
}

// move gives instances in a row their next poses.
func (l *listener) move(o *owners, row int, to []components.Pose3D) {
	o.batch.Move(row, to)
	if l.c.paint != nil {
		colors := l.colors[:len(to)]
		l.c.paint(colors, o.rows[row:row+len(to)], to)
		o.batch.SetColors(row, colors)
	}
}

// Changed gives one instance its next motion, whatever that is.
func (l *listener) Changed(e arche.Entity, m *systems.Motion[components.Pose3D]) {
	c := l.c
	s := c.slotOf(e)
	if s == nil {
		return // it becomes an instance in the next frame
	}
	batch := c.batches[s.batch].batch
	batch.Assign(int(s.row), (*render.Motion)(m))
	if c.paint != nil {
		batch.SetColor(int(s.row), l.colorOf(e, &m.To))
	}
}

// colorOf asks for the colour of one instance.
func (l *listener) colorOf(e arche.Entity, to *components.Pose3D) render.Color {
	l.one[0], l.pose[0] = e, *to
	l.c.paint(l.colors[:1], l.one[:], l.pose[:])
	return l.colors[0]
}
