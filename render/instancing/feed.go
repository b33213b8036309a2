package instancing

import (
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/render"
	"github.com/tandem-ecs/tandem/systems/interpolation"
)

// maxRun is the most instances that are moved at a time: few enough that their poses are still in
// the nearest cache when they are painted.
const maxRun = 256

// step begins a step in all batches.
func (b *Batcher) step(start, end time.Duration) {
	for k := range b.batches {
		b.batches[k].batch.Step(start, end)
	}
}

// moved moves instances in runs of rows that are in the same order in the interpolator's table and
// in the batch. Nearly all are, since they were added in one order.
func (b *Batcher) moved(rows *interpolation.Rows[components.Pose3D]) {
	if !rows.OnGPU || rows.OwnTimes {
		return
	}
	n := rows.Len()
	for k, next := 0, 0; k < n; k = next {
		next = k + 1
		first := rows.Row(k)
		e := rows.Owner(first)
		s := b.slotOf(e)
		if s == nil {
			continue // it gets an instance in the next frame
		}
		if !rows.Continues {
			b.changed(e)
			continue
		}
		for ; next < min(n, k+maxRun); next++ {
			r := rows.Row(next)
			ahead := next - k
			if int(r) != int(first)+ahead {
				break
			}
			if after := b.slotOf(rows.Owner(r)); after == nil || after.batch != s.batch || int(after.row) != int(s.row)+ahead {
				break
			}
		}
		b.move(&b.batches[s.batch], int(s.row), rows.To[first:int(first)+next-k])
	}
}

// move gives instances in neighbouring rows their next poses.
func (b *Batcher) move(o *rows, row int, to []components.Pose3D) {
	o.batch.Move(row, to)
	if b.Paint != nil {
		colors := b.colors[:len(to)]
		b.Paint(colors, o.entities[row:row+len(to)], to)
		o.batch.SetColors(row, colors)
	}
}

// changed gives one instance its newest motion.
func (b *Batcher) changed(e arche.Entity) {
	s := b.slotOf(e)
	if s == nil || !b.marked(e) {
		return // it gets an instance in the next frame, or is losing it
	}
	m, ok := b.poses.Shown(e)
	if !ok {
		return
	}
	batch := b.batches[s.batch].batch
	batch.Set(int(s.row), render.Motion(m))
	if b.Paint != nil {
		batch.SetColor(int(s.row), b.colorOf(e, &m.To))
	}
}

// colorOf returns the colour of one instance.
func (b *Batcher) colorOf(e arche.Entity, to *components.Pose3D) render.Color {
	b.one[0], b.pose[0] = e, *to
	b.Paint(b.colors[:1], b.one[:], b.pose[:])
	return b.colors[0]
}
