package clocksync

import (
	"math"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/tick"
)

// Age is how long before its use an input reached the server, in eighths of a tick: positive when it was early, negative when it
// was too late. It fits into one byte of every snapshot's header and saturates at 127 eighths, not quite 16 ticks. (Unity's Netcode
// for Entities calls it the command age, with the opposite sign and 1/256 tick.)
type Age int8

// NoAge stands for an age that is not known: no input has arrived yet, or they contradict each other.
const NoAge Age = math.MinInt8

// ageSteps is the number of ages in a tick.
const ageSteps = 8

// AgeOf returns a duration as an age, saturated. It rounds down, so that an input that came too late is never reported as one in
// time.
func AgeOf(d time.Duration, g Grid) Age {
	d = min(max(d, -g.Edge(32)), g.Edge(32))
	eighths, _ := floorDiv(int64(d)*ageSteps*g.Rate(), int64(time.Second))
	return Age(min(max(eighths, -math.MaxInt8), math.MaxInt8))
}

// Duration returns the age as a duration, and 0 for [NoAge].
func (a Age) Duration(g Grid) time.Duration {
	if a == NoAge {
		return 0
	}
	return time.Duration(a) * time.Second / time.Duration(ageSteps*g.Rate())
}

const (
	// The mean of the ages moves by 1/8 of each difference, of which at most 50 ms count: a stall's worth of late inputs is no news
	// about the network. Server and client have to agree on this: see Lead.
	ageWeight = 8
	ageClamp  = 50 * time.Millisecond
	// Of packets that are sent or arrive within 2 ms of each other the newest counts alone: after a stall all come at once, and
	// only the last of them says how the network is now.
	ageBurst = 2 * time.Millisecond
	// What is further than ageFar from the mean does not count: a frame that came late is no way that has grown longer, and neither is what a sleeping machine held
	// back. Only where ageAgain in a row over at least ageSpan say so does the mean begin anew, where they are: at an eighth of 50 ms from each packet it would
	// take seconds to get there, in which the other side would be told to go where it is already. A mean of fewer than ageAgain is none yet.
	ageFar   = 200 * time.Millisecond
	ageSpan  = 250 * time.Millisecond
	ageAgain = 4
	// ageLimit is the age beyond which an input says nothing about the network.
	ageLimit = 2 * time.Second
	// ageOlder is how many packets in a row have to be older than the newest input for the client to have gone back.
	ageOlder = 8
)

// meanAge is the mean of ages: on the server of how early inputs arrive, on the client of how early they are sent.
type meanAge struct {
	ageState
	at     time.Duration // when the newest was taken
	before ageState      // without the burst that the newest belongs to
}

type ageState struct {
	mean  time.Duration
	n     int           // ages in it, up to ageAgain
	far   int           // ages in a row, up to now, that were far away from it
	since time.Duration // when they began
}

// settled reports whether the mean says something at present.
func (s *ageState) settled() bool { return s.n == ageAgain && s.far == 0 }

func (m *meanAge) add(now, age time.Duration) {
	if m.n == 0 || now-m.at >= ageBurst {
		m.at, m.before = now, m.ageState
	}
	s := m.before
	switch off := age - s.mean; {
	case magnitude(off) <= ageFar && s.n > 0:
		s.mean += min(max(off, -ageClamp), ageClamp) / ageWeight
		s.n, s.far = min(s.n+1, ageAgain), 0
	case s.n < ageAgain:
		s = ageState{mean: age, n: 1}
	default:
		if s.far == 0 {
			s.since = now
		}
		if s.far++; s.far >= ageAgain && now-s.since >= ageSpan {
			s = ageState{mean: age, n: 1}
		}
	}
	m.ageState = s
}

// AgeMeter is the server's half of the command-age feedback, one for each client: it measures how early the client's inputs come.
// The server's clock alone is used, so a client can deceive it only by sending its inputs at another time.
//
// Give it the newest input of every packet; it ignores reordered and repeated ones. The age is a moving mean with a weight of 1/8,
// in integer nanoseconds, in which no input counts for more than 50 ms, one that is more than 200 ms off not at all, and a burst
// as its newest. Send [AgeMeter.Age] and
// [AgeMeter.Newest] in every snapshot. Create it with [NewAgeMeter].
type AgeMeter struct {
	grid      Grid
	newest    int64
	mean      meanAge
	deviation time.Duration
	older     int
}

// NewAgeMeter returns a meter for a server of rate ticks per second (zero means [DefaultRate]; 1 to 1000).
func NewAgeMeter(rate int) (*AgeMeter, error) {
	grid, err := NewGrid(rate)
	if err != nil {
		return nil, err
	}
	return &AgeMeter{grid: grid}, nil
}

// Arrived takes the newest input tick of a packet that arrived at a server time, and reports whether it counted. Inputs more than 2
// s early or late do not.
func (m *AgeMeter) Arrived(newest tick.Tick, now time.Duration) bool {
	index := Unwrap(newest, m.grid.Index(now))
	age := m.grid.Edge(index) - now
	if magnitude(age) > ageLimit {
		return false
	}
	if m.mean.n > 0 && index <= m.newest {
		// After a jump back of the client's clock all its inputs are older for a while.
		if m.older++; m.older < ageOlder {
			return false
		}
		m.mean, m.deviation = meanAge{}, 0
	}
	m.older = 0
	m.newest = index
	if m.mean.n > 0 && magnitude(age-m.mean.mean) <= ageFar {
		m.deviation += (magnitude(age-m.mean.mean) - m.deviation) / 16
	}
	m.mean.add(now, age)
	return true
}

// Age returns the mean age for the wire. It is [NoAge] before the first four inputs, and while those that come contradict it.
func (m *AgeMeter) Age() Age {
	if !m.mean.settled() {
		return NoAge
	}
	return AgeOf(m.mean.mean, m.grid)
}

// Newest returns the newest input that the age includes.
func (m *AgeMeter) Newest() tick.Tick { return m.grid.Tick(m.newest) }

// Mean returns the mean age.
func (m *AgeMeter) Mean() time.Duration { return m.mean.mean }

// Jitter returns the mean deviation of the age: the jitter of the way up alone.
func (m *AgeMeter) Jitter() time.Duration { return m.deviation }
