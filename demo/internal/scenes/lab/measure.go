package lab

import (
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl32"
)

const (
	// A column of the graphs covers a thirtieth of a second.
	columnTime = time.Second / 30
	columns    = 120

	figureTime = 3 * time.Second // of averaging
	settling   = time.Second     // after joining, excluded from the figures
)

// column summarizes the frames of a lane in a column's time. Without a frame all values are
// negative.
type column struct {
	off       float32 // units, the largest
	low, high float32 // units per second
}

var empty = column{-1, -1, -1}

// measure holds the recent measurements of a lane.
type measure struct {
	ring   [columns]column
	number int64 // of the newest column, counted from time zero

	square, lag float64 // running means: square units, seconds
	weight      float64 // of the means, towards 1

	last  mgl32.Vec3
	drawn bool
}

func (m *measure) reset() {
	*m = measure{}
	for i := range m.ring {
		m.ring[i] = empty
	}
}

// frame records one frame: the drawn place, its distance from the truth, and the age of that truth.
// A jump makes no speed.
func (m *measure) frame(now, delta time.Duration, place mgl32.Vec3, off float32, lag time.Duration, jumped bool) {
	number := int64(now / columnTime)
	for m.number < number {
		m.number = max(m.number+1, number-columns)
		m.ring[m.number%columns] = empty
	}
	c := &m.ring[number%columns]
	c.off = max(c.off, off)
	if m.drawn && !jumped && delta > 0 {
		speed := place.Sub(m.last).Len() / float32(delta.Seconds())
		if c.high < 0 {
			c.low, c.high = speed, speed
		}
		c.low, c.high = min(c.low, speed), max(c.high, speed)
	}
	m.last, m.drawn = place, true

	if now < settling {
		return
	}
	share := 1 - math.Exp(-delta.Seconds()/figureTime.Seconds())
	m.square += share * (float64(off)*float64(off) - m.square)
	m.lag += share * (lag.Seconds() - m.lag)
	m.weight += share * (1 - m.weight)
}

// figures returns the root mean square error, in units, and the mean lag, in seconds; false while
// there is too little data.
func (m *measure) figures() (rms, lag float64, ok bool) {
	if m.weight < 0.05 {
		return 0, 0, false
	}
	return math.Sqrt(m.square / m.weight), m.lag / m.weight, true
}

// each calls f for the columns from the oldest, 0, to the newest, columns-1.
func (m *measure) each(f func(i int, c column)) {
	for i := range columns {
		if n := m.number - int64(columns-1-i); n >= 0 {
			f(i, m.ring[n%columns])
		}
	}
}
