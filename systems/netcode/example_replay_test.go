package netcode_test

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/interpolation"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/replay"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/loopback"
)

// A server records a bot that runs for ten seconds. A client then plays the file: it goes to a
// moment, in a pause, and on from there in slow motion.
func ExampleServer_Record() {
	dir, err := os.MkdirTemp("", "replay")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "match.replay")

	engine, err := ecs.New(ecs.Config{FixedRate: 60})
	if err != nil {
		panic(err)
	}
	spawn := generic.NewMap2[components.Transform3D, netcode.Replicated](engine.World())
	server, err := netcode.NewServer(exampleProtocol(), netcode.ServerConfig[hero, buttons]{
		Listener: loopback.Listen(loopback.Config{}),
		Joined: func(*netcode.Player[hero, buttons]) (hero, arche.Entity) {
			l := components.NewLogical(poseHero(hero{}))
			return hero{}, spawn.NewWith(&l, &netcode.Replicated{Archetype: kindHero})
		},
	})
	if err != nil {
		panic(err)
	}
	engine.Install(server)
	bot, err := server.AddBot(func(*netcode.Player[hero, buttons], netcode.Tick) buttons { return buttons{X: 1} })
	if err != nil {
		panic(err)
	}

	file, err := replay.Create(name, replay.Info{Game: "heroes", Version: "1.4"})
	if err != nil {
		panic(err)
	}
	if err := server.Record(file); err != nil {
		panic(err)
	}
	for range 10 * 60 {
		engine.Update(time.Second / 60)
	}
	server.Mark("far away", bot.Number())
	if err := file.Close(); err != nil {
		panic(err) // it says what could not be written
	}

	tape, err := replay.Open(name)
	if err != nil {
		panic(err)
	}
	defer tape.Close()
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
	view.Follow(bot.Number())
	visuals := generic.NewMap1[components.Visual3D](theatre.World())
	x := func() float32 { return visuals.Get(client.Entity()).Get().Position.X() }
	if err := theatre.SetScale(0); err != nil { // a pause
		panic(err)
	}
	view.Seek(5 * time.Second)
	theatre.Update(time.Second / 60)
	fmt.Printf("%.1f s of %.0f s: it is drawn at %.1f m\n", view.At().Seconds(), view.Length().Seconds(), x())
	if err := theatre.SetScale(0.25); err != nil {
		panic(err)
	}
	from := x()
	for range 4 * 60 {
		theatre.Update(time.Second / 60)
	}
	fmt.Printf("4 s at a quarter of the speed: %.1f m on\n", x()-from)
	// Output:
	// 5.0 s of 10 s: it is drawn at 30.1 m
	// 4 s at a quarter of the speed: 6.0 m on
}
