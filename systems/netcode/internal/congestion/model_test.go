package congestion_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/congestion"
)

const ms = time.Millisecond

// line is a bottleneck on virtual time, in steps of a millisecond: a queue in front of a capacity
// that changes, with a path of constant delay on both sides of it.
type line struct {
	now      time.Duration
	capacity func(t time.Duration) float64 // bytes per second
	limit    int                           // in packets; the queue drops its tail
	codel    *codel                        // nil: no CoDel
	delay    time.Duration                 // down; the delay up is the same
	jitter   time.Duration                 // of each packet behind the queue, either way, uniform
	loss     float64                       // of packets, at random
	rand     *rand.Rand

	queue  []parcel
	credit float64
	flying []parcel
	flows  []*flow
	reno   *reno
}

type parcel struct {
	flow  *flow // nil: a packet of the Reno flow
	n     int
	bytes int
	sent  time.Duration
	at    time.Duration
}

func newLine(kbit float64, packets int) *line {
	return &line{capacity: func(time.Duration) float64 { return kbit * 125 }, limit: packets, delay: 20 * ms, rand: rand.New(rand.NewPCG(1, 2))}
}

func (l *line) push(p parcel) {
	p.sent = l.now
	if p.flow != nil && l.loss > 0 && l.rand.Float64() < l.loss || len(l.queue) >= l.limit {
		l.drop(p)
		return
	}
	l.queue = append(l.queue, p)
}

func (l *line) drop(p parcel) {
	if p.flow == nil {
		l.reno.lost(l.now + 200*ms)
	}
}

// run runs the line until a time, and calls f after each step.
func (l *line) run(until time.Duration, f func()) {
	for ; l.now < until; l.now += ms {
		l.serve()
		for i := 0; i < len(l.flying); {
			if p := l.flying[i]; p.at <= l.now {
				p.flow.arrive(p)
				l.flying = slices.Delete(l.flying, i, i+1)
				continue
			}
			i++
		}
		for _, s := range l.flows {
			s.step()
		}
		if l.reno != nil {
			l.reno.step(l)
		}
		if f != nil {
			f()
		}
	}
}

func (l *line) serve() {
	l.credit += l.capacity(l.now) / 1000
	for len(l.queue) > 0 {
		p := l.queue[0]
		if l.codel != nil && l.codel.drops(l.now, p.sent, len(l.queue)) {
			l.queue = l.queue[1:]
			l.drop(p)
			continue
		}
		if l.credit < float64(p.bytes) {
			return
		}
		l.credit -= float64(p.bytes)
		l.queue = l.queue[1:]
		if p.flow == nil {
			l.reno.acked(l.now + 2*l.delay)
			continue
		}
		p.flow.waits = append(p.flow.waits, wait{p.sent, l.now - p.sent, p.bytes, l.now})
		p.at = l.now + l.delay
		if l.jitter > 0 {
			p.at += time.Duration((2*l.rand.Float64() - 1) * float64(l.jitter))
		}
		l.flying = append(l.flying, p)
	}
	l.credit = 0
}

// codel implements RFC 8289.
type codel struct {
	first, next time.Duration
	dropping    bool
	count       int
}

func (c *codel) drops(now, sent time.Duration, waiting int) bool {
	const target, interval = 5 * ms, 100 * ms
	over := false
	switch {
	case now-sent < target || waiting <= 1:
		c.first = 0
	case c.first == 0:
		c.first = now + interval
	default:
		over = now >= c.first
	}
	law := func(t time.Duration) time.Duration {
		return t + time.Duration(float64(interval)/math.Sqrt(float64(c.count)))
	}
	switch {
	case c.dropping && !over:
		c.dropping = false
	case c.dropping && now >= c.next:
		c.count++
		c.next = law(c.next)
		return true
	case !c.dropping && over:
		c.dropping = true
		if c.count > 2 && now-c.next < 8*interval {
			c.count -= 2
		} else {
			c.count = 1
		}
		c.next = law(now)
		return true
	}
	return false
}

// reno is a download through the same queue (RFC 5681).
type reno struct {
	from, until  time.Duration
	window, slow float64
	inflight     int
	acks, losses []time.Duration
	reduced      time.Duration
	bytes        int
}

func newReno(from, until time.Duration) *reno {
	return &reno{from: from, until: until, window: 10, slow: 1e9}
}

func (r *reno) acked(at time.Duration) { r.acks = append(r.acks, at) }
func (r *reno) lost(at time.Duration)  { r.losses = append(r.losses, at) }

