package app

import (
	"math/rand/v2"
	"testing"

	"github.com/tandem-ecs/tandem/demo/internal/options"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
)

func TestPace(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	set := settings.Default()
	for _, test := range []struct {
		cap      int
		jitter   float64
		from, to float64
	}{
		{0, 0, 0, 0}, {60, 0, 59.999, 60.001}, {20, 0.5, 20 / 1.5, 20 / 0.5}, {0, 0.9, windowCap / 1.9, windowCap / 0.099},
	} {
		set.Cap, set.FrameJitter = test.cap, test.jitter
		low, high := 1e9, 0.0
		for range 1000 {
			rate := pace(set, random)
			low, high = min(low, rate), max(high, rate)
		}
		if low < test.from || high > test.to {
			t.Errorf("cap %d, jitter %v: %v to %v frames per second, want within %v to %v", test.cap, test.jitter, low, high, test.from, test.to)
		}
		if test.jitter > 0 && high < 1.5*low {
			t.Errorf("cap %d, jitter %v: %v to %v frames per second hardly differ", test.cap, test.jitter, low, high)
		}
	}
}

// A scene that comes after a match has snapshots in its link, and its own rate unless one was
// chosen.
func TestEnterFromAMatch(t *testing.T) {
	l := loop{Run: New(&options.Options{}, nil, nil, nil)}
	for _, chosen := range []bool{false, true} {
		l.rateChosen = chosen
		set := settings.Default()
		set.Scene, set.Rate, set.Entities, set.Link.SendRate = "lab", 13, 5, 0
		l.enter(&set)
		if want := map[bool]int{true: 13}[chosen]; set.Rate != want || set.Link != settings.DefaultLink() || set.Entities != 0 {
			t.Errorf("rate chosen: %v: %+v", chosen, set)
		}
	}
}
