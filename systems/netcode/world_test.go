package netcode_test

import (
	"errors"
	"log/slog"
	"math"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/hierarchy"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/netcodetest"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/loopback"
)

// The game of these tests: runners on a plain, at 6 m/s, that may dash.

type runner struct {
	X, Z, Dash float32
	Ride       bool             // X and Z are on the ferry
	On         netcode.EntityID // the raft that X and Z are on,
	HX, HZ     float32          // and its last position
}

type input struct {
	X, Z int8 // -1, 0, 1
	Dash bool
}

const (
	tickRate  = 60
	runSpeed  = 6
	kindRun   = 1
	kindCrate = 2
)

func stepRunner(s runner, in input, t netcode.Tick) runner {
	const dt = 1.0 / tickRate
	speed := float32(runSpeed)
	if in.Dash {
		s.Dash = 0.2
	}
	if s.Dash > 0 {
		speed *= 2
		s.Dash -= dt
	}
	s.X += float32(in.X) * speed * dt
	s.Z += float32(in.Z) * speed * dt
	return stepFerry(s, t)
}

func poseRunner(s runner) components.Pose3D { return components.At3D(s.X, 0, s.Z) }

type runnerCodec struct{}

func (runnerCodec) Write(w *netcode.Writer, s runner) {
	w.Float32(s.X)
	w.Float32(s.Z)
	w.Float32(s.Dash)
	w.Bool(s.Ride)
	w.Bool(s.On != netcode.NoEntity)
	if s.On != netcode.NoEntity {
		w.Bits(uint64(s.On), 32)
		w.Float32(s.HX)
		w.Float32(s.HZ)
	}
}

func (runnerCodec) Read(r *netcode.Reader) (s runner) {
	s = runner{X: r.Float32(), Z: r.Float32(), Dash: r.Float32(), Ride: r.Bool()}
	if r.Bool() {
		s.On, s.HX, s.HZ = netcode.EntityID(r.Bits(32)), r.Float32(), r.Float32()
	}
	for _, v := range []float32{s.X, s.Z, s.Dash, s.HX, s.HZ} {
		if v != v || math.Abs(float64(v)) > 1e6 {
			r.Fail(errors.New("a runner out of this world"))
		}
	}
	return s
}

type inputCodec struct{}

func (inputCodec) Write(w *netcode.Writer, in, _ input) {
	w.Int(int64(in.X), 2)
	w.Int(int64(in.Z), 2)
	w.Bool(in.Dash)
}

func (inputCodec) Read(r *netcode.Reader, _ input) (in input) {
	in = input{int8(r.Int(2)), int8(r.Int(2)), r.Bool()}
	if in.X == -2 || in.Z == -2 {
		r.Fail(errors.New("nobody runs that way"))
	}
	return in
}

type protocol = netcode.Protocol[runner, input]

func newProtocol(t testing.TB, config netcode.Config) *protocol {
	t.Helper()
	return newProtocolFor(t, config, runnerGame())
}

// runnerGame returns the players' game. Tests may change parts of it.
func runnerGame() netcode.Game[runner, input] {
	return netcode.Game[runner, input]{
		Step: stepRunner, Pose: poseRunner, States: runnerCodec{}, Inputs: inputCodec{}, Snap: 5, Tolerance: 1e-4, Distance: runnersApart,
	}
}

func runnersApart(a, b runner) float64 {
	return math.Hypot(float64(a.X-b.X), float64(a.Z-b.Z)) + math.Abs(float64(a.Dash-b.Dash))
}

