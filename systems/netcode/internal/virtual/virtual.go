// Package virtual simulates time and a network for tests. Hours of both pass as fast as they are
// computed. Only tests use it.
package virtual

import (
	"container/heap"
	"math/rand/v2"
	"time"
)

// Clock is a virtual clock with a queue of calls. The zero value stands at 0.
type Clock struct {
	Now   time.Duration
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

// At calls do at a time. Calls for the same time run in the order of their At.
func (v *Clock) At(t time.Duration, do func()) {
	v.count++
	heap.Push(&v.queue, event{max(t, v.Now), v.count, do})
}

// After calls do after a duration from now.
func (v *Clock) After(d time.Duration, do func()) { v.At(v.Now+d, do) }

// Every calls do at start and then once per interval.
func (v *Clock) Every(start, interval time.Duration, do func()) {
	v.At(start, func() {
		v.Every(v.Now+interval, interval, do)
		do()
	})
}

// Run advances the clock to a time, and makes the calls that are due until then.
func (v *Clock) Run(until time.Duration) {
	for len(v.queue) > 0 && v.queue[0].at <= until {
		e := heap.Pop(&v.queue).(event)
		v.Now = e.at
		e.do()
	}
	v.Now = until
}

// Path is one direction of a link.
type Path struct {
	v                *Clock
	Delay, Jitter    time.Duration // of a packet: uniform in Delay ± Jitter
	Loss, Duplicates float64       // shares, 0 to 1
	Ordered          bool          // a packet never overtakes an older one
	Held             bool          // packets wait until Release
	waiting          []func()
	last             time.Duration
	jitters, losses  *rand.Rand
}

// NewPath returns a path on a clock. The seed determines jitter and loss.
func NewPath(v *Clock, seed uint64, delay, jitter time.Duration, loss float64) *Path {
	return &Path{
		v: v, Delay: delay, Jitter: jitter, Loss: loss,
		jitters: rand.New(rand.NewPCG(seed, 1)), losses: rand.New(rand.NewPCG(seed, 2)),
	}
}

// Send sends a packet: it calls deliver later, once, twice, or never.
func (p *Path) Send(deliver func()) {
	copies := 1
	if p.losses.Float64() < p.Loss {
		copies = 0
	}
	if p.losses.Float64() < p.Duplicates {
		copies *= 2
	}
	for range copies {
		at := p.v.Now + p.Delay + time.Duration((2*p.jitters.Float64()-1)*float64(p.Jitter))
		if p.Ordered {
			at = max(at, p.last)
			p.last = at
		}
		p.v.At(at, func() {
			if p.Held {
				p.waiting = append(p.waiting, deliver)
				return
			}
			deliver()
		})
	}
}

// Release ends Held: all waiting packets arrive at once.
func (p *Path) Release() {
	p.Held = false
	for _, deliver := range p.waiting {
		deliver()
	}
	p.waiting = nil
}
