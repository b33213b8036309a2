package soak

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/interpolation"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/testgame"
	"github.com/tandem-ecs/tandem/systems/netcode/interp"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/loopback"
)

type config struct {
	bots, entities int
	duration       time.Duration
	seed           uint64
}

// match is a server with its bots, and the faults that it causes.
type match struct {
	config   config
	rng      *rand.Rand
	protocol *testgame.Protocol
	listener *loopback.Listener
	server   *testgame.Server
	bots     []*bot
	stranger *loopback.Conn
	now      time.Duration
	faults   bool

	steps                             []time.Duration // of the server's updates
	allocs                            []uint64        // in each second
	freezes, outages, leaves, garbage int
}

// watchers is the number of bots of which one draws the replicas. The others have no picture, and
// the server cannot tell.
const watchers = 8

// bot is a client with a process of its own, which may freeze.
type bot struct {
	client *testgame.Client
	conn   *linksim.Conn
	path   linksim.Path
	frozen time.Duration
	behind time.Duration
	cut    time.Duration // until when its link is dead
}

func newMatch(c config) (*match, error) {
	m := &match{
		config: c, rng: rand.New(rand.NewPCG(c.seed, 1)), listener: loopback.Listen(loopback.Config{Backlog: 1024}), faults: true,
	}
	var err error
	if m.protocol, err = testgame.NewProtocol(tickRate, c.entities+2*c.bots); err != nil {
		return nil, err
	}
	m.server, err = testgame.Serve(m.protocol, testgame.ServerConfig{
		Listener: m.listener, MaxPlayers: c.bots + 8, Timeout: 3 * time.Second, Grace: 10 * time.Second,
		Random: rand.NewChaCha8([32]byte{byte(c.seed)}),
	}, func(p *testgame.Player) testgame.State {
		return testgame.State{X: float32(p.Number()%20)*4 - 40, Z: float32(p.Number()/20%20)*4 - 40}
	})
	if err != nil {
		return nil, err
	}
	m.server.AddBodies(c.entities, bob)
	for i := range c.bots {
		b, err := m.newBot(i)
		if err != nil {
			return nil, err
		}
		m.bots = append(m.bots, b)
	}
	return m, nil
}

// bob returns the pose of an entity, which bobs up and down for three seconds and rests for one.
// Three of four entities move at a time.
func bob(i int, t ecs.Time) components.Pose3D {
	tick := int(t.Tick)
	if (i+tick/tickRate)%4 == 0 {
		tick -= tick%tickRate + 1 // the last in which it moved
	}
	return components.At3D(float32(i%25)*6-75, float32(1+math.Sin(float64(tick+17*i)/30)), float32(i/25)*6-60)
}

func (m *match) newBot(i int) (*bot, error) {
	condition := linksim.Condition{
		Delay: time.Duration(20+m.rng.IntN(90)) * time.Millisecond, Jitter: time.Duration(2+m.rng.IntN(20)) * time.Millisecond,
		Loss: []float64{0, 0.01, 0.05, 0.15}[i%4], Seed: m.rng.Uint64(),
	}
	kind := interp.Naive
	b := &bot{path: linksim.Symmetric(condition)}
	var plugins []ecs.Plugin
	if i%watchers == 0 {
		kind, plugins = interp.Default, []ecs.Plugin{interpolation.New3D()}
	}
	var err error
	b.client, err = testgame.Join(m.protocol, testgame.ClientConfig{
		Interpolation: kind,
		Dial: func() (transport.Conn, error) {
			if m.now < b.cut {
				return nil, errors.New("no network")
			}
			conn, err := linksim.Wrap(m.listener.Dial(), b.path)
			b.conn = conn
			return conn, err
		},
		Input: func(t netcode.Tick) testgame.Input {
			return testgame.Input{X: int8((int(t)/40+i)%3) - 1, Z: int8((int(t)/70+i/3)%3) - 1}
		},
		Timeout: 3 * time.Second,
	}, plugins...)
	if err != nil {
		return nil, err
	}
	return b, nil
}

