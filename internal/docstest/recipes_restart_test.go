package docstest

import (
	"bytes"
	"log/slog"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/replay"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/loopback"
)

// A client stays while its server is replaced by a new one, to which the game has handed what it
// saved. The player goes on from its place. A bot's state is nobody's.
func TestRecipesRestartOfTheServer(t *testing.T) {
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	quiet := slog.New(slog.DiscardHandler)
	rules := func() *netcode.Protocol[hero, keys] {
		p, err := netcode.NewProtocol(netcode.Config{}, netcode.Game[hero, keys]{
			Step: func(h hero, in keys, _ netcode.Tick) hero { return hero{h.X + 0.1*float32(in.X), h.Z} },
			Pose: func(h hero) components.Pose3D { return components.At3D(h.X, 0, h.Z) },
		})
		must(err)
		return p
	}
	saved := map[netcode.ResumeID]hero{}
	var listener *loopback.Listener
	start := func() (*ecs.Engine, *netcode.Server[hero, keys]) {
		engine, err := ecs.New(ecs.Config{})
		must(err)
		listener = loopback.Listen(loopback.Config{})
		heroes := generic.NewMap2[components.Transform3D, netcode.Replicated](engine.World())
		server, err := netcode.NewServer(rules(), netcode.ServerConfig[hero, keys]{
			Listener: listener, Log: quiet,
			Joined: func(p *netcode.Player[hero, keys]) (hero, arche.Entity) {
				first := saved[p.PreviousResumeID()] // of the last run; else the zero hero
				at := components.NewLogical(components.At3D(first.X, 0, first.Z))
				return first, heroes.NewWith(&at, &netcode.Replicated{Archetype: kindHero})
			},
			Left: func(p *netcode.Player[hero, keys], reason netcode.Reason) {
				if id := p.ResumeID(); reason.Code == transport.Shutdown && id != (netcode.ResumeID{}) {
					saved[id] = p.State
				}
			},
		})
		must(err)
		engine.Install(server)
		_, err = server.AddBot(func(*netcode.Player[hero, keys], netcode.Tick) keys { return keys{X: -1} })
		must(err)
		return engine, server
	}
	host, server := start()
	held := keys{X: 1}
	var client *netcode.Client[hero, keys]
	var err error
	var place []byte
	var ring *replay.Ring
	rings := 0
	client, err = netcode.NewClient(rules(), netcode.ClientConfig[hero, keys]{
		Dial:  func() (netcode.Conn, error) { return listener.Dial(), nil },
		Input: func(netcode.Tick) keys { return held }, Log: quiet,
		Changed: func(status netcode.Status, _ netcode.Reason) {
			if now := client.Place(); status == netcode.Playing && !bytes.Equal(now, place) {
				if ring != nil {
					ring.Stop() // the server may be the same one, and the old ring goes on
				}
				place, ring = now, replay.NewRing(10*time.Second)
				must(client.Record(ring))
				rings++
			}
		},
	})
	must(err)
	engine, err := ecs.New(ecs.Config{})
	must(err)
	engine.Install(client)
	run := func(d time.Duration) {
		for range d / (time.Second / 60) {
			host.Update(time.Second / 60)
			engine.Update(time.Second / 60)
		}
	}
	run(2 * time.Second)
	held = keys{}
	run(time.Second)
	before, playing := client.State()
	if !playing || before.X < 5 || server.Player(client.Number()).State != before {
		t.Fatalf("the client plays: %v, at %v", playing, before)
	}
	host.Close()
	host, _ = start()
	run(6 * time.Second)
	defer host.Close()
	defer engine.Close()
	if status, _ := client.Status(); status != netcode.Playing {
		t.Fatalf("the client is %v", status)
	}
	if tape, err := ring.Clip(time.Second); rings != 2 || err != nil || tape.Length() < time.Second {
		t.Errorf("%d rings were made, and the clip of the last one says: %v", rings, err)
	}
	if after, _ := client.State(); after != before || len(saved) != 1 {
		t.Errorf("after the restart the player is at %v, before it was at %v; %d are saved", after, before, len(saved))
	}
}
