package lanes

import (
	"slices"
	"testing"
)

// Whatever the front lane's rate is, no two lanes are alike, and their rates rise to the front.
func TestNoTwoLanesAreAlike(t *testing.T) {
	for front := 1; front <= 240; front++ {
		var rates []int
		for lane := range len(otherRates) - 1 {
			rates = append(rates, otherRate(lane, front))
		}
		if !slices.IsSorted(rates) || len(slices.Compact(slices.Clone(rates))) != 3 || slices.Contains(rates, front) {
			t.Errorf("behind a lane of %d Hz there are lanes of %v Hz", front, rates)
		}
	}
}
