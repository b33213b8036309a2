package systems

import (
	"time"

	arche "github.com/mlange-42/arche/ecs"
)

// sync runs once per frame: the visual value of everything in motion is blended at the normal time. What rests is not even looked at.
func (i *Interpolator[T]) sync() {
	if i.capturing {
		i.startAnew()
	}
	tables := i.cols.collect()
	misfits := i.cols.misfits
	if misfits {
		i.moveOut()
		tables = i.cols.collect()
	}
	now := i.clock.Normal
	if !i.listsHold(tables) {
		i.listMarked(tables)
		i.redraw = true
	}
	i.gpuDrawn = i.redraw
	if i.redraw || now != i.drawnAt || i.disabled != i.drawnOff {
		i.draw(tables, now)
		i.drawings++
		i.drawnAt, i.drawnOff, i.redraw = now, i.disabled, false
	}
	if misfits {
		i.drawNewborn()
	}
	i.drawCorrections(now, i.clock.RealDelta)
}

func (i *Interpolator[T]) draw(tables []table[T], now time.Duration) {
	fraction := i.step.fraction(now)
	for k := range i.moving {
		t, m := &tables[k], &i.moving[k]
		still := i.disabled || t.still || t.gpu
		switch {
		case m.common() == 0:
		case t.gpu && !i.redraw: // its newest sample is there
		case still && m.all:
			copy(t.visual, t.cur)
		case still:
			for _, r := range m.rows {
				t.visual[r] = t.cur[r]
			}
		case m.all:
			i.blendShared(blending[T]{dst: t.visual, prev: t.prev, cur: t.cur, t: fraction})
		default:
			share := blending[T]{rows: m.rows, dst: t.visual, prev: t.prev, cur: t.cur, t: fraction}
			if pairs := &i.pairs[k]; pairs.areOf(m.rows) {
				share.pairs = pairs.samples
			}
			i.blendShared(share)
		}
		kept := m.timed[:0]
		for _, r := range m.timed {
			own := interval{t.span[r].from, t.span[r].to}
			switch {
			case now >= own.to:
				t.visual[r] = t.cur[r]
				t.motion[r] = 0
				i.timed--
				i.touch(t.span[r].owner)
				continue
			case still:
				t.visual[r] = t.cur[r]
			default:
				i.blendOne(&t.visual[r], &t.prev[r], &t.cur[r], own.fraction(now))
			}
			kept = append(kept, r)
		}
		m.timed = kept
	}
}

// drawNewborn shows the logical value of entities that were born in normal stages and meet their first fixed step yet.
func (i *Interpolator[T]) drawNewborn() {
	query := i.world.Query(&i.homes.homeless)
	for query.Next() {
		*(*T)(query.Get(i.cols.ids.visual)) = i.normal(i.logicalOf(query.Get(i.cols.ids.logical)).Value)
		i.touch(query.Entity())
	}
}

// eachMoved tells of every entity whose visual value the newest sync may have changed: table by table by rows, possibly by all of them, then one by one. The list of the latter is emptied.
func (i *Interpolator[T]) eachMoved(rows func(t *table[T], rows []uint32, all bool), one func(e arche.Entity)) {
	tables := i.cols.collect()
	if !i.listsHold(tables) { // somebody's system in between has changed the structure
		i.listMarked(tables)
		i.redraw, i.gpuDrawn = true, true // who is marked for the graphics processor since the sync has been blended in it
	}
	for k := range i.moving {
		t, m := &tables[k], &i.moving[k]
		if t.gpu && !i.gpuDrawn {
			continue // no step since the newest sample was put there
		}
		rows(t, m.rows, m.all)
		rows(t, m.timed, false)
	}
	for _, e := range i.touched {
		one(e)
	}
	i.touched = i.touched[:0]
}
