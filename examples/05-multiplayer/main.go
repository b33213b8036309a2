// 05-multiplayer is players that walk along a line of the terminal. Without an argument it is the
// server. With the server's link it is a client: d walks right, a left, s stands, each with Enter.
//
//	go run ./examples/05-multiplayer
//	go run ./examples/05-multiplayer LINK
package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"log"
	"os"
	"os/signal"
	"sync/atomic"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/interpolation"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/dtls"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/joinlink"
)

type hero struct{ X float32 } // the state of a player: metres
type keys struct {            // the inputs of a player for one tick
	X int8 `range:"-1,1"`
}

func step(h hero, k keys, _ netcode.Tick) hero { return hero{min(max(h.X+0.1*float32(k.X), 0), 60)} }

func pose(h hero) components.Pose3D { return components.At3D(h.X, 0, 0) }

func newProtocol() *netcode.Protocol[hero, keys] {
	return must(netcode.NewProtocol(netcode.Config{TickRate: 60}, netcode.Game[hero, keys]{Step: step, Pose: pose}))
}

// serve returns the configuration of a server on the engine.
func serve(engine *ecs.Engine) netcode.ServerConfig[hero, keys] {
	heroes := generic.NewMap2[components.Transform3D, netcode.Replicated](engine.World())
	return netcode.ServerConfig[hero, keys]{
		Joined: func(p *netcode.Player[hero, keys]) (hero, arche.Entity) {
			first := hero{X: 10 * float32(p.Number())}
			at := components.NewLogical(pose(first))
			return first, heroes.NewWith(&at, &netcode.Replicated{Archetype: 1})
		},
	}
}

func main() {
	engine := must(ecs.New(ecs.Config{FixedRate: 60}))
	if len(os.Args) == 1 {
		config, listener := serve(engine), must(dtls.Listen("127.0.0.1:0", dtls.Config{}))
		config.Listener = listener
		engine.Install(must(netcode.NewServer(newProtocol(), config)))
		fmt.Println(listener.Link("", ""))
	} else {
		link := must(joinlink.Parse(os.Args[1]))
		engine.Install(interpolation.New3D(), must(netcode.NewClient(newProtocol(), netcode.ClientConfig[hero, keys]{
			Dial:    func() (netcode.Conn, error) { return dtls.Dial(link.Address(), link.Fingerprint, dtls.Config{}), nil },
			Token:   []byte(link.Token), // if the server asks for one
			Input:   func(netcode.Tick) keys { return keys{X: int8(held.Load())} },
			Changed: func(status netcode.Status, reason netcode.Reason) { log.Println(status, reason) },
		})))
		engine.Add(ecs.Render, ecs.SystemFunc(draw))
		go readKeys()
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt) // Ctrl+C
	defer stop()
	engine.Run(ctx)
}

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}

var held atomic.Int32 // the key of the window: -1, 0 or 1

func readKeys() {
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		held.Store(map[string]int32{"a": -1, "d": 1}[in.Text()])
	}
}

// draw prints each player's number at its place.
func draw(w *arche.World) {
	line := bytes.Repeat([]byte{'.'}, 61)
	for query := generic.NewFilter2[components.Visual3D, netcode.Replicated]().Query(w); query.Next(); {
		visual, replicated := query.Get()
		line[int(visual.Get().Position[0]+0.5)] = '0' + byte(replicated.Owner%10)
	}
	fmt.Printf("\r%s ", line)
}
