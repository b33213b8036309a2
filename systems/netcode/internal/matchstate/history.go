// Package matchstate keeps a value of a match by ticks, and brings its changes from a server to its
// clients. It knows no world, no clock and no socket.
//
// A server's [History] is written by Set, and Write puts into each packet the changes that the
// client has not acknowledged. [Sent] is the record of what was sent to one client. A client's
// [Received] reads them, and Apply puts them into the client's History.
package matchstate

import "github.com/tandem-ecs/tandem/systems/netcode/internal/tick"

// Kept is the number of changes that a [History] keeps.
const Kept = 64

// Ahead is how many ticks a change may be ahead of the present at most. Older changes than that
// count as from the beginning, so that no comparison of ticks wraps.
const Ahead = 1 << 29

// History is a value by ticks: a first value, and up to [Kept] changes in the order of their ticks,
// which is also that in which they were set. Create it with [New].
type History[T comparable] struct {
	// The first one holds in all ticks before that of the second.
	changes [1 + Kept]change[T]
	n       int
}

type change[T comparable] struct {
	from  tick.Tick
	value T
	// The number of the change at this end, from 1 on, and the bits of its value on the wire. The
	// first value is number 0, which clients have.
	number uint64
	bits   int
}

// New returns a History whose value is first in all ticks.
func New[T comparable](first T) (h History[T]) {
	h.changes[0].value, h.n = first, 1
	return h
}

// At returns the value that holds in a tick, or the oldest one that is kept.
func (h *History[T]) At(t tick.Tick) T { return h.changes[h.holding(t)].value }

// holding returns the index of the change that holds in a tick.
func (h *History[T]) holding(t tick.Tick) int {
	i := h.n - 1
	for i > 0 && h.changes[i].from.IsNewer(t) {
		i--
	}
	return i
}

// newest returns the change that was set last.
func (h *History[T]) newest() *change[T] { return &h.changes[h.n-1] }

// Set makes v, whose value takes so many bits on the wire, the value from a tick on. It replaces
// the changes of that tick and of later ones. A tick that is not after now counts as the one after
// it. If Kept changes are ahead of now, v takes the place of the newest of them, from its tick on.
func (h *History[T]) Set(v T, bits int, from, now tick.Tick) {
	if !from.IsNewer(now) {
		from = now.Add(1)
	}
	last := h.newest()
	later := h.n == 1 || from.IsNewer(last.from)
	if later && h.n == len(h.changes) && h.changes[1].from.IsNewer(now) {
		// Without the oldest change the value of now would be lost.
		from, later = last.from, false
	}
	if v == last.value && (later || from == last.from) {
		return
	}
	h.put(change[T]{from: from, value: v, number: h.latest() + 1, bits: bits})
}

// latest returns the greatest number of a change so far.
func (h *History[T]) latest() uint64 { return h.newest().number }

// put adds a change. It removes those that it replaces, or the oldest one if there are too many.
func (h *History[T]) put(c change[T]) {
	for h.n > 1 && !c.from.IsNewer(h.newest().from) {
		h.n--
	}
	if h.n == len(h.changes) {
		copy(h.changes[:], h.changes[1:])
		h.n--
	}
	h.changes[h.n] = c
	h.n++
}

// same reports whether two histories hold the same changes.
func (h *History[T]) same(o *History[T]) bool {
	for i := range min(h.n, o.n) {
		if a, b := &h.changes[i], &o.changes[i]; a.from != b.from || a.value != b.value {
			return false
		}
	}
	return h.n == o.n
}

// Trim forgets what is so old that ticks would wrap. Call it in every step.
func (h *History[T]) Trim(now tick.Tick) {
	for h.n > 1 && now.Sub(h.changes[1].from) > Ahead {
		copy(h.changes[:], h.changes[1:h.n])
		h.n--
	}
	if now.Sub(h.changes[0].from) > Ahead {
		h.changes[0].from = now.Add(-Ahead)
	}
}
