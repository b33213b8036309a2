package netcode_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/interpolation"
	"github.com/tandem-ecs/tandem/systems/netcode"
)

// A client logs once why its replicas cannot be seen, with the remedy, and nothing if they can.
func TestClientsLogWhyReplicasAreNotSeen(t *testing.T) {
	const unseen, uninterpolated = "without a Visual3D, so it cannot be seen: add one in ClientConfig.Spawn", "install interpolation.New3D"
	bare := func(w *arche.World, _ netcode.Replicated, _ bool) arche.Entity {
		return w.NewEntity(arche.ComponentID[components.Transform3D](w))
	}
	for _, test := range []struct {
		name    string
		spawn   func(w *arche.World, r netcode.Replicated, owned bool) arche.Entity
		plugins []ecs.Plugin
		want    []string
	}{
		{"as it should be", nil, []ecs.Plugin{interpolation.New3D()}, nil},
		{"no Visual3D", bare, []ecs.Plugin{interpolation.New3D()}, []string{unseen}},
		{"no interpolator", nil, nil, []string{uninterpolated}},
		{"an interpolator of the plane", nil, []ecs.Plugin{interpolation.New2D()}, []string{uninterpolated}},
		{"neither", bare, nil, []string{unseen, uninterpolated}},
		{"not shown", func(*arche.World, netcode.Replicated, bool) arche.Entity { return arche.Entity{} }, nil, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := newMatch(t, nil)
			for k := range 5 {
				m.crate(kindCrate, components.At3D(float32(k), 0, 0))
			}
			var log bytes.Buffer
			var config netcode.ClientConfig[runner, input]
			a := m.join(perfect(), func(c *netcode.ClientConfig[runner, input]) {
				c.Spawn, c.Log = test.spawn, slog.New(slog.NewTextHandler(&log, nil))
				config = *c
			})
			// on an engine of its own instead
			e, err := ecs.New(ecs.Config{FixedRate: tickRate, Log: quiet()})
			if err != nil {
				t.Fatal(err)
			}
			a.engine, a.Engine = e, e
			client, err := netcode.NewClient(m.protocol, config)
			if err != nil {
				t.Fatal(err)
			}
			a.client, a.Client.Client = client, client
			e.Install(append(test.plugins, client)...)
			m.run(3*time.Second, nil)
			m.mustPlay()
			if n := a.client.Stats().Replicas; n != 6 {
				t.Fatalf("%d replicas", n)
			}
			if got := strings.Count(log.String(), "WARN"); got != len(test.want) {
				t.Errorf("%d warnings, want %d: %s", got, len(test.want), log.String())
			}
			for _, text := range test.want {
				if strings.Count(log.String(), text) != 1 {
					t.Errorf("the log does not say once %q: %s", text, log.String())
				}
			}
		})
	}
}
