// 08-dedicated-server serves the game of 05-multiplayer to strangers: with invitations and bans, a
// certificate that is kept, figures for monitoring, and a console. Its standard input takes
// commands; help lists them.
//
//	go run ./examples/08-dedicated-server -public play.example.org -state state
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"syscall"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/host"
)

type hero struct{ X float32 }

type keys struct {
	X int8 `range:"-1,1"`
}

func step(h hero, k keys, _ netcode.Tick) hero { return hero{min(max(h.X+0.1*float32(k.X), 0), 60)} }

func pose(h hero) components.Pose3D { return components.At3D(h.X, 0, 0) }

func main() {
	var config host.Config
	flag.StringVar(&config.Listen, "listen", ":7777", "UDP address to listen on")
	flag.StringVar(&config.Public, "public", "", "name or address of this machine for others, in the links")
	flag.StringVar(&config.State, "state", "", "folder that keeps the certificate, invitations and bans")
	flag.StringVar(&config.Metrics, "metrics", "", "HTTP address of the metrics, such as :7780")
	flag.Parse()

	engine := must(ecs.New(ecs.Config{FixedRate: 60}))
	var server *netcode.Server[hero, keys]
	sentHome := 0
	config.Vars = func(vars map[string]any) { vars["sent_home"] = sentHome } // of the game's own
	config.Commands = []host.Command{{
		Usage: "home N", Help: "put a player at the left end", // a command of the game's own
		Run: func(args string, out io.Writer) error {
			var n uint16
			if _, err := fmt.Sscan(args, &n); err != nil || server.Player(n) == nil {
				return fmt.Errorf("there is no player %q", args)
			}
			server.Player(n).Teleport(hero{})
			sentHome++
			_, err := fmt.Fprintln(out, "player", n, "is at home")
			return err
		},
	}}
	h := must(host.Open(config))
	defer h.Close()

	heroes := generic.NewMap2[components.Transform3D, netcode.Replicated](engine.World())
	protocol := must(netcode.NewProtocol(netcode.Config{TickRate: 60}, netcode.Game[hero, keys]{Step: step, Pose: pose}))
	server = must(host.NewServer(h, engine, protocol, netcode.ServerConfig[hero, keys]{
		Joined: func(p *netcode.Player[hero, keys]) (hero, arche.Entity) {
			first := hero{X: 10 * float32(p.Number())}
			at := components.NewLogical(pose(first))
			return first, heroes.NewWith(&at, &netcode.Replicated{Archetype: 1})
		},
	}))
	fmt.Println(h.Links()[0]) // for players
	h.Console(os.Stdin, os.Stdout)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	h.Run(ctx)
}

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}
