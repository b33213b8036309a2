package prediction

import "github.com/tandem-ecs/tandem/systems/netcode/tick"

// here reports whether a member takes part in tick t.
func (b *Bodies[S, I, B]) here(m *member[B], t tick.Tick) bool {
	return !m.since.IsNewer(t) && (!m.fresh || b.replays && m.wrong)
}

// keep implements company.
func (b *Bodies[S, I, B]) keep(t tick.Tick) {
	for i := range b.members {
		if m := &b.members[i]; b.here(m, t) {
			*b.at(m, t) = m.state
		}
	}
}

// load implements company: the clock went back. Who was not here yet stays as he is.
func (b *Bodies[S, I, B]) load(t tick.Tick) {
	for i := range b.members {
		m := &b.members[i]
		switch {
		case m.fresh:
		case m.since.IsNewer(t):
			m.since = t
			*b.at(m, t) = m.state
		default:
			m.state = *b.at(m, t)
		}
	}
}

// restart implements company.
func (b *Bodies[S, I, B]) restart(t tick.Tick) {
	for i := range b.members {
		m := &b.members[i]
		if m.wrong {
			m.state = m.truth
		}
		m.since, m.wrong, m.fresh = t, false, false
		*b.at(m, t) = m.state
	}
}

// step moves the group from a tick to the next; the player's own step has run.
func (b *Bodies[S, I, B]) step(state *S, in I, t tick.Tick) {
	b.group.Bodies, b.present = b.group.Bodies[:0], b.present[:0]
	for i := range b.members {
		if m := &b.members[i]; b.here(m, t) {
			b.group.Bodies = append(b.group.Bodies, Body[B]{m.id, m.kind, m.state})
			b.present = append(b.present, i)
		}
	}
	b.actors = append(b.actors[:0], Actor[S, I]{Number: b.number, State: state, Input: in})
	if b.config.Others != nil {
		b.actors = b.config.Others(t, b.actors)
	}
	b.group.Players = b.actors
	b.config.Step(&b.group, t)
	if len(b.group.Players) != len(b.actors) || len(b.group.Bodies) != len(b.present) {
		panic("prediction: the step of a group has added or removed members; change what they are instead")
	}
	for k, i := range b.present {
		b.members[i].state = b.group.Bodies[k].State
	}
	b.stats.Steps += uint64(len(b.present))
}

// wrong implements company.
func (b *Bodies[S, I, B]) wrong() (from tick.Tick, some bool) {
	for i := range b.members {
		m := &b.members[i]
		if m.wrong && !b.replayable(m.known) { // it has waited for too long
			m.wrong = false
			b.stats.Stale++
		}
		if m.wrong && (!some || from.IsNewer(m.known)) {
			from, some = m.known, true
		}
	}
	return from, some
}

// begin implements company.
func (b *Bodies[S, I, B]) begin(from tick.Tick) {
	b.stats.Replays++
	b.replays = true
	for i := range b.members {
		m := &b.members[i]
		m.was = m.state
	}
	_, now := b.clock.window()
	b.hold(from, now)
	for i := range b.members { // who was not held comes from its history
		if m := &b.members[i]; from.IsNewer(m.known) && b.here(m, from) && from != now {
			m.state = *b.at(m, from)
		}
	}
}

// hold implements company.
func (b *Bodies[S, I, B]) hold(t, now tick.Tick) {
	for i := range b.members {
		m := &b.members[i]
		switch {
		case t.IsNewer(m.known) || !b.here(m, t): // simulated, or not here yet
		case t == m.known && m.wrong:
			m.state = m.truth
		case t == now:
			m.state = m.was
		default:
			m.state = *b.at(m, t)
		}
	}
}

// end implements company.
func (b *Bodies[S, I, B]) end() {
	b.replays = false
	for i := range b.members {
		if m := &b.members[i]; m.wrong {
			m.wrong, m.fresh = false, false
		}
	}
}
