package zones_test

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"runtime/pprof"
	"sync/atomic"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/nats-io/nats.go"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/joinlink"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/loopback"
	"github.com/tandem-ecs/tandem/systems/netcode/zones"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/custody"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/internal/devnats"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/internal/land"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/internal/store"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/names"
)

// The game of these tests: runners on a plain, and crates that move by themselves.

type runner struct{ X, Z float32 }

// input is a direction. Fine says that its parts are hundredths.
type input struct {
	X, Z int8
	Fine bool
}

const (
	tickRate  = 60
	frame     = time.Second / 120
	kindRun   = 1
	kindCrate = 2
)

// wander is the motion of a crate, of which only servers know.
type wander struct{ VX, VZ, Fuel float32 }

// coins are replicated.
type coins struct{ N int32 }

func newProtocol(t testing.TB) *netcode.Protocol[runner, input] {
	t.Helper()
	p, err := gameProtocol(tickRate)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// gameProtocol is the game at a tick rate.
func gameProtocol(rate int) (*netcode.Protocol[runner, input], error) {
	way := 8 / float32(rate)
	p, err := netcode.NewProtocol(netcode.Config{TickRate: rate, MaxEntities: 2048}, netcode.Game[runner, input]{
		Step: func(s runner, in input, _ netcode.Tick) runner {
			if in.Fine {
				s.X += float32(max(-100, min(in.X, 100))) * way / 100
				s.Z += float32(max(-100, min(in.Z, 100))) * way / 100
				return s
			}
			s.X += float32(max(-1, min(in.X, 1))) * way
			s.Z += float32(max(-1, min(in.Z, 1))) * way
			return s
		},
		Pose: func(s runner) components.Pose3D { return components.At3D(s.X, 0, s.Z) },
	})
	if err != nil {
		return nil, err
	}
	netcode.ReplicateComponent(p, "coins", netcode.StructComponent[coins]())
	names.Replicate(p)
	return p, nil
}

// world is a world of zones, and clients, in virtual time.
type world struct {
	t       testing.TB
	url     string
	now     time.Duration
	start   time.Time
	zones   map[string]*place
	clients []*client
	random  *rand.Rand
	between linksim.Condition // of links
	frames  int
	places  int // of each zone; 0: 900
	settle  int // frames between two waits for NATS
	clock   atomic.Int64
	// receive is called for each event, beside what place.events notes.
	receive func(p *place, e arche.Entity, event []byte)
	nats    *devnats.Server
	tune    func(name string, c *zones.Config[runner, input]) // the configuration of a zone
	links   map[[2]string]*linksim.Conn                       // from one that dials to another
	cut     map[[2]string]bool                                // nothing passes
	listens map[string]*loopback.Listener
}

// place is a zone with its process.
type place struct {
	*zones.Zone[runner, input]
	w      *world
	name   string
	dir    string
	engine *ecs.Engine
	conn   *nats.Conn
	events []string
	dead   bool
	crates int // to begin with
	wander generic.Map[wander]
	bodies generic.Map[components.Transform3D]
	filter arche.Filter
}

func newWorld(t testing.TB, m *land.Map) *world {
	t.Helper()
	dir, remove, err := devnats.Temporary()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(remove)
	server, err := devnats.Start(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	w := &world{
		t: t, url: server.URL(), nats: server, start: time.Unix(1_700_000_000, 0), zones: map[string]*place{}, random: rand.New(rand.NewPCG(1, 2)),
		between: linksim.Condition{Delay: 400 * time.Microsecond, Jitter: 100 * time.Microsecond}, settle: 12, listens: map[string]*loopback.Listener{},
		links: map[[2]string]*linksim.Conn{}, cut: map[[2]string]bool{},
	}
	w.putMap(m)
	return w
}

// putMap writes the map of the world.
func (w *world) putMap(m *land.Map) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := zones.WriteMap(ctx, w.url, "", "vale", m.JSON()); err != nil {
		w.t.Fatal(err)
	}
}

// quadrants is a map of four zones around the origin.
func quadrants() *land.Map {
	const far = 1000
	return &land.Map{Zones: []land.Zone{
		{Name: "nw", Number: 1, Land: []land.Rect{{MinX: -far, MinZ: -far, MaxX: 0, MaxZ: 0}}},
		{Name: "ne", Number: 2, Land: []land.Rect{{MinX: 0, MinZ: -far, MaxX: far, MaxZ: 0}}},
		{Name: "sw", Number: 3, Land: []land.Rect{{MinX: -far, MinZ: 0, MaxX: 0, MaxZ: far}}},
		{Name: "se", Number: 4, Land: []land.Rect{{MinX: 0, MinZ: 0, MaxX: far, MaxZ: far}}},
	}}
}

func quiet() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }

