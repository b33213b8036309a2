package interpolation_test

import (
	"time"

	"github.com/tandem-ecs/tandem/components"
)

// operate does something to one body.
func (m *machine) operate(b *modelBody, everything bool) {
	switch m.Pick(10) {
	case 0:
		m.rebuild(b)
		return
	case 1:
		m.note("table of %v", b.entity)
		m.tables.Shuffle(b.entity)
		return
	}
	if !b.logical {
		if b.visual && !b.samples {
			// with samples that are only about to go it still is the interpolator's
			v, pose := m.value(b)
			m.note("draw %v at %v", b.entity, v)
			m.visuals.Get(b.entity).Set(pose)
			b.drawn = v
		}
		return
	}
	l := m.logicals.Get(b.entity)
	v, pose := m.value(b)
	switch op := m.Pick(12); op {
	case 0, 1, 2, 3:
		m.note("set %v %v", b.entity, v)
		l.Set(pose)
		b.note(moves, 0)
	case 4, 5, 6:
		over := time.Duration(m.Pick(300_000)-3000) * time.Microsecond
		if m.Pick(4) == 0 { // to the end of this step, or of the next ones
			over = m.e.Time().FixedDelta * time.Duration(m.Pick(4))
		}
		m.note("set %v %v over %v", b.entity, v, over)
		l.SetOver(pose, over)
		b.note(arrives, over)
	case 7:
		m.note("teleport %v %v", b.entity, v)
		l.Teleport(pose)
		b.note(jumps, 0)
	case 8, 9:
		if b.spins { // offsets of more than half a turn are ambiguous
			return
		}
		if op == 8 || !everything {
			m.note("correct %v %v", b.entity, v)
			l.Correct(pose)
			b.note(mended, 0)
			break
		}
		start, startPose := m.value(b)
		m.note("correct %v %v to %v", b.entity, start, v)
		sampled := b.samples && b.visual
		if m.ip.Correct(b.entity, startPose, pose) != sampled {
			m.fail("Correct of %v did not report %v", b.entity, sampled)
		}
		if sampled {
			b.note(mended, 0)
			b.start = &start
		} else if b.born != nil {
			b.note(moves, 0)
		}
	case 10:
		m.note("overwrite %v %v", b.entity, v)
		*l = components.NewLogical(pose)
		b.write, b.borrowed, b.born = jumps, false, nil
	case 11:
		other := m.bodies[m.Pick(len(m.bodies))]
		// A value that was lent and comes back to its owner before a capture is the owner's own
		// again, with all that was written to it meanwhile.
		if other == b || !other.logical || other.borrowed || other.born != nil || other.spins && !b.spins {
			return
		}
		m.note("copy %v to %v", other.entity, b.entity)
		*l = *m.logicals.Get(other.entity)
		b.write, b.borrowed, b.born = jumps, true, nil
		v = other.value
	}
	b.value = v
}

// rebuild changes what a body has.
func (m *machine) rebuild(b *modelBody) {
	switch m.Pick(7) {
	case 0:
		m.note("despawn %v", b.entity)
		m.w.RemoveEntity(b.entity)
		m.jumps, m.moves, m.mends = m.jumps+b.jumpsSeen, m.moves+b.movesSeen, m.mends+b.mends
		m.departures += b.departures
		for k, o := range m.bodies {
			if o == b {
				m.bodies = append(m.bodies[:k], m.bodies[k+1:]...)
				return
			}
		}
	case 1, 2:
		if b.still {
			m.stills.Remove(b.entity)
		} else {
			m.stills.Add(b.entity)
		}
		b.still = !b.still
		m.note("still %v %v", b.entity, b.still)
	case 3, 4: // without a logical value it is only visual, and stays where it was drawn
		if b.logical {
			m.note("logical removed from %v", b.entity)
			m.logicals.Remove(b.entity)
			b.logical, b.born = false, nil
			if b.visual {
				p := m.visuals.Get(b.entity).Get()
				b.drawn = modelValue{x: float64(p.Position[0])}
			}
			return
		}
		v, pose := m.value(b)
		m.note("logical %v given to %v", v, b.entity)
		l := components.NewLogical(pose)
		m.logicals.Assign(b.entity, &l)
		b.logical, b.value, b.write, b.borrowed = true, v, jumps, false
	case 5, 6:
		if b.visual {
			m.note("visual removed from %v", b.entity)
			m.visuals.Remove(b.entity)
			b.visual = false
			return
		}
		if b.samples {
			return // within one stage a new visual value is not told from the old one
		}
		m.note("visual given to %v", b.entity)
		m.visuals.Add(b.entity)
		b.visual = true
		b.drawn = modelValue{}
		if b.born != nil { // the start was in the visual value that was removed
			b.born = &modelValue{}
		}
	}
}
