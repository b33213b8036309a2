package instancing

import (
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/render"
	"github.com/tandem-ecs/tandem/systems/interpolation"
)

// listener hands a crowd's batches what the interpolator tells.
type listener struct {
	c *Crowd

	// Scratch of painting.
	colors [most]render.Color
	one    [1]arche.Entity
	pose   [1]components.Pose3D
}

// most is how many instances are moved at a time: so few that their poses are still in the nearest
// cache when they are painted.
const most = 256

// step begins a step in all batches.
func (l *listener) step(start, end time.Duration) {
	for k := range l.c.batches {
		l.c.batches[k].batch.Step(start, end)
	}
}

// moved moves instances by runs: as long as rows of the table and rows of a batch are in the same
// order. Nearly all are, since they came in one.
func (l *listener) moved(rows *interpolation.Rows[components.Pose3D]) {
	if !rows.OnGPU || rows.OwnTimes {
		return
	}
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
			l.changed(e)
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

// changed gives one instance its next motion, whatever that is.
func (l *listener) changed(e arche.Entity) {
	c := l.c
	s := c.slotOf(e)
	if s == nil || !c.marked(e) {
		return // it becomes an instance in the next frame, or is none any more
	}
	m, ok := c.poses.Shown(e)
	if !ok {
		return
	}
	batch := c.batches[s.batch].batch
	batch.Assign(int(s.row), (*render.Motion)(&m))
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
