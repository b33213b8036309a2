package netcode_test

import (
	"math"
	"strings"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// The numbered cases of the own player, through both plugins. Package prediction tests them without
// clocks and worlds, with more seeds and for longer.

// baseline is the condition of most cases: 100 ms each way, 10 ms of jitter.
func baseline(seed uint64) linksim.Path {
	return linksim.Symmetric(linksim.Condition{Delay: 95 * time.Millisecond, Jitter: 10 * time.Millisecond, Seed: seed})
}

// strafe flips twice a second, and dashes sometimes.
func strafe(at netcode.Tick) input {
	return input{X: int8(at/30%2)*2 - 1, Dash: at%97 == 0}
}

// Case 22: at the base condition the own player reacts in the tick of the input, and in the picture
// at most a tick and a frame later. In a world that is the same on both ends the player is never
// corrected, and none of its inputs arrives too late.
func TestOwnPlayerAtBase(t *testing.T) {
	slowest := time.Duration(0)
	for seed := range uint64(20) {
		m := newMatch(t, nil)
		a := m.join(baseline(2200+seed), nil)
		m.run(5*time.Second, nil)
		m.mustPlay()
		// the direction of the newest input, and the time since which the picture has not followed
		// it
		way, since := int8(0), time.Duration(-1)
		a.input = func(at netcode.Tick) input {
			in := strafe(at)
			if in.X != way {
				way, since = in.X, m.now
			}
			return in
		}
		m.run(time.Second, nil)
		before, inputs := a.client.Stats(), m.of(a).InputStats()
		lastLogical, lastVisual := a.logical(a.client.Entity())[0], a.visual(a.client.Entity())[0]
		steps := a.engine.Time().Tick
		since = -1
		m.run(20*time.Second, func() {
			logical, visual := a.logical(a.client.Entity())[0], a.visual(a.client.Entity())[0]
			if now := a.engine.Time().Tick; now != steps {
				if moved := (logical - lastLogical) * float32(way); now == steps+1 && moved < runSpeed/float32(tickRate)-1e-4 {
					t.Fatalf("seed %d: the tick of an input moved the player by %.4f m its way, want %.4f at once", seed, moved, runSpeed/float32(tickRate))
				}
				steps, lastLogical = now, logical
			}
			if since >= 0 && (visual-lastVisual)*float32(way) > 0 {
				slowest, since = max(slowest, m.now-since), -1
			}
			lastVisual = visual
		})
		after, ran := a.client.Stats(), m.of(a).InputStats()
		if n := after.Corrections - before.Corrections; n > 0 {
			t.Errorf("seed %d: %d corrections, the last by %v m", seed, n, after.CorrectionError)
		}
		if n := ran.Repeated + ran.Idle - inputs.Repeated - inputs.Idle; n > 0 {
			t.Errorf("seed %d: %d inputs of 1200 were missed", seed, n)
		}
	}
	const frame = time.Second / 120
	if limit := time.Second/tickRate + frame + time.Millisecond; slowest > limit {
		t.Errorf("the picture followed an input after %v, want %v at most", slowest, limit)
	}
	t.Logf("the picture follows an input after %v at most", slowest)
}

// Case 23: the server shoves the player by 0.6 m every two seconds while it runs. The simulation is
// right at once and never contains any of the offset that hides the correction. The offset fades
// steadily, to a tenth within 0.7 s, and no faster than Game.CorrectionSpeed.
func TestShovedByTheServer(t *testing.T) {
	const shove, period = 0.6, 2 * tickRate
	left, shoves := 0.0, 0
	for seed := range uint64(20) {
		m := newMatch(t, nil)
		places := map[float32]bool{} // across the player's path: every position on the server
		m.engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
			if len(m.joined) == 0 {
				return
			}
			p := m.joined[0]
			if m.engine.Time().Tick%period == seed {
				p.State.Z += shove
			}
			places[p.State.Z] = true
		}))
		a := m.join(baseline(2300+seed), nil)
		a.input = func(netcode.Tick) input { return input{X: 1} }
		m.run(5*time.Second, nil)
		m.mustPlay()
		before := a.client.Stats().Corrections
		at := a.logical(a.client.Entity())[2]
		initial, last, begun, was := 0.0, math.Inf(1), time.Duration(-1), m.now
		m.run(20*time.Second, func() {
			logical := a.logical(a.client.Entity())[2]
			if state, _ := a.client.State(); !places[logical] || !places[state.Z] {
				t.Fatalf("seed %d: at %v the player is simulated at %v (%v), a place that it never had on the server", seed, m.now, state.Z, logical)
			}
			off := math.Abs(float64(a.visual(a.client.Entity())[2] - logical))
			switch {
			case logical != at: // the correction
				at, begun = logical, m.now
				if initial = off; initial < shove*0.9 || initial > shove*1.01 {
					t.Fatalf("seed %d: a shove of %v m is drawn %.3f m off at first", seed, shove, off)
				}
				shoves++
			case off > last+1e-5:
				t.Fatalf("seed %d: %v after the correction the picture runs from %.4f m off to %.4f", seed, m.now-begun, last, off)
			case last-off > 3*(m.now-was).Seconds()*1.001 && !math.IsInf(last, 1):
				t.Fatalf("seed %d: %v after the correction the picture comes nearer by %.4f m in %v, want 3 m/s", seed, m.now-begun, last-off, m.now-was)
			case begun >= 0 && m.now-begun >= 700*time.Millisecond:
				left, begun = max(left, off/initial), -1
			}
			last, was = off, m.now
		})
		if n := a.client.Stats().Corrections - before; n != 10 {
			t.Errorf("seed %d: %d corrections for ten shoves", seed, n)
		}
	}
	if left > 0.1 || left == 0 || shoves != 200 {
		t.Errorf("%.1f %% of the way are left after 0.7 s, of %d shoves, want at most 10 %% of 200", 100*left, shoves)
	}
	t.Logf("%.1f %% are left after 0.7 s", 100*left)
}

