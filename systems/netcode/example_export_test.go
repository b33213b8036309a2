package netcode_test

import (
	"fmt"
	"log/slog"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/loopback"
)

// Two servers have parts of one world. A player walks from one to the other, and its client follows
// by itself: its Dial goes to the address that the first server has named.
func ExampleServer_Export() {
	defer slog.SetDefault(slog.Default())
	slog.SetDefault(slog.New(slog.DiscardHandler)) // players join and move
	protocol := must(netcode.NewProtocol(netcode.Config{}, netcode.Game[stroller, strollKeys]{Step: stepStroller, Pose: poseStroller}))
	listeners, engines, servers := [2]*loopback.Listener{}, [2]*ecs.Engine{}, [2]*netcode.Server[stroller, strollKeys]{}
	for i := range servers {
		listeners[i] = loopback.Listen(loopback.Config{})
		servers[i] = must(netcode.NewServer(protocol, netcode.ServerConfig[stroller, strollKeys]{
			Listener:  listeners[i],
			FirstTick: 6000, // both count the same ticks
			// and give different numbers
			FirstNumber: uint16(1 + 1000*i), LastNumber: uint16(1000 + 1000*i),
			Joined: func(*netcode.Player[stroller, strollKeys]) (stroller, arche.Entity) {
				return stroller{}, arche.Entity{}
			},
		}))
		engines[i] = must(ecs.New(ecs.Config{}))
		engines[i].Install(servers[i])
	}
	at := 0
	client := must(netcode.NewClient(protocol, netcode.ClientConfig[stroller, strollKeys]{
		Dial:  func() (netcode.Conn, error) { return listeners[at].Dial(), nil },
		Input: func(netcode.Tick) strollKeys { return strollKeys{X: 1} },
		Changed: func(s netcode.Status, r netcode.Reason) {
			if fmt.Println(s, r); s == netcode.Lost {
				_, _ = fmt.Sscan(r.Text, &at)
			}
		},
	}))
	engine := must(ecs.New(ecs.Config{}))
	engine.Install(client)
	run := func(d time.Duration) {
		for range d * 60 / time.Second {
			for _, e := range append(engines[:], engine) {
				e.Update(time.Second / 60)
			}
		}
	}

	run(2 * time.Second)
	p := servers[0].Player(1)
	moved := must(servers[1].Import(must(servers[0].Export(p)), func(p *netcode.Player[stroller, strollKeys]) arche.Entity {
		return arche.Entity{}
	}))
	servers[0].Release(p, "1")
	run(5 * time.Second)
	fmt.Println("player", client.Number(), "walks on:", moved.State.X > p.State.X)
	// Output:
	// playing open
	// lost moved: 1
	// playing open
	// player 1 walks on: true
}
