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

// A player walks from one server's part of a world to another's. Its client visits the second
// server before, so that it goes on without a pause.
func ExamplePlayer_Move() {
	defer slog.SetDefault(slog.Default())
	slog.SetDefault(slog.New(slog.DiscardHandler)) // players join and move
	protocol := must(netcode.NewProtocol(netcode.Config{}, netcode.Game[stroller, strollKeys]{Step: stepStroller, Pose: poseStroller}))
	listeners := map[string]*loopback.Listener{"west": loopback.Listen(loopback.Config{}), "east": loopback.Listen(loopback.Config{})}
	serve := func(at string) (*netcode.Server[stroller, strollKeys], *ecs.Engine) {
		server := must(netcode.NewServer(protocol, netcode.ServerConfig[stroller, strollKeys]{
			Listener: listeners[at],
			Joined: func(*netcode.Player[stroller, strollKeys]) (stroller, arche.Entity) {
				return stroller{}, arche.Entity{}
			},
		}))
		engine := must(ecs.New(ecs.Config{}))
		engine.Install(server)
		return server, engine
	}
	west, westEngine := serve("west")
	east, eastEngine := serve("east")
	dial := func(at string) (netcode.Conn, error) { return listeners[at].Dial(), nil }
	client := must(netcode.NewClient(protocol, netcode.ClientConfig[stroller, strollKeys]{
		Dial:    func() (netcode.Conn, error) { return dial("west") },
		DialAt:  dial, // a game checks the address here
		Input:   func(netcode.Tick) strollKeys { return strollKeys{X: 1} },
		Changed: func(s netcode.Status, r netcode.Reason) { fmt.Println(s, r) },
	}))
	engine := must(ecs.New(ecs.Config{}))
	engine.Install(client)
	run := func() {
		for _, e := range []*ecs.Engine{westEngine, eastEngine, engine} {
			e.Update(time.Second / 60)
		}
	}
	for range 120 {
		run()
	}

	p := west.Player(1)
	ticket := []byte("sixteen random b") // of crypto/rand
	east.Invite(ticket, p.ResumeID(), 10*time.Second)
	if err := p.Move("east", ticket); err != nil {
		panic(err)
	}
	for ready := false; !ready; ready, _ = east.Visitor(p.ResumeID()) {
		run()
	}
	data := must(west.Export(p))
	west.Release(p, "east")
	moved := must(east.Import(data, func(*netcode.Player[stroller, strollKeys]) arche.Entity { return arche.Entity{} }))
	for range 60 {
		run()
	}
	s := client.Stats()
	fmt.Println("moves:", s.Moves, "reconnects:", s.Reconnects, "corrections:", s.Corrections)
	fmt.Println("it walks on:", moved.State.X > p.State.X)
	// Output:
	// playing open
	// moves: 1 reconnects: 0 corrections: 0
	// it walks on: true
}
