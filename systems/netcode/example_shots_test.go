package netcode_test

import (
	"fmt"
	"log/slog"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/loopback"
)

// gunner is a player whose gun cools down for a number of ticks.
type gunner struct {
	X    float32
	Cool uint8
}

// bolt is a shot along x: where it starts.
type bolt struct{ X float32 }

const (
	kindGunner = 1
	kindBolt   = 2
)

func stepGunner(g gunner, in buttons, _ netcode.Tick) gunner {
	switch {
	case g.Cool > 0:
		g.Cool--
	case in.Fire:
		g.Cool = 30
	}
	return g
}

// A player fires a bolt. It is on its own screen in the step of the press, and becomes the replica
// of the server's bolt later.
func ExamplePredictShots() {
	defer slog.SetDefault(slog.Default())
	slog.SetDefault(slog.New(slog.DiscardHandler))

	protocol, err := netcode.NewProtocol(netcode.Config{}, netcode.Game[gunner, buttons]{
		Step: stepGunner,
		Pose: func(g gunner) components.Pose3D { return components.At3D(g.X, 0, 0) },
		Distance: func(a, b gunner) float64 {
			return max(float64(a.X-b.X), float64(b.X-a.X), float64(a.Cool)-float64(b.Cool), float64(b.Cool)-float64(a.Cool))
		},
	})
	if err != nil {
		panic(err)
	}
	netcode.PredictShots(protocol, "bolt", netcode.Shots[gunner, buttons, bolt]{
		Archetype: kindBolt,
		Fire: func(before, after gunner, _ buttons, _ netcode.Tick, launch func(bolt)) {
			if before.Cool == 0 && after.Cool > 0 { // the step has fired
				launch(bolt{X: after.X})
			}
		},
		Path: func(b bolt, age float64) (components.Pose3D, bool) {
			return components.At3D(b.X+float32(age)*0.5, 1, 0), age < 45
		},
	})

	listener := loopback.Listen(loopback.Config{})
	engine, err := ecs.New(ecs.Config{FixedRate: 60})
	if err != nil {
		panic(err)
	}
	spawn := generic.NewMap2[components.Transform3D, netcode.Replicated](engine.World())
	server, err := netcode.NewServer(protocol, netcode.ServerConfig[gunner, buttons]{
		Listener: listener,
		Joined: func(*netcode.Player[gunner, buttons]) (gunner, arche.Entity) {
			l := components.NewLogical(components.Identity3D())
			return gunner{}, spawn.NewWith(&l, &netcode.Replicated{Archetype: kindGunner})
		},
	})
	if err != nil {
		panic(err)
	}
	engine.Install(server)

	screen, err := ecs.New(ecs.Config{FixedRate: 60})
	if err != nil {
		panic(err)
	}
	press := false
	client, err := netcode.NewClient(protocol, netcode.ClientConfig[gunner, buttons]{
		Dial:  func() (transport.Conn, error) { return listener.Dial(), nil },
		Input: func(netcode.Tick) buttons { return buttons{Fire: press} },
	})
	if err != nil {
		panic(err)
	}
	screen.Install(client)
	play := func(frames int) {
		for range frames {
			engine.Update(time.Second / 60)
			screen.Update(time.Second / 60)
		}
	}
	bolts := generic.NewFilter2[netcode.Replicated, bolt]()
	print := func(when string) {
		query := bolts.Query(screen.World())
		for query.Next() {
			replicated, _ := query.Get()
			fmt.Printf("%s: a bolt of player %d, with an ID: %t\n", when, replicated.Owner, replicated.ID != netcode.NoEntity)
		}
	}
	play(180)
	press = true
	play(1)
	press = false
	print("at once")
	play(20)
	print("later")
	play(60)
	print("in the end") // its path has ended
	// Output:
	// at once: a bolt of player 1, with an ID: false
	// later: a bolt of player 1, with an ID: true
}
