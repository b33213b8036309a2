package host

import (
	"io"
	"log/slog"
	"math"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/interpolation"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/loopback"
)

// The small game of these tests: runners on a line.
type runner struct{ X float32 }

type keys struct {
	X int8 `range:"-1,1"`
}

const rate = 60

func protocol(t testing.TB) *netcode.Protocol[runner, keys] {
	t.Helper()
	p, err := netcode.NewProtocol(netcode.Config{TickRate: rate}, netcode.Game[runner, keys]{
		Step:     func(r runner, in keys, _ netcode.Tick) runner { return runner{r.X + float32(in.X)/10} },
		Pose:     func(r runner) components.Pose3D { return components.At3D(r.X, 0, 0) },
		States:   netcode.StructState[runner](),
		Inputs:   netcode.StructInput[keys](),
		Distance: func(a, b runner) float64 { return math.Abs(float64(a.X - b.X)) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// played is a host with a server and its players on one virtual clock.
type played struct {
	t       testing.TB
	host    *Host
	server  *netcode.Server[runner, keys]
	engine  *ecs.Engine
	own     *loopback.Listener
	clients []*joined
}

type joined struct {
	*netcode.Client[runner, keys]
	engine *ecs.Engine
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

// serve puts a game on a host. Change may set more of the server's configuration.
func serve(t testing.TB, h *Host, change func(c *netcode.ServerConfig[runner, keys])) *played {
	t.Helper()
	engine, err := ecs.New(ecs.Config{FixedRate: rate})
	if err != nil {
		t.Fatal(err)
	}
	v := &played{t: t, host: h, engine: engine, own: loopback.Listen(loopback.Config{})}
	spawn := generic.NewMap2[components.Transform3D, netcode.Replicated](engine.World())
	c := netcode.ServerConfig[runner, keys]{
		Listener: v.own,
		Joined: func(*netcode.Player[runner, keys]) (runner, arche.Entity) {
			l := components.NewLogical(components.At3D(0, 0, 0))
			return runner{}, spawn.NewWith(&l, &netcode.Replicated{Archetype: 1})
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

// sameClock polls its end by the server's clock: both ends of a loopback need one.
type sameClock struct {
	transport.Conn
	engine *ecs.Engine
}

func (c sameClock) Poll(time.Duration) { c.Conn.Poll(c.engine.Time().Real) }

// join adds a client with a token, and lets a second pass.
func (v *played) join(token string) *joined {
	v.t.Helper()
	engine, err := ecs.New(ecs.Config{FixedRate: rate})
	if err != nil {
		v.t.Fatal(err)
	}
	client, err := netcode.NewClient(protocol(v.t), netcode.ClientConfig[runner, keys]{
		Dial:  func() (transport.Conn, error) { return sameClock{v.own.Dial(), v.engine}, nil },
		Input: func(netcode.Tick) keys { return keys{} },
		Token: []byte(token),
		Log:   slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	if err != nil {
		v.t.Fatal(err)
	}
	engine.Install(interpolation.New3D(), client)
	j := &joined{client, engine}
	v.clients = append(v.clients, j)
	v.run(time.Second)
	return j
}

// run lets time pass.
func (v *played) run(d time.Duration) {
	const frame = time.Second / rate
	for ; d > 0; d -= frame {
		v.host.Update(frame)
		for _, c := range v.clients {
			c.engine.Update(frame)
		}
	}
}