// play runs everything for a while, in steps of a tick.
func (m *match) play(d time.Duration) error {
	const frame = time.Second / tickRate
	var memory runtime.MemStats
	allocs := uint64(0)
	for end := m.now + d; m.now < end; {
		m.now += frame
		if m.faults {
			if err := m.misbehave(); err != nil {
				return err
			}
		}
		// Reading the figures stops the world, so one tick a second is sampled.
		sample := len(m.steps)%tickRate == 0
		if sample {
			runtime.ReadMemStats(&memory)
			allocs = memory.Mallocs
		}
		start := time.Now()
		m.server.Engine.Update(frame)
		m.steps = append(m.steps, time.Since(start))
		if sample {
			runtime.ReadMemStats(&memory)
			m.allocs = append(m.allocs, memory.Mallocs-allocs)
		}
		for _, b := range m.bots {
			if b.behind += frame; b.frozen > 0 {
				b.frozen -= frame
				continue
			}
			b.client.Engine.Update(b.behind)
			b.behind = 0
		}
	}
	return nil
}

// misbehave causes a fault about every half second, and sends garbage in every tick.
func (m *match) misbehave() error {
	b := m.bots[m.rng.IntN(len(m.bots))]
	switch m.rng.IntN(120) {
	case 0:
		m.freezes++
		b.frozen = time.Duration(m.rng.IntN(5000)) * time.Millisecond
	case 1, 2:
		if b.conn != nil && m.now >= b.cut {
			m.outages++
			b.cut = m.now + time.Duration(m.rng.IntN(8000))*time.Millisecond
			if err := b.conn.SetPath(linksim.Symmetric(linksim.Condition{Loss: 1})); err != nil {
				return err
			}
		}
	case 3:
		m.leaves++
		i := slices.Index(m.bots, b)
		b.client.Leave()
		b.client.Engine.Close()
		fresh, err := m.newBot(i)
		if err != nil {
			return err
		}
		m.bots[i] = fresh
	}
	for _, b := range m.bots {
		if b.cut > 0 && m.now >= b.cut {
			b.cut = 0
			if err := b.conn.SetPath(b.path); err != nil {
				return err
			}
		}
	}
	m.throw(b)
	return nil
}

// throw sends garbage from a stranger and from a player's own connection.
func (m *match) throw(b *bot) {
	if m.stranger == nil || m.stranger.State() == transport.Closed {
		m.stranger = m.listener.Dial()
	}
	m.stranger.Poll(m.now)
	var buf [transport.MaxMTU]byte
	n := 1 + m.rng.IntN(len(buf)-1)
	for i := range n {
		buf[i] = byte(m.rng.Uint32())
	}
	buf[0] = []byte{0x48, 0x53, buf[0]}[m.rng.IntN(3)]
	m.garbage += 2
	_ = m.stranger.Send(buf[:n])
	if b.conn != nil && m.rng.IntN(4) == 0 {
		_ = b.conn.Send(buf[:n])
	}
}

// allocations returns the mean of the sampled ticks from the given one on.
func (m *match) allocations(from int) float64 { return meanOf(m.allocs[from/tickRate:]) }

// quiet returns the mean of the half with the fewest allocations.
func (m *match) quiet(from int) float64 {
	sorted := slices.Sorted(slices.Values(m.allocs[from/tickRate:]))
	return meanOf(sorted[:max(1, len(sorted)/2)])
}

func meanOf(v []uint64) float64 {
	sum := uint64(0)
	for _, x := range v {
		sum += x
	}
	return float64(sum) / float64(max(1, len(v)))
}

// check returns an error if a bot does not play although nothing is wrong any more.
func (m *match) check() error {
	for i, b := range m.bots {
		if s, r := b.client.Status(); s != netcode.Playing {
			return fmt.Errorf("bot %d is %v at the end: %v", i, s, r)
		}
		if n, want := b.client.Stats().Replicas, m.server.Stats().Entities; n != want {
			return fmt.Errorf("bot %d has %d of %d replicas at the end", i, n, want)
		}
	}
	if s := m.server.Stats(); s.Players != len(m.bots) {
		return fmt.Errorf("%d players at the end, want %d", s.Players, len(m.bots))
	}
	return nil
}
