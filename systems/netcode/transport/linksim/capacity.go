package linksim

import (
	"sort"
	"time"
)

// capacity decides when a bottleneck passes a packet: by a rate that changes at times, or by a
// trace, which begins anew after its last moment.
//
// A trace is used as mahimahi does. A moment passes 1500 bytes of the waiting packets. A packet may
// need several moments, several packets may share one, and a moment is lost if nothing waits.
// (Netravali et al., "Mahimahi: Accurate Record-and-Replay for HTTP", USENIX ATC 2015.)
type capacity struct {
	condition *Condition
	next      int64 // next unused moment of the trace, counted through its repetitions
	credit    int   // unused bytes of the last moment
}

func (c *capacity) set(condition *Condition, now time.Duration) {
	*c = capacity{condition: condition}
	if condition.Trace != nil {
		c.skip(now)
	}
}

// begin returns when the sending may begin of a packet that is the first in the queue from the time
// on, either behind another that has just left, or alone. It returns never if nothing passes any
// more.
func (c *capacity) begin(at time.Duration, behind bool) time.Duration {
	if c.condition.Trace == nil {
		for {
			rate, until := c.rate(at)
			if rate > 0 {
				return at
			}
			if at = until; at == never {
				return never
			}
		}
	}
	if behind && c.credit > 0 {
		return at
	}
	c.credit = 0
	if !behind {
		c.skip(at)
	}
	return c.moment(c.next)
}

// finish returns when the number of bytes has passed if sending begins at the time.
func (c *capacity) finish(at time.Duration, size int) time.Duration {
	if c.condition.Trace != nil {
		for c.credit < size {
			size -= c.credit
			at = max(at, c.moment(c.next))
			c.next++
			c.credit = packetBytes
		}
		c.credit -= size
		return at
	}
	work := int64(size) * int64(time.Second)
	for {
		rate, until := c.rate(at)
		if rate > 0 {
			if took := time.Duration(work / int64(rate)); took <= until-at {
				return at + took
			}
			work -= int64(until-at) * int64(rate)
		} else if until == never {
			return never
		}
		at = until
	}
}

// rate returns the rate at the time and the time until which it holds. Of several events at one
// time the last one counts.
func (c *capacity) rate(at time.Duration) (rate int, until time.Duration) {
	rate, until = c.condition.Rate, never
	since := time.Duration(-1)
	for _, e := range c.condition.Script {
		switch {
		case e.Kind != Capacity:
		case e.At > at:
			until = min(until, e.At)
		case e.At >= since:
			rate, since = e.To, e.At
		}
	}
	return rate, until
}

// moment returns the time of moment n of the trace.
func (c *capacity) moment(n int64) time.Duration {
	t := c.condition.Trace
	return time.Duration(n/int64(len(t)))*t[len(t)-1] + t[n%int64(len(t))]
}

// skip leaves out all moments up to the time.
func (c *capacity) skip(at time.Duration) {
	if c.moment(c.next) > at {
		return
	}
	t := c.condition.Trace
	span := t[len(t)-1]
	round := int64(at / span)
	i := sort.Search(len(t), func(i int) bool { return t[i] > at%span })
	c.next = max(c.next, round*int64(len(t))+int64(i))
}
