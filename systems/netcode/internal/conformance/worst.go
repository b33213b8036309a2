package conformance

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Parallel calls f once for each index from 0 to n-1, on all processors.
func Parallel(n int, f func(i int)) {
	var next atomic.Int64
	var group sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(i)
			}
		})
	}
	group.Wait()
}

// Worst runs every item with each of the seeds from 1 on, on all processors. It merges the results
// of an item into its first one, in the order of the seeds. The results do not depend on the number
// of processors.
func Worst[I, R any](items []I, seeds int, run func(item *I, seed uint64) R, merge func(worst, other *R)) []R {
	all := make([]R, len(items)*seeds)
	Parallel(len(all), func(i int) {
		all[i] = run(&items[i/seeds], uint64(i%seeds)+1)
	})
	worst := make([]R, len(items))
	for i := range worst {
		ofItem := all[i*seeds : (i+1)*seeds]
		worst[i] = ofItem[0]
		for s := range ofItem[1:] {
			merge(&worst[i], &ofItem[s+1])
		}
	}
	return worst
}
