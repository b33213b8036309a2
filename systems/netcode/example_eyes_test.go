package netcode_test

import (
	"fmt"
	"log/slog"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/interpolation"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/replay"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/loopback"
)

// A player fires while a bot runs past. The replay stops at a shot, and shows the bot where the
// match had it, and then where that player saw it.
func ExampleReplay_FollowEyes() {
	defer slog.SetDefault(slog.Default())
	slog.SetDefault(slog.New(slog.DiscardHandler)) // joins and leaves

	listener := loopback.Listen(loopback.Config{})
	engine, err := ecs.New(ecs.Config{FixedRate: 60})
	if err != nil {
		panic(err)
	}
	spawn := generic.NewMap2[components.Transform3D, netcode.Replicated](engine.World())
	server, err := netcode.NewServer(exampleProtocol(), netcode.ServerConfig[hero, buttons]{
		Listener: listener,
		Joined: func(p *netcode.Player[hero, buttons]) (hero, arche.Entity) {
			state := hero{Z: float32(p.Number())}
			l := components.NewLogical(poseHero(state))
			return state, spawn.NewWith(&l, &netcode.Replicated{Archetype: kindHero})
		},
	})
	if err != nil {
		panic(err)
	}
	engine.Install(server)
	if _, err := server.AddBot(func(*netcode.Player[hero, buttons], netcode.Tick) buttons { return buttons{X: 1} }); err != nil {
		panic(err)
	}
	ring := replay.NewRing(10 * time.Second)
	if err := server.Record(ring); err != nil {
		panic(err)
	}
	player, live := exampleClient(exampleProtocol(),
		func() (transport.Conn, error) { return listener.Dial(), nil },
		func(t netcode.Tick) buttons { return buttons{Fire: t%60 == 0} },
	)
	for range 6 * 60 {
		engine.Update(time.Second / 60)
		player.Update(time.Second / 60)
	}
	shooter := live.Number()

	tape, err := ring.Clip(10 * time.Second)
	if err != nil {
		panic(err)
	}
	theatre, err := ecs.New(ecs.Config{FixedRate: 60})
	if err != nil {
		panic(err)
	}
	client, err := netcode.NewClient(exampleProtocol(), netcode.ClientConfig[hero, buttons]{Replay: tape})
	if err != nil {
		panic(err)
	}
	theatre.Install(interpolation.New3D(), client)
	view := client.Replay()
	view.Seek(4 * time.Second)
	view.Follow(shooter)
	for { // up to a step in which the player fires
		theatre.Update(time.Second / 60)
		if in, ok := client.Input(); ok && in.Fire {
			break
		}
	}
	target := func() (x float32) {
		filter := generic.NewFilter2[components.Visual3D, netcode.Replicated]()
		for q := filter.Query(theatre.World()); q.Next(); {
			if visual, replica := q.Get(); replica.Owner != shooter {
				x = visual.Get().Position.X()
			}
		}
		return x
	}
	if err := theatre.SetScale(0); err != nil { // a pause
		panic(err)
	}
	theatre.Update(0)
	there := target()
	view.FollowEyes(shooter)
	theatre.Update(time.Second / 60)
	behind := there - target()
	fmt.Println("the player saw the bot 0.3 to 1.5 m back:", behind > 0.3 && behind < 1.5)
	// Output:
	// the player saw the bot 0.3 to 1.5 m back: true
}
