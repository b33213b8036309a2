package host_test

import (
	"context"
	"fmt"
	"log"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/host"
)

// walker is the state that server and clients of the game share: a player walks along a line.
type walker struct{ X float32 }

type walk struct {
	X int8 `range:"-1,1"`
}

func newProtocol() *netcode.Protocol[walker, walk] {
	p, err := netcode.NewProtocol(netcode.Config{TickRate: 60}, netcode.Game[walker, walk]{
		Step: func(w walker, in walk, _ netcode.Tick) walker { return walker{w.X + float32(in.X)/10} },
		Pose: func(w walker) components.Pose3D { return components.At3D(w.X, 0, 0) },
	})
	if err != nil {
		log.Fatal(err)
	}
	return p
}

// A dedicated server. This one ends after a moment and listens on this machine alone. A real one
// has the lines that are comments here.
func Example() {
	// ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	ctx, stop := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer stop()
	// host.Config{Listen: ":7777", Public: "play.example.org", State: "state"}
	h, err := host.Open(host.Config{Listen: "127.0.0.1:0"})
	if err != nil {
		log.Fatal(err)
	}
	defer h.Close()
	engine, err := ecs.New(ecs.Config{FixedRate: 60})
	if err != nil {
		log.Fatal(err)
	}
	spawn := generic.NewMap2[components.Transform3D, netcode.Replicated](engine.World())
	server, err := host.NewServer(h, engine, newProtocol(), netcode.ServerConfig[walker, walk]{
		Joined: func(p *netcode.Player[walker, walk]) (walker, arche.Entity) {
			at := components.NewLogical(components.At3D(0, 0, 0))
			return walker{}, spawn.NewWith(&at, &netcode.Replicated{Archetype: 1})
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	// fmt.Println(h.Links()[0])
	fmt.Println(h.Links()[0].Transport, "with a token:", h.Links()[0].Token != "")
	// h.Console(os.Stdin, os.Stdout)
	h.Run(ctx)
	fmt.Println("players:", server.Stats().Players)
	// Output:
	// tandem with a token: true
	// players: 0
}
