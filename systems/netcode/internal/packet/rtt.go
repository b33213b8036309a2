package packet

import "time"

// rttEstimator smooths round trips as TCP does (RFC 6298): a mean with gain 1/8 and a mean
// deviation with gain 1/4.
type rttEstimator struct {
	valid             bool
	smoothed, deviate time.Duration
	least             time.Duration
}

func (r *rttEstimator) add(sample time.Duration) {
	if sample < 0 {
		return
	}
	if !r.valid {
		r.valid, r.smoothed, r.deviate, r.least = true, sample, sample/2, sample
		return
	}
	r.least = min(r.least, sample)
	r.deviate += ((sample - r.smoothed).Abs() - r.deviate) / 4
	r.smoothed += (sample - r.smoothed) / 8
}

// Bounds and initial value of the time after which a reliable piece without an acknowledgement is
// sent again.
const (
	minResend     = 50 * time.Millisecond
	maxResend     = time.Second
	initialResend = 300 * time.Millisecond
)

func (r *rttEstimator) resendAfter() time.Duration {
	if !r.valid {
		return initialResend
	}
	return min(max(r.smoothed+4*r.deviate, minResend), maxResend)
}
