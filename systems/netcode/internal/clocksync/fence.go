package clocksync

import "time"

// fenceSlack is how far a stamp may be off: clocks are read once a frame, and the two reads of an
// exchange are not simultaneous.
const fenceSlack = 2 * time.Millisecond

// fence holds the bound that all samples prove together: the offset (server minus local time) lies
// between lo and hi at a local time, and moves by at most the greatest drift before and after. Its
// ends come from different samples, so it is narrow if each direction was quick once. The two need
// not have been quick in the same exchange.
type fence struct {
	lo, hi time.Duration
	when   time.Duration
	set    bool
}

// bounds returns the bounds that one sample proves for the offset at the time of its receipt.
func (k *kept) bounds() (lo, hi time.Duration) {
	half := k.rtt/2 + fenceSlack + time.Duration(maxDrift*float64(k.received-k.sent))
	return k.offset - half, k.offset + half
}

// at returns the bounds at a local time. A fence that is not set has no bounds.
func (f *fence) at(local time.Duration) (lo, hi time.Duration) {
	if !f.set {
		return -2 * stampLimit, 2 * stampLimit
	}
	slack := time.Duration(maxDrift * float64((local - f.when).Abs()))
	return f.lo - slack, f.hi + slack
}

// take narrows the fence by a sample, and reports whether the two agree. If they do not, the fence
// is not changed.
func (f *fence) take(k kept) bool {
	lo, hi := f.at(k.received)
	l, h := k.bounds()
	if l > hi || h < lo {
		return false
	}
	*f = fence{lo: max(lo, l), hi: min(hi, h), when: k.received, set: true}
	return true
}
