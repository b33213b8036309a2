package netcodetest_test

import (
	"fmt"
	"io"
	"math"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/netcodetest"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// The game: heroes run on a plain at 6 m/s.

type hero struct{ X, Z float32 }

type keys struct {
	X, Z int8 `range:"-1,1"`
}

const kindHero = 1

func newProtocol() *netcode.Protocol[hero, keys] {
	p, err := netcode.NewProtocol(netcode.Config{TickRate: 60}, netcode.Game[hero, keys]{
		Step: func(h hero, k keys, _ netcode.Tick) hero {
			return hero{h.X + 0.1*float32(k.X), h.Z + 0.1*float32(k.Z)}
		},
		Pose:     func(h hero) components.Pose3D { return components.At3D(h.X, 0, h.Z) },
		Distance: func(a, b hero) float64 { return math.Hypot(float64(a.X-b.X), float64(a.Z-b.Z)) },
	})
	if err != nil {
		panic(err)
	}
	return p
}

// serve prepares the engine of a server of the game, in the game's program and in its tests.
func serve(e *ecs.Engine) netcode.ServerConfig[hero, keys] {
	spawn := generic.NewMap2[components.Transform3D, netcode.Replicated](e.World())
	return netcode.ServerConfig[hero, keys]{
		Joined: func(p *netcode.Player[hero, keys]) (hero, arche.Entity) {
			first := hero{Z: 2 * float32(p.Number())}
			at := components.NewLogical(components.At3D(first.X, 0, first.Z))
			return first, spawn.NewWith(&at, &netcode.Replicated{Archetype: kindHero})
		},
	}
}

// testEndsAgree is a test of the game. In a game it is named TestEndsAgree and has a *testing.T.
func testEndsAgree(t testing.TB) {
	m := netcodetest.New(t, netcodetest.Config[hero, keys]{Protocol: newProtocol, Server: serve})
	line := linksim.Symmetric(linksim.Condition{Delay: 100 * time.Millisecond, Loss: 0.15})
	held := keys{X: 1}
	a := m.Join(line, netcode.ClientConfig[hero, keys]{Input: func(netcode.Tick) keys { return held }})
	m.Run(3*time.Second, nil) // the player joins and runs
	held = keys{}
	m.Run(time.Second, nil) // it stops
	here, playing := a.State()
	if !playing || here != m.Server.Player(a.Number()).State {
		t.Error("both ends are apart")
	}
	if here.X < 10 || a.Stats().Corrections > 0 {
		t.Errorf("the player ran %.1f m with %d corrections", here.X, a.Stats().Corrections)
	}
}

// A test of a game in ten lines: a player joins over a line with a round trip of 200 ms and 15 %
// loss, runs and stops. Both ends then agree, and the client was never corrected.
func Example() {
	var t standIn // go test passes the t of a real test
	testEndsAgree(&t)
	t.end()
	fmt.Println("failed:", t.Failed())
	// Output: failed: false
}

// standIn is the t of a test that no go test runs.
type standIn struct {
	testing.TB
	failed   bool
	log      []string
	cleanups []func()
}

func (t *standIn) Helper()                         {}
func (t *standIn) Output() io.Writer               { return io.Discard }
func (t *standIn) Cleanup(f func())                { t.cleanups = append(t.cleanups, f) }
func (t *standIn) Failed() bool                    { return t.failed }
func (t *standIn) Error(args ...any)               { t.failed = true; t.Log(args...) }
func (t *standIn) Errorf(f string, args ...any)    { t.Error(fmt.Sprintf(f, args...)) }
func (t *standIn) Log(args ...any)                 { t.log = append(t.log, fmt.Sprint(args...)) }
func (t *standIn) Logf(format string, args ...any) { t.Log(fmt.Sprintf(format, args...)) }
func (t *standIn) Fatal(args ...any)               { panic(fmt.Sprint(args...)) }

// end runs the cleanups, the last one first.
func (t *standIn) end() {
	for i := len(t.cleanups) - 1; i >= 0; i-- {
		t.cleanups[i]()
	}
}
