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

// A shot is judged by the picture on the shooter's screen, not by the target's present place.
func ExamplePlayer_Rewind() {
	defer slog.SetDefault(slog.Default())
	slog.SetDefault(slog.New(slog.DiscardHandler))

	protocol, listener := exampleProtocol(), loopback.Listen(loopback.Config{})
	engine, err := ecs.New(ecs.Config{FixedRate: 60})
	if err != nil {
		panic(err)
	}
	spawn := generic.NewMap2[components.Transform3D, netcode.Replicated](engine.World())
	var shooter *netcode.Player[hero, buttons]
	server, err := netcode.NewServer(protocol, netcode.ServerConfig[hero, buttons]{
		Listener: listener,
		Joined: func(p *netcode.Player[hero, buttons]) (hero, arche.Entity) {
			shooter = p
			l := components.NewLogical(components.Identity3D())
			return hero{}, spawn.NewWith(&l, &netcode.Replicated{Archetype: kindHero})
		},
	})
	if err != nil {
		panic(err)
	}
	engine.Install(server)

	// The target runs along x at 6 m/s.
	start := components.NewLogical(components.Identity3D())
	target := spawn.NewWith(&start, &netcode.Replicated{Archetype: kindCrate})
	shots, behind := 0, float32(0)
	engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
		transform, _ := spawn.Get(target)
		transform.Set(components.At3D(6*float32(engine.Time().StepEnd.Seconds()), 0, 0))
		if shooter == nil || !shooter.Input.Fire {
			return
		}
		shooter.Rewind(func(at func(arche.Entity) (components.Pose3D, bool)) {
			if seen, ok := at(target); ok {
				shots++
				behind = transform.Get().Position[0] - seen.Position[0]
			}
		})
	}))

	client, _ := exampleClient(protocol,
		func() (transport.Conn, error) { return listener.Dial(), nil },
		func(t netcode.Tick) buttons { return buttons{Fire: t%60 == 0} },
	)
	for range 6 * 60 {
		engine.Update(time.Second / 60)
		client.Update(time.Second / 60)
	}
	fmt.Println("shots were judged:", shots > 2)
	fmt.Println("the target has run on since, by 0.3 to 1.5 m:", behind > 0.3 && behind < 1.5)
	// Output:
	// shots were judged: true
	// the target has run on since, by 0.3 to 1.5 m: true
}
