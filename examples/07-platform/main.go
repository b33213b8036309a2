// 07-platform is a player that rides a tram. One process holds a server and two clients, in virtual
// time and on lines with a round trip of 200 ms. It prints what both clients draw.
//
//	go run ./examples/07-platform
package main

import (
	"fmt"
	"log"
	"math"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/hierarchy"
	"github.com/tandem-ecs/tandem/systems/interpolation"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/loopback"
)

const walkerKind, tramKind = 1, 2 // archetypes
// walker is a player's state. X is in the frame of the mover that carries the player, if any.
type walker struct {
	X  float32
	On uint16 // the archetype of that mover
}
type keys struct{ East bool }

// tram goes from 0 m to 16 m and back in ten seconds.
func tram(t netcode.Tick) components.Pose3D {
	return components.At3D(8-8*float32(math.Cos(float64(t)*2*math.Pi/600)), 0, 0)
}

func step(w walker, in keys, t netcode.Tick) walker {
	if in.East {
		w.X += 0.05
	}
	middle := tram(t.Add(1)).Position[0] // where the tram is when this step ends
	switch {
	case w.On == 0 && w.X > middle-2 && w.X < middle+2:
		return walker{w.X - middle, tramKind} // from the world's frame to the tram's
	case w.On == tramKind && w.X > 2:
		return walker{w.X + middle, 0} // and back
	}
	return w // aboard, the tram carries it
}

func main() {
	protocol := must(netcode.NewProtocol(netcode.Config{}, netcode.Game[walker, keys]{
		Step:         step,
		Pose:         func(w walker) components.Pose3D { return components.At3D(w.X, 1, 0) },
		MovementBase: func(w walker) netcode.MovementBase { return netcode.MovementBase{Mover: w.On} },
	}))
	protocol.SetScriptedMover(tramKind, tram)
	listener := loopback.Listen(loopback.Config{})
	engines, trees := [3]*ecs.Engine{}, [3]*hierarchy.Hierarchy3D{} // the server's, Ann's and Ben's
	for k := range engines {
		engines[k], trees[k] = must(ecs.New(ecs.Config{})), hierarchy.New3D()
		engines[k].Install(trees[k])
	}
	spawn := generic.NewMap2[components.Transform3D, netcode.Replicated](engines[0].World())
	spawn.NewWith(&components.Transform3D{}, &netcode.Replicated{Archetype: tramKind})
	engines[0].Install(must(netcode.NewServer(protocol, netcode.ServerConfig[walker, keys]{
		Listener: listener,
		Joined: func(*netcode.Player[walker, keys]) (walker, arche.Entity) {
			at := components.NewLogical(components.At3D(-4, 1, 0))
			return walker{X: -4}, spawn.NewWith(&at, &netcode.Replicated{Archetype: walkerKind})
		},
	})))
	line := linksim.Symmetric(linksim.Condition{Delay: 100 * time.Millisecond})
	for k, engine := range engines[1:] {
		engine.Install(interpolation.New3D(), must(netcode.NewClient(protocol, netcode.ClientConfig[walker, keys]{
			Dial:  func() (netcode.Conn, error) { return linksim.Wrap(listener.Dial(), line) },
			Input: func(t netcode.Tick) keys { return keys{East: k == 0 && (t > 560 && t < 640 || t > 880 && t < 960)} },
		})))
	}
	for frame := range 16*60 + 1 {
		var x [3][3]float32 // by engine and owner, in the world; the tram has no owner
		for k, engine := range engines {
			engine.Update(time.Second / 60)
			for query := generic.NewFilter1[netcode.Replicated]().Query(engine.World()); query.Next(); {
				x[k][query.Get().Owner] = trees[k].VisualWorld(query.Entity()).Col(3)[0]
			}
		}
		if frame >= 9*60 && frame%30 == 0 {
			fmt.Printf("%4.1fs  on Ann's screen tram %5.2f, Ann %5.2f   on Ben's tram %5.2f, Ann %5.2f\n", float64(frame)/60, x[1][0], x[1][1], x[2][0], x[2][1])
		}
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}
