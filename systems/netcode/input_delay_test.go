package netcode_test

import (
	"math"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// delayed joins with an InputDelay.
func (m *match) delayed(path linksim.Path, ticks int) *player {
	m.t.Helper()
	return m.join(path, func(c *netcode.ClientConfig[runner, input]) { c.InputDelay = ticks })
}

// zigzag is an input that changes three times a second.
func zigzag(at netcode.Tick) input { return input{X: int8(at/20%3) - 1, Dash: at%50 == 0} }

// With four ticks of delay the prediction is four ticks shorter, no input is missed and none is
// corrected. Input is asked for the tick in which it runs on the server.
func TestInputDelayShortensThePrediction(t *testing.T) {
	var ahead [2]float64
	for i, ticks := range []int{0, 4} {
		m := newMatch(t, nil)
		a := m.delayed(seeds(3), ticks)
		m.run(15*time.Second, nil)
		m.mustPlay()
		asked := map[netcode.Tick]input{}
		a.input = func(at netcode.Tick) input {
			asked[at] = zigzag(at)
			return asked[at]
		}
		ran, wrong := 0, 0
		m.engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
			if want, ok := asked[m.server.Tick()]; ok {
				if ran++; m.of(a).Input != want {
					wrong++
				}
			}
		}))
		before, inputs := a.client.Stats(), m.of(a).InputStats()
		n, sum := 0, 0
		m.run(20*time.Second, func() {
			n++
			sum += a.client.PredictedForTest()
		})
		ahead[i] = float64(sum) / float64(n)
		after, stats := a.client.Stats(), m.of(a).InputStats()
		missed := stats.Repeated + stats.Idle - inputs.Repeated - inputs.Idle
		if ran < 1150 || wrong > 1 || missed > 1 || after.Corrections-before.Corrections > 1 {
			t.Errorf("%d ticks: of %d inputs %d ran in another tick, and %d were missed; %d corrections", ticks, ran, wrong, missed, after.Corrections-before.Corrections)
		}
	}
	if less := ahead[0] - ahead[1]; less < 3.5 || less > 4.5 {
		t.Errorf("%.2f ticks are predicted without a delay, and %.2f with one of 4 ticks", ahead[0], ahead[1])
	}
	t.Logf("%.2f and %.2f ticks are predicted", ahead[0], ahead[1])
}

// On a short line, too, the prediction is never behind the server's newest state, and nothing is
// corrected. The input runs its whole delay later.
func TestInputDelayOnAShortLine(t *testing.T) {
	for _, ticks := range []int{1, 4, 16} {
		m := newMatch(t, nil)
		a := m.delayed(linksim.Symmetric(linksim.Condition{Delay: time.Millisecond, Seed: 1}), ticks)
		m.run(15*time.Second, nil)
		m.mustPlay()
		a.input = zigzag
		before := a.client.Stats().Corrections
		least := math.MaxInt
		m.run(10*time.Second, func() { least = min(least, a.client.PredictedForTest()) })
		if n := a.client.Stats().Corrections - before; least < 0 || n > 0 {
			t.Errorf("%d ticks: %d corrections; the prediction is %d ticks ahead of the newest state at least", ticks, n, least)
		}
		a.input = func(netcode.Tick) input { return input{} }
		m.run(time.Second, nil)
		start := a.visual(a.client.Entity())
		a.input = func(netcode.Tick) input { return input{X: 1} }
		waited := time.Duration(0)
		m.run(time.Second, func() {
			if a.visual(a.client.Entity()) == start {
				waited += time.Second / 120
			}
		})
		if want := time.Duration(ticks) * time.Second / tickRate; waited < want || waited > want+3*time.Second/tickRate {
			t.Errorf("%d ticks: the own player answers after %v, want %v and a step", ticks, waited, want)
		}
	}
}

