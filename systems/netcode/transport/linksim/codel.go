package linksim

import (
	"math"
	"time"
)

// codel is the controlled-delay queue discipline with the default target and interval. If the least
// wait of an interval was above the target, a packet is dropped, then another after interval/√2,
// interval/√3 and so on, until the wait is below the target. The code and its names follow the
// pseudo-code of RFC 8289, section 5.
type codel struct {
	// firstAbove is when the wait will have been above the target for an interval; 0: it is not.
	firstAbove time.Duration
	dropNext   time.Duration
	count      int // drops since dropping began
	lastCount  int // the count with which it last began
	dropping   bool
}

const (
	codelTarget   = 5 * time.Millisecond
	codelInterval = 100 * time.Millisecond
)

// pick drops packets from the front of the queue until the first one may be sent.
func (c *codel) pick(q *queue) {
	okToDrop := c.okToDrop(q)
	if c.dropping {
		c.dropping = okToDrop
		for c.dropping && q.now >= c.dropNext {
			q.drop()
			c.count++
			if c.dropping = c.okToDrop(q); c.dropping {
				c.dropNext = control(c.dropNext, c.count)
			}
		}
	} else if okToDrop {
		q.drop()
		c.okToDrop(q)
		c.dropping = true
		delta := c.count - c.lastCount
		c.count = 1
		if delta > 1 && q.now-c.dropNext < 16*codelInterval {
			c.count = delta
		}
		c.dropNext = control(q.now, c.count)
		c.lastCount = c.count
	}
}

// okToDrop checks the first packet and reports whether all waits of an interval were too long.
func (c *codel) okToDrop(q *queue) bool {
	if q.packets.Len() == 0 {
		c.firstAbove = 0
		return false
	}
	p := q.packets.At(0)
	switch {
	case q.now-p.entered < codelTarget || q.bytes-p.size <= packetBytes:
		c.firstAbove = 0
	case c.firstAbove == 0:
		c.firstAbove = q.now + codelInterval
	default:
		return q.now >= c.firstAbove
	}
	return false
}

// control is the control law. It returns the time of the next drop.
func control(t time.Duration, count int) time.Duration {
	return t + time.Duration(float64(codelInterval)/math.Sqrt(float64(count)))
}
