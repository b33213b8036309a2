package draw

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"
)

// Several goroutines draw a frame. Drawer.blend, Start and Stop are the only entries.

const (
	// splitRows is the number of rows from which work is split. Below it, the split costs about as
	// much as it saves.
	splitRows = 8192
	// restless is the number of times that an idle worker yields before it sleeps: some
	// milliseconds on an idle machine.
	restless = 1 << 16
	// piece is the number of rows that are taken at once. The kernel looks at the length of a list
	// to decide whether to fetch ahead, so it is no shorter.
	piece = 4096
	// lineRows is a number of rows to which queues and pieces are rounded, so that members do not
	// write to the same cache lines, and all pieces but the last one fill the kernel's vectors.
	lineRows = 64
)

// job is a frame's work, or a part of it.
type job[T any] struct {
	rows           []uint32 // nil: all
	dst, prev, cur []T
	t              float32
}

func (b *job[T]) len() int {
	if b.rows != nil {
		return len(b.rows)
	}
	return len(b.dst)
}

func (b *job[T]) part(from, to int) job[T] {
	p := *b
	if b.rows == nil {
		p.dst, p.prev, p.cur = b.dst[from:to], b.prev[from:to], b.cur[from:to]
		return p
	}
	p.rows = b.rows[from:to]
	return p
}

// team draws frames: the engine's goroutine, which is its member 0, and workers. A blend function
// that panics in a worker ends the program.
//
// Every member has a queue of rows, which it takes piece by piece; a member that is done with its
// own takes from the others'. So nothing waits for a worker that sleeps or has lost its processor,
// unless it holds a piece just then, and a slow processor draws less. In frame after frame a member
// draws nearly the same rows, which are still in its cache.
type team[T any] struct {
	blend   func(job[T])
	job     job[T]       // read only by members that hold a piece of it
	pending atomic.Int64 // rows of the job that are not drawn yet
	size    int          // the number of workers
	queues  []queue
	workers []*worker
	running sync.WaitGroup
}

// draw draws a frame's work with the members that are awake, and wakes the others for later frames.
func (t *team[T]) draw(j job[T]) {
	n := j.len()
	t.job = j
	t.pending.Store(int64(n))
	part := (n/len(t.queues) + lineRows) &^ (lineRows - 1)
	for k := len(t.queues) - 1; k >= 0; k-- { // workers first: they may begin
		t.queues[k].give(min(k*part, n), min((k+1)*part, n))
	}
	for _, w := range t.workers {
		w.rouse()
	}
	t.work(0)
	for t.pending.Load() > 0 {
		runtime.Gosched()
	}
	t.job = job[T]{} // columns must not be kept alive
}

// work draws as a member until all queues are empty.
func (t *team[T]) work(member int) {
	for k := range t.queues {
		q := &t.queues[(member+k)%len(t.queues)]
		for !q.empty() {
			if from, to := q.take(); from < to {
				t.blend(t.job.part(from, to))
				t.pending.Add(int64(from - to))
			}
		}
	}
}

// Start starts the workers.
func (d *Drawer[T]) Start() {
	t := &d.team
	if t.size == 0 {
		return
	}
	t.blend = func(j job[T]) { d.blendPart(&j) }
	t.queues = make([]queue, 1+t.size)
	for k := 1; k <= t.size; k++ {
		w := newWorker(&t.queues[k])
		t.workers = append(t.workers, w)
		t.running.Go(func() { w.run(func() { t.work(k) }) })
	}
}

// Stop ends the workers and waits for them.
func (d *Drawer[T]) Stop() {
	for _, w := range d.team.workers {
		close(w.wake)
	}
	d.team.running.Wait()
	d.team.workers = nil
}

func (d *Drawer[T]) blendPart(j *job[T]) {
	if j.rows != nil {
		d.blends.Rows(j.rows, j.dst, j.prev, j.cur, j.t)
		return
	}
	d.blends.All(j.dst, j.prev, j.cur, j.t)
}

// blend blends alone, or with the workers if the work is large enough.
func (d *Drawer[T]) blend(j job[T]) {
	if len(d.team.workers) == 0 || j.len() < splitRows {
		d.blendPart(&j)
		return
	}
	d.team.draw(j)
}

// worker is a goroutine that waits for its queue.
type worker struct {
	queue  *queue
	asleep atomic.Bool
	wake   chan struct{} // a token for one that is asleep; closed to end
}

func newWorker(q *queue) *worker { return &worker{queue: q, wake: make(chan struct{}, 1)} }

// run works whenever there is something in the queue, until the end.
func (w *worker) run(work func()) {
	for idle := 0; ; idle++ {
		if !w.queue.empty() {
			work()
			idle = 0
		}
		select {
		case <-w.wake: // there is no token for one that is awake
			return
		default:
		}
		if idle < restless {
			runtime.Gosched()
			continue
		}
		w.asleep.Store(true)
		if _, open := <-w.wake; !open {
			return
		}
		idle = 0
	}
}

// rouse wakes the worker if it is asleep.
func (w *worker) rouse() {
	if w.asleep.Load() && w.asleep.CompareAndSwap(true, false) {
		w.wake <- struct{}{}
	}
}

// queue holds the rest of one member's rows of a frame. Any member may take from it at any time,
// and holds the piece alone.
//
// The rest is one number, so taking is one atomic addition. It may happen in a later frame than the
// look before it, and then takes rows of that frame.
type queue struct {
	left atomic.Uint64 // the first row in the upper half, the end in the lower
	// queues lie in cache lines of their own, of which processors fetch two at a time
	_ [120]byte
}

// give puts the rows from one to before another into the queue, which must be empty.
func (q *queue) give(from, to int) { q.left.Store(uint64(from)<<32 | uint64(to)) }

// empty reports whether nothing is left. Members ask before they take, so that the first row does
// not go far beyond the end.
func (q *queue) empty() bool {
	left := q.left.Load()
	return left>>32 >= left&math.MaxUint32
}

// take takes a piece. It is empty, from to or beyond it, if nothing was left.
func (q *queue) take() (from, to int) {
	left := q.left.Add(piece << 32)
	from = int(left>>32) - piece
	return from, min(from+piece, int(uint32(left)))
}
