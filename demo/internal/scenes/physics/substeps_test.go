package physics

import (
	"testing"
	"time"
)

// Steps of one rate differ by a nanosecond; all are made of equally many substeps, none longer than
// a sixtieth of a second.
func TestSubsteps(t *testing.T) {
	for rate, want := range map[int64]int{1: 60, 5: 12, 7: 9, 15: 4, 20: 3, 30: 2, 60: 1, 120: 1, 1000: 1} {
		for k := range rate {
			step := time.Duration((k+1)*1e9/rate - k*1e9/rate)
			if got := substeps(step); got != want {
				t.Errorf("%d Hz: a step of %d ns is made of %d, want %d", rate, step, got, want)
			}
		}
	}
}
