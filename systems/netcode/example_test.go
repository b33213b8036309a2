package netcode_test

import (
	"fmt"
	"log"
	"log/slog"
	"math"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/interpolation"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/loopback"
)

// Both ends share the player's state, its step and its codecs.
func exampleProtocol() *netcode.Protocol[hero, buttons] {
	protocol, err := netcode.NewProtocol(netcode.Config{TickRate: 60}, netcode.Game[hero, buttons]{
		Step:     stepHero,                    // func(h hero, in buttons, t netcode.Tick) hero
		Pose:     poseHero,                    // func(h hero) components.Pose3D
		States:   netcode.StructState[hero](), // or a codec of your own
		Inputs:   netcode.StructInput[buttons](),
		Distance: func(a, b hero) float64 { return math.Hypot(float64(a.X-b.X), float64(a.Z-b.Z)) },
		// replaces a missing input
		Rules: netcode.InputRules[buttons]{Repeat: repeatButtons, Merge: mergeButtons},
	})
	if err != nil {
		log.Fatal(err)
	}
	// any component of yours
	netcode.ReplicateComponent(protocol, "health", netcode.StructComponent[health]())
	// a function of the tick
	protocol.SetScriptedMover(kindLift, liftPath)
	return protocol
}

func exampleServer(
	protocol *netcode.Protocol[hero, buttons], listener transport.Listener, running func() bool, sinceLast func() time.Duration, sleep func(time.Duration),
) {
	engine, err := ecs.New(ecs.Config{FixedRate: 60})
	if err != nil {
		log.Fatal(err)
	}
	spawn := generic.NewMap2[components.Transform3D, netcode.Replicated](engine.World())
	server, err := netcode.NewServer(protocol, netcode.ServerConfig[hero, buttons]{
		Listener: listener, // of dtls.Listen, websocket.Listen or loopback.Listen
		Joined: func(p *netcode.Player[hero, buttons]) (hero, arche.Entity) {
			state := hero{Z: float32(p.Number())}
			l := components.NewLogical(poseHero(state))
			return state, spawn.NewWith(&l, &netcode.Replicated{Archetype: kindHero})
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	engine.Install(server)
	for running() {
		engine.Update(sinceLast())
		t := engine.Time()
		sleep(t.Fixed - t.Normal) // nothing is due before
	}
}

func exampleClient(
	protocol *netcode.Protocol[hero, buttons], dial func() (transport.Conn, error), read func(netcode.Tick) buttons,
) (*ecs.Engine, *netcode.Client[hero, buttons]) {
	engine, err := ecs.New(ecs.Config{FixedRate: 60})
	if err != nil {
		log.Fatal(err)
	}
	client, err := netcode.NewClient(protocol, netcode.ClientConfig[hero, buttons]{
		// func() (transport.Conn, error): calls dtls.Dial, websocket.Dial or a loopback's Dial
		Dial:  dial,
		Input: read, // func(t netcode.Tick) buttons: called once per step
	})
	if err != nil {
		log.Fatal(err)
	}
	engine.Install(interpolation.New3D(), client)
	return engine, client
}

// A server and a client in one process: a player runs for two seconds. With another transport these
// are two programs.
func Example() {
	defer slog.SetDefault(slog.Default())
	slog.SetDefault(slog.New(slog.DiscardHandler)) // joins and leaves

	listener := loopback.Listen(loopback.Config{})
	engine, client := exampleClient(exampleProtocol(),
		func() (transport.Conn, error) { return listener.Dial(), nil },
		func(netcode.Tick) buttons { return buttons{X: 1} },
	)
	frames := 0
	// three seconds, one of which passes while the clocks are set
	running := func() bool { return frames < 3*60 }
	sinceLast := func() time.Duration {
		engine.Update(time.Second / 60) // the client runs
		frames++
		return time.Second / 60
	}
	exampleServer(exampleProtocol(), listener, running, sinceLast, func(time.Duration) {})
	status, _ := client.Status()
	state, predicted := client.State()
	fmt.Println(status, predicted, state.X > 10)
	// Output: playing true true
}
