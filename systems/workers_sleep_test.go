package systems

import (
	"runtime"
	"testing"
	"testing/synctest"
)

// A share that is given in the moment in which a worker lies down is not slept through: nobody would wake the worker, and the frame would wait for ever.
func TestWorkerDoesNotSleepThroughAShare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &worker[int]{wake: make(chan struct{}, 1)}
		w.given.Add(1)
		if w.rouse() {
			t.Fatal("it was asleep before")
		}
		if !w.sleep(0) || w.asleep.Load() {
			t.Error("it sleeps, or ends")
		}
		if w.rouse() || len(w.wake) != 0 {
			t.Error("somebody wakes it though it is awake")
		}
	})
}

// Between a worker that lies down all the time and somebody who has work for it all the time no share is lost.
func TestWorkersTakeEveryShare(t *testing.T) {
	w := &worker[int]{wake: make(chan struct{}, 1), ended: make(chan struct{})}
	took := 0
	go func() {
		defer close(w.ended)
		for done := uint32(0); ; done++ {
			for w.given.Load() == done {
				if !w.sleep(done) {
					return
				}
			}
			took++
			w.taken.Store(done + 1)
		}
	}()
	const shares = 20_000
	for range shares {
		w.rouse()
		w.given.Add(1)
		w.rouse()
		for w.taken.Load() != w.given.Load() {
			runtime.Gosched()
		}
	}
	close(w.wake)
	<-w.ended
	if took != shares {
		t.Errorf("%d shares taken, want %d", took, shares)
	}
}
