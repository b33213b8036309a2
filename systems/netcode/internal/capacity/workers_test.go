package capacity

import (
	"fmt"
	"hash/fnv"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/replay"
)

// tape hashes a recording.
type tape struct {
	sum    uint64
	frames int
}

func (*tape) Begin(replay.Session) error { return nil }

func (r *tape) Add(f replay.Frame) bool {
	h := fnv.New64a()
	_, _ = h.Write(f.Data)
	r.sum = r.sum*1099511628211 ^ h.Sum64()
	r.frames++
	return true
}

// eventful plays a match of 64 in which players come and go, crates are stacked and fall, labels
// change, and the game refuses some entities. It returns the hash of all bytes of all connections,
// and that of a recording.
func eventful(t *testing.T, workers, ticks int) (all, recorded uint64) {
	t.Helper()
	refused := atomic.Int64{}
	var labels generic.Map1[label]
	var replicated generic.Map1[netcode.Replicated]
	s := newScene(t, setting{players: 64, entities: 300, sight: 60, labels: true}, func(s *scene, c *serverConfig) {
		labels = generic.NewMap1[label](s.engine.World())
		replicated = generic.NewMap1[netcode.Replicated](s.engine.World())
		c.Workers = workers
		c.Relevant = func(p *player, e arche.Entity) bool {
			if s.engine.World().IsLocked() {
				t.Error("a worker runs while a query is open")
			}
			r := replicated.Get(e)
			if r.Owner == 0 && (r.ID.Slot()+int(p.Number()))%9 == 0 {
				refused.Add(1)
				return false
			}
			return true
		}
	})
	defer s.engine.Close()
	var r tape
	if err := s.server.Record(&r); err != nil {
		t.Fatal(err)
	}
	parents := generic.NewMap1[components.Parent](s.engine.World())
	stacked, fallen := 0, 0
	for tick := range ticks {
		for k := range 4 { // stacks of up to six crates, each on the one before it
			i := (13*tick + 101*k) % 90 // each of these comes up again
			switch e := s.crates.all[i]; {
			case i%6 > 0 && !s.engine.World().Has(e, arche.ComponentID[components.Parent](s.engine.World())):
				parents.Assign(e, &components.Parent{Entity: s.crates.all[i-1]})
				stacked++
			case i%6 > 0:
				parents.Remove(e)
				fallen++
			case s.engine.World().Has(e, arche.ComponentID[label](s.engine.World())):
				labels.Get(e).Number++
			default:
				labels.Assign(e, &label{uint16(tick)})
			}
		}
		if tick > 12 && tick%3 == 0 { // one leaves, and another one joins
			s.ghosts[tick%64].leave()
			s.ghosts = append(s.ghosts, s.newGhost(len(s.ghosts)))
		}
		s.tick()
	}
	if st := s.server.Stats(); st.Left == 0 || st.Players < 50 || stacked == 0 || fallen == 0 || refused.Load() == 0 || r.frames < ticks {
		t.Fatalf("nothing is tested: %+v; %d crates were stacked, %d fell, %d entities were refused, %d frames recorded", st, stacked, fallen, refused.Load(), r.frames)
	}
	return s.hash(), r.sum
}

// TestBytesOfWorkers checks that the bytes to every client are the same for any number of workers.
func TestBytesOfWorkers(t *testing.T) {
	ticks := 75
	if testing.Short() {
		ticks = 40
	}
	want, recorded := eventful(t, 1, ticks)
	for _, workers := range []int{2, 3, 8} {
		if got, tape := eventful(t, workers, ticks); got != want || tape != recorded {
			t.Errorf("%d workers send %x and record %x, one sends %x and records %x", workers, got, tape, want, recorded)
		}
	}
}

// TestWorkersAllocateNothing checks the steady state, and that no goroutine is left after a step.
func TestWorkersAllocateNothing(t *testing.T) {
	before := runtime.NumGoroutine()
	s := newScene(t, setting{players: 64, entities: 300, sight: 60}, func(_ *scene, c *serverConfig) { c.Workers = 3 })
	for range 4 * tickRate { // until rings and lists have grown
		s.tick()
	}
	if n := testing.AllocsPerRun(tickRate, func() { s.tick() }); n >= 1 {
		t.Errorf("%v allocations a tick", n)
	}
	for deadline := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before; runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines, and %d before", runtime.NumGoroutine(), before)
		}
	}
	s.engine.Close()
}

// TestPanicOfWorker checks that the engine's goroutine raises a worker's panic, when no worker runs
// any more.
func TestPanicOfWorker(t *testing.T) {
	var calls, after atomic.Int64
	var broken atomic.Bool
	s := newScene(t, setting{players: 64, entities: 50, sight: 60}, func(_ *scene, c *serverConfig) {
		c.Workers = 3
		c.Relevant = func(p *player, _ arche.Entity) bool {
			calls.Add(1)
			if broken.Load() && p.Number() == 40 {
				panic("a mistake of the game")
			}
			return true
		}
	})
	for range tickRate {
		s.tick()
	}
	broken.Store(true)
	text := ""
	for range tickRate {
		func() {
			defer func() {
				if v := recover(); v != nil {
					text = fmt.Sprint(v)
					after.Store(calls.Load())
				}
			}()
			s.tick()
		}()
		if text != "" {
			break
		}
	}
	if !strings.Contains(text, "a mistake of the game") || !strings.Contains(text, "in a worker of the server") || !strings.Contains(text, "workers_test.go") {
		t.Errorf("the panic says %q", text)
	}
	time.Sleep(10 * time.Millisecond)
	if n := calls.Load(); n != after.Load() {
		t.Errorf("workers ran on behind the barrier: %d calls, then %d", after.Load(), n)
	}
}
