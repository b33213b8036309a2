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
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/loopback"
)

const kindMine = 9

// model holds the data of an entity for a client's renderer.
type model struct {
	Kind  uint16
	Owned bool
}

// A player lays a mine, which is sent to no other client. Then the player is removed.
func ExampleServerConfig() {
	defer slog.SetDefault(slog.Default())
	slog.SetDefault(slog.New(slog.DiscardHandler))

	protocol, listener := exampleProtocol(), loopback.Listen(loopback.Config{})
	engine := MustEngine()
	spawn := generic.NewMap2[components.Transform3D, netcode.Replicated](engine.World())
	put := func(kind, owner uint16, pose components.Pose3D) arche.Entity {
		l := components.NewLogical(pose)
		return spawn.NewWith(&l, &netcode.Replicated{Archetype: kind, Owner: owner})
	}
	server, err := netcode.NewServer(protocol, netcode.ServerConfig[hero, buttons]{
		Listener: listener,
		Joined: func(p *netcode.Player[hero, buttons]) (hero, arche.Entity) {
			h := hero{X: float32(p.Number())}
			return h, put(kindHero, p.Number(), poseHero(h))
		},
		Message: func(p *netcode.Player[hero, buttons], data []byte, _ bool) {
			if string(data) == "mine" {
				put(kindMine, p.Number(), poseHero(p.State))
			}
		},
		Interest: netcode.Interest{Radius: 100}, // farther entities are not sent
		Relevant: func(p *netcode.Player[hero, buttons], e arche.Entity) bool {
			_, r := spawn.Get(e)
			return r.Archetype != kindMine || r.Owner == p.Number()
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	engine.Install(server)

	step := func() { engine.Update(time.Second / 60) }
	var clients []*netcode.Client[hero, buttons]
	for range 2 {
		world := MustEngine()
		models := generic.NewMap3[components.Transform3D, components.Visual3D, model](world.World())
		client, err := netcode.NewClient(protocol, netcode.ClientConfig[hero, buttons]{
			Dial:  func() (transport.Conn, error) { return listener.Dial(), nil },
			Input: func(netcode.Tick) buttons { return buttons{} },
			Spawn: func(_ *arche.World, r netcode.Replicated, owned bool) arche.Entity {
				return models.NewWith(&components.Transform3D{}, &components.Visual3D{}, &model{r.Archetype, owned})
			},
		})
		if err != nil {
			log.Fatal(err)
		}
		world.Install(interpolation.New3D(), client)
		clients = append(clients, client)
		others := step
		step = func() { others(); world.Update(time.Second / 60) }
	}
	seconds := func(n int) {
		for range n * 60 {
			step()
		}
	}
	seconds(1)
	if err := clients[0].Send([]byte("mine")); err != nil {
		fmt.Println(err)
	}
	seconds(1)
	for _, c := range clients {
		fmt.Println("player", c.Number(), "knows of", c.Stats().Replicas, "entities of", server.Stats().Entities)
	}
	server.Player(1).Kick("no mines here")
	seconds(1)
	fmt.Println(clients[0].Status())
	// Output:
	// player 1 knows of 3 entities of 3
	// player 2 knows of 2 entities of 3
	// ended kicked: no mines here
}

func MustEngine(plugins ...ecs.Plugin) *ecs.Engine {
	engine, err := ecs.New(ecs.Config{FixedRate: 60})
	if err != nil {
		log.Fatal(err)
	}
	engine.Install(plugins...)
	return engine
}
