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

// A replicated component can be drawn in gliding motion: a value that the server writes ten times a
// second is interpolated as a pose is. Spawn gives the replica a Logical and a Visual of it, and a
// system of the client's copies the values that arrive.
func ExampleReplicateComponent_glide() {
	defer slog.SetDefault(slog.Default())
	slog.SetDefault(slog.New(slog.DiscardHandler))

	listener := loopback.Listen(loopback.Config{})
	protocol := exampleProtocol() // replicates health
	server, err := netcode.NewServer(protocol, netcode.ServerConfig[hero, buttons]{
		Listener: listener, Joined: func(*netcode.Player[hero, buttons]) (hero, arche.Entity) { return hero{}, arche.Entity{} },
	})
	if err != nil {
		log.Fatal(err)
	}
	world := MustEngine(server)
	patients := generic.NewMap3[components.Transform3D, netcode.Replicated, health](world.World())
	pose := components.NewLogical(components.Identity3D())
	patient := patients.NewWith(&pose, &netcode.Replicated{Archetype: kindHero}, &health{})
	world.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
		if world.Time().Tick%6 == 0 {
			_, _, h := patients.Get(patient)
			h.Points += 6
		}
	}))

	client, err := netcode.NewClient(protocol, netcode.ClientConfig[hero, buttons]{
		Dial:  func() (transport.Conn, error) { return listener.Dial(), nil },
		Input: func(netcode.Tick) buttons { return buttons{} },
		Spawn: func(w *arche.World, r netcode.Replicated, owned bool) arche.Entity {
			pose := components.NewLogical(components.Identity3D())
			bars := generic.NewMap4[components.Transform3D, components.Visual3D, components.Logical[float32], components.Visual[float32]](w)
			return bars.NewWith(&pose, &components.Visual3D{}, &components.Logical[float32]{}, &components.Visual[float32]{})
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	engine := MustEngine(interpolation.New3D(), interpolation.NewLinear[float32](), client)
	told := generic.NewFilter2[health, components.Logical[float32]]()
	engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(w *arche.World) {
		for query := told.Query(w); query.Next(); {
			h, bar := query.Get()
			if points := float32(h.Points); points != bar.Get() {
				bar.SetOver(points, time.Second/10) // it changes ten times a second
			}
		}
	}))

	bars := generic.NewFilter1[components.Visual[float32]]()
	last, least, most := float32(0), float32(100), float32(0)
	for frame := range 5 * 240 {
		world.Update(time.Second / 240)
		engine.Update(time.Second / 240)
		for query := bars.Query(engine.World()); query.Next(); {
			shown := query.Get().Get()
			if frame > 3*240 {
				least, most = min(least, shown-last), max(most, shown-last)
			}
			last = shown
		}
	}
	fmt.Printf("60 points a second are %.1f to %.1f in each of 240 frames\n", least*240, most*240)
	// Output: 60 points a second are 60.0 to 60.0 in each of 240 frames
}
