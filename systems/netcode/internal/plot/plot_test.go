package plot

import (
	"math"
	"strings"
	"testing"
)

func TestTicksAreRound(t *testing.T) {
	for _, tt := range []struct {
		lo, hi float64
		n      int
		want   string
	}{
		{0, 1, 4, "0 0.5 1"}, {0, 0.26, 4, "0 0.1 0.2"}, {10, 12.5, 10, "10 10.5 11 11.5 12 12.5"}, {-3, 21, 4, "0 10 20"}, {0, 60, 4, "0 20 40 60"},
	} {
		var got []string
		for _, v := range Ticks(tt.lo, tt.hi, tt.n) {
			got = append(got, Number(v))
		}
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("ticks of %v to %v: %s, want %s", tt.lo, tt.hi, s, tt.want)
		}
	}
}

// A path leaves out points on a straight line, and no others. A value of NaN breaks it.
func TestPathKeepsCorners(t *testing.T) {
	identity := func(v float64) float64 { return v }
	at := []float64{0, 10, 20, 30, 40}
	for _, tt := range []struct {
		values []float64
		want   string
	}{
		{[]float64{0, 10, 20, 10, 0}, "M0 0L20 20L40 0"},
		{[]float64{0, 10, math.NaN(), 10, 0}, "M0 0L10 10M30 10L40 0"},
		{[]float64{math.NaN(), 10, 20, 30, math.NaN()}, "M10 10L30 30"},
	} {
		if got := Path(at, tt.values, identity, identity); got != tt.want {
			t.Errorf("path of %v: %q, want %q", tt.values, got, tt.want)
		}
	}
}
