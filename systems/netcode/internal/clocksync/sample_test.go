package clocksync

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestSample(t *testing.T) {
	for _, test := range []struct {
		name        string
		sample      Sample
		rtt, offset time.Duration
	}{
		{"symmetric", Sample{10 * ms, 1060 * ms, 1065 * ms, 115 * ms}, 100 * ms, 1000 * ms},
		{"up takes all", Sample{0, 1100 * ms, 1100 * ms, 100 * ms}, 100 * ms, 1050 * ms},
		{"down takes all", Sample{0, 1000 * ms, 1000 * ms, 100 * ms}, 100 * ms, 950 * ms},
		{"a slow server is no delay", Sample{0, 50 * ms, 3050 * ms, 3100 * ms}, 100 * ms, 0},
		{"negative times", Sample{-10 * ms, -500 * ms, -500 * ms, -6 * ms}, 4 * ms, -492 * ms},
		{"nothing took any time", Sample{}, 0, 0},
	} {
		if err := test.sample.Validate(); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		if got := test.sample.RTT(); got != test.rtt {
			t.Errorf("%s: RTT() = %v, want %v", test.name, got, test.rtt)
		}
		if got := test.sample.Offset(); got != test.offset {
			t.Errorf("%s: Offset() = %v, want %v", test.name, got, test.offset)
		}
	}
}

func TestSampleRefusesTheImpossible(t *testing.T) {
	for name, s := range map[string]Sample{
		"received before it was sent": {ClientSend: 10, ClientReceive: 9},
		"answered before it came":     {ServerReceive: 10, ServerSend: 9, ClientReceive: 100},
		"negative round trip":         {ServerReceive: 10, ServerSend: 120, ClientReceive: 100},
		"least stamp":                 {ClientSend: math.MinInt64},
		"greatest stamp":              {ClientReceive: math.MaxInt64},
		"difference overflows":        {ServerReceive: -1 << 62, ServerSend: 1 << 62, ClientReceive: 1},
	} {
		if err := s.Validate(); err != ErrStamps {
			t.Errorf("%s: Validate() = %v, want ErrStamps", name, err)
		}
	}
}

// The offset is never wrong by more than half of the round trip.
func TestSampleOffsetBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		delay := rapid.Int64Range(0, int64(10*time.Second))
		epoch := time.Duration(rapid.Int64Range(-1<<59, 1<<59).Draw(t, "offset"))
		send := time.Duration(rapid.Int64Range(-1<<58, 1<<58).Draw(t, "send"))
		up, stay, down := time.Duration(delay.Draw(t, "up")), time.Duration(delay.Draw(t, "stay")), time.Duration(delay.Draw(t, "down"))
		s := Sample{send, send + up + epoch, send + up + stay + epoch, send + up + stay + down}
		if err := s.Validate(); err != nil {
			t.Fatalf("%+v: %v", s, err)
		}
		if got := s.RTT(); got != up+down {
			t.Fatalf("RTT() = %v, want %v", got, up+down)
		}
		if off := (s.Offset() - epoch).Abs(); off > (up+down)/2+1 {
			t.Fatalf("the offset is wrong by %v at a round trip of %v", off, up+down)
		}
	})
}
