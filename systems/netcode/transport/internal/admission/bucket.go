package admission

import "time"

// Bucket is a token bucket for one purpose. It has no lock: its owner has one.
type Bucket struct {
	gate  gate
	state time.Duration
}

// NewBucket returns a full bucket. A rate or a burst below 1 panics.
func NewBucket(r Rate) Bucket { return Bucket{gate: newGate(r)} }

// Allow takes n tokens at a time on any monotonic epoch if the bucket is not empty, and reports
// whether it took them. The bucket may owe a part of them afterwards.
func (b *Bucket) Allow(now time.Duration, n int) bool {
	state, ok := b.gate.take(b.state, now, n)
	if ok {
		b.state = state
	}
	return ok
}

// Spend takes n tokens at a time, even if the bucket has fewer, and returns for how long the bucket
// owes some of them.
func (b *Bucket) Spend(now time.Duration, n int) time.Duration {
	b.state, _ = b.gate.take(b.state, now, n)
	return max(0, b.state-now-b.gate.slack-b.gate.interval)
}
