package clocksync

import (
	"container/heap"
	"math/rand/v2"
	"time"
)

// virtualClock is a clock with a queue of calls, by which hours pass as fast as they are computed.
// The zero value stands at 0.
type virtualClock struct {
	Now   time.Duration
	queue virtualCalls
	count int
}

type virtualCall struct {
	at    time.Duration
	order int
	do    func()
}

type virtualCalls []virtualCall

func (e virtualCalls) Len() int { return len(e) }
func (e virtualCalls) Less(i, j int) bool {
	return e[i].at < e[j].at || e[i].at == e[j].at && e[i].order < e[j].order
}
func (e virtualCalls) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *virtualCalls) Push(x any)   { *e = append(*e, x.(virtualCall)) }
func (e *virtualCalls) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

// At calls do at a time. Calls for the same time run in the order of their At.
func (v *virtualClock) At(t time.Duration, do func()) {
	v.count++
	heap.Push(&v.queue, virtualCall{max(t, v.Now), v.count, do})
}

// After calls do after a duration from now.
func (v *virtualClock) After(d time.Duration, do func()) { v.At(v.Now+d, do) }

// Every calls do at start and then once per interval.
func (v *virtualClock) Every(start, interval time.Duration, do func()) {
	v.At(start, func() {
		v.Every(v.Now+interval, interval, do)
		do()
	})
}

// Run advances the clock to a time, and makes the calls that are due until then.
func (v *virtualClock) Run(until time.Duration) {
	for len(v.queue) > 0 && v.queue[0].at <= until {
		e := heap.Pop(&v.queue).(virtualCall)
		v.Now = e.at
		e.do()
	}
	v.Now = until
}

// virtualPath is one direction of a link.
type virtualPath struct {
	v                *virtualClock
	Delay, Jitter    time.Duration // of a packet: uniform in Delay ± Jitter
	Loss, Duplicates float64       // shares, 0 to 1
	Ordered          bool          // a packet never overtakes an older one
	Held             bool          // packets wait until Release
	waiting          []func()
	last             time.Duration
	jitters, losses  *rand.Rand
}

// newVirtualPath returns a path on a clock. The seed determines jitter and loss.
func newVirtualPath(v *virtualClock, seed uint64, delay, jitter time.Duration, loss float64) *virtualPath {
	return &virtualPath{
		v: v, Delay: delay, Jitter: jitter, Loss: loss,
		jitters: rand.New(rand.NewPCG(seed, 1)), losses: rand.New(rand.NewPCG(seed, 2)),
	}
}

// Send sends a packet: it calls deliver later, once, twice, or never.
func (p *virtualPath) Send(deliver func()) {
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
func (p *virtualPath) Release() {
	p.Held = false
	for _, deliver := range p.waiting {
		deliver()
	}
	p.waiting = nil
}