// A player that joins is drawn at its place from the first frame on. After a stall of its process,
// and after a lost connection, all is as before within three seconds.
func TestInputDelayThroughJoinsAndJumps(t *testing.T) {
	m := newMatch(t, nil)
	a := m.delayed(seeds(5), 4)
	a.input = func(at netcode.Tick) input { return input{} }
	frames := 0
	m.run(4*time.Second, func() {
		if e := a.client.Entity(); !e.IsZero() {
			if frames++; a.visual(e).Sub(mgl32.Vec3{0, 0, 2}).Len() > 1e-3 {
				t.Fatalf("frame %d of the own player is at %v", frames, a.visual(e))
			}
		}
	})
	m.mustPlay()
	if frames < 100 {
		t.Errorf("the own player was drawn in %d frames", frames)
	}
	a.input = zigzag
	for _, event := range []string{"a short stall", "a long stall", "a lost connection", "a shorter line", "a longer line"} {
		m.run(3*time.Second, nil)
		switch event {
		case "a short stall":
			a.Freeze(400 * time.Millisecond)
		case "a long stall":
			a.Freeze(3 * time.Second)
		case "a lost connection":
			a.Conn.Close(transport.Reason{Code: transport.Failed})
		case "a shorter line":
			a.Path = linksim.Symmetric(linksim.Condition{Delay: 5 * time.Millisecond, Seed: 9})
		default:
			a.Path = seeds(7)
		}
		if err := a.Conn.SetPath(a.Path); err != nil {
			t.Fatal(err)
		}
		m.run(8*time.Second, nil)
		m.mustPlay()
		before, stats := a.client.Stats().Corrections, m.of(a).InputStats()
		m.run(5*time.Second, nil)
		after := m.of(a).InputStats()
		if n, missed := a.client.Stats().Corrections-before, after.Repeated+after.Idle-stats.Repeated-stats.Idle; n > 2 || missed > 3 {
			t.Errorf("%s: 8 s later %d corrections in 5 s, and %d missed inputs", event, n, missed)
		}
	}
}

// A shot is rewound to the view at the moment of the press, not to that of the tick in which it
// runs.
func TestInputDelayKeepsTheMomentOfThePress(t *testing.T) {
	m := newMatch(t, nil)
	target := m.circler()
	a := m.delayed(linksim.Symmetric(linksim.Condition{Delay: 75 * time.Millisecond, Jitter: 5 * time.Millisecond, Seed: 15}), 4)
	shots, worst := m.shootAt(target, a, 8*time.Second)
	// Two ticks at 10 m/s are 0.33 m; the delay of 4 ticks would be 0.67 m.
	if shots < 12 || worst > 0.35 {
		t.Errorf("%d shots, the worst rewound %.3f m from what was seen", shots, worst)
	}
}

// Inputs that run on arrival are not delayed, and a delay out of range is an error.
func TestInputDelayElsewhere(t *testing.T) {
	m := newMatch(t, func(c *netcode.ServerConfig[runner, input]) { c.InputMode = netcode.OnArrival })
	a := m.delayed(linksim.Symmetric(linksim.Condition{Delay: time.Millisecond, Seed: 1}), 16)
	m.run(3*time.Second, nil)
	m.mustPlay()
	a.input = func(netcode.Tick) input { return input{X: 1} }
	m.run(200*time.Millisecond, nil)
	if x := m.of(a).State.X; x < 0.8 {
		t.Errorf("on arrival, 200 ms after the press, the player is at %.2f m, want 1.1", x)
	}
	if n := a.client.Stats().Corrections; n > 0 {
		t.Errorf("on arrival: %d corrections", n)
	}
	for _, ticks := range []int{-1, 17} {
		c := netcode.ClientConfig[runner, input]{
			Dial: func() (transport.Conn, error) { return nil, nil }, Input: func(netcode.Tick) input { return input{} }, InputDelay: ticks,
		}
		if _, err := netcode.NewClient(newProtocol(t, netcode.Config{}), c); err == nil {
			t.Errorf("an InputDelay of %d is taken", ticks)
		}
	}
}
