package netcode_test

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/loopback"
)

// A player whose program has crashed comes back as the same player: the game keeps the place in a
// file that only the user can read. A real game has a file for each server, named by the
// fingerprint of the server's certificate.
func ExampleClient_Place() {
	defer slog.SetDefault(slog.Default())
	slog.SetDefault(slog.New(slog.DiscardHandler)) // players join and come back
	protocol := must(netcode.NewProtocol(netcode.Config{}, netcode.Game[stroller, strollKeys]{Step: stepStroller, Pose: poseStroller}))
	listener := loopback.Listen(loopback.Config{})
	serverEngine := must(ecs.New(ecs.Config{}))
	serverEngine.Install(must(netcode.NewServer(protocol, netcode.ServerConfig[stroller, strollKeys]{
		Listener: listener,
		Joined: func(*netcode.Player[stroller, strollKeys]) (stroller, arche.Entity) {
			return stroller{}, arche.Entity{}
		},
	})))
	file := filepath.Join(must(os.MkdirTemp("", "place")), "fingerprint-of-the-server")
	defer os.RemoveAll(filepath.Dir(file))

	play := func() (number uint16) {
		place, _ := os.ReadFile(file) // none: a new player
		client := must(netcode.NewClient(protocol, netcode.ClientConfig[stroller, strollKeys]{
			Place: place,
			Dial:  func() (netcode.Conn, error) { return listener.Dial(), nil },
			Input: func(netcode.Tick) strollKeys { return strollKeys{X: 1} },
		}))
		engine := must(ecs.New(ecs.Config{}))
		engine.Install(client)
		for range 60 { // frames, until the program crashes
			serverEngine.Update(time.Second / 60)
			engine.Update(time.Second / 60)
			if now := client.Place(); string(now) != string(place) {
				if err := os.WriteFile(file, now, 0o600); err != nil {
					fmt.Println(err)
				}
				place = now
			}
		}
		return client.Number()
	}
	first := play()
	fmt.Println(play() == first)
	// Output: true
}
