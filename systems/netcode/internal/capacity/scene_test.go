package capacity

import (
	"errors"
	"log/slog"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/loopback"
)

// The scene is a plain on which players walk among crates. Each crate wanders and turns for three
// seconds and lies for one.
const (
	tickRate     = 30
	snapshotRate = 20
	frame        = time.Second/tickRate + 1
	radius       = 20 // metres in which a player is shown everything
	mtu          = 1150

	kindPlayer = 1
	kindCrate  = 2
)

type state struct{ X, Z float32 }

type input struct{ X, Z int8 }

type (
	player       = netcode.Player[state, input]
	serverConfig = netcode.ServerConfig[state, input]
)

type states struct{}

func (states) Write(w *netcode.Writer, s state) { w.Float32(s.X); w.Float32(s.Z) }
func (states) Read(r *netcode.Reader) state     { return state{r.Float32(), r.Float32()} }

type inputs struct{}

func (inputs) Write(w *netcode.Writer, in, _ input) { w.Int(int64(in.X), 2); w.Int(int64(in.Z), 2) }

func (inputs) Read(r *netcode.Reader, _ input) input {
	in := input{int8(r.Int(2)), int8(r.Int(2))}
	if in.X == -2 || in.Z == -2 {
		r.Fail(errors.New("capacity: an input out of its range"))
	}
	return in
}

// setting is the size of a scene.
type setting struct {
	players, entities int
	sight             int  // about so many entities are near each player
	labels            bool // a component is replicated, and nothing is decoded
}

// edge returns the length of the plain's edges.
func (c setting) edge() float32 {
	return float32(math.Sqrt(float64(c.entities+c.players) / float64(c.sight) * math.Pi * radius * radius))
}

func (c setting) config() netcode.Config {
	return netcode.Config{
		TickRate: tickRate, MaxEntities: c.entities + c.players + 8,
		Position: netcode.Grid{Min: mgl32.Vec3{-512, -16, -512}, Max: mgl32.Vec3{512, 48, 512}, Resolution: 1.0 / 512},
		Velocity: netcode.Range{Max: 32, Resolution: 1.0 / 32},
	}
}

func (c setting) protocol(t testing.TB) *netcode.Protocol[state, input] {
	t.Helper()
	edge := c.edge()
	p, err := netcode.NewProtocol(c.config(), netcode.Game[state, input]{
		States: states{}, Inputs: inputs{}, Tolerance: 1e-4,
		Step: func(s state, in input, _ netcode.Tick) state {
			const walk = 6.0 / tickRate
			s.X = min(max(s.X+float32(in.X)*walk, 0), edge)
			s.Z = min(max(s.Z+float32(in.Z)*walk, 0), edge)
			return s
		},
		Pose:     func(s state) components.Pose3D { return components.At3D(s.X, 0, s.Z) },
		Distance: func(a, b state) float64 { return math.Hypot(float64(a.X-b.X), float64(a.Z-b.Z)) },
	})
	if err != nil {
		t.Fatal(err)
	}
	if c.labels {
		netcode.ReplicateComponent(p, "label", netcode.StructComponent[label]())
	}
	return p
}

// label is a component.
type label struct{ Number uint16 }

// crates move entities.
type crates struct {
	engine     *ecs.Engine
	transforms generic.Map1[components.Transform3D]
	all        []arche.Entity
	motions    []motion
	rng        *rand.Rand
	edge       float32
}

type motion struct{ x, z, turn, spin float32 }

func (c *crates) update(*arche.World) {
	now := int(c.engine.Time().Tick)
	const dt = 1.0 / tickRate
	for i, e := range c.all {
		phase := (now + 37*i) % (4 * tickRate)
		if phase >= 3*tickRate {
			continue
		}
		m := &c.motions[i]
		if phase == 0 {
			sin, cos := math.Sincos(c.rng.Float64() * 2 * math.Pi)
			*m = motion{x: float32(2 * cos), z: float32(2 * sin), turn: c.rng.Float32() - 0.5, spin: 2*c.rng.Float32() - 1}
		}
		sin, cos := math.Sincos(float64(m.turn * dt))
		m.x, m.z = m.x*float32(cos)-m.z*float32(sin), m.x*float32(sin)+m.z*float32(cos)
		l := c.transforms.Get(e)
		pose := l.Get()
		pose.Position[0] += m.x * dt
		pose.Position[2] += m.z * dt
		if x := pose.Position[0]; x < 0 || x > c.edge {
			m.x = -m.x
		}
		if z := pose.Position[2]; z < 0 || z > c.edge {
			m.z = -m.z
		}
		pose.Rotation = pose.Rotation.Mul(mgl32.QuatRotate(m.spin*dt, mgl32.Vec3{0, 1, 0})).Normalize()
		l.Set(pose)
	}
}

