package admission

import "time"

// Bucket is a token bucket for one purpose. It counts in time.Duration, as the [Limiter] does, so
// that it can return for how long it owes tokens. Package bucket of the netcode counts in tokens,
// so that a sender can ask for the number that it may spend. It has no lock: its owner has one.
type Bucket struct {
	gate  gate
	state time.Duration
}

// NewBucket returns a full bucket. The rate and the burst are at least 1.
func NewBucket(r Rate) Bucket { return Bucket{gate: newGate(r)} }

// Allow takes n tokens if the bucket is not empty, and reports whether it took them. The bucket may
// owe a part of them afterwards. now is a monotonic time from any zero, the same in every call.
func (b *Bucket) Allow(now time.Duration, n int) bool {
	state, ok := b.gate.take(b.state, now, n)
	if ok {
		b.state = state
	}
	return ok
}

// Spend takes n tokens, even if the bucket has fewer, and returns for how long the bucket owes some
// of them. now is as for Allow.
func (b *Bucket) Spend(now time.Duration, n int) time.Duration {
	b.state, _ = b.gate.take(b.state, now, n)
	return max(0, b.state-now-b.gate.slack-b.gate.interval)
}
