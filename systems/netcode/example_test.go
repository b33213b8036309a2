package netcode_test

import (
	"fmt"
	"math"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/snapshot"
	"github.com/tandem-ecs/tandem/systems/netcode/tick"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/loopback"
)

// What both ends share: the player, his step, how he travels.
func exampleProtocol() *netcode.Protocol[runner, input] {
	p, err := netcode.NewProtocol(snapshot.Config{TickRate: 60, Velocity: snapshot.Range{Max: 64, Resolution: 1.0 / 32}}, netcode.Game[runner, input]{
		Step:     stepRunner, // func(state runner, in input, t tick.Tick) runner
		Pose:     poseRunner,
		States:   runnerCodec{},
		Inputs:   inputCodec{},
		Distance: func(a, b runner) float64 { return math.Hypot(float64(a.X-b.X), float64(a.Z-b.Z)) },
	})
	if err != nil {
		panic(err)
	}
	return p
}

func exampleServer(listener transport.Listener) *ecs.Engine {
	engine, err := ecs.New(ecs.Config{FixedRate: 60})
	if err != nil {
		panic(err)
	}
	spawn := generic.NewMap2[components.Transform3D, netcode.Replicated](engine.World())
	server, err := netcode.NewServer(exampleProtocol(), netcode.ServerConfig[runner, input]{
		Listener: listener, // dtls.Listen, websocket.Listen, loopback.Listen
		Joined: func(p *netcode.Player[runner, input]) (runner, arche.Entity) {
			state := runner{Z: float32(p.Number())}
			l := components.NewLogical(poseRunner(state))
			return state, spawn.NewWith(&l, &netcode.Replicated{Kind: kindRun})
		},
		Log: quiet(),
	})
	if err != nil {
		panic(err)
	}
	engine.Install(server)
	return engine
}

func exampleClient(dial func() (transport.Conn, error), buttons func(tick.Tick) input) (*ecs.Engine, *netcode.Client[runner, input]) {
	engine, err := ecs.New(ecs.Config{FixedRate: 60})
	if err != nil {
		panic(err)
	}
	client, err := netcode.NewClient(exampleProtocol(), netcode.ClientConfig[runner, input]{
		Dial:  dial,
		Input: buttons,
		Log:   quiet(),
	})
	if err != nil {
		panic(err)
	}
	engine.Install(systems.Interpolation3D(), client) // draw every Visual3D, as for a local world
	return engine, client
}

// A server and a client in one process: a player runs for two seconds. With another transport these are two programs.
func Example() {
	listener := loopback.Listen(loopback.Config{})
	server := exampleServer(listener)
	engine, client := exampleClient(
		func() (transport.Conn, error) { return listener.Dial(), nil },
		func(tick.Tick) input { return input{X: 1} },
	)
	for range 3 * 60 { // three seconds, one of which passes until the clocks agree
		server.Update(time.Second / 60)
		engine.Update(time.Second / 60)
	}
	status, _ := client.Status()
	state, predicted := client.State()
	fmt.Println(status, predicted, state.X > 10)
	// Output: playing true true
}
