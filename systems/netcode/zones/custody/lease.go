package custody

import "time"

// The times of a lease. An owner stops before another may begin, whatever their clocks show, as
// long as the clocks run equally fast to a fifth.
//
// They are so long since the store has to survive the loss of one of its servers: elections in NATS
// take 4 to 9 s, and a shorter lease would stop all zones then.
const (
	RenewEvery = 2 * time.Second  // how often the owner renews
	StopAfter  = 12 * time.Second // the owner stops, counted from the start of its last success
	TakeAfter  = 15 * time.Second // another may take over, counted from the last change that it saw
)

// Lease is the owner's side of a lease. Its times are readings of a clock of the process that never
// goes back and goes on while the process is stopped.
type Lease struct {
	start time.Duration
	over  bool
}

// NewLease returns the lease of a process whose first success with the store began at start.
func NewLease(start time.Duration) Lease { return Lease{start: start} }

// Renewed notes a renewal that began at start and has succeeded at now. The start counts, since the
// store may have written at any moment after it, and others count from that moment.
func (l *Lease) Renewed(start, now time.Duration) {
	if l.Held(now) {
		l.start = max(l.start, start)
	}
}

// Held reports whether the process may simulate. It is asked before each step. Once it says no it
// says no for ever, even if a renewal succeeds later: others may have gone on without this process.
// The zone goes on with the next epoch, by Open from its own last state.
func (l *Lease) Held(now time.Duration) bool {
	l.over = l.over || now-l.start >= StopAfter
	return !l.over
}

// Watch is the other side of a lease: a process that sees another one's record in the store. It
// compares no clocks: the time is its own, the revision is the store's.
type Watch struct {
	revision uint64
	changed  time.Duration
}

// See notes the revision of the record at a time of the own clock. Revisions begin with 1.
func (w *Watch) See(revision uint64, now time.Duration) {
	if revision != w.revision {
		w.revision, w.changed = revision, now
	}
}

// Over reports whether the owner has stopped for certain. It has not if no record was ever seen.
func (w *Watch) Over(now time.Duration) bool {
	return w.revision != 0 && now-w.changed >= TakeAfter
}
