package play

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode"
)

// A machine that draws only a few frames a second plays badly, but it plays: its inputs come in
// bursts, and none of them is too much.
func TestSlowMachinesPlay(t *testing.T) {
	for n, frames := range [][2]time.Duration{
		{200 * time.Millisecond, 200 * time.Millisecond}, {50 * time.Millisecond, 400 * time.Millisecond}, {10 * time.Millisecond, 900 * time.Millisecond}, {300 * time.Millisecond, 2 * time.Second},
	} {
		v := newVirtual(t, nil)
		s := v.join(seed(uint64(n)+1), scripted(circle))
		v.clients = nil
		random := rand.New(rand.NewPCG(uint64(n), 1))
		owed, wait := time.Duration(0), time.Duration(0)
		v.run(90*time.Second, func() {
			if owed += frame; owed >= wait {
				s.Advance(owed)
				owed, wait = 0, frames[0]+time.Duration(random.Int64N(int64(frames[1]-frames[0])+1))
			}
		})
		status, reason := s.Net().Status()
		st := s.Net().Stats()
		t.Logf("frames of %v to %v: %v %v, %+v", frames[0], frames[1], status, reason, st)
		if status != netcode.Playing {
			t.Errorf("frames of %v to %v: the client is %v (%v), want it playing", frames[0], frames[1], status, reason)
		}
	}
}
