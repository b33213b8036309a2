package conformance

import (
	"runtime"
	"sync/atomic"
	"testing"
)

func TestParallelCallsEachOnce(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, processors := range []int{1, 3, 50} {
		runtime.GOMAXPROCS(processors)
		var calls [20]atomic.Int32
		Parallel(len(calls), func(i int) { calls[i].Add(1) })
		for i := range calls {
			if n := calls[i].Load(); n != 1 {
				t.Errorf("%d processors: %d called %d times", processors, i, n)
			}
		}
	}
}
