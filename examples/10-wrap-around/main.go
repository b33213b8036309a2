// 10-wrap-around is a player that runs round a map, and a paternoster. One process holds a server
// and two clients, in virtual time and on lines with a round trip of 200 ms. It prints what both
// clients draw, and how many frames were in between.
//
//	go run ./examples/10-wrap-around
package main

import (
	"fmt"
	"log"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/interpolation"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/loopback"
)

const runnerKind, cabinKind = 1, 2 // archetypes
type runner struct{ X float32 }
type keys struct{ East bool }

// step wraps a player round the map: its edges are at -10 m and 10 m.
func step(r runner, in keys, _ netcode.Tick) runner {
	if in.East {
		r.X += 0.1
	}
	if r.X > 10 {
		r.X -= 20
	}
	return r
}

// cabin rises 10 m in two seconds, and is at the bottom again.
func cabin(t netcode.Tick) components.Pose3D { return components.At3D(0, float32(t%120)/12, 5) }

// teleported reports a jump: no step leads as far as 5 m.
func teleported(before, after components.Pose3D) bool {
	return after.Position.Sub(before.Position).Len() > 5
}

func main() {
	protocol := must(netcode.NewProtocol(netcode.Config{}, netcode.Game[runner, keys]{
		Step:       step,
		Pose:       func(r runner) components.Pose3D { return components.At3D(r.X, 0, 0) },
		Teleported: teleported,
	}))
	protocol.SetScriptedMover(cabinKind, cabin, teleported)
	listener := loopback.Listen(loopback.Config{})
	engines := [3]*ecs.Engine{must(ecs.New(ecs.Config{})), must(ecs.New(ecs.Config{})), must(ecs.New(ecs.Config{}))}
	spawn := generic.NewMap2[components.Transform3D, netcode.Replicated](engines[0].World())
	spawn.NewWith(&components.Transform3D{}, &netcode.Replicated{Archetype: cabinKind})
	engines[0].Install(must(netcode.NewServer(protocol, netcode.ServerConfig[runner, keys]{
		Listener: listener,
		Joined: func(*netcode.Player[runner, keys]) (runner, arche.Entity) {
			return runner{}, spawn.NewWith(&components.Transform3D{}, &netcode.Replicated{Archetype: runnerKind})
		},
	})))
	line := linksim.Symmetric(linksim.Condition{Delay: 100 * time.Millisecond})
	for k, engine := range engines[1:] {
		engine.Install(interpolation.New3D(), must(netcode.NewClient(protocol, netcode.ClientConfig[runner, keys]{
			Dial:  func() (netcode.Conn, error) { return linksim.Wrap(listener.Dial(), line) },
			Input: func(netcode.Tick) keys { return keys{East: k == 0} },
		})))
	}
	var drawn [3][3]mgl32.Vec3 // by engine and owner; the cabin has no owner
	between := 0
	for frame := range 14*120 + 1 { // of a 120th of a second
		for k, engine := range engines {
			engine.Update(time.Second / 120)
			for query := generic.NewFilter2[components.Visual3D, netcode.Replicated]().Query(engine.World()); query.Next(); {
				visual, replicated := query.Get()
				at := &drawn[k][replicated.Owner]
				if way := visual.Get().Position.Sub(*at).Len(); frame > 10*120 && way > 0.5 && way < 9 {
					between++
				}
				*at = visual.Get().Position
			}
		}
		if frame >= 10*120 && frame%30 == 0 {
			fmt.Printf("%5.2fs  on Ann's screen Ann %6.2f, cabin %5.2f   on Ben's Ann %6.2f, cabin %5.2f\n", float64(frame)/120, drawn[1][1][0], drawn[1][0][1], drawn[2][1][0], drawn[2][0][1])
		}
	}
	fmt.Println(between, "frames in between")
}

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}
