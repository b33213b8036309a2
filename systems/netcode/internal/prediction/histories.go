package prediction

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

// history is the predicted history of one member of a group, and its newest authoritative state.
type history[T any] struct {
	id    snapshot.ID
	kind  uint16 // of a body; for a player its number
	ring  int
	since tick.Tick // the first tick of the history
	known tick.Tick // of the newest authoritative state
	wrong bool      // the state differs from the prediction
	fresh bool      // added, but not yet brought to the present
	truth T         // the authoritative state, if wrong
	state T
	was   T // before the replay
}

// histories are the members of one type, in the order of their slots. All memory is allocated at
// the start.
type histories[T any] struct {
	right   func(predicted, authoritative T) bool // false for invalid states
	list    []history[T]
	rings   []T   // histories, each as long as the player's
	free    []int // rings without a member
	history int
	window  *window
	replays bool // a replay is running
}

func newHistories[T any](max int, right func(predicted, authoritative T) bool) histories[T] {
	return histories[T]{right: right, list: make([]history[T], 0, max)}
}

// attach makes room for histories of the given number of ticks, a power of two.
func (l *histories[T]) attach(w *window, history int) {
	l.window, l.history = w, history
	l.rings, l.free, l.list = make([]T, cap(l.list)*history), make([]int, 0, cap(l.list)), l.list[:0]
	for i := range cap(l.list) {
		l.free = append(l.free, i)
	}
}

// find returns the member, or nil, and its place in the list.
func (l *histories[T]) find(id snapshot.ID) (m *history[T], i int) {
	i, in := slices.BinarySearchFunc(l.list, order(id), func(m history[T], at uint32) int { return cmp.Compare(order(m.id), at) })
	if in {
		m = &l.list[i]
	}
	return m, i
}

// order maps IDs to numbers that ascend in the order of slots, which are the low halves of the IDs.
func order(id snapshot.ID) uint32 { return bits.RotateLeft32(uint32(id), 16) }

// Add adds a member, from an authoritative state at a tick on. The next Reconcile brings it to the
// present. Add returns false and changes nothing if the member is in already, if there is no room,
// if the state is invalid, or if no replay can start at the tick (try again with a newer one).
func (l *histories[T]) Add(id snapshot.ID, kind uint16, t tick.Tick, state T) bool {
	in, i := l.find(id)
	if in != nil || len(l.free) == 0 || !l.window.holds(t) || !l.right(state, state) {
		return false
	}
	m := history[T]{id: id, kind: kind, ring: l.free[len(l.free)-1], since: t, known: t, wrong: true, fresh: true, truth: state, state: state, was: state}
	l.free = l.free[:len(l.free)-1]
	*l.at(&m, t) = state
	l.list = slices.Insert(l.list, i, m)
	return true
}

// Rename gives all members other IDs, those of another server. No two may get the same one.
func (l *histories[T]) Rename(to func(id snapshot.ID) snapshot.ID) {
	for i := range l.list {
		l.list[i].id = to(l.list[i].id)
	}
	slices.SortFunc(l.list, func(a, b history[T]) int { return cmp.Compare(order(a.id), order(b.id)) })
}

// Remove removes a member, and reports whether it was in.
func (l *histories[T]) Remove(id snapshot.ID) bool {
	m, i := l.find(id)
	if m == nil {
		return false
	}
	l.free = append(l.free, m.ring)
	l.list = slices.Delete(l.list, i, i+1)
	return true
}

// Note takes the server's state of a member at a tick. The next Reconcile replays if the state
// differs from the prediction. Note refuses an invalid state (whose distance from itself is not 0),
// and one that is no newer than the last, or too old.
func (l *histories[T]) Note(id snapshot.ID, t tick.Tick, state T) bool {
	m, _ := l.find(id)
	if m == nil || !t.IsNewer(m.known) || !l.window.holds(t) || !m.fresh && m.since.IsNewer(t) || !l.right(state, state) {
		return false
	}
	if m.fresh {
		*l.at(m, t) = state
		m.since, m.state, m.wrong = t, state, true
	} else {
		m.wrong = !l.right(l.predicted(m, t), state)
	}
	m.known, m.truth = t, state
	return true
}