func (r *reno) step(l *line) {
	for len(r.acks) > 0 && r.acks[0] <= l.now {
		r.acks = r.acks[1:]
		r.inflight--
		r.bytes += 1500
		if r.window < r.slow {
			r.window++
		} else {
			r.window += 1 / r.window
		}
	}
	for len(r.losses) > 0 && r.losses[0] <= l.now {
		r.losses = r.losses[1:]
		r.inflight--
		if l.now-r.reduced > 300*ms {
			r.reduced = l.now
			r.window = max(2, r.window/2)
			r.slow = r.window
		}
	}
	for l.now >= r.from && l.now < r.until && float64(r.inflight) < r.window {
		r.inflight++
		full := len(l.queue) >= l.limit
		l.push(parcel{bytes: 1500})
		if full {
			break
		}
	}
}

// flow is a game's flow: snapshots of so many bytes at a rate, as far as the controller allows, and
// acknowledgements 60 times a second.
type flow struct {
	line    *line
	control *congestion.Controller
	need    int // bytes of a snapshot
	rate    int // snapshots a second
	from    time.Duration
	packets []congestion.Packet
	done    []uint8 // 1: arrived, 2: acknowledged, 3: lost
	newest  int     // arrived
	stamp   uint16
	acks    []ack
	known   int // acknowledged
	suspect int
	tokens  float64
	waits   []wait
	offset  time.Duration
	begun   bool
}

type wait struct {
	sent, wait time.Duration
	bytes      int
	at         time.Duration
}

type ack struct {
	at     time.Duration
	newest int
	stamp  uint16
}

const (
	overhead = 66 // bytes that a transport adds
	ceiling  = 70000
)

func (l *line) add(need, rate int, from time.Duration) *flow {
	f := &flow{line: l, control: congestion.New(congestion.Config{Ceiling: ceiling}), need: need, rate: rate, from: from, newest: -1, known: -1, offset: 12345*ms + time.Duration(len(l.flows))*777*ms}
	l.flows = append(l.flows, f)
	return f
}

func (f *flow) arrive(p parcel) {
	f.done[p.n] = 1
	if p.n > f.newest {
		f.newest = p.n
		f.stamp = uint16((p.at + f.offset) / ms)
	}
}

func (f *flow) step() {
	now := f.line.now
	if now < f.from {
		return
	}
	tick := func(rate int) bool {
		return now*time.Duration(rate)/time.Second != (now-ms)*time.Duration(rate)/time.Second
	}
	for len(f.acks) > 0 && f.acks[0].at <= now {
		f.hear(f.acks[0])
		f.acks = f.acks[1:]
	}
	if tick(60) && f.newest >= 0 {
		f.acks = append(f.acks, ack{now + f.line.delay, f.newest, f.stamp})
	}
	if !tick(f.rate) {
		return
	}
	rate := f.control.Rate(now)
	most := min(1216, max(int(rate*0.05), 266))
	f.tokens = min(f.tokens+rate/float64(f.rate), float64(most)+rate/float64(f.rate))
	if !f.begun {
		f.begun, f.tokens = true, 16000
	}
	if rate >= ceiling {
		most = 1216
	}
	for left := f.need; left > 0; left -= most - overhead {
		size := min(left, most-overhead) + overhead
		if f.tokens < float64(size) {
			break
		}
		f.tokens -= float64(size)
		f.packets = append(f.packets, f.control.Sent(now, size))
		f.done = append(f.done, 0)
		f.line.push(parcel{flow: f, n: len(f.packets) - 1, bytes: size})
	}
}

func (f *flow) hear(a ack) {
	now := f.line.now
	for n := max(0, a.newest-32); n <= a.newest; n++ {
		if f.done[n] == 1 {
			f.done[n] = 2
			f.control.Delivered(now, &f.packets[n])
		}
	}
	for ; f.suspect < a.newest-3; f.suspect++ {
		if f.done[f.suspect] == 0 {
			f.done[f.suspect] = 3
			f.control.Lost(&f.packets[f.suspect])
		}
	}
	if a.newest > f.known {
		f.known = a.newest
		f.control.Arrived(now, &f.packets[a.newest], a.stamp)
	}
}

// queueing returns the percentile of the waits of packets sent in [from, to).
func (f *flow) queueing(from, to time.Duration, p float64) time.Duration {
	var all []time.Duration
	for _, w := range f.waits {
		if w.sent >= from && w.sent < to {
			all = append(all, w.wait)
		}
	}
	if len(all) == 0 {
		return -1
	}
	slices.Sort(all)
	return all[min(int(p*float64(len(all))), len(all)-1)]
}

// carried returns the bytes per second that left the queue in [from, to).
func (f *flow) carried(from, to time.Duration) float64 {
	sum := 0
	for _, w := range f.waits {
		if w.at >= from && w.at < to {
			sum += w.bytes
		}
	}
	return float64(sum) / (to - from).Seconds()
}
