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
// picture is the same to the bit. They end when the engine is closed.
func (i *Interpolator[T]) WithWorkers(n int) *Interpolator[T] {
	if n < 0 {
		panic(fmt.Sprintf("systems: %d workers; it must be zero or more", n))
	}
	if i.engine != nil {
		panic("systems: WithWorkers of an interpolator that is installed; call it before Install")
	}
	i.workers = make([]*worker[T], n)
	return i
}

const (
	// splitRows is how much work is worth splitting: below it, handing over costs about as much as is won.
	splitRows = 8192
	// restless is how often an idle worker lets others run before it goes to sleep; some milliseconds on an idle machine. To spin in between, or while the
	// engine waits for a worker, was measured to gain nothing.
	restless = 1 << 16
)

// blending is a share of a frame's work.
type blending[T any] struct {
	rows           []uint32         // nil: all
	pairs          []kernel.Pair[T] // the samples of the rows side by side; nil: they are read from the columns
	dst, prev, cur []T
	t              float32
}

func (i *Interpolator[T]) blendShare(b *blending[T]) {
	switch {
	case b.pairs != nil:
		i.blendPairs(b.rows, b.dst, b.pairs, b.t)
	case b.rows != nil:
		i.blendRows(b.rows, b.dst, b.prev, b.cur, b.t)
	default:
		i.blendAll(b.dst, b.prev, b.cur, b.t)
	}
}

// worker waits for shares. The engine's goroutine writes share, then raises given; the worker reads it and raises taken when it is done.
type worker[T any] struct {
	share  blending[T]
	given  atomic.Uint32
	taken  atomic.Uint32
	asleep atomic.Bool
	wake   chan struct{} // a token for one that is asleep; closed to end
	ended  chan struct{}
}

// startWorkers starts the workers, once.
func (i *Interpolator[T]) startWorkers() {
	for k := range i.workers {
		if i.workers[k] != nil {
			return
		}
		w := &worker[T]{wake: make(chan struct{}, 1), ended: make(chan struct{})}
		i.workers[k] = w
		go w.run(i.blendShare)
	}
}

// stopWorkers ends the workers, which are all idle, and waits for them.
func (i *Interpolator[T]) stopWorkers() {
	for _, w := range i.workers {
		close(w.wake)
		<-w.ended
	}
	i.workers, i.helpers = nil, nil
}

func (w *worker[T]) run(blend func(*blending[T])) {
	defer close(w.ended)
	for done := uint32(0); w.await(done); {
		blend(&w.share)
		done++
		w.taken.Store(done)
	}
}

// await returns true when another share has been given, and false at the end.
func (w *worker[T]) await(done uint32) bool {
	for idle := 0; w.given.Load() == done; idle++ {
		select {
		case <-w.wake: // nobody sends to one that is awake
			return false
		default:
		}
		if idle < restless {
			runtime.Gosched()
			continue
		}
		if !w.sleep(done) {
			return false
		}
		idle = 0
	}
	return true
}

// sleep lets the worker sleep until it is woken, and returns false at the end. It does not sleep if another share has been given meanwhile: whoever gave it may have
// looked just before whether the worker was asleep, and waits for it now.
func (w *worker[T]) sleep(done uint32) bool {
	w.asleep.Store(true)
	if w.given.Load() != done && w.asleep.CompareAndSwap(true, false) {
		return true
	} // else nobody gave one, or who gave it has seen that the worker is asleep, and wakes it
	_, open := <-w.wake
	return open
}

// rouse wakes the worker if it is asleep, and reports whether it was.
func (w *worker[T]) rouse() bool {
	if !w.asleep.CompareAndSwap(true, false) {
		return false
	}
	w.wake <- struct{}{}
	return true
}

// blendShared blends alone, or with the workers that are awake if it is worth it.
func (i *Interpolator[T]) blendShared(whole blending[T]) {
	n := len(whole.dst)
	if whole.rows != nil {
		n = len(whole.rows)
	}
	if len(i.workers) == 0 || n < splitRows {
		i.blendShare(&whole)
		return
	}
	helpers := i.helpers[:0]
	for _, w := range i.workers {
		if !w.rouse() { // one that sleeps is there for the frames to come; nobody waits for it
			helpers = append(helpers, w)
		}
	}
	i.helpers = helpers
	part := (n + len(helpers)) / (len(helpers) + 1)
	for k, w := range helpers {
		w.share = whole.part((k+1)*part, min((k+2)*part, n))
		w.given.Add(1)
		w.rouse() // it may have gone to sleep in this very moment
	}
	own := whole.part(0, min(part, n))
	i.blendShare(&own)
	for _, w := range helpers {
		for w.taken.Load() != w.given.Load() {
			runtime.Gosched()
		}
		w.share = blending[T]{} // columns must not be kept alive
	}
}

func (b blending[T]) part(from, to int) blending[T] {
	from = min(from, to)
	if b.rows != nil {
		b.rows = b.rows[from:to]
		if b.pairs != nil {
			b.pairs = b.pairs[from:to]
		}
	} else {
		b.dst, b.prev, b.cur = b.dst[from:to], b.prev[from:to], b.cur[from:to]
	}
	return b
}