// State returns the predicted state of a member at the predictor's tick, and whether the member is
// in. After Add it is the authoritative state until the next Reconcile.
func (l *histories[T]) State(id snapshot.ID) (state T, ok bool) {
	m, _ := l.find(id)
	if m == nil {
		return state, false
	}
	return m.state, true
}

// Known returns the tick of the newest authoritative state of a member.
func (l *histories[T]) Known(id snapshot.ID) (t tick.Tick, ok bool) {
	m, _ := l.find(id)
	if m == nil {
		return 0, false
	}
	return m.known, true
}

// Ready reports whether a member is in and has been brought to the present.
func (l *histories[T]) Ready(id snapshot.ID) bool {
	m, _ := l.find(id)
	return m != nil && !m.fresh
}

// at returns the place of a member's state at a tick.
func (l *histories[T]) at(m *history[T], t tick.Tick) *T {
	return &l.rings[m.ring*l.history+int(t)&(l.history-1)]
}

// predicted returns the prediction of a member at a tick of its history.
func (l *histories[T]) predicted(m *history[T], t tick.Tick) T {
	if t == l.window.now {
		return m.state
	}
	return *l.at(m, t)
}

// here reports whether a member takes part in tick t.
func (l *histories[T]) here(m *history[T], t tick.Tick) bool {
	return !m.since.IsNewer(t) && (!m.fresh || l.replays && m.wrong)
}

// keep implements follower.
func (l *histories[T]) keep(t tick.Tick) {
	for i := range l.list {
		if m := &l.list[i]; l.here(m, t) {
			*l.at(m, t) = m.state
		}
	}
}

// load implements follower. A member that begins after t keeps its state.
func (l *histories[T]) load(t tick.Tick) {
	for i := range l.list {
		m := &l.list[i]
		switch {
		case m.fresh:
		case m.since.IsNewer(t):
			m.since = t
			*l.at(m, t) = m.state
		default:
			m.state = *l.at(m, t)
		}
	}
}

// restart implements follower.
func (l *histories[T]) restart(t tick.Tick) {
	for i := range l.list {
		m := &l.list[i]
		if m.wrong {
			m.state = m.truth
		}
		m.since, m.wrong, m.fresh = t, false, false
		*l.at(m, t) = m.state
	}
}

// oldestWrong implements follower. A member that has waited for too long to be replayed does not
// count as wrong any more.
func (l *histories[T]) oldestWrong() (from tick.Tick, some bool) {
	for i := range l.list {
		m := &l.list[i]
		m.wrong = m.wrong && l.window.holds(m.known)
		if m.wrong && (!some || from.IsNewer(m.known)) {
			from, some = m.known, true
		}
	}
	return from, some
}

// begin implements follower.
func (l *histories[T]) begin(from tick.Tick) {
	l.replays = true
	for i := range l.list {
		m := &l.list[i]
		m.was = m.state
		if l.here(m, from) {
			m.state = l.predicted(m, from)
		}
	}
	l.hold(from)
}

// hold implements follower. A member whose newest authoritative state is not older than t gets its
// state at t.
func (l *histories[T]) hold(t tick.Tick) {
	for i := range l.list {
		m := &l.list[i]
		switch {
		case t.IsNewer(m.known) || !l.here(m, t): // simulated, or not taking part yet
		case t == m.known && m.wrong:
			m.state = m.truth
		case t == l.window.now:
			m.state = m.was
		default:
			m.state = *l.at(m, t)
		}
	}
}

// end implements follower.
func (l *histories[T]) end() {
	l.replays = false
	for i := range l.list {
		if m := &l.list[i]; m.wrong {
			m.wrong, m.fresh = false, false
		}
	}
}
