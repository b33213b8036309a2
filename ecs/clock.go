package ecs

import (
	"fmt"
	"math"
	"math/bits"
	"time"
)

// clock turns real time into fixed steps and normal time, in integers only.
//
// Fixed steps produce time and the frame consumes it (Emergence devlog on transform interpolation):
// a step that covers [edge(k), edge(k+1)) runs as soon as normal time reaches edge(k), so the
// simulation is ahead of the picture, never behind.
//
// Against the spiral of death, a frame takes in at most maxDelta of real time and runs at most
// maxSteps steps. The rest is dropped and counted. So the world slows down, which is recoverable.
type clock struct {
	time     Time
	maxSteps int
	maxDelta time.Duration

	scale   uint64 // millionths
	stretch uint64 // millionths

	// normal time not yet a whole nanosecond, in units of 1e-12 ns, below unit
	carry    uint64
	factor   uint64        // scale*stretch of this frame; a step may change them for the next one
	dropRest uint64        // the remainder of dropped real time, in units of 1/factor ns
	base     time.Duration // edges are base + floor(index * 1e9 / rate)
	index    int64
	rate     int64
	before   time.Duration // normal time before this frame
	single   bool          // run one step in the next frame, though paused
	inStep   bool
	rebased  bool        // the rate was changed inside the current step
	gate     func() bool // asked before each step; nil: none
}

const (
	millionth = 1_000_000
	unit      = millionth * millionth // one, in the product of two factors in millionths
	second    = int64(time.Second)
)

func newClock(c Config) clock {
	scale, _ := toMillionths(c.Scale)
	k := clock{maxSteps: c.MaxSteps, maxDelta: c.MaxDelta, scale: scale, stretch: millionth, rate: int64(c.FixedRate)}
	k.time = Time{Scale: fromMillionths(scale), Stretch: 1, Rate: c.FixedRate}
	return k
}

// startAt makes a step the first one. It keeps the rate.
func (c *clock) startAt(tick uint64) {
	c.base = time.Duration(tick/uint64(c.rate)) * time.Second
	c.index = int64(tick % uint64(c.rate))
	t, start := &c.time, c.edge()
	t.Tick, t.Normal, t.Fixed, t.StepStart, t.StepEnd = tick, start, start, start, start
}

// toMillionths checks a scale and rounds it to the clock's resolution.
func toMillionths(scale float64) (uint64, error) {
	if !(scale >= 0) || scale > MaxScale {
		return 0, fmt.Errorf("ecs: a time scale of %v is outside 0 to %v", scale, MaxScale)
	}
	m := uint64(math.Round(scale * millionth))
	if m == 0 && scale > 0 {
		return 0, fmt.Errorf("ecs: a time scale of %v is below the clock's resolution of one millionth; use 0 for a pause", scale)
	}
	return m, nil
}

func fromMillionths(m uint64) float64 { return float64(m) / millionth }

// begin takes in one frame's real time and advances normal time; nextStep then hands out the steps
// that are due.
func (c *clock) begin(real time.Duration) {
	t := &c.time
	real = max(real, 0)
	t.Real = addTotal(t.Real, real)
	t.RealDelta = real
	t.Steps = 0
	if cut := real - c.maxDelta; cut > 0 {
		t.Dropped = addTotal(t.Dropped, cut)
		real = c.maxDelta
	}
	if factor := c.scale * c.stretch; factor != c.factor {
		c.factor, c.dropRest = factor, 0
	}
	c.before = t.Normal
	t.Normal += c.scaled(real)
	if c.single {
		// Up to the end of the next step, but not to the one after it.
		c.single = false
		c.carry = 0
		t.Normal = c.edgeAt(c.index+1) - 1
	}
	t.NormalDelta = t.Normal - c.before
}

// scaled returns real time times both factors. It carries the part below a nanosecond.
func (c *clock) scaled(real time.Duration) time.Duration {
	hi, lo := bits.Mul64(uint64(real), c.factor)
	lo, over := bits.Add64(lo, c.carry, 0)
	quo, rem := bits.Div64(hi+over, lo, unit)
	c.carry = rem
	return time.Duration(quo)
}

// nextStep reports whether another step has to run in this frame, and enters it.
func (c *clock) nextStep() bool {
	t := &c.time
	start := c.edge()
	if start > t.Normal {
		return false
	}
	if t.Steps == c.maxSteps || c.gate != nil && !c.gate() {
		c.holdAt(start - 1)
		return false
	}
	t.StepStart, t.StepEnd = start, c.edgeAt(c.index+1)
	t.FixedDelta = t.StepEnd - t.StepStart
	t.Fixed = t.StepStart
	t.Steps++
	c.inStep = true
	return true
}

// untilStep returns the real time after which the next step is due, at most a step's length of it.
// In a pause it is a step's length.
func (c *clock) untilStep() time.Duration {
	longest := time.Duration((second + c.rate - 1) / c.rate)
	factor := c.scale * c.stretch
	hi, lo := bits.Mul64(uint64(max(c.edge()-c.time.Normal, 1)), unit)
	if hi >= factor { // a pause, or so slow that the time does not fit
		return longest
	}
	quo, rem := bits.Div64(hi, lo, factor)
	if rem > 0 {
		quo++
	}
	if quo > uint64(longest) {
		return longest
	}
	return time.Duration(quo)
}

// present returns the current step's start, and outside of a step the normal time.
func (c *clock) present() time.Duration {
	if c.inStep {
		return c.time.StepStart
	}
	return c.time.Normal
}

// endStep leaves the step that nextStep entered.
func (c *clock) endStep() {
	t := &c.time
	t.Fixed = t.StepEnd
	t.Tick++
	c.inStep = false
	if c.rebased {
		c.rebased = false
		return
	}
	c.index++
	if c.index == c.rate { // so that index * second never overflows
		c.base += time.Second
		c.index = 0
	}
}

// holdAt limits normal time, because the other steps that are due may not run in this frame, and
// counts the difference as dropped real time. A frame that began paused comes here only with its
// single step, for which no real time has passed.
func (c *clock) holdAt(most time.Duration) {
	t := &c.time
	held := t.Normal - most
	t.Normal = most
	t.NormalDelta = t.Normal - c.before
	c.carry = 0
	if c.factor == 0 {
		return
	}
	hi, lo := bits.Mul64(uint64(held), unit)
	lo, over := bits.Add64(lo, c.dropRest, 0)
	quo, rem := bits.Div64(hi+over, lo, c.factor)
	c.dropRest = rem
	t.Dropped = addTotal(t.Dropped, time.Duration(quo))
}

// addTotal adds to a running total, which stays at the longest Duration, 292 years, rather than
// become negative.
func addTotal(total, d time.Duration) time.Duration {
	if d > math.MaxInt64-total {
		return math.MaxInt64
	}
	return total + d
}

// setRate makes all edges after the end of the current step, or after the next edge outside one,
// lie 1/rate apart.
func (c *clock) setRate(rate int) {
	if c.inStep {
		c.base = c.time.StepEnd
		c.rebased = true
	} else {
		c.base = c.edge()
	}
	c.index, c.rate = 0, int64(rate)
	c.time.Rate = rate
}

func (c *clock) edge() time.Duration { return c.edgeAt(c.index) }

func (c *clock) edgeAt(index int64) time.Duration {
	return c.base + time.Duration(index*second/c.rate)
}

func (c *clock) setScale(millionths uint64) {
	c.scale = millionths
	c.time.Scale = fromMillionths(millionths)
	if millionths != 0 {
		c.single = false
	}
}
