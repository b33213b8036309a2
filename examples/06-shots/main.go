// 06-shots is a rocket from the press to the hit, in virtual time: a server with a bot, and the
// clients of Ann and Ben with round trips of 200 ms. It prints where each has the rocket.
//
//	go run ./examples/06-shots
package main

import (
	"fmt"
	"log"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/interpolation"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/loopback"
)

type gunner struct{ X, Z float32 }
type keys struct{ West, Fire bool }
type rocket struct{ X, Ends float32 } // all that its path depends on; Ends: in ticks

func step(g gunner, in keys, _ netcode.Tick) gunner {
	if in.West {
		g.X -= 0.05
	}
	return g
}

func fire(before, after gunner, in keys, _ netcode.Tick, launch func(rocket)) {
	if in.Fire {
		launch(rocket{X: after.X, Ends: 60})
	}
}

func path(r rocket, age float64) (at components.Pose3D, flies bool) {
	return components.At3D(r.X, 0, float32(age)), age < float64(r.Ends) // a metre in a tick
}

func main() {
	pose := func(g gunner) components.Pose3D { return components.At3D(g.X, 0, g.Z) }
	protocol := must(netcode.NewProtocol(netcode.Config{}, netcode.Game[gunner, keys]{Step: step, Pose: pose}))
	netcode.PredictShots(protocol, "rocket", netcode.Shots[gunner, keys, rocket]{Archetype: 2, Fire: fire, Path: path})
	listener, engines := loopback.Listen(loopback.Config{}), []*ecs.Engine{must(ecs.New(ecs.Config{})), must(ecs.New(ecs.Config{})), must(ecs.New(ecs.Config{}))}
	spawn := generic.NewMap2[components.Transform3D, netcode.Replicated](engines[0].World())
	server := must(netcode.NewServer(protocol, netcode.ServerConfig[gunner, keys]{
		Listener: listener, Joined: func(p *netcode.Player[gunner, keys]) (gunner, arche.Entity) {
			first := map[uint16]gunner{1: {X: 10, Z: 12}}[p.Number()] // the bot is player 1
			at := components.NewLogical(pose(first))
			return first, spawn.NewWith(&at, &netcode.Replicated{Archetype: 1})
		},
	}))
	engines[0].Install(server)
	bot := must(server.AddBot(func(*netcode.Player[gunner, keys], netcode.Tick) keys { return keys{West: true} }))
	engines[0].Add(ecs.FixedUpdate, ecs.SystemFunc(func(w *arche.World) {
		for query := generic.NewFilter3[rocket, components.Transform3D, netcode.Replicated]().Query(w); query.Next(); {
			r, transform, replicated := query.Get()
			server.Player(replicated.Owner).Rewind(func(at func(arche.Entity) (components.Pose3D, bool)) {
				seen, _ := at(bot.Entity)
				off, z := seen.Position[0]-r.X, transform.Get().Position[2]
				if z >= 12 && z < 13 && off > -0.5 && off < 0.5 { // it passes the bot
					fmt.Printf("a hit: the bot is off by %.2f m on Ann's screen, and by %.2f m here\n", off, bot.State.X-r.X)
					r.Ends = 12
				}
			})
		}
	}))
	for k, engine := range engines[1:] {
		engine.Install(interpolation.New3D(), must(netcode.NewClient(protocol, netcode.ClientConfig[gunner, keys]{
			Dial: func() (netcode.Conn, error) {
				return linksim.Wrap(listener.Dial(), linksim.Symmetric(linksim.Condition{Delay: 100 * time.Millisecond}))
			},
			Input: func(t netcode.Tick) keys { return keys{Fire: k == 0 && t == 208} }, // Ann
		})))
	}
	for frame := range 4 * 60 {
		places := [3]string{"-", "-", "-"}
		for k, engine := range engines {
			engine.Update(time.Second / 60)
			for query := generic.NewFilter3[rocket, components.Transform3D, netcode.Replicated]().Query(engine.World()); query.Next(); {
				_, transform, r := query.Get()
				places[k] = fmt.Sprintf("%2.0f m%s", transform.Get().Position[2], map[bool]string{true: ", predicted"}[r.ID == netcode.NoEntity])
			}
		}
		if frame >= 196 && frame%3 == 0 {
			fmt.Printf("%4d ms  server: %-5s  Ann: %-15s  Ben: %s\n", frame*1000/60, places[0], places[1], places[2])
		}
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}
