package netcode_test

import (
	"errors"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// runner on the articles' line through an outage, and its cost.
type outageResult struct {
	tooFar      float64 // at the end of the outage, in metres
	corrections uint64
	largest     float64       // of the corrections, in metres
	silence     time.Duration // that the client reports at the end of the outage
	asked       int           // inputs in the last 200 ms of the outage
	moved       float32       // in a second, 3 s after the outage
}

// cutWays returns the articles' line with an outage in the given ways, "up", "down" or "both". It
// holds for all connections of a client.
func cutWays(seed uint64, ways string, begins, length time.Duration) linksim.Path {
	path := seeds(seed)
	cut := []linksim.Event{{Kind: linksim.Cut, At: begins, By: length}}
	if ways != "down" {
		path.Send.Script = cut
	}
	if ways != "up" {
		path.Receive.Script = cut
	}
	return path
}

// playOutage plays an outage while the player runs at 6 m/s.
func playOutage(t *testing.T, length time.Duration, ways string, seed uint64, mode netcode.InputMode, maxSilence time.Duration) (r outageResult) {
	t.Helper()
	m := newMatch(t, func(c *netcode.ServerConfig[runner, input]) { c.InputMode = mode })
	const begins = 8 * time.Second
	a := m.join(cutWays(seed, ways, begins, length), func(c *netcode.ClientConfig[runner, input]) { c.MaxSilence = maxSilence })
	m.run(begins-2*time.Second, nil)
	m.mustPlay()
	asked := 0
	a.input = func(netcode.Tick) input {
		asked++
		return input{X: 1}
	}
	m.run(2*time.Second, nil)
	before := a.client.Stats()
	const last = 200 * time.Millisecond
	m.run(length-last, nil)
	r.asked = -asked
	m.run(last, nil)
	r.asked += asked
	state, _ := a.client.State()
	r.tooFar = float64(state.X - m.of(a).State.X)
	r.silence = a.client.Stats().Silence
	m.run(3*time.Second, func() {
		if s := a.client.Stats(); s.Corrections > before.Corrections {
			r.largest = max(r.largest, s.CorrectionError)
		}
	})
	x := m.of(a).State.X
	m.run(time.Second, nil)
	r.moved = m.of(a).State.X - x
	m.mustPlay()
	r.corrections = a.client.Stats().Corrections - before.Corrections
	return r
}

// An outage costs at most one correction, and the own player is at most 2.5 m too far, whichever
// way is cut. The 2.5 m are 0.5 s of silence and 0.1 s on the way down without the 0.2 s that the
// server repeats, at 6 m/s, and a tick for the grain of the clocks.
func TestBothEndsLetGoInAnOutage(t *testing.T) {
	n := uint64(2)
	if testing.Short() {
		n = 1
	}
	for _, ways := range []string{"both", "up", "down"} {
		for _, length := range []time.Duration{300 * time.Millisecond, 700 * time.Millisecond, 4800 * time.Millisecond, 20 * time.Second} {
			for seed := range n {
				r := playOutage(t, length, ways, seed+3, netcode.OnTicks, 0)
				if r.corrections > 1 || r.largest > 2.5+1e-4 || r.tooFar > 2.5+1e-4 {
					t.Errorf("%s for %v, seed %d: %.2f m too far, and %d corrections, the largest by %.2f m", ways, length, seed, r.tooFar, r.corrections, r.largest)
				}
				if r.moved < 5.5 || r.moved > 6.5 {
					t.Errorf("%s for %v, seed %d: 3 s after the outage the player runs %.2f m in a second, want 6", ways, length, seed, r.moved)
				}
				if long := length >= 4*time.Second; long && r.asked != 0 || length < 500*time.Millisecond && ways == "both" && r.asked == 0 {
					t.Errorf("%s for %v, seed %d: Input was asked %d times at its end", ways, length, seed, r.asked)
				}
				if ways == "up" && r.silence > 300*time.Millisecond || ways != "up" && (r.silence < length-300*time.Millisecond || r.silence > length) {
					t.Errorf("%s for %v, seed %d: a Silence of %v", ways, length, seed, r.silence)
				}
			}
		}
	}
}

// Controls: a client that never lets go runs on for as long as nothing reaches the server, less
// the 12 ticks that the server repeats, and is corrected by as much.
func TestWithoutMaxSilenceThePlayerRunsOn(t *testing.T) {
	r := playOutage(t, 4800*time.Millisecond, "both", 3, netcode.OnTicks, -1)
	if r.tooFar < 26 || r.tooFar > 29 || r.asked < 10 {
		t.Errorf("%.2f m too far after 4.8 s, want 27 to 28; Input was asked %d times at the end", r.tooFar, r.asked)
	}
	if r = playOutage(t, time.Second, "up", 3, netcode.OnTicks, -1); r.corrections < 5 {
		t.Errorf("%d corrections while the way up is cut for a second, want one for each snapshot of the last half", r.corrections)
	}
}

// A server that runs inputs as they arrive reports none as missed. Its client lets go when nothing
// is acknowledged any more.
func TestClientLetsGoOnArrival(t *testing.T) {
	for _, ways := range []string{"both", "up", "down"} {
		r := playOutage(t, 4800*time.Millisecond, ways, 3, netcode.OnArrival, 500*time.Millisecond)
		// A round trip of 0.2 s and 0.5 s of silence; the server repeats nothing.
		if r.tooFar > 0.8*runSpeed || r.asked != 0 {
			t.Errorf("%s: %.2f m too far, and Input was asked %d times at the end", ways, r.tooFar, r.asked)
		}
		if r = playOutage(t, 1500*time.Millisecond, ways, 3, netcode.OnArrival, 0); r.asked == 0 {
			t.Errorf("%s: Input was not asked within the 2 s that a server may make up for", ways)
		}
		if r.moved < 5.5 || r.moved > 6.5 {
			t.Errorf("%s: 3 s after the outage the player runs %.2f m in a second, want 6", ways, r.moved)
		}
	}
}

// Snapshots that are seldom are no silence: at 1 Hz the player is steered all the time.
func TestSeldomSnapshotsAreNoSilence(t *testing.T) {
	m := newMatch(t, func(c *netcode.ServerConfig[runner, input]) { c.SnapshotRate = 1 })
	a := m.join(perfect(), nil)
	m.run(5*time.Second, nil)
	m.mustPlay()
	asked := 0
	a.input = func(netcode.Tick) input {
		asked++
		return input{}
	}
	longest := time.Duration(0)
	m.run(5*time.Second, func() { longest = max(longest, a.client.Stats().Silence) })
	if asked < 5*tickRate-2 || longest < 900*time.Millisecond {
		t.Errorf("Input was asked %d times in 5 s, and the longest silence was %v", asked, longest)
	}
}

// Over a lost connection the silence goes on, until the client has its place back.
func TestSilenceOverALostConnection(t *testing.T) {
	m := newMatch(t, nil)
	open := true
	a := m.join(perfect(), func(c *netcode.ClientConfig[runner, input]) {
		dial := c.Dial
		c.Dial = func() (netcode.Conn, error) {
			if !open {
				return nil, errors.New("no way")
			}
			return dial()
		}
	})
	if m.run(time.Second/120, nil); a.client.Stats().Silence != 0 {
		t.Errorf("before joining: a Silence of %v", a.client.Stats().Silence)
	}
	m.run(2*time.Second, nil)
	m.mustPlay()
	open = false
	a.Conn.Close(netcode.Reason{Code: transport.Failed})
	m.run(3*time.Second, nil)
	if s := a.client.Stats(); s.Status != netcode.Lost || s.Silence < 2900*time.Millisecond || s.Silence > 3100*time.Millisecond {
		t.Errorf("3 s without a connection: %v, and a Silence of %v", s.Status, s.Silence)
	}
	open = true
	m.run(2*time.Second, nil)
	m.mustPlay()
	if s := a.client.Stats(); s.Silence > 100*time.Millisecond {
		t.Errorf("back again: a Silence of %v", s.Silence)
	}
}
