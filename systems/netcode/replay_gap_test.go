package netcode_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/replay"
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

// A file that claims years takes no more steps and no more memory than its frames: at its first and
// last ticks, by seeks into the emptiness between, on and back.
func TestReplayOfYears(t *testing.T) {
	m := newMatch(t, func(c *netcode.ServerConfig[runner, input]) { c.RecordStates = tickRate })
	m.bot(func(*serverPlayer, netcode.Tick) input { return input{X: 1} })
	k := newStretched()
	if err := m.server.Record(k); err != nil {
		t.Fatal(err)
	}
	m.run(10*time.Second, nil)
	if err := k.File.Close(); err != nil {
		t.Fatal(err)
	}
	v := newViewerOf(t, k.open(t), newProtocol(t, netcode.Config{}))
	r := v.client.Replay()
	if r.Length() < 300*24*time.Hour {
		t.Fatalf("the file claims %v", r.Length())
	}
	for i := range 200 {
		switch i % 10 {
		case 3:
			r.FollowEyes(1)
		case 5:
			r.Seek(r.Length() * time.Duration(i) / 200)
		case 7:
			r.Follow(1)
		case 9:
			r.Seek(r.Length() - time.Duration(i)*time.Millisecond)
		}
		v.step()
		v.client.Input()
		v.client.State()
		if at := r.At(); at < 0 || at > r.Length() {
			t.Fatalf("it shows %v of %v", at, r.Length())
		}
	}
}

// stretched records into a file in memory. Its second half is years after the first.
type stretched struct {
	*replay.File
	tapeFile
	keys int
}

func newStretched() *stretched {
	k := &stretched{}
	k.File = replay.NewFile(&k.tapeFile, replay.Info{})
	return k
}

func (k *stretched) Add(f replay.Frame) bool {
	if f.Key {
		k.keys++
	}
	if k.keys > 2 {
		f.Tick = f.Tick.Add(2e9)
	}
	return k.File.Add(f)
}
