package match

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/interpolation"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/prediction"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/testgame"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/loopback"
)

// Setting is a game's choice of rates, and its network.
type Setting struct {
	Network      Network
	TickRate     int // Hz, of the server and both clients
	SnapshotRate int // Hz
	ActionRate   int // packets of inputs per second; zero: one per tick
	FrameRate    int // Hz, of the clients; zero: 60. Sockets are read once per frame
	// in motion beside the two players; zero: 18, so that 20 entities move. At least 3
	Bodies int
	Length time.Duration
	Seed   uint64

	// Path, if set, gives the two clients their paths instead of Network. If Shared is set, the
	// second client's datagrams wait in the queues of the first one's bottlenecks.
	Path   func(client int) linksim.Path
	Shared bool
	Blind  bool       // clients do not receive the arrival times of datagrams
	Watch  [2]Watcher // of the clients; may be nil
}

const (
	// WarmUp is the time from the start that figures leave out.
	WarmUp = 10 * time.Second

	mtu      = 1150              // of the encrypted transport on UDP, in bytes
	turn     = time.Second / 240 // of the server's loop
	farthest = 2 * time.Second   // of a rewind: the greatest that can be configured
	presses  = 1 << 10           // ticks whose presses are kept
)

// Match is a match of a server and two clients.
type Match struct {
	Server  *testgame.Server
	Clients [2]*Client
	// on the server, by number: the first ones are Straight, Circle and Flips
	Bodies  []arche.Entity
	Players []*testgame.Player // all that have joined, those of former sessions included

	setting  Setting
	now      time.Duration
	frame    time.Duration // of a client
	listener *loopback.Listener
	protocol *testgame.Protocol
	ids      generic.Map1[netcode.Replicated]
	lines    [2]*linksim.Conn // the first connection of each client, or of both on a shared line
	// the clients of the connections that were dialled and not yet accepted, in this order
	dials    []int
	accepted [2]int                 // number of connections, by client
	pressed  [presses]time.Duration // by tick: when the second client's input for it was sampled
}

// Client is a client with a process of its own.
type Client struct {
	*testgame.Client
	Packets, Bytes uint64 // sent since the warm-up

	match *Match
	path  *linksim.Conn // of its connection
	born  time.Duration
	drawn time.Duration // the next frame
	prev  time.Duration // the views at the start and at the end of the step that is on the screen
	cur   time.Duration
}

// New makes the server and both clients. It returns an error for a setting that cannot be played.
func New(s Setting) (*Match, error) {
	if s.Bodies == 0 {
		s.Bodies = 18
	}
	if s.ActionRate == 0 {
		s.ActionRate = s.TickRate
	}
	if s.FrameRate == 0 {
		s.FrameRate = 60
	}
	if s.TickRate < 1 || s.Bodies < compared || s.FrameRate < 1 {
		return nil, fmt.Errorf("match: %+v cannot be played: it takes a tick rate, a frame rate and at least %d bodies", s, compared)
	}
	m := &Match{setting: s, frame: time.Second / time.Duration(s.FrameRate), listener: loopback.Listen(loopback.Config{MTU: mtu})}
	var err error
	if m.protocol, err = testgame.NewProtocol(s.TickRate, s.Bodies+8); err != nil {
		return nil, err
	}
	m.Server, err = testgame.Serve(m.protocol, testgame.ServerConfig{
		Listener: watched{m.listener, m}, SnapshotRate: s.SnapshotRate, MinSnapshotRate: 1, Rewind: farthest,
		Random: rand.NewChaCha8([32]byte{byte(s.Seed)}),
	}, func(p *testgame.Player) testgame.State {
		m.Players = append(m.Players, p)
		return testgame.State{Z: 5 * float32(p.Number())}
	})
	if err != nil {
		return nil, err
	}
	m.ids = generic.NewMap1[netcode.Replicated](m.Server.Engine.World())
	m.Bodies = m.Server.AddBodies(s.Bodies, func(i int, t ecs.Time) components.Pose3D { return pose(i, t.StepEnd.Seconds()) })

	rng := rand.New(rand.NewPCG(s.Seed, 0x726174))
	for i := range m.Clients {
		if m.Clients[i], err = m.newClient(i, rng); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// newClient makes a client, whose first frame is at a time of its own.
func (m *Match) newClient(i int, rng *rand.Rand) (*Client, error) {
	s := &m.setting
	c := &Client{match: m, born: time.Duration(rng.Int64N(int64(turn)))}
	path := s.Network.path(rng, s.Length)
	if s.Path != nil {
		path = s.Path(i)
	}
	var err error
	c.Client, err = testgame.Join(m.protocol, testgame.ClientConfig{
		ActionRate: s.ActionRate,
		Dial: func() (transport.Conn, error) {
			far, err := linksim.Wrap(m.listener.Dial(), path)
			if err != nil {
				return nil, err
			}
			m.dialled(i, far)
			c.path = far
			if s.Blind {
				return struct{ transport.Conn }{counted{far, c}}, nil
			}
			return counted{far, c}, nil
		},
		Input: func(t netcode.Tick) testgame.Input {
			if at := &m.pressed[t%presses]; i == 1 && (*at == 0 || m.now-*at > time.Second) {
				*at = m.now // after a jump back the clock asks again; the first answer is kept
			}
			return hands(float64(t) / float64(s.TickRate))
		},
	}, interpolation.New3D())
	if err != nil {
		return nil, err
	}
	c.Engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
		c.prev, c.cur = c.cur, c.View()
		if w := s.Watch[i]; w != nil {
			w.Step(m.now, c.cur, c.Playing())
		}
	}))
	c.drawn = c.born + time.Duration(rng.Int64N(int64(m.frame)))
	return c, nil
}

