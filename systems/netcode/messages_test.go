package netcode_test

import (
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/loopback"
)

// A message of several pieces arrives while the world has always more to say than the bandwidth carries, and where packets are small: else it, and all that wait behind it, would wait for
// ever. What else travels goes on beside it, and the bandwidth is kept.
func TestMessagesFindRoom(t *testing.T) {
	for _, test := range []struct{ bandwidth, mtu, rate int }{
		{1024, 1200, 30}, {4096, 1200, 30}, {12 << 10, 1200, 60}, {64 << 10, 200, 30}, {64 << 10, 320, 60}, {1024, 200, 30},
	} {
		listener := loopback.Listen(loopback.Config{MTU: test.mtu})
		m := newMatch(t, func(c *netcode.ServerConfig[runner, input]) {
			c.Listener, c.Bandwidth, c.SnapshotRate = listener, test.bandwidth, test.rate
		})
		m.listener = listener
		var all []arche.Entity
		for i := range 200 {
			all = append(all, m.crate(kindCrate, components.At3D(float32(i), 0, 0)))
		}
		m.engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
			for i, e := range all {
				m.transform(e).Set(components.At3D(float32(i), float32(m.engine.Time().Tick*uint64(i+7)%100), 0))
			}
		}))
		a := m.join(perfect(), nil)
		m.run(5*time.Second, nil)
		m.mustPlay()
		for _, size := range []int{1000, 3, 300} {
			if m.of(a).Send(make([]byte, size)) != nil || m.of(a).SendUnreliable(make([]byte, min(size, 80))) != nil || a.client.Send(make([]byte, size)) != nil {
				t.Fatal("a message was refused")
			}
		}
		before, snapshots := m.server.Stats().SentBytes, a.client.Stats().Snapshots
		m.run(10*time.Second, nil)
		if len(a.heard) != 6 || len(m.heard) != 3 {
			t.Errorf("%+v: the client has heard %d messages of 6, the server %d of 3", test, len(a.heard), len(m.heard))
		}
		if n := m.server.Stats().SentBytes - before; n > uint64(10*test.bandwidth+max(test.bandwidth/4, test.mtu)) {
			t.Errorf("%+v: %d bytes were sent in 10 s", test, n)
		}
		if n := a.client.Stats().Snapshots - snapshots; n < 20 {
			t.Errorf("%+v: %d snapshots in 10 s", test, n)
		}
	}
}
