package clocksync

import (
	"cmp"
	"fmt"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

// DefaultRate is the tick rate, in steps per second, for a zero Rate in a configuration of this
// package. It is the default of the engine's clock.
const DefaultRate = 60

// Grid is the rational grid of step edges that server and client share: edge(k) = floor(k * 1 s /
// rate), on the server's time line, whose zero is the edge of tick 0. Every edge is computed from
// its index, so 60 Hz are still 60 Hz after ten hours. A sum of rounded steps (33 ms for 1/30 s, as
// in Multiplayer Platformer Log #5) runs 1 % fast.
//
// Ticks are counted in 64 bits here, so times and ticks convert without a wrap. [Grid.Tick] folds
// an index into the 32 bits of the wire and [Unwrap] unfolds it. The zero value is a grid of
// [DefaultRate].
type Grid struct {
	rate int64 // steps per second; 0 stands for DefaultRate
}

// NewGrid returns the grid of rate steps per second. Zero means [DefaultRate]; rates outside
// 1..1000 are an error.
func NewGrid(rate int) (Grid, error) {
	rate = cmp.Or(rate, DefaultRate)
	if rate < 1 || rate > 1000 {
		return Grid{}, fmt.Errorf("clocksync: a rate of %d steps per second; use 1 to 1000", rate)
	}
	return Grid{rate: int64(rate)}, nil
}

// Rate returns the steps per second.
func (g Grid) Rate() int64 {
	if g.rate == 0 {
		return DefaultRate
	}
	return g.rate
}

// Step returns the length of one step, rounded down to whole nanoseconds. It is for thresholds and
// displays. Multiples of it drift.
func (g Grid) Step() time.Duration { return time.Second / time.Duration(g.Rate()) }

// Edge returns the time of edge k: state k is the state at Edge(k), and step k, which consumes
// input k, begins there.
func (g Grid) Edge(k int64) time.Duration {
	seconds, rest := floorDiv(k, g.Rate())
	return time.Duration(seconds)*time.Second + time.Duration(rest*int64(time.Second)/g.Rate())
}

// Index returns the last edge that is not after t: the largest k with Edge(k) <= t.
func (g Grid) Index(t time.Duration) int64 {
	seconds, rest := floorDiv(int64(t), int64(time.Second))
	// floor(k*1e9/rate) <= rest  <=>  k*1e9/rate < rest+1  <=>  k < (rest+1)*rate/1e9
	k := ((rest+1)*g.Rate() - 1) / int64(time.Second)
	return seconds*g.Rate() + k
}

// Ticks returns d in whole steps, rounded to the nearest.
func (g Grid) Ticks(d time.Duration) int64 {
	if d < 0 {
		return -g.Ticks(-d)
	}
	return g.Index(d + g.Step()/2)
}

// Tick folds an index into the 32 bits of the wire.
func (g Grid) Tick(k int64) tick.Tick { return tick.Tick(uint32(k)) }

// Unwrap returns the index that folds to t and lies nearest to the index near. It is right while
// the two are less than 2^31 steps apart, which is a year at 60 Hz.
func Unwrap(t tick.Tick, near int64) int64 {
	return near + int64(t.Sub(tick.Tick(uint32(near))))
}

// floorDiv returns a divided by b, rounded towards minus infinity, and the remainder in 0..b-1, for
// a positive b.
func floorDiv(a, b int64) (quotient, remainder int64) {
	quotient, remainder = a/b, a%b
	if remainder < 0 {
		quotient--
		remainder += b
	}
	return quotient, remainder
}
