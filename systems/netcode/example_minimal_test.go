package netcode_test

import (
	"fmt"
	"log"
	"log/slog"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/interpolation"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/loopback"
)

type stroller struct{ X, Z float32 }

type strollKeys struct {
	X, Z int8 `range:"-1,1"`
}

func stepStroller(w stroller, k strollKeys, _ netcode.Tick) stroller {
	return stroller{w.X + 0.1*float32(k.X), w.Z + 0.1*float32(k.Z)}
}

func poseStroller(w stroller) components.Pose3D { return components.At3D(w.X, 0, w.Z) }

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}

// The smallest networked game: players that walk. Each end makes the same protocol. The server
// spawns an entity for each player, and the client asks for the keys once in each step. A program
// draws every Visual3D of the client's world.
func Example_smallestGame() {
	defer slog.SetDefault(slog.Default())
	slog.SetDefault(slog.New(slog.DiscardHandler)) // players join and leave
	protocol := must(netcode.NewProtocol(netcode.Config{}, netcode.Game[stroller, strollKeys]{
		Step: stepStroller, Pose: poseStroller,
	}))
	listener := loopback.Listen(loopback.Config{}) // between machines: dtls.Listen and dtls.Dial

	serverEngine := must(ecs.New(ecs.Config{}))
	spawn := generic.NewMap2[components.Transform3D, netcode.Replicated](serverEngine.World())
	serverEngine.Install(must(netcode.NewServer(protocol, netcode.ServerConfig[stroller, strollKeys]{
		Listener: listener,
		Joined: func(*netcode.Player[stroller, strollKeys]) (stroller, arche.Entity) {
			at := components.NewLogical(components.At3D(0, 0, 0))
			return stroller{}, spawn.NewWith(&at, &netcode.Replicated{Archetype: 1})
		},
	})))

	clientEngine := must(ecs.New(ecs.Config{}))
	client := must(netcode.NewClient(protocol, netcode.ClientConfig[stroller, strollKeys]{
		Dial:  func() (netcode.Conn, error) { return listener.Dial(), nil },
		Input: func(netcode.Tick) strollKeys { return strollKeys{X: 1} },
	}))
	clientEngine.Install(interpolation.New3D(), client)

	for range 3 * 60 { // frames
		serverEngine.Update(time.Second / 60)
		clientEngine.Update(time.Second / 60)
	}
	state, playing := client.State()
	fmt.Println(playing, state.X > 10)
	// Output: true true
}
