package clocksync

import (
	"container/heap"
	"math/rand/v2"
	"time"
)

// virtual is a clock and a list of things to do: hours of network pass in the time that it takes to
// do them.
type virtual struct {
	now   time.Duration
	queue events
	count int
}

type event struct {
	at    time.Duration
	order int
	do    func()
}

type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return e[i].at < e[j].at || e[i].at == e[j].at && e[i].order < e[j].order
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

// at does something at a virtual time; things of one time are done in the order in which they were
// asked for.
func (v *virtual) at(t time.Duration, do func()) {
	v.count++
	heap.Push(&v.queue, event{max(t, v.now), v.count, do})
}

func (v *virtual) after(d time.Duration, do func()) { v.at(v.now+d, do) }

// every does something at start and then once per interval.
func (v *virtual) every(start, interval time.Duration, do func()) {
	v.at(start, func() {
		v.every(v.now+interval, interval, do)
		do()
	})
}

func (v *virtual) run(until time.Duration) {
	for len(v.queue) > 0 && v.queue[0].at <= until {
		e := heap.Pop(&v.queue).(event)
		v.now = e.at
		e.do()
	}
	v.now = until
}

// path is one direction of a link.
type path struct {
	v                *virtual
	delay, jitter    time.Duration // uniform in delay +- jitter
	loss, duplicates float64
	ordered          bool // a packet never overtakes an older one
	held             bool // packets wait until release
	waiting          []func()
	last             time.Duration
	jitters, losses  *rand.Rand
	sent, lost       int
}

func newPath(v *virtual, seed uint64, delay, jitter time.Duration, loss float64) *path {
	return &path{
		v: v, delay: delay, jitter: jitter, loss: loss,
		jitters: rand.New(rand.NewPCG(seed, 1)), losses: rand.New(rand.NewPCG(seed, 2)),
	}
}

// send delivers a packet by calling deliver later, once, twice, or never.
func (p *path) send(deliver func()) {
	p.sent++
	copies := 1
	if p.losses.Float64() < p.loss {
		copies = 0
		p.lost++
	}
	if p.losses.Float64() < p.duplicates {
		copies *= 2
	}
	for range copies {
		at := p.v.now + p.delay + time.Duration((2*p.jitters.Float64()-1)*float64(p.jitter))
		if p.ordered {
			at = max(at, p.last)
			p.last = at
		}
		p.v.at(at, func() {
			if p.held {
				p.waiting = append(p.waiting, deliver)
				return
			}
			deliver()
		})
	}
}

// release lets a held path go on: what waited arrives at once.
func (p *path) release() {
	p.held = false
	for _, deliver := range p.waiting {
		deliver()
	}
	p.waiting = nil
}
