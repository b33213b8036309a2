package samples

import (
	"testing"
	"time"
)

// The fraction of an interval lies in 0 to 1 and reaches 1 at the end only, also far from zero.
func TestFractionOfAnInterval(t *testing.T) {
	const ms = time.Millisecond
	for _, start := range []time.Duration{0, 10 * time.Hour, 100 * 365 * 24 * time.Hour} {
		i := Interval{start, start + 50*ms}
		for _, test := range []struct {
			at   time.Duration
			want float32
		}{{-ms, 0}, {0, 0}, {25 * ms, 0.5}, {50 * ms, 1}, {60 * ms, 1}} {
			if got := i.Fraction(start + test.at); got != test.want {
				t.Errorf("from %v: the fraction at %v is %v, want %v", start, test.at, got, test.want)
			}
		}
		if got := (Interval{start, start + 10*time.Hour}).Fraction(start + 10*time.Hour - 1); got >= 1 {
			t.Errorf("from %v: the fraction is %v before the end", start, got)
		}
		if got := (Interval{start, start}).Fraction(start); got != 1 {
			t.Errorf("from %v: the fraction of an empty interval is %v, want 1", start, got)
		}
	}
}
