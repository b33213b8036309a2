package linksim

// Every effect draws from a stream of its own, and a stream is indexed: the draw for datagram i is
// a function of the seed, the effect and i alone, computed as SplitMix64 does (Steele, Lea and
// Flood, "Fast Splittable Pseudorandom Number Generators", 2014). Switching an effect on or off,
// even in between, therefore changes neither the draws of the others nor its own later ones. A run
// with loss can be compared with one without it datagram by datagram.

// effect identifies a stream.
type effect uint64

const (
	jitterDraw effect = iota
	lossDraw
	burstStepDraw
	burstLossDraw
	duplicateDraw
	duplicateJitterDraw
	reorderDraw
	retryDraw     // transmissions after the first of an ordered direction
	retryStepDraw // these two follow retryDraw as those of the first transmission follow lossDraw
	retryBurstDraw

	effects // their number
)

const golden = 0x9e3779b97f4a7c15 // 2^64 / golden ratio, SplitMix64's increment

// mix is SplitMix64's output function: a bijection that scatters neighbouring inputs.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// streams holds the start of each effect's stream.
type streams [effects]uint64

func newStreams(seed, salt uint64) streams {
	var s streams
	for e := range s {
		s[e] = mix(mix(seed+golden*salt) + golden*uint64(e+1))
	}
	return s
}

// draw returns number i of the effect's stream, uniform in [0, 1).
func (s *streams) draw(e effect, i uint64) float64 {
	return float64(mix(s[e]+golden*(i+1))>>11) * (1.0 / (1 << 53))
}