func newProtocolFor(t testing.TB, config netcode.Config, game netcode.Game[runner, input]) *protocol {
	t.Helper()
	config.TickRate = tickRate
	if config.MaxEntities == 0 {
		config.MaxEntities = 1024
	}
	config.Velocity = netcode.Range{Max: 64, Resolution: 1.0 / 32}
	p, err := netcode.NewProtocol(config, game)
	if err != nil {
		t.Fatal(err)
	}
	netcode.ReplicateComponent[health](p, "health", healthCodec{})
	p.SetScriptedMover(kindLift, liftPath)
	return p
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// match is a match of package netcodetest with the game of these tests.
type match struct {
	t   testing.TB
	kit *netcodetest.Match[runner, input]
	now time.Duration
	// Tests replace these.
	listener *loopback.Listener
	server   *netcode.Server[runner, input]
	engine   *ecs.Engine
	protocol *protocol
	clients  []*player
	joined   []*netcode.Player[runner, input]
	left     []transport.Reason
	heard    []string // messages that the server received
}

type player struct {
	*netcodetest.Client[runner, input]
	client    *netcode.Client[runner, input]
	engine    *ecs.Engine
	hierarchy *hierarchy.Hierarchy3D
	input     func(t netcode.Tick) input
	heard     []string
	log       []netcode.Status
}

func newMatch(t testing.TB, change func(c *netcode.ServerConfig[runner, input])) *match {
	t.Helper()
	return newMatchOf(t, newProtocol(t, netcode.Config{}), change)
}

func newMatchOf(t testing.TB, p *protocol, change func(c *netcode.ServerConfig[runner, input])) *match {
	t.Helper()
	return newMatchOn(t, p, ecs.Config{}, change)
}

// newMatchOn makes a match whose server's engine has the given configuration.
func newMatchOn(t testing.TB, p *protocol, engine ecs.Config, change func(c *netcode.ServerConfig[runner, input])) *match {
	t.Helper()
	m := &match{t: t, protocol: p}
	m.kit = netcodetest.New(unclosed{t}, netcodetest.Config[runner, input]{
		Protocol: func() *protocol { return m.protocol },
		Server: func(e *ecs.Engine) netcode.ServerConfig[runner, input] {
			spawn := generic.NewMap3[components.Transform3D, netcode.Replicated, health](e.World())
			config := netcode.ServerConfig[runner, input]{
				Listener: loopback.Listen(loopback.Config{}),
				Log:      quiet(),
				Joined: func(p *netcode.Player[runner, input]) (runner, arche.Entity) {
					m.joined = append(m.joined, p)
					state := runner{Z: float32(2 * len(m.joined))}
					l := components.NewLogical(poseRunner(state))
					return state, spawn.NewWith(&l, &netcode.Replicated{Archetype: kindRun}, &health{100})
				},
				Left:    func(_ *netcode.Player[runner, input], r transport.Reason) { m.left = append(m.left, r) },
				Message: func(_ *netcode.Player[runner, input], data []byte, _ bool) { m.heard = append(m.heard, string(data)) },
			}
			m.listener = config.Listener.(*loopback.Listener)
			if change != nil {
				change(&config)
			}
			return config
		},
		ServerEngine: engine,
		Seed:         1,
	})
	m.engine, m.server = m.kit.Engine, m.kit.Server
	return m
}

// unclosed leaves the engines of a match to the garbage collector. Tests make hundreds of matches,
// whose memory would otherwise wait for the end of the test.
type unclosed struct{ testing.TB }

func (unclosed) Cleanup(func()) {}

// join adds a client behind a path.
func (m *match) join(path linksim.Path, change func(c *netcode.ClientConfig[runner, input])) *player {
	m.t.Helper()
	p := &player{input: func(netcode.Tick) input { return input{} }, hierarchy: quietHierarchy(false)}
	config := netcode.ClientConfig[runner, input]{
		Dial: func() (transport.Conn, error) {
			m.kit.Listener = m.listener
			return p.Dial()
		},
		Input:   func(t netcode.Tick) input { return p.input(t) },
		Message: func(data []byte, _ bool) { p.heard = append(p.heard, string(data)) },
		Changed: func(s netcode.Status, _ transport.Reason) { p.log = append(p.log, s) },
		Log:     quiet(),
	}
	if change != nil {
		change(&config)
	}
	p.Client = m.kit.Join(path, config)
	p.client, p.engine = p.Client.Client, p.Engine
	p.engine.Install(p.hierarchy)
	m.clients = append(m.clients, p)
	return p
}

// run advances everything by a duration in frames of a 120th of a second, calling each after every
// frame.
func (m *match) run(d time.Duration, each func()) {
	const frame = time.Second / 120
	for end := m.now + d; m.now < end; {
		m.now += frame
		m.kit.Engine, m.kit.Clients = m.engine, m.kit.Clients[:0]
		for _, p := range m.clients {
			m.kit.Clients = append(m.kit.Clients, p.Client)
		}
		m.kit.Run(frame, each)
	}
}

func (p *player) visual(e arche.Entity) mgl32.Vec3 {
	w := p.engine.World()
	return (*components.Visual3D)(w.Get(e, arche.ComponentID[components.Visual3D](w))).Get().Position
}

func (p *player) logical(e arche.Entity) mgl32.Vec3 {
	w := p.engine.World()
	return (*components.Transform3D)(w.Get(e, arche.ComponentID[components.Transform3D](w))).Get().Position
}

// seeds is the condition of the articles: 200 ms round trip, ten per cent of jitter, 15 % loss.
func seeds(seed uint64) linksim.Path {
	return linksim.Symmetric(linksim.Condition{Delay: 90 * time.Millisecond, Jitter: 20 * time.Millisecond, Loss: 0.15, Seed: seed})
}

func perfect() linksim.Path { return linksim.Path{} }

type linkPath = linksim.Path

// quietHierarchy returns a hierarchy that logs nothing.
func quietHierarchy(keepOrphans bool) *hierarchy.Hierarchy3D {
	h := hierarchy.New3D()
	h.KeepOrphans, h.Log = keepOrphans, quiet()
	return h
}

func (m *match) mustPlay() {
	m.t.Helper()
	for i, p := range m.clients {
		if s, r := p.client.Status(); s != netcode.Playing {
			m.t.Fatalf("client %d is %v (%v) at %v", i, s, r, m.now)
		}
	}
}

// crate adds a replicated entity on the server.
func (m *match) crate(kind uint16, pose components.Pose3D) arche.Entity {
	l := components.NewLogical(pose)
	spawn := generic.NewMap2[components.Transform3D, netcode.Replicated](m.engine.World())
	return spawn.NewWith(&l, &netcode.Replicated{Archetype: kind})
}

// of returns a client's player on the server. Players join in the order of their hellos, not of
// their connections.
func (m *match) of(p *player) *netcode.Player[runner, input] {
	for _, j := range m.joined {
		if j.Number() == p.client.Number() {
			return j
		}
	}
	m.t.Fatal("the client has not joined")
	return nil
}

func (m *match) transform(e arche.Entity) *components.Transform3D {
	w := m.engine.World()
	return (*components.Transform3D)(w.Get(e, arche.ComponentID[components.Transform3D](w)))
}

func (m *match) id(e arche.Entity) netcode.EntityID {
	w := m.engine.World()
	return (*netcode.Replicated)(w.Get(e, arche.ComponentID[netcode.Replicated](w))).ID
}

// entityOf returns the server's entity of an archetype.
func (m *match) entityOf(kind uint16) (e arche.Entity) {
	filter := generic.NewFilter1[netcode.Replicated]()
	for q := filter.Query(m.engine.World()); q.Next(); {
		if q.Get().Archetype == kind {
			e = q.Entity()
		}
	}
	return e
}