// pressing is the game of these tests with presses that run once.
func pressing() netcode.Game[runner, input] {
	game := runnerGame()
	game.Rules = netcode.InputRules[input]{
		Repeat: func(last input) input { last.Dash = false; return last },
		Merge:  func(into, presses input) input { into.Dash = into.Dash || presses.Dash; return into },
	}
	return game
}

// Case 24: 15 % of the packets with inputs are lost. At most a thousandth of the inputs arrives too
// late for its tick, every press runs, and none runs twice.
func TestLostInputs(t *testing.T) {
	ticks, missed, worst, all := uint64(0), uint64(0), 0.0, 0
	for seed := range uint64(20) {
		m := newMatchOf(t, newProtocolFor(t, netcode.Config{}, pressing()), nil)
		ran := 0
		m.engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
			if len(m.joined) > 0 && m.joined[0].Input.Dash {
				ran++
			}
		}))
		path := baseline(2400 + seed)
		path.Send.Loss = 0.15
		a := m.join(path, nil)
		pressed, on := map[netcode.Tick]bool{}, true
		a.input = func(at netcode.Tick) input {
			in := input{X: int8(at/30%2)*2 - 1}
			if on && at%20 == netcode.Tick(seed) {
				// one press alone: two that are merged into one tick would count as one
				in.Dash, pressed[at] = true, true
			}
			return in
		}
		m.run(8*time.Second, nil) // the lead settles
		m.mustPlay()
		before := m.of(a).InputStats()
		m.run(60*time.Second, nil)
		after := m.of(a).InputStats()
		on = false
		m.run(2*time.Second, nil)
		if ran != len(pressed) || ran < 200 {
			t.Errorf("seed %d: %d presses ran of %d", seed, ran, len(pressed))
		}
		n, of := after.Repeated+after.Idle-before.Repeated-before.Idle, after.Ticks-before.Ticks
		ticks, missed, worst, all = ticks+of, missed+n, max(worst, float64(n)/float64(of)), all+ran
		if kicked := len(m.left) > 0; kicked {
			t.Errorf("seed %d: an honest client was removed", seed)
		}
	}
	t.Logf("missed %d of %d inputs, %.3f %%, at the worst seed %.3f %%; %d presses ran", missed, ticks, 100*float64(missed)/float64(ticks), 100*worst, all)
	if float64(missed) > 0.001*float64(ticks) {
		t.Errorf("missed %.3f %% of the inputs, want 0.1 %% at most", 100*float64(missed)/float64(ticks))
	}
}

// A CorrectionSpeed that is not a speed is refused with a text that states the remedy.
func TestCorrectionSpeedOfAGame(t *testing.T) {
	for _, speed := range []float32{-1, float32(math.NaN())} {
		game := runnerGame()
		game.CorrectionSpeed = speed
		if _, err := netcode.NewProtocol(netcode.Config{TickRate: tickRate}, game); err == nil || !strings.Contains(err.Error(), "must be positive") {
			t.Errorf("a CorrectionSpeed of %v: %v, want an error that says what to do", speed, err)
		}
	}
}
