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

// Messages about abilities are sent at once, however seldom movement is sent. A message arrives as
// early as with a packet in every step.
func TestMessagesDoNotWaitForTheActionRate(t *testing.T) {
	for _, reliable := range []bool{true, false} {
		for _, rate := range []int{60, 10, 4} {
			m := newMatch(t, nil)
			a := m.join(perfect(), func(c *netcode.ClientConfig[runner, input]) { c.ActionRate = rate })
			m.run(3*time.Second, nil)
			m.mustPlay()
			quiet := a.client.Stats().SentBytes
			m.run(2*time.Second, nil)
			quiet = a.client.Stats().SentBytes - quiet
			for k := range 20 {
				send := a.client.Send
				if !reliable {
					send = a.client.SendUnreliable
				}
				if err := send([]byte("fire")); err != nil {
					t.Fatal(err)
				}
				heard, begin, late := len(m.heard), m.now, time.Duration(-1)
				m.run(500*time.Millisecond+time.Duration(k)*7*time.Millisecond, func() {
					if late < 0 && len(m.heard) > heard {
						late = m.now - begin
					}
				})
				if late < 0 || late > 30*time.Millisecond {
					t.Errorf("reliable %v, %d packets of inputs a second: a message is heard after %v", reliable, rate, late)
				}
			}
			if len(m.heard) != 20 {
				t.Errorf("%d messages of 20 were heard", len(m.heard))
			}
			before := a.client.Stats().SentBytes
			m.run(2*time.Second, nil)
			if sent := a.client.Stats().SentBytes - before; sent > quiet+quiet/10 {
				t.Errorf("%d packets of inputs a second: %d bytes in two seconds after the messages, %d before", rate, sent, quiet)
			}
		}
	}
}

// A message of several pieces arrives even if the world always has more to send than the bandwidth
// carries, and if packets are small. Otherwise it and all messages behind it would wait for ever.
// Other data is sent beside it, and the bandwidth is kept.
func TestMessagesFitBesideSnapshots(t *testing.T) {
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
