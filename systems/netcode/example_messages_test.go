package netcode_test

import (
	"fmt"
	"log/slog"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/loopback"
)

// Orders, chat and abilities are messages: they arrive once and in order, even if packets are lost.
func ExampleClient_Send() {
	defer slog.SetDefault(slog.Default())
	slog.SetDefault(slog.New(slog.DiscardHandler))

	protocol, listener := exampleProtocol(), loopback.Listen(loopback.Config{})
	engine, err := ecs.New(ecs.Config{FixedRate: 60})
	if err != nil {
		panic(err)
	}
	server, err := netcode.NewServer(protocol, netcode.ServerConfig[hero, buttons]{
		Listener: listener,
		// a spectator
		Joined: func(*netcode.Player[hero, buttons]) (hero, arche.Entity) { return hero{}, arche.Entity{} },
		Message: func(p *netcode.Player[hero, buttons], data []byte, _ bool) {
			fmt.Printf("player %d orders: %s\n", p.Number(), data)
		},
	})
	if err != nil {
		panic(err)
	}
	engine.Install(server)
	world, client := exampleClient(protocol,
		func() (transport.Conn, error) { return listener.Dial(), nil }, func(netcode.Tick) buttons { return buttons{} })
	for step := range 2 * 60 {
		if step == 60 {
			for _, order := range []string{"build a house", "build a road"} {
				if err := client.Send([]byte(order)); err != nil {
					fmt.Println(err)
				}
			}
		}
		engine.Update(time.Second / 60)
		world.Update(time.Second / 60)
	}
	// Output:
	// player 1 orders: build a house
	// player 1 orders: build a road
}
