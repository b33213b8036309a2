package prediction

import (
	"cmp"
	"slices"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

// keep implements bodyGroup.
func (b *Bodies[S, I, B]) keep(t tick.Tick) {
	b.members.keep(t)
	b.others.keep(t)
}

// load implements bodyGroup.
func (b *Bodies[S, I, B]) load(t tick.Tick) {
	b.members.load(t)
	b.others.load(t)
}

// restart implements bodyGroup.
func (b *Bodies[S, I, B]) restart(t tick.Tick) {
	b.members.restart(t)
	b.others.restart(t)
}

// step moves the group from a tick to the next. The player's own step has run.
func (b *Bodies[S, I, B]) step(state *S, in I, t tick.Tick) {
	b.group.Bodies, b.present = b.group.Bodies[:0], b.present[:0]
	for i := range b.members.list {
		if m := &b.members.list[i]; b.members.here(m, t) {
			b.group.Bodies = append(b.group.Bodies, Body[B]{m.id, m.kind, m.state})
			b.present = append(b.present, i)
		}
	}
	b.actors = append(b.actors[:0], Actor[S, I]{Number: b.number, State: state, Input: in})
	b.walk(t)
	if len(b.actors) > 1 {
		SortActors(b.actors)
	}
	b.group.Players = b.actors
	b.config.Step(&b.group, t)
	if len(b.group.Players) != len(b.actors) || len(b.group.Bodies) != len(b.present) {
		panic("prediction: the step of a group has added or removed members; change what they are instead")
	}
	for k, i := range b.present {
		b.members.list[i].state = b.group.Bodies[k].State
	}
	b.stats.Steps += uint64(len(b.present))
}

// SortActors sorts players by their numbers. A [Group] has them in this order on both ends.
func SortActors[S any, I comparable](players []Actor[S, I]) {
	slices.SortFunc(players, func(a, b Actor[S, I]) int { return cmp.Compare(a.Number, b.Number) })
}

// wrong implements bodyGroup.
func (b *Bodies[S, I, B]) wrong() (from tick.Tick, some bool) {
	oldest, now := b.clock.window()
	from, some, stale := b.members.wrong(oldest, now)
	also, more, old := b.others.wrong(oldest, now)
	b.stats.Stale += stale + old
	if more && (!some || from.IsNewer(also)) {
		return also, true
	}
	return from, some
}

// begin implements bodyGroup.
func (b *Bodies[S, I, B]) begin(from tick.Tick) {
	b.stats.Replays++
	_, now := b.clock.window()
	b.members.begin(from, now)
	b.others.begin(from, now)
}

// hold implements bodyGroup.
func (b *Bodies[S, I, B]) hold(t, now tick.Tick) {
	b.members.hold(t, now)
	b.others.hold(t, now)
}

// end implements bodyGroup.
func (b *Bodies[S, I, B]) end() {
	b.members.end()
	b.others.end()
}
