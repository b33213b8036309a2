package kernel

import (
	"runtime"
	"sync"
	"testing"
)

// Registers survive the signals by which the runtime interrupts goroutines, and the switches
// between them: garbage is collected all the while, by which every one of them is stopped again and
// again, and there are more of them than processors.
func TestBitsSurviveInterruptions(t *testing.T) {
	const n = 8*perCall + 27
	rounds := 8
	if testing.Short() {
		rounds = 2
	}
	prev, cur := samples(n, 21)
	want := make([]pose, n)
	Scalar.Blend3D(want, prev, cur, 0.37)
	rows := make([]uint32, n)
	for i := range rows {
		rows[i] = uint32(n - 1 - i)
	}
	eachPath(t, func(t *testing.T, path Path) {
		var blenders sync.WaitGroup
		for range 2*runtime.GOMAXPROCS(0) + 1 {
			blenders.Go(func() {
				got := make([]pose, n)
				for range rounds {
					clear(got)
					path.Blend3D(got, prev, cur, 0.37)
					for i := range got {
						if !sameBits(&got[i], &want[i]) {
							t.Errorf("dense, row %d: %v, want %v", i, got[i], want[i])
							return
						}
					}
					clear(got)
					path.BlendList3D(rows, got, prev, cur, 0.37)
					for i := range got {
						if !sameBits(&got[i], &want[i]) {
							t.Errorf("list, row %d: %v, want %v", i, got[i], want[i])
							return
						}
					}
				}
			})
		}
		done := make(chan struct{})
		go func() {
			blenders.Wait()
			close(done)
		}()
		for {
			select {
			case <-done:
				return
			default:
				runtime.GC()
			}
		}
	})
}
