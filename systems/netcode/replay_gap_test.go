package netcode_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode"
)

// damage flips a bit in the n-th chunk of a recording, which has one each second.
func (f *tapeFile) damage(t testing.TB, n int) {
	t.Helper()
	b, at := f.Bytes(), 0
	for range n + 1 {
		next := bytes.Index(b[at:], []byte("TRPC"))
		if next < 0 {
			t.Fatalf("the recording has no chunk %d", n)
		}
		at += next + 4
	}
	b[at+40] ^= 1
}

// Inside a gap a replay has neither the input nor the state of a player: those before the gap are
// not those of its ticks. It has them again behind the gap.
func TestPlayersInsideAGap(t *testing.T) {
	for name, chunk := range map[string]int{"in the middle": 3, "at the end": 5} {
		m := newMatch(t, func(c *netcode.ServerConfig[runner, input]) { c.RecordStates = tickRate })
		m.bot(func(_ *serverPlayer, at netcode.Tick) input { return input{X: int8(at/7%3) - 1} })
		file := m.recording(t, 6*tickRate)
		file.damage(t, chunk)
		tape := file.open(t)
		from := time.Duration(chunk) * time.Second
		to := from + time.Second
		for _, seeks := range []bool{false, true} {
			v := newViewerOf(t, tape, newProtocol(t, netcode.Config{}))
			r := v.client.Replay()
			r.Follow(1)
			if seeks { // not from before the gap
				r.Seek(from + 200*time.Millisecond)
			}
			inside := 0
			for range 6 * tickRate {
				v.step()
				_, input := v.client.Input()
				_, state := v.client.State()
				at := r.At()
				if at == to { // a seek over the gap may wait
					continue
				}
				if gap := at > from-time.Millisecond && at < to; input == gap || state == gap {
					t.Fatalf("%s, seeks %v: at %v there is an input: %v, and a state: %v", name, seeks, at, input, state)
				} else if gap {
					inside++
				}
			}
			if inside < tickRate/2 {
				t.Errorf("%s, seeks %v: %d steps are inside the gap", name, seeks, inside)
			}
		}
	}
}
