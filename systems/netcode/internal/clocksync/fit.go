package clocksync

import (
	"math"
	"slices"
	"time"
)

// line is server minus client time as a function of client time: offset + drift*(t-pivot).
type line struct {
	pivot, offset time.Duration
	drift         float64
}

func (l line) at(local time.Duration) time.Duration {
	return l.offset + time.Duration(math.Round(l.drift*float64(local-l.pivot)))
}

// slope is the estimate of the drift: its mean, and the inverse of its variance.
type slope struct{ drift, weight float64 }

const (
	// leastSpread is the least width of the minimum filter.
	leastSpread = 2 * time.Millisecond
	// noiseFloor is the expected error of the quickest sample of a quiet link.
	noiseFloor = 0.5e6 // ns
	// unknownDrift is the drift, in seconds per second, that is assumed for the age of an offset
	// while the drift is unknown.
	unknownDrift = 0.001
)

// fit recomputes the base, the spread and the line from the samples held, without outliers and
// without the samples of an unconfirmed run at the end.
func (r *Reference) fit() {
	n := r.samples.n - r.run.n
	r.measureSpread(n)
	limit := r.limit()

	// Sums are taken relative to the newest sound sample, which keeps them small for all epochs.
	// The first sums have no drift, the second ones do.
	origin := r.samples.at(n - 1)
	for i := n - 1; origin.outlier; i-- {
		origin = r.samples.at(i)
	}
	var first, last time.Duration
	var sum, sumT, sumO, aged, agedO float64
	sound := 0
	used := 0
	for i := range n {
		k := r.samples.at(i)
		if k.outlier {
			continue
		}
		if sound == 0 {
			first, last = k.middle, k.middle
		}
		first, last = min(first, k.middle), max(last, k.middle)
		sound++
		excess := k.rtt - r.base
		if excess > limit {
			continue
		}
		used++
		t, o := float64(k.middle-origin.middle), float64(k.offset-origin.offset)
		w := r.weight(excess, 0)
		sum, sumT, sumO = sum+w, sumT+w*t, sumO+w*o
		w = r.weight(excess, unknownDrift*t)
		aged, agedO = aged+w, agedO+w*(o-r.line.drift*t)
	}
	if last-first < minSpan || used < 4 {
		// There are too few samples for a slope. Keep the last known slope, and give recent samples
		// more weight.
		r.line = line{pivot: origin.middle, offset: origin.offset + time.Duration(math.Round(agedO/aged)), drift: r.line.drift}
		r.doubt = maxDrift * float64(last-first)
		return
	}
	meanT, meanO := sumT/sum, sumO/sum
	var covariance, variance float64
	for i := range n {
		k := r.samples.at(i)
		excess := k.rtt - r.base
		if k.outlier || excess > limit {
			continue
		}
		t, o := float64(k.middle-origin.middle)-meanT, float64(k.offset-origin.offset)-meanO
		w := r.weight(excess, 0)
		covariance, variance = covariance+w*t*o, variance+w*t*t
	}
	// The earlier estimate of the drift counts while there are few samples.
	r.learned.weight = variance + r.prior.weight
	drift := (covariance + r.prior.drift*r.prior.weight) / r.learned.weight
	drift = min(max(drift, -maxDrift), maxDrift)
	r.learned.drift = drift
	r.line = line{
		pivot:  origin.middle,
		offset: origin.offset + time.Duration(math.Round(meanO-drift*meanT)),
		drift:  drift,
	}
	r.doubt = 0
}

// weight is the inverse variance of a sample. Its round trip is longer than the quickest by excess,
// and its age adds an error of aged ns. The floor grows with the spread of the link, so the one
// quickest sample does not outweigh a hundred others.
func (r *Reference) weight(excess time.Duration, aged float64) float64 {
	half := float64(excess) / 2
	floor := max(noiseFloor, float64(r.spread)/4)
	return 1 / (floor*floor + half*half + aged*aged)
}

// limit is how much slower than the quickest a used sample may be. It is the jitter: three mean
// deviations, as of a uniform distribution.
func (r *Reference) limit() time.Duration { return max(leastSpread, 3*r.spread) }

// measureSpread recomputes the quickest, the median and the spread of the round trips of the first
// n samples. The spread is the mean deviation of the quicker half from the median. For a symmetric
// jitter that equals the deviation of all samples. A queue counts only if half of the samples were
// in it.
func (r *Reference) measureSpread(n int) {
	sorted := r.sorted[:0]
	for i := range n {
		if k := r.samples.at(i); !k.outlier {
			sorted = append(sorted, k.rtt)
		}
	}
	slices.Sort(sorted)
	r.base, r.middle = sorted[0], sorted[len(sorted)/2]
	var total time.Duration
	half := len(sorted)/2 + 1
	for _, rtt := range sorted[:half] {
		total += r.middle - rtt
	}
	r.spread = total / time.Duration(half)
}
