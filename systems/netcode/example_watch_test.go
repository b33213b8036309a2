package netcode_test

import (
	"fmt"
	"io"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/interpolation"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/timeline"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/loopback"
)

// A bot runs, and the line of a client that watches it is cut for half a second. The log then tells
// why the bot stood still, and is written as a page with plots.
func ExampleClient_Watch() {
	listener := loopback.Listen(loopback.Config{})
	var spawn generic.Map2[components.Transform3D, netcode.Replicated]
	server := must(netcode.NewServer(exampleProtocol(), netcode.ServerConfig[hero, buttons]{
		Listener: listener, Log: quiet(),
		Joined: func(*netcode.Player[hero, buttons]) (hero, arche.Entity) {
			l := components.NewLogical(poseHero(hero{}))
			return hero{}, spawn.NewWith(&l, &netcode.Replicated{Archetype: kindHero})
		},
	}))
	serverEngine := MustEngine(server)
	spawn = generic.NewMap2[components.Transform3D, netcode.Replicated](serverEngine.World())
	bot := must(server.AddBot(func(*netcode.Player[hero, buttons], netcode.Tick) buttons { return buttons{X: 1} }))
	var line *linksim.Conn
	client := must(netcode.NewClient(exampleProtocol(), netcode.ClientConfig[hero, buttons]{
		Dial: func() (conn netcode.Conn, err error) {
			line, err = linksim.Wrap(listener.Dial(), linksim.Symmetric(linksim.Condition{Delay: 40 * time.Millisecond}))
			return line, err
		},
		Input: func(netcode.Tick) buttons { return buttons{} }, Log: quiet(),
	}))
	clientEngine := MustEngine(interpolation.New3D(), client)
	run := func(frames int) {
		for range frames {
			serverEngine.Update(time.Second / 60)
			clientEngine.Update(time.Second / 60)
		}
	}
	run(5 * 60)

	id := generic.NewMap1[netcode.Replicated](serverEngine.World())
	watched := id.Get(bot.Entity).ID
	log := timeline.New(0) // the newest 32768 events
	log.Names[watched] = "bot"
	client.Watch(log, watched)
	run(60)
	whole := line.Path()
	_ = line.SetPath(linksim.Symmetric(linksim.Condition{Loss: 1}))
	run(30)
	_ = line.SetPath(whole)
	run(3 * 60)

	for _, track := range log.Tracks() {
		for _, s := range track.Slices {
			if s.Bad {
				fmt.Printf("%s: %s for %.1f s\n", track.Name, s.Name, (s.To - s.From).Seconds())
			}
		}
	}
	if err := log.WriteHTML(io.Discard, "Why the bot stood"); err != nil { // into a file
		panic(err)
	}
	// Output:
	// line: lost for 0.5 s
	// line: view waits for 0.4 s
	// bot: starved for 0.5 s
	// bot: held for 0.4 s
}
