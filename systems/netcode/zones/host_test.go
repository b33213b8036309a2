package zones_test

import (
	"context"
	"strings"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/host"
	"github.com/tandem-ecs/tandem/systems/netcode/zones"
)

// A zone runs behind the kit of package host: its listeners, links and console.
func TestZoneBehindAHost(t *testing.T) {
	w := newWorld(t, quadrants())
	h, err := host.Open(host.Config{Listen: "127.0.0.1:0", Log: quiet(), Drain: -1})
	if err != nil {
		t.Fatal(err)
	}
	engine, err := ecs.New(ecs.Config{FixedRate: tickRate, Log: quiet()})
	if err != nil {
		t.Fatal(err)
	}
	links, err := zones.DTLS("127.0.0.1:0", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	protocol := newProtocol(t)
	link := h.Links()[0]
	link.Token = ""
	zone, err := zones.New(ctx, protocol, zones.Config[runner, input]{
		NATS: w.url, World: "vale", Zone: "nw", Address: link.String(), Links: links, Log: quiet(),
		Server: netcode.ServerConfig[runner, input]{
			Joined: func(*netcode.Player[runner, input]) (runner, arche.Entity) { return runner{}, arche.Entity{} },
		},
		MakeServer: func(c netcode.ServerConfig[runner, input]) (*netcode.Server[runner, input], error) {
			return host.NewServer(h, engine, protocol, c)
		},
		Spawn: func(*zones.Arrival[runner, input]) arche.Entity { return arche.Entity{} },
	})
	if err != nil {
		t.Fatal(err)
	}
	engine.Install(zone)
	for range 10 {
		engine.Update(time.Second / tickRate)
	}
	var said strings.Builder
	h.Execute("players", &said)
	if !zone.Active() || zone.Server().Tick() == 0 {
		t.Errorf("the zone is active: %v, at tick %d", zone.Active(), zone.Server().Tick())
	}
	h.Close()
	zone.Close()
	if s := zone.Stats(); s.Checkpoints == 0 {
		t.Error("no checkpoint was written at the end")
	}
}
