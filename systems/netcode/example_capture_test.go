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

// A client is captured for ten seconds. Later, on the machine of a developer, it runs again with
// the same picture in every frame.
func ExampleClient_Capture() {
	dir := must(os.MkdirTemp("", "capture"))
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "bug.capture")

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
	client := must(netcode.NewClient(exampleProtocol(), netcode.ClientConfig[hero, buttons]{
		Dial:  func() (netcode.Conn, error) { return listener.Dial(), nil },
		Input: func(netcode.Tick) buttons { return buttons{X: 1} }, Log: quiet(),
	}))
	engine := MustEngine(interpolation.New3D(), client)

	file, err := replay.Create(name, replay.Info{Game: "heroes", Version: "1.4"})
	if err != nil {
		panic(err)
	}
	if err := client.Capture(file); err != nil { // before the engine's first Update
		panic(err)
	}
	for range 10 * 60 {
		serverEngine.Update(time.Second / 60)
		engine.Update(time.Second / 60)
	}
	where := func(e *ecs.Engine, c *netcode.Client[hero, buttons]) float32 {
		visuals := generic.NewMap1[components.Visual3D](e.World())
		return visuals.Get(c.Entity()).Get().Position.X()
	}
	live := where(engine, client)
	if err := file.Close(); err != nil {
		panic(err)
	}

	tape, err := replay.Open(name)
	if err != nil {
		panic(err)
	}
	defer tape.Close()
	again, err := netcode.NewClient(exampleProtocol(), netcode.ClientConfig[hero, buttons]{Replay: tape, Log: quiet()})
	if err != nil {
		panic(err)
	}
	desk := MustEngine(interpolation.New3D(), again)
	for frame := range again.Rerun().Frames() {
		desk.Update(frame)
	}
	fmt.Println("the same to the last bit:", again.Rerun().Err() == nil && where(desk, again) == live)
	// Output:
	// the same to the last bit: true
}
