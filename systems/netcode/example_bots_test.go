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

// A bot plays, and the first client watches it: a spectator has no entity, and the bot's entity is
// its Eye. So Interest shows it what is around the bot.
func ExampleServer_AddBot() {
	defer slog.SetDefault(slog.Default())
	slog.SetDefault(slog.New(slog.DiscardHandler))

	protocol, listener := exampleProtocol(), loopback.Listen(loopback.Config{})
	engine, err := ecs.New(ecs.Config{FixedRate: 60})
	if err != nil {
		panic(err)
	}
	spawn := generic.NewMap2[components.Transform3D, netcode.Replicated](engine.World())
	var bot *netcode.Player[hero, buttons]
	server, err := netcode.NewServer(protocol, netcode.ServerConfig[hero, buttons]{
		Listener: listener,
		Interest: netcode.Interest{Radius: 20},
		Joined: func(p *netcode.Player[hero, buttons]) (hero, arche.Entity) {
			if bot != nil { // a spectator
				p.Eye = bot.Entity
				return hero{}, arche.Entity{}
			}
			l := components.NewLogical(poseHero(hero{}))
			return hero{}, spawn.NewWith(&l, &netcode.Replicated{Archetype: kindHero})
		},
	})
	if err != nil {
		panic(err)
	}
	engine.Install(server)

	// It runs to and fro between 0 and 5 m.
	way := int8(1)
	bot, err = server.AddBot(func(p *netcode.Player[hero, buttons], _ netcode.Tick) buttons {
		switch {
		case p.State.X > 5:
			way = -1
		case p.State.X < 0:
			way = 1
		}
		return buttons{X: way}
	})
	if err != nil {
		panic(err) // the server is full, or drains
	}
	far := components.NewLogical(components.At3D(100, 0, 0))
	box := spawn.NewWith(&far, &netcode.Replicated{Archetype: kindHero})

	world, client := exampleClient(protocol,
		func() (transport.Conn, error) { return listener.Dial(), nil }, func(netcode.Tick) buttons { return buttons{} })
	for range 4 * 60 {
		engine.Update(time.Second / 60)
		world.Update(time.Second / 60)
	}
	shown := func(e arche.Entity) bool {
		_, r := spawn.Get(e)
		return !client.Replica(r.ID).IsZero()
	}
	fmt.Println("the bot is shown:", shown(bot.Entity), "the box 100 m away:", shown(box))
	bot.Kick("a player wants the place")
	// Output: the bot is shown: true the box 100 m away: false
}