// scene is a server with its ghosts, in virtual time.
type scene struct {
	setting
	listener *loopback.Listener
	engine   *ecs.Engine
	server   *netcode.Server[state, input]
	spawn    generic.Map2[components.Transform3D, netcode.Replicated]
	crates   crates
	ghosts   []*ghost
	hello    []byte
	schema   *snapshot.Schema
	now      time.Duration
	used     time.Duration // of processors, by the server's updates
}

// newScene returns a scene without players. The server's configuration may be changed.
func newScene(t testing.TB, c setting, change func(*scene, *serverConfig)) *scene {
	t.Helper()
	engine, err := ecs.New(ecs.Config{FixedRate: tickRate})
	if err != nil {
		t.Fatal(err)
	}
	s := &scene{setting: c, engine: engine, listener: loopback.Listen(loopback.Config{Backlog: 4096, MTU: mtu, Queue: 64})}
	s.spawn = generic.NewMap2[components.Transform3D, netcode.Replicated](engine.World())
	rng := rand.New(rand.NewPCG(7, 7))
	edge := c.edge()
	config := serverConfig{
		Listener: s.listener, Log: slog.New(slog.DiscardHandler), MaxPlayers: c.players + 8, MaxPerAddress: -1,
		Interest: netcode.Interest{Radius: radius, Leave: 24}, SnapshotRate: snapshotRate, Bandwidth: 24000,
		Random: rand.NewChaCha8([32]byte{3}),
		Joined: func(*player) (state, arche.Entity) {
			first := state{rng.Float32() * edge, rng.Float32() * edge}
			return first, s.add(kindPlayer, first)
		},
	}
	if change != nil {
		change(s, &config)
	}
	if s.server, err = netcode.NewServer(c.protocol(t), config); err != nil {
		t.Fatal(err)
	}
	engine.Install(s.server)
	s.crates = crates{engine: engine, transforms: generic.NewMap1[components.Transform3D](engine.World()), rng: rand.New(rand.NewPCG(9, 9)), edge: edge}
	for range c.entities {
		s.crates.all = append(s.crates.all, s.add(kindCrate, state{rng.Float32() * edge, rng.Float32() * edge}))
	}
	s.crates.motions = make([]motion, c.entities)
	engine.Add(ecs.FixedUpdate, ecs.SystemFunc(s.crates.update))
	s.hello = captureHello(t, c.protocol(t))
	if c.labels {
		return s // nothing is decoded
	}
	if s.schema, err = snapshot.NewSchema(c.config()); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *scene) add(kind uint16, at state) arche.Entity {
	l := components.NewLogical(components.At3D(at.X, 0, at.Z))
	return s.spawn.NewWith(&l, &netcode.Replicated{Archetype: kind})
}

// newGhost dials.
func (s *scene) newGhost(i int) *ghost {
	return newGhost(i, s.listener.Dial(), s.hello, s.schema)
}

// joining is how many ghosts dial in one tick, until all play.
const joining = 40

// tick runs one tick of the server, then one of every ghost. It returns how long the server took.
func (s *scene) tick() time.Duration {
	for n := 0; n < joining && len(s.ghosts) < s.players; n++ {
		s.ghosts = append(s.ghosts, s.newGhost(len(s.ghosts)))
	}
	s.now += frame
	start, used := time.Now(), processorTime()
	s.engine.Update(frame)
	took := time.Since(start)
	s.used += processorTime() - used
	for _, g := range s.ghosts {
		g.tick(s.now, s.server.Tick())
	}
	return took
}

// hash returns the hash of all bytes that all ghosts have received.
func (s *scene) hash() (sum uint64) {
	for _, g := range s.ghosts {
		sum = sum*1099511628211 ^ g.sum.Sum64()
	}
	return sum
}
