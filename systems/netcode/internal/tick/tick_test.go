package tick_test

import (
	"math"
	"testing"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

func TestOrderSurvivesTheWrap(t *testing.T) {
	for _, test := range []struct {
		a, b  tick.Tick
		newer bool
		diff  int32
	}{
		{1, 0, true, 1},
		{0, 1, false, -1},
		{5, 5, false, 0},
		{3, math.MaxUint32 - 1, true, 5},
		{math.MaxUint32 - 1, 3, false, -5},
		{1 << 31, 0, false, math.MinInt32},
		{0, 1 << 31, false, math.MinInt32},
	} {
		if got := test.a.IsNewer(test.b); got != test.newer {
			t.Errorf("Tick(%d).IsNewer(%d) = %v, want %v", test.a, test.b, got, test.newer)
		}
		if got := test.a.Sub(test.b); got != test.diff {
			t.Errorf("Tick(%d).Sub(%d) = %d, want %d", test.a, test.b, got, test.diff)
		}
	}
}

func TestAddTakesNegativeSteps(t *testing.T) {
	if got := tick.Tick(2).Add(-5); got != math.MaxUint32-2 {
		t.Errorf("Tick(2).Add(-5) = %d, want %d", got, uint32(math.MaxUint32-2))
	}
	if got := tick.Tick(math.MaxUint32).Add(3); got != 2 {
		t.Errorf("the newest tick plus 3 = %d, want 2", got)
	}
}
