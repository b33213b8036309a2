package instancing

import (
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/render"
	"github.com/tandem-ecs/tandem/systems/interpolation"
)

// listener passes the interpolator's reports on to the batches.
type listener struct {
	b *Batcher

	// scratch of Paint
	colors [maxRun]render.Color
	one    [1]arche.Entity
	pose   [1]components.Pose3D
}

// maxRun is the most instances that are moved at a time: few enough that their poses are still in
// the nearest cache when they are painted.
const maxRun = 256

// step begins a step in all batches.
func (l *listener) step(start, end time.Duration) {
	for k := range l.b.batches {
		l.b.batches[k].batch.Step(start, end)
	}
}

// moved moves instances in runs of rows that are in the same order in the interpolator's table and
// in the batch. Nearly all are, since they were added in one order.
func (l *listener) moved(rows *interpolation.Rows[components.Pose3D]) {
	if !rows.OnGPU || rows.OwnTimes {
		return
	}
	n := rows.Len()
	for k, next := 0, 0; k < n; k = next {
		next = k + 1
		first := rows.Row(k)
		e := rows.Owner(first)
		s := l.b.slotOf(e)
		if s == nil {
			continue // it gets an instance in the next frame
		}
		if !rows.Continues {
			l.changed(e)
			continue
		}
		for ; next < min(n, k+maxRun); next++ {
			r := rows.Row(next)
			ahead := next - k
			if int(r) != int(first)+ahead {
				break
			}
			if after := l.b.slotOf(rows.Owner(r)); after == nil || after.batch != s.batch || int(after.row) != int(s.row)+ahead {
				break
			}
		}
		l.move(&l.b.batches[s.batch], int(s.row), rows.To[first:int(first)+next-k])
	}
}

// move gives instances in neighbouring rows their next poses.
func (l *listener) move(o *rows, row int, to []components.Pose3D) {
	o.batch.Move(row, to)
	if l.b.Paint != nil {
		colors := l.colors[:len(to)]
		l.b.Paint(colors, o.entities[row:row+len(to)], to)
		o.batch.SetColors(row, colors)
	}
}

// changed gives one instance its newest motion.
func (l *listener) changed(e arche.Entity) {
	b := l.b
	s := b.slotOf(e)
	if s == nil || !b.marked(e) {
		return // it gets an instance in the next frame, or is losing it
	}
	m, ok := b.poses.Shown(e)
	if !ok {
		return
	}
	batch := b.batches[s.batch].batch
	batch.Assign(int(s.row), (*render.Motion)(&m))
	if b.Paint != nil {
		batch.SetColor(int(s.row), l.colorOf(e, &m.To))
	}
}

// colorOf returns the colour of one instance.
func (l *listener) colorOf(e arche.Entity, to *components.Pose3D) render.Color {
	l.one[0], l.pose[0] = e, *to
	l.b.Paint(l.colors[:1], l.one[:], l.pose[:])
	return l.colors[0]
}