// hands returns a player's input at a number of seconds. The player runs to and fro, each way for
// about half a second, and turns its head. The turn changes the input in every tick, as a mouse
// does, so no input equals the one before.
func hands(now float64) testgame.Input {
	in := testgame.Input{X: 1, Yaw: uint16(2048 + 600*math.Sin(1.7*now) + 150*math.Sin(7.1*now)), Fire: math.Mod(now, 1.3) < 0.1}
	if math.Mod(now, 1.014) > 0.507 {
		in.X = -1
	}
	return in
}

// counted counts the datagrams of a client.
type counted struct {
	transport.Conn
	client *Client
}

func (c counted) Send(datagram []byte) error {
	if c.client.match.now > WarmUp {
		c.client.Packets++
		c.client.Bytes += uint64(len(datagram))
	}
	return c.Conn.Send(datagram)
}

func (c counted) RecvAt(buf []byte) (n int, at time.Duration, ok bool) {
	return c.Conn.(transport.Stamper).RecvAt(buf)
}

// Play plays the match. The same setting gives the same match.
func (m *Match) Play() {
	for next := turn; m.now < m.setting.Length; {
		due := -1
		at := next
		for i, c := range m.Clients {
			if c.drawn < at {
				due, at = i, c.drawn
			}
		}
		m.now = at
		if due >= 0 {
			c := m.Clients[due]
			c.Engine.Update(m.now - c.born - c.Engine.Time().Real)
			c.drawn += m.frame
			if w := m.setting.Watch[due]; w != nil {
				w.Frame(c.picture())
			}
			continue
		}
		m.Server.Engine.Update(m.now - m.Server.Engine.Time().Real)
		for i, c := range m.Clients {
			if w := m.setting.Watch[i]; w != nil {
				w.Turn(m.now, m.inputs(c))
			}
			if c.path != nil {
				c.path.Poll(m.now - c.born) // the network does not wait for frames
			}
		}
		next += turn
	}
}

// inputs returns the server's figures about a client's inputs.
func (m *Match) inputs(c *Client) (s prediction.BufferStats) {
	for _, p := range m.Players {
		if p.Number() == c.Number() {
			s = p.InputStats()
		}
	}
	return s
}

// picture compares a client's picture with the truth.
func (c *Client) picture() *Frame {
	f := &Frame{Now: c.match.now, Playing: c.Playing(), Stats: c.Stats(), View: c.cur}
	if f.Playing {
		t := c.Engine.Time()
		share := float64(t.Normal-t.StepStart) / float64(t.StepEnd-t.StepStart)
		f.Shown = c.prev + time.Duration(share*float64(c.cur-c.prev))
		for i := range f.Off {
			f.Off[i] = c.off(i, f.Shown)
		}
	}
	return f
}

// off returns the distance between a body's picture and its true place at the time that is shown.
func (c *Client) off(body int, shown time.Duration) float64 {
	m := c.match
	replica := c.Replica(m.ids.Get(m.Bodies[body]).ID)
	if replica.IsZero() {
		return 0
	}
	w := c.Engine.World()
	drawn := (*components.Visual3D)(w.Get(replica, arche.ComponentID[components.Visual3D](w))).Get().Position
	return float64(drawn.Sub(pose(body, shown.Seconds()).Position).Len())
}

// Pressed returns when the second client sampled the input that the server applied at one of its
// times. It is zero if none was sampled.
func (m *Match) Pressed(at time.Duration) time.Duration {
	return m.pressed[uint64(at.Seconds()*float64(m.setting.TickRate))%presses]
}
