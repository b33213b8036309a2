package admission

import "time"

// UntrustedShare is the divisor of a connection's budget while its player is untrusted.
const UntrustedShare = 10

// Budget bounds how many frames or datagrams of one connection a server reads, and how many bytes.
// It has no lock: its owner has one.
type Budget struct{ count, bytes Bucket }

// NewBudget returns a full budget. Rates and bursts are at least 1.
func NewBudget(count, bytes Rate) Budget { return Budget{NewBucket(count), NewBucket(bytes)} }

// Allow takes the tokens of count frames with their bytes if both buckets have some, and reports
// whether it took them. Each token counts cost times. now is as for [Bucket.Allow].
func (b *Budget) Allow(now time.Duration, count, bytes, cost int) bool {
	return b.count.Allow(now, count*cost) && b.bytes.Allow(now, bytes*cost)
}

// Spend takes the tokens, even if there are fewer, and returns for how long the budget owes some of
// them.
func (b *Budget) Spend(now time.Duration, count, bytes, cost int) time.Duration {
	return max(b.count.Spend(now, count*cost), b.bytes.Spend(now, bytes*cost))
}
