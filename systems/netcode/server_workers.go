package netcode

import (
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// encoding encodes the snapshots of a step on one or several goroutines, between a commit and a
// barrier. The engine's goroutine is the first worker. The others begin in the step and end with
// it, so that nothing is left to stop.
type encoding[S any, I comparable] struct {
	server  *Server[S, I]
	workers []*worker
	others  []*snapshot.Shared // of all workers but the first
	run     []func()           // by worker
	due     []*Player[S, I]    // players for a snapshot in this step
	after   Tick
	next    atomic.Int64 // the first of the due players that no worker has taken
	barrier sync.WaitGroup
}

// worker has the memory of one goroutine that encodes.
type worker struct {
	shared          *snapshot.Shared
	packet          []byte // one datagram
	ownWriter       Writer // writes a player's own state into scratch
	scratch         []byte
	lists           [][]neighbour // scratch
	sent, sentBytes uint64
	oversized       []oversized
	panicked        string
}

// oversized is an entity or a player's state that does not fit into a packet.
type oversized struct {
	id     EntityID
	player uint16
	bytes  int
}

// share is how many players a worker takes at once: neighbours, to whom the same changes are sent.
const share = 16

func newEncoding[S any, I comparable](s *Server[S, I]) *encoding[S, I] {
	e := &encoding[S, I]{server: s}
	for i := range s.config.Workers {
		k := &worker{shared: snapshot.NewShared(s.net), packet: make([]byte, transport.MaxMTU), scratch: make([]byte, transport.MaxMTU)}
		e.workers = append(e.workers, k)
		e.run = append(e.run, func() { e.workBeside(k) })
		if i > 0 {
			e.others = append(e.others, k.shared)
		}
	}
	return e
}

// encodeDue sends their snapshots to the due players.
func (s *Server[S, I]) encodeDue(after Tick) {
	e := s.encoding
	if len(e.due) == 0 {
		return
	}
	e.workers[0].shared.Gather(e.others...)
	e.after = after
	e.next.Store(0)
	n := min(len(e.workers), (len(e.due)+share-1)/share)
	if n == 1 {
		e.work(e.workers[0])
	} else {
		e.barrier.Add(n)
		for _, run := range e.run[1:n] {
			go run()
		}
		e.run[0]()
		e.barrier.Wait()
	}
	for _, k := range e.workers {
		s.stats.Sent += k.sent
		s.stats.SentBytes += k.sentBytes
		k.sent, k.sentBytes = 0, 0
		for _, o := range k.oversized {
			s.logOversized(o)
		}
		k.oversized = k.oversized[:0]
		if k.panicked != "" {
			panic(k.panicked)
		}
	}
}

// work takes players until none is left.
func (e *encoding[S, I]) work(k *worker) {
	for {
		end := int(e.next.Add(share))
		if end-share >= len(e.due) {
			return
		}
		for _, p := range e.due[end-share : min(end, len(e.due))] {
			e.server.snapshot(k, p, e.after)
		}
	}
}

// workBeside is work for one of several. A panic is kept for the engine's goroutine, which raises
// it when no other reads the world any more.
func (e *encoding[S, I]) workBeside(k *worker) {
	defer e.barrier.Done()
	defer func() {
		if v := recover(); v != nil {
			k.panicked = fmt.Sprintf("%v\n\nin a worker of the server:\n%s", v, debug.Stack())
			e.next.Store(int64(len(e.due))) // nothing more is sent
		}
	}()
	e.work(k)
}
