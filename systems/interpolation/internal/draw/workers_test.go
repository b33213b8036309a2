package draw

import (
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// Every row is taken once, by any member and from any queue, in pieces that are not too small and
// share no cache lines.
func TestShareIsTakenOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		start := rapid.IntRange(0, 1<<20).Draw(t, "start") * lineRows
		n := rapid.IntRange(0, 1<<18).Draw(t, "n")
		least := rapid.SampledFrom([]int{1, leastRows, leastListed}).Draw(t, "least")
		var s queue
		s.give(start, start+n)
		front, back := start, start+n
		for !s.empty() {
			first := rapid.Bool().Draw(t, "front")
			left := back - front
			from, to := s.take(first, least)
			switch {
			case to <= from || from < front || to > back:
				t.Fatalf("rows %d to %d of %d to %d", from, to, front, back)
			case from != front && to != back:
				t.Fatalf("rows %d to %d from the middle of %d to %d", from, to, front, back)
			case to-from < least/2 && to-from < left || left-(to-from) > 0 && left-(to-from) < least-2*lineRows:
				t.Fatalf("%d of %d rows, at least %d are worth it", to-from, left, least)
			case from%lineRows != 0 || to%lineRows != 0 && to != start+n:
				t.Fatalf("rows %d to %d begin or end within a line", from, to)
			}
			if from == front && (first || to == back) {
				front = to
			} else {
				back = from
			}
		}
		if front != back {
			t.Fatalf("rows %d to %d were not taken", front, back)
		}
		if from, to := s.take(true, least); from != to {
			t.Fatalf("rows %d to %d of nothing", from, to)
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
			b.dst[i]++ // the race detector finds two who hold the same piece
		}
		for _, r := range b.rows {
			b.dst[r]++
		}
	}
	return t
}

// A worker that never comes to its queue, because it sleeps or the system does not let it run,
// delays no frame.
func TestNobodyWaitsForAWorker(t *testing.T) {
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

// With workers that sleep all the time and a member that has work all the time, no row is lost and
// none is drawn twice.
func TestWorkersThatLieDown(t *testing.T) {
	const n, frames = 3*leastRows + 5, 3000
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
