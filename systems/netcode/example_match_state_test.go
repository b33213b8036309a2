package netcode_test

import (
	"fmt"
	"log/slog"
	"math"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/interpolation"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/loopback"
)

// gates is the state of a match: which of its doors are shut.
type gates struct{ Shut [4]bool }

// gateRules is what one end of the game needs: the protocol and its match state.
type gateRules struct {
	*netcode.Protocol[stroller, strollKeys]
	gates *netcode.MatchState[gates]
}

// newGateRules makes them. The server calls it, and each client.
func newGateRules() gateRules {
	var r gateRules
	r.Protocol = must(netcode.NewProtocol(netcode.Config{}, netcode.Game[stroller, strollKeys]{
		Step: func(s stroller, k strollKeys, t netcode.Tick) stroller {
			next := stepStroller(s, k, t)
			// The first door stands at x = 20. Only its value in this tick counts.
			if r.gates.At(t).Shut[0] && s.X <= 20 && next.X > 20 {
				next.X = 20
			}
			return next
		},
		Pose:     poseStroller,
		Distance: func(a, b stroller) float64 { return math.Hypot(float64(a.X-b.X), float64(a.Z-b.Z)) },
	}))
	r.gates = netcode.NewMatchState(r.Protocol, "gates", nil, gates{})
	return r
}

// A door that stops a player. Step reads the match state for its tick. The server shuts the door
// half a second after it has decided so, so that no client has predicted that tick yet.
func ExampleNewMatchState() {
	defer slog.SetDefault(slog.Default())
	slog.SetDefault(slog.New(slog.DiscardHandler))
	rules, listener := newGateRules(), loopback.Listen(loopback.Config{})
	serverEngine := must(ecs.New(ecs.Config{}))
	spawn := generic.NewMap2[components.Transform3D, netcode.Replicated](serverEngine.World())
	server := must(netcode.NewServer(rules.Protocol, netcode.ServerConfig[stroller, strollKeys]{
		Listener: listener,
		Joined: func(*netcode.Player[stroller, strollKeys]) (stroller, arche.Entity) {
			at := components.NewLogical(components.At3D(0, 0, 0))
			return stroller{}, spawn.NewWith(&at, &netcode.Replicated{Archetype: 1})
		},
	}))
	serverEngine.Install(server)
	serverEngine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
		if t := server.Tick(); t == 60 {
			rules.gates.Set(gates{Shut: [4]bool{true}}, t.Add(30))
		}
	}))

	clientEngine := must(ecs.New(ecs.Config{}))
	client := must(netcode.NewClient(newGateRules().Protocol, netcode.ClientConfig[stroller, strollKeys]{
		Dial:  func() (netcode.Conn, error) { return listener.Dial(), nil },
		Input: func(netcode.Tick) strollKeys { return strollKeys{X: 1} },
	}))
	clientEngine.Install(interpolation.New3D(), client)

	for range 6 * 60 { // frames
		serverEngine.Update(time.Second / 60)
		clientEngine.Update(time.Second / 60)
	}
	state, _ := client.State()
	fmt.Printf("the player stands at %.0f m, after %d corrections\n", state.X, client.Stats().Corrections)
	// Output: the player stands at 20 m, after 0 corrections
}
