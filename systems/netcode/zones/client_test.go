package zones_test

import (
	"errors"
	"strings"
	"time"

	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/interpolation"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// client is a player with its engine.
type client struct {
	*netcode.Client[runner, input]
	w      *world
	engine *ecs.Engine
	at     runner // where it joins
	input  func(t netcode.Tick) input
}

// joinAt returns where a new player begins. Players join one at a time.
func (w *world) joinAt(*netcode.Player[runner, input]) runner {
	for _, c := range w.clients {
		if s, _ := c.Status(); s == netcode.Joining {
			return c.at
		}
	}
	return runner{}
}

// join adds a client at a zone.
func (w *world) join(zone string, at runner, line linksim.Condition) *client {
	w.t.Helper()
	c := &client{w: w, at: at, input: func(netcode.Tick) input { return input{} }}
	config := netcode.ClientConfig[runner, input]{
		Dial:   func() (transport.Conn, error) { return w.dial(zone, line) },
		DialAt: func(at string) (transport.Conn, error) { return w.dial(at, line) },
		Input:  func(t netcode.Tick) input { return c.input(t) }, Log: w.log(), Retry: 250 * time.Millisecond, Timeout: 1500 * time.Millisecond,
	}
	var err error
	if c.Client, err = netcode.NewClient(newProtocol(w.t), config); err != nil {
		w.t.Fatal(err)
	}
	if c.engine, err = ecs.New(ecs.Config{FixedRate: tickRate, Log: quiet()}); err != nil {
		w.t.Fatal(err)
	}
	c.engine.Install(interpolation.New3D(), c.Client)
	w.clients = append(w.clients, c)
	return c
}

// dial connects two processes of the world.
func (w *world) dial(at string, c linksim.Condition) (transport.Conn, error) {
	l := w.listens[at]
	if l == nil {
		return nil, errors.New("nothing is there")
	}
	c.Seed = w.seed()
	path := linksim.Symmetric(c)
	path.Receive.Seed = w.seed()
	return linksim.Wrap(l.Dial(), path)
}

// dialLink connects two zones.
func (w *world) dialLink(from, at string) (transport.Conn, error) {
	way := [2]string{from, strings.TrimPrefix(at, "link-")}
	condition := w.between
	if w.cut[way] {
		condition.Loss = 1
	}
	conn, err := w.dial(at, condition)
	if err != nil {
		return nil, err
	}
	w.links[way] = conn.(*linksim.Conn)
	return conn, nil
}

// setCut cuts the link between two zones, or mends it.
func (w *world) setCut(a, b string, cut bool) {
	for _, way := range [][2]string{{a, b}, {b, a}} {
		if w.cut[way] = cut; w.links[way] != nil {
			path := linksim.Symmetric(w.between)
			if cut {
				path.Send.Loss, path.Receive.Loss = 1, 1
			}
			if err := w.links[way].SetPath(path); err != nil {
				w.t.Fatal(err)
			}
		}
	}
}
