package conformance

import (
	"sync"
	"sync/atomic"
)

// parallel calls f once for each index from 0 to n-1, from the given number of goroutines.
func parallel(n, workers int, f func(i int)) {
	var next atomic.Int64
	var group sync.WaitGroup
	for range max(workers, 1) {
		group.Add(1)
		go func() {
			defer group.Done()
			for i := next.Add(1) - 1; int(i) < n; i = next.Add(1) - 1 {
				f(int(i))
			}
		}()
	}
	group.Wait()
}

// counter reports how many of a number of jobs are done.
type counter struct {
	done   atomic.Int64
	of     int
	report func(done, of int)
}

func (c *counter) one() {
	n := c.done.Add(1)
	if c.report != nil {
		c.report(int(n), c.of)
	}
}
