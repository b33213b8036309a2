package draw

import (
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// Every row is taken once, in pieces that share no cache lines, and an empty queue stays empty.
func TestQueueIsTakenOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		start := rapid.IntRange(0, 1<<20).Draw(t, "start") * lineRows
		n := rapid.IntRange(0, 1<<18).Draw(t, "n")
		var q queue
		q.give(start, start+n)
		for at := start; at < start+n; {
			if q.empty() {
				t.Fatalf("empty before row %d of %d to %d", at, start, start+n)
			}
			from, to := q.take()
			switch {
			case from != at || to <= from || to > start+n:
				t.Fatalf("rows %d to %d of %d to %d, after row %d", from, to, start, start+n, at)
			case to-from != piece && to != start+n:
				t.Fatalf("%d rows, want %d", to-from, piece)
			case from%lineRows != 0 || to%lineRows != 0 && to != start+n:
				t.Fatalf("rows %d to %d begin or end within a line", from, to)
			}
			at = to
		}
		for range 9 {
			if from, to := q.take(); !q.empty() || from < to {
				t.Fatalf("rows %d to %d of nothing", from, to)
			}
		}
	})
}

// testTeam is a team that counts how often each row is drawn, with workers that are not started.
func testTeam(workers int) *team[int] {
	t := &team[int]{queues: make([]queue, 1+workers)}
	for k := range workers {
		t.workers = append(t.workers, newWorker(&t.queues[1+k]))
	}
	t.blend = func(b job[int]) {
		for i := range b.dst {
			b.dst[i]++ // the race detector finds two members that hold the same piece
		}
		for _, r := range b.rows {
			b.dst[r]++
		}
	}
	return t
}

// A worker that does not draw, because it sleeps or the system does not run it, delays no frame.
func TestFramesDoNotWaitForWorkers(t *testing.T) {
	for workers := range 5 {
		team := testTeam(workers)
		for _, asleep := range []bool{false, true} {
			for _, n := range []int{0, 1, 63, 8192, 20_011} {
				for _, w := range team.workers {
					w.asleep.Store(asleep)
				}
				dst := make([]int, n)
				team.draw(job[int]{dst: dst, prev: dst, cur: dst})
				if slices.ContainsFunc(dst, func(k int) bool { return k != 1 }) {
					t.Errorf("%d workers, %d rows: not all are drawn once", workers, n)
				}
				for _, w := range team.workers {
					if got := len(w.wake) == 1; got != asleep {
						t.Errorf("%d workers, asleep %v: woken %v", workers, asleep, got)
					}
					w.wake = make(chan struct{}, 1)
				}
			}
		}
	}
}

// With workers that sleep after every frame, no row is lost and none is drawn twice.
func TestSleepingWorkersDrawEachRowOnce(t *testing.T) {
	const n, frames = 3*piece + 5, 3000
	team := testTeam(3)
	team.blend = func(b job[int]) {
		for i := range b.dst {
			b.dst[i]++
		}
	}
	var wait sync.WaitGroup
	for k, w := range team.workers {
		wait.Go(func() {
			for {
				w.asleep.Store(true)
				if _, open := <-w.wake; !open {
					return
				}
				team.work(1 + k)
			}
		})
	}
	dst := make([]int, n)
	for range frames {
		team.draw(job[int]{dst: dst, prev: dst, cur: dst})
	}
	for _, w := range team.workers {
		close(w.wake)
	}
	wait.Wait()
	if i := slices.IndexFunc(dst, func(k int) bool { return k != frames }); i >= 0 {
		t.Errorf("row %d was drawn %d times, want %d", i, dst[i], frames)
	}
}
