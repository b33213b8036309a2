package host

import (
	"log/slog"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/interpolation"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/testgame"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/loopback"
)

const rate = 60

func protocol(t testing.TB) *testgame.Protocol {
	t.Helper()
	p, err := testgame.NewProtocol(rate, 64)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// played is a host with a server and its players on one virtual clock.
type played struct {
	t       testing.TB
	host    *Host
	server  *netcode.Server[testgame.State, testgame.Input]
	engine  *ecs.Engine
	own     *loopback.Listener
	clients []*testgame.Client
}

// open opens a host, and closes it at the end of the test.
func open(t testing.TB, c Config) *Host {
	t.Helper()
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	h, err := Open(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	return h
}

// serve installs a game on a host. The function change may set more of the server's configuration.
func serve(t testing.TB, h *Host, change func(c *testgame.ServerConfig)) *played {
	t.Helper()
	engine, err := ecs.New(ecs.Config{FixedRate: rate})
	if err != nil {
		t.Fatal(err)
	}
	v := &played{t: t, host: h, engine: engine, own: loopback.Listen(loopback.Config{})}
	spawn := generic.NewMap2[components.Transform3D, netcode.Replicated](engine.World())
	c := testgame.ServerConfig{
		Listener: v.own,
		Joined: func(*testgame.Player) (testgame.State, arche.Entity) {
			l := components.NewLogical(components.At3D(0, 0, 0))
			return testgame.State{}, spawn.NewWith(&l, &netcode.Replicated{Archetype: testgame.KindPlayer})
		},
	}
	if change != nil {
		change(&c)
	}
	if v.server, err = NewServer(h, engine, protocol(t), c); err != nil {
		t.Fatal(err)
	}
	return v
}

// sameClock polls its end with the server's clock, since both ends of a loopback need one.
type sameClock struct {
	transport.Conn
	engine *ecs.Engine
}

func (c sameClock) Poll(time.Duration) { c.Conn.Poll(c.engine.Time().Real) }

// join adds a client with a token, and lets a second pass.
func (v *played) join(token string) *testgame.Client {
	v.t.Helper()
	client, err := testgame.Join(protocol(v.t), testgame.ClientConfig{
		Dial:  func() (transport.Conn, error) { return sameClock{v.own.Dial(), v.engine}, nil },
		Input: func(netcode.Tick) testgame.Input { return testgame.Input{} },
		Token: []byte(token),
	}, interpolation.New3D())
	if err != nil {
		v.t.Fatal(err)
	}
	v.clients = append(v.clients, client)
	v.run(time.Second)
	return client
}

// run drives the host and its clients for a while.
func (v *played) run(d time.Duration) {
	const frame = time.Second / rate
	for ; d > 0; d -= frame {
		v.host.Update(frame)
		for _, c := range v.clients {
			c.Engine.Update(frame)
		}
	}
}
