package systems

import (
	"fmt"
	"runtime"
	"sync/atomic"

	"github.com/tandem-ecs/tandem/systems/internal/kernel"
)

// WithWorkers lets n goroutines besides the engine's own take part in drawing frames, from 8192 entities in motion on. It returns the interpolator.
//
// Off is the default, and mostly right: waking a goroutine that sleeps can cost milliseconds, more than the work. So workers do not sleep between frames; each keeps a
// processor busy for as long as frames with that much work follow each other closely, and for some milliseconds more. Give at most as many as there are processors to spare. The
// picture is the same to the bit. They end when the engine is closed. It panics for a negative number, and once the interpolator is installed.
func (i *Interpolator[T]) WithWorkers(n int) *Interpolator[T] {
	if n < 0 {
		panic(fmt.Sprintf("systems: %d workers; it must be zero or more", n))
	}
	if i.clock != nil {
		panic("systems: WithWorkers of an interpolator that is installed; call it before Install")
	}
	i.team.workers = make([]*worker, n)
	return i
}

const (
	// splitRows is how much work is worth splitting: below it, handing over costs about as much as is won.
	splitRows = 8192
	// restless is how often an idle worker lets others run before it goes to sleep; some milliseconds on an idle machine. To spin in between, or while the
	// engine waits for a worker, was measured to gain nothing.
	restless = 1 << 16
	// leastRows and leastListed are how many rows of a column and of a list are taken at once, at least. The kernel looks at the length of a list to decide whether to
	// fetch ahead.
	leastRows   = 1024
	leastListed = 4096
)

// blending is a frame's work, or a part of it.
type blending[T any] struct {
	rows           []uint32         // nil: all
	pairs          []kernel.Pair[T] // the samples of the rows side by side; nil: they are read from the columns
	dst, prev, cur []T
	t              float32
}

func (b *blending[T]) len() int {
	if b.rows != nil {
		return len(b.rows)
	}
	return len(b.dst)
}

func (b *blending[T]) part(from, to int) blending[T] {
	p := *b
	if b.rows == nil {
		p.dst, p.prev, p.cur = b.dst[from:to], b.prev[from:to], b.cur[from:to]
		return p
	}
	p.rows = b.rows[from:to]
	if b.pairs != nil {
		p.pairs = b.pairs[from:to]
	}
	return p
}

// team draws frames: the engine's goroutine, which is its member 0, and workers.
//
// Every member has a share of the rows, which it takes piece by piece from the front; who is done with his own takes from the back of the others'. So nobody waits for a
// worker that sleeps, or has been taken off its processor, unless it holds a piece just then, and a processor that is slower than the other draws less. In
// frame after frame a member draws nearly the same rows, which are still in its cache.
type team[T any] struct {
	blend   func(blending[T])
	job     blending[T] // read only by who holds a piece of it
	least   atomic.Int64
	pending atomic.Int64 // rows of the job that are not drawn yet
	failed  atomic.Pointer[blendPanic]
	shares  []share
	workers []*worker
}

// blendPanic is what a user's blend function panicked with.
type blendPanic struct{ value any }

// draw draws a frame's work with whoever is awake, and wakes the others for the frames to come. What a blend function panics with, whoever ran it, is passed on
// when nobody is at work any more: a host may recover from it and go on.
func (t *team[T]) draw(job blending[T]) {
	n := job.len()
	least := leastRows
	if job.rows != nil {
		least = leastListed
	}
	t.job = job
	t.least.Store(int64(least))
	t.pending.Store(int64(n))
	part := roundUp((n + len(t.shares) - 1) / len(t.shares))
	for k := len(t.shares) - 1; k >= 0; k-- { // workers first: they may begin
		t.shares[k].give(min(k*part, n), min((k+1)*part, n))
	}
	for _, w := range t.workers {
		w.rouse()
	}
	t.work(0)
	for t.pending.Load() > 0 {
		runtime.Gosched()
	}
	t.job = blending[T]{} // columns must not be kept alive
	if failed := t.failed.Swap(nil); failed != nil {
		panic(failed.value)
	}
}

// work draws what a member finds to be drawn.
func (t *team[T]) work(member int) {
	for k := range t.shares {
		s := &t.shares[(member+k)%len(t.shares)]
		for {
			from, to := s.take(k == 0, int(t.least.Load()))
			if from == to {
				break
			}
			t.piece(from, to)
		}
	}
}

// piece draws what a member has taken.
func (t *team[T]) piece(from, to int) {
	defer func() {
		if value := recover(); value != nil {
			t.failed.CompareAndSwap(nil, &blendPanic{value})
		}
		t.pending.Add(int64(from - to))
	}()
	t.blend(t.job.part(from, to))
}

// startWorkers starts the workers, once.
func (i *Interpolator[T]) startWorkers() {
	if len(i.team.workers) == 0 || i.team.shares != nil {
		return
	}
	i.team.blend = func(b blending[T]) { i.blendPart(&b) }
	i.team.shares = make([]share, 1+len(i.team.workers))
	for k := range i.team.workers {
		w := newWorker(&i.team.shares[1+k])
		i.team.workers[k] = w
		go w.run(func() { i.team.work(1 + k) })
	}
}

// stopWorkers ends the workers, which are all idle, and waits for them.
func (i *Interpolator[T]) stopWorkers() {
	for _, w := range i.team.workers {
		close(w.wake)
		<-w.ended
	}
	i.team.workers = nil
}

func (i *Interpolator[T]) blendPart(b *blending[T]) {
	switch {
	case b.pairs != nil:
		i.blendPairs(b.rows, b.dst, b.pairs, b.t)
	case b.rows != nil:
		i.blendRows(b.rows, b.dst, b.prev, b.cur, b.t)
	default:
		i.blendAll(b.dst, b.prev, b.cur, b.t)
	}
}

// blendShared blends alone, or with the workers that are awake if it is worth it.
func (i *Interpolator[T]) blendShared(job blending[T]) {
	if len(i.team.workers) == 0 || job.len() < splitRows {
		i.blendPart(&job)
		return
	}
	i.team.draw(job)
}

// worker is a goroutine that waits for its share.
type worker struct {
	share  *share
	asleep atomic.Bool
	wake   chan struct{} // a token for one that is asleep; closed to end
	ended  chan struct{}
}

func newWorker(s *share) *worker {
	return &worker{share: s, wake: make(chan struct{}, 1), ended: make(chan struct{})}
}

func (w *worker) run(work func()) {
	defer close(w.ended)
	for w.await() {
		work()
	}
}

// await returns true when there is something in the share, and false at the end.
func (w *worker) await() bool {
	for idle := 0; w.share.empty(); idle++ {
		select {
		case <-w.wake: // nobody sends to one that is awake
			return false
		default:
		}
		if idle < restless {
			runtime.Gosched()
			continue
		}
		w.asleep.Store(true)
		if _, open := <-w.wake; !open {
			return false
		}
		idle = 0
	}
	return true
}

// rouse wakes the worker if it is asleep.
func (w *worker) rouse() {
	if w.asleep.Load() && w.asleep.CompareAndSwap(true, false) {
		w.wake <- struct{}{}
	}
}