// log returns a logger for a test's output.
func (w *world) log() *slog.Logger {
	if !testing.Verbose() {
		return quiet()
	}
	return slog.New(slog.NewTextHandler(w.t.Output(), &slog.HandlerOptions{Level: slog.LevelInfo, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Duration("at", w.now)
		}
		return a
	}}))
}

func (w *world) seed() uint64 { return w.random.Uint64() }

// begin begins a process of a zone.
func (w *world) begin(name string, crates int) *place {
	w.t.Helper()
	p, err := w.tryBegin(name, crates)
	if err != nil {
		w.t.Fatal(err)
	}
	return p
}

func (w *world) tryBegin(name string, crates int) (*place, error) {
	p := &place{w: w, name: name, crates: crates}
	if old := w.zones[name]; old != nil {
		p.dir = old.dir
	} else {
		p.dir = w.t.(interface{ TempDir() string }).TempDir()
	}
	w.listens[name], w.listens["link-"+name] = loopback.Listen(loopback.Config{}), loopback.Listen(loopback.Config{})
	var err error
	if p.conn, err = store.Connect(w.url, ""); err != nil {
		return nil, err
	}
	config := zones.Config[runner, input]{
		Conn: p.conn, World: "vale", Zone: name, Dir: p.dir, Address: name, Log: w.log(),
		Now: func() time.Duration { return time.Duration(w.clock.Load()) }, Wall: func() time.Time { return w.start.Add(w.now) },
		Links: zones.Links{
			Address: "link-" + name, Listener: w.listens["link-"+name],
			Dial: func(at string, _ joinlink.Fingerprint) (transport.Conn, error) { return w.dialLink(name, at) },
		},
		Server: netcode.ServerConfig[runner, input]{
			Listener: w.listens[name], Log: w.log(), MaxPlayers: cmp.Or(w.places, 900), Grace: time.Minute, SnapshotRate: 30, Interest: netcode.Interest{Radius: 40},
			Random: rand.NewChaCha8([32]byte{byte(w.seed()), byte(w.seed())}), MaxPerAddress: 2000,
			Joined: func(player *netcode.Player[runner, input]) (runner, arche.Entity) {
				at := w.joinAt(player)
				return at, p.spawn(kindRun, components.At3D(at.X, 0, at.Z))
			},
			Left: func(player *netcode.Player[runner, input], _ netcode.Reason) {
				if p.engine.World().Alive(player.Entity) {
					p.engine.World().RemoveEntity(player.Entity)
				}
			},
		},
		Spawn:    func(a *zones.Arrival[runner, input]) arche.Entity { return p.spawn(a.Archetype, a.Pose) },
		Populate: func(*arche.World) { p.populate() },
		Receive: func(e arche.Entity, event []byte) {
			p.events = append(p.events, string(event))
			if w.receive != nil {
				w.receive(p, e, event)
			}
		},
	}
	if w.tune != nil {
		w.tune(name, &config)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	p.Zone, err = zones.New(ctx, newProtocol(w.t), config)
	if err != nil {
		p.conn.Close()
		return nil, err
	}
	zones.Carry(p.Zone, "wander", netcode.StructState[wander]())
	if p.engine, err = ecs.New(ecs.Config{FixedRate: tickRate, Log: quiet()}); err != nil {
		w.t.Fatal(err)
	}
	p.engine.Install(p.Zone)
	world := p.engine.World()
	p.wander, p.bodies = generic.NewMap[wander](world), generic.NewMap[components.Transform3D](world)
	filter := arche.All(arche.ComponentID[wander](world), arche.ComponentID[components.Transform3D](world)).Without(arche.ComponentID[zones.Ghost](world))
	p.filter = &filter
	p.engine.Add(ecs.FixedUpdate, ecs.SystemFunc(p.moveCrates))
	w.zones[name] = p
	w.t.Cleanup(p.kill)
	return p, nil
}

// kill ends the process of a zone without a word.
func (p *place) kill() {
	if p.w.zones[p.name] == p && !p.dead {
		p.dead = true
		p.KillForTest()
		p.conn.Close()
		delete(p.w.listens, p.name)
		delete(p.w.listens, "link-"+p.name)
	}
}

func (p *place) spawn(kind uint16, pose components.Pose3D) arche.Entity {
	l := components.NewLogical(pose)
	spawn := generic.NewMap2[components.Transform3D, netcode.Replicated](p.engine.World())
	return spawn.NewWith(&l, &netcode.Replicated{Archetype: kind})
}

// populate makes the crates of a zone, in the middle of its land near the origin.
func (p *place) populate() {
	wanders, purses := generic.NewMap1[wander](p.engine.World()), generic.NewMap1[coins](p.engine.World())
	for range p.crates {
		e := p.spawn(kindCrate, p.somewhere())
		wanders.Assign(e, &wander{VX: p.w.random.Float32()*8 - 4, VZ: p.w.random.Float32()*8 - 4, Fuel: 100})
		purses.Assign(e, &coins{N: int32(p.w.random.IntN(1000))})
	}
}

func (p *place) somewhere() components.Pose3D {
	x, z := p.w.random.Float32()*20, p.w.random.Float32()*20
	if p.name[1] == 'w' {
		x = -x
	}
	if p.name[0] == 'n' {
		z = -z
	}
	return components.At3D(x, 0, z)
}

// moveCrates moves the crates of this zone, and turns them 25 m from the origin.
func (p *place) moveCrates(w *arche.World) {
	q := w.Query(p.filter)
	for q.Next() {
		v, l := p.wander.Get(q.Entity()), p.bodies.Get(q.Entity())
		pose := l.Get()
		for axis, speed := range map[int]*float32{0: &v.VX, 2: &v.VZ} {
			if at := pose.Position[axis]; at > 25 && *speed > 0 || at < -25 && *speed < 0 {
				*speed = -*speed
			}
			pose.Position[axis] += *speed / tickRate
		}
		v.Fuel -= 1.0 / 1024
		l.Set(pose)
	}
}

// run lets time pass, and calls each after each frame.
func (w *world) run(d time.Duration, each func()) {
	w.t.Helper()
	for end := w.now + d; w.now < end; {
		w.pass(frame)
		w.frames++
		for _, name := range []string{"nw", "ne", "sw", "se", "new"} {
			if p := w.zones[name]; p != nil && !p.dead {
				p.engine.Update(frame)
			}
		}
		if w.frames%w.settle == 0 {
			w.wait()
		}
		for _, c := range w.clients {
			c.engine.Update(frame)
		}
		if each != nil {
			each()
		}
	}
}

// pass moves the clock of all processes.
func (w *world) pass(d time.Duration) {
	w.now += d
	w.clock.Store(int64(w.now))
}

// wait waits for the answers of NATS, while the virtual clock stands.
func (w *world) wait() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for _, p := range w.zones {
		if !p.conn.IsClosed() {
			if err := p.SettleForTest(ctx); err != nil {
				pprof.Lookup("goroutine").WriteTo(os.Stderr, 1)
				w.t.Fatalf("NATS does not answer %s for a minute: %v", p.name, err)
			}
		}
	}
}

// owners counts how many zones own each entity.
func (w *world) owners() map[custody.Name]int {
	all := map[custody.Name]int{}
	for _, p := range w.zones {
		if !p.dead {
			p.OwnedForTest(func(n custody.Name) { all[n]++ })
		}
	}
	return all
}

func (p *place) addWander(e arche.Entity, v wander) {
	wanders := generic.NewMap1[wander](p.engine.World())
	wanders.Assign(e, &v)
}

func (p *place) nameOf(e arche.Entity) custody.Name {
	w := p.engine.World()
	return (*names.ID)(w.Get(e, arche.ComponentID[names.ID](w))).Name
}

const noPlace = -1e9

// at returns where an entity of the zone is along X, or noPlace if the zone does not own it.
func (p *place) at(n custody.Name) float32 {
	w := p.engine.World()
	id := arche.ComponentID[names.ID](w)
	q := w.Query(p.filter)
	for q.Next() {
		if (*names.ID)(q.Get(id)).Name == n {
			defer q.Close()
			return p.bodies.Get(q.Entity()).Get().Position[0]
		}
	}
	return noPlace
}
