package rates

import (
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/conformance/match"
)

// The age of the others' picture does not depend on how often the client reads packets, since the
// transport reports their arrival times. Without these times the client plays too, and shows the
// others later by a part of a frame.
func TestLagDoesNotDependOnFrames(t *testing.T) {
	const ms = time.Millisecond
	measure := func(frames int, blind bool) figures {
		f, err := play(match.Setting{Network: networks()[1], TickRate: 60, SnapshotRate: 30, FrameRate: frames, Blind: blind, Length: 30 * time.Second, Seed: 5})
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	lag := func(f figures) time.Duration {
		return time.Duration(f[lag50] * float64(time.Second)).Round(time.Microsecond)
	}
	quick := measure(240, false)
	for _, test := range []struct {
		frames int
		gain   time.Duration
	}{{30, 10 * ms}, {60, 5 * ms}} {
		told, blind := measure(test.frames, false), measure(test.frames, true)
		t.Logf("at %d frames a second others are %v in the past, at 240 %v; without times of arrival %v", test.frames, lag(told), lag(quick), lag(blind))
		if off := lag(told) - lag(quick); off > ms || off < -ms {
			t.Errorf("%d frames a second: a lag of %v, at 240 one of %v", test.frames, lag(told), lag(quick))
		}
		if told[starved] > 0.002 || blind[starved] > 0.002 {
			t.Errorf("%d frames a second: starved in %.2f %%, %.2f %% without times of arrival", test.frames, 100*told[starved], 100*blind[starved])
		}
		if lag(blind) < lag(told)+test.gain {
			t.Errorf("%d frames a second: a lag of %v without times of arrival and of %v with them: the test shows too little", test.frames, lag(blind), lag(told))
		}
	}
}
