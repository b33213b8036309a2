package netcode_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/interpolation"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/loopback"
)

// zoneName is the name of an entity in all servers of these tests.
type zoneName struct{ N uint64 }

// zone is one of several servers of a world, which all count the same ticks.
type zone struct {
	at       string
	server   *netcode.Server[runner, input]
	engine   *ecs.Engine
	listener *loopback.Listener
	places   generic.Map[components.Transform3D]
	bodies   []arche.Entity
	box      arche.Entity
	rider    arche.Entity // a child of the first body
	gate     *netcode.MatchState[uint32]
	ghosts   map[uint16]arche.Entity // of players, by number
	heard    []string
}

// border is a world of several zones, and a client. Bodies move along paths that all zones know.
type border struct {
	t       testing.TB
	zones   map[string]*zone
	all     []*zone
	paths   map[string]linksim.Path
	client  *netcode.Client[runner, input]
	engine  *ecs.Engine
	input   func(t netcode.Tick) input
	player  *netcode.Player[runner, input]
	owner   *zone
	now     time.Duration
	dials   []string
	conns   map[string]*linksim.Conn // the newest, by address
	heard   []string
	refuse  map[string]bool // addresses whose dials fail
	tickets byte
	names   bool
	boxes   bool                        // each zone has a box beside the bodies
	gate    *netcode.MatchState[uint32] // of the client
}

const (
	borderBodies = 24
	borderFrame  = time.Second / 120
	gateTicks    = 60
)

// bodyAt is the path of a body: a circle, at 3 to 5 m/s.
func bodyAt(i int, t uint64) components.Pose3D {
	angle := float64(t)/tickRate*(1+float64(i%3)/4) + float64(i)
	return components.At3D(float32(3*math.Cos(angle))+float32(i%6), 0, float32(3*math.Sin(angle))+float32(i/6))
}

func newBorder(t testing.TB, names bool, places ...string) *border {
	return newBorderWith(&border{t: t, names: names}, places...)
}

func newBorderWith(b *border, places ...string) *border {
	*b = border{
		t: b.t, names: b.names, boxes: b.boxes, zones: map[string]*zone{}, paths: map[string]linksim.Path{}, conns: map[string]*linksim.Conn{}, refuse: map[string]bool{},
		input: func(netcode.Tick) input { return input{} },
	}
	for _, at := range places {
		b.serve(at)
	}
	return b
}

func (b *border) protocol() (*protocol, *netcode.MatchState[uint32]) {
	p := newProtocol(b.t, netcode.Config{})
	if b.boxes {
		netcode.PredictBodies(p, "box", boxes())
	}
	gate := netcode.NewMatchState[uint32](p, "gate", nil, 0)
	if b.names {
		netcode.ReplicateName(p, func(w *arche.World, e arche.Entity) uint64 {
			if id := arche.ComponentID[zoneName](w); w.Has(e, id) {
				return (*zoneName)(w.Get(e, id)).N
			}
			return 0
		})
	}
	return p, gate
}

// serve begins a zone, at the first tick.
func (b *border) serve(at string) *zone {
	b.t.Helper()
	z := &zone{at: at, listener: loopback.Listen(loopback.Config{}), ghosts: map[uint16]arche.Entity{}}
	var err error
	if z.engine, err = ecs.New(ecs.Config{FixedRate: tickRate, Log: quiet()}); err != nil {
		b.t.Fatal(err)
	}
	p, gate := b.protocol()
	z.gate = gate
	z.server, err = netcode.NewServer(p, netcode.ServerConfig[runner, input]{
		Listener: z.listener, Log: quiet(), Random: rand.NewChaCha8([32]byte{byte(len(b.zones))}),
		Joined: func(p *netcode.Player[runner, input]) (runner, arche.Entity) {
			b.player, b.owner = p, z
			return runner{}, z.hero(p.Number())
		},
		Message: func(_ *netcode.Player[runner, input], data []byte, _ bool) { z.heard = append(z.heard, string(data)) },
	})
	if err != nil {
		b.t.Fatal(err)
	}
	z.engine.Install(z.server)
	// Some slots are taken before, so that the same entities have other IDs in each zone.
	for range len(b.zones) * 5 {
		z.spawn(kindCrate, components.At3D(100, 0, 100), 0)
	}
	for i := range borderBodies {
		z.bodies = append(z.bodies, z.spawn(kindCrate, bodyAt(i, 0), uint64(i)+1))
	}
	z.rider = z.spawn(kindCrate, components.At3D(0, 1, 0), 500)
	parents := generic.NewMap1[components.Parent](z.engine.World())
	parents.Assign(z.rider, &components.Parent{Entity: z.bodies[0]})
	if b.boxes {
		l := components.NewLogical(poseBox(borderBox))
		spawn := generic.NewMap4[components.Transform3D, netcode.Replicated, box, zoneName](z.engine.World())
		z.box = spawn.NewWith(&l, &netcode.Replicated{Archetype: kindBox}, &box{X: borderBox.X, Z: borderBox.Z}, &zoneName{700})
	}
	z.places = generic.NewMap[components.Transform3D](z.engine.World())
	z.engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
		for i, e := range z.bodies {
			z.places.Get(e).Set(bodyAt(i, z.engine.Time().Tick+1))
		}
		if t := z.server.Tick(); t%gateTicks == 0 { // all zones set the same
			z.gate.Set(uint32(t)/gateTicks, t.Add(gateTicks/2))
		}
	}))
	b.zones[at] = z
	b.all = append(b.all, z)
	return z
}

// borderBox is where the box lies at first.
var borderBox = box{X: -4}

// stateOfBox returns the state of the zone's box.
func (z *zone) stateOfBox() *box {
	w := z.engine.World()
	return (*box)(w.Get(z.box, arche.ComponentID[box](w)))
}

func (z *zone) spawn(kind uint16, pose components.Pose3D, name uint64) arche.Entity {
	l := components.NewLogical(pose)
	w := z.engine.World()
	spawn := generic.NewMap4[components.Transform3D, netcode.Replicated, health, zoneName](w)
	return spawn.NewWith(&l, &netcode.Replicated{Archetype: kind}, &health{100}, &zoneName{name})
}

// hero returns the entity that stands for a player in the zone.
func (z *zone) hero(number uint16) arche.Entity {
	e, ok := z.ghosts[number]
	if !ok {
		e = z.spawn(kindRun, components.Identity3D(), 1000+uint64(number))
		w := z.engine.World()
		(*netcode.Replicated)(w.Get(e, arche.ComponentID[netcode.Replicated](w))).Owner = number
		z.ghosts[number] = e
	}
	return e
}

// join adds the client, whose first server is at an address.
func (b *border) join(at string, change func(c *netcode.ClientConfig[runner, input])) {
	b.t.Helper()
	config := netcode.ClientConfig[runner, input]{
		Dial:   func() (transport.Conn, error) { return b.dial(at) },
		DialAt: b.dial, Log: quiet(),
		Input:   func(t netcode.Tick) input { return b.input(t) },
		Message: func(data []byte, _ bool) { b.heard = append(b.heard, string(data)) },
	}
	if change != nil {
		change(&config)
	}
	var err error
	p, gate := b.protocol()
	b.gate = gate
	if b.client, err = netcode.NewClient(p, config); err != nil {
		b.t.Fatal(err)
	}
	if b.engine, err = ecs.New(ecs.Config{FixedRate: tickRate, Log: quiet()}); err != nil {
		b.t.Fatal(err)
	}
	b.engine.Install(interpolation.New3D(), quietHierarchy(false))
	b.engine.Install(b.client)
}

func (b *border) dial(at string) (transport.Conn, error) {
	b.dials = append(b.dials, at)
	z := b.zones[at]
	if z == nil || b.refuse[at] {
		return nil, errors.New("nothing is there")
	}
	path := b.paths[at]
	path.Send.Seed, path.Receive.Seed = uint64(2*len(b.dials)), uint64(2*len(b.dials)+1)
	conn, err := linksim.Wrap(z.listener.Dial(), path)
	b.conns[at] = conn
	return conn, err
}

// run lets time pass, and calls each after each frame.
func (b *border) run(d time.Duration, each func()) {
	for end := b.now + d; b.now < end; {
		b.now += borderFrame
		for _, z := range b.all {
			z.engine.Update(borderFrame)
		}
		if b.player != nil && b.boxes {
			pose, state := b.owner.places.Get(b.owner.box).Get(), *b.owner.stateOfBox()
			for _, z := range b.all {
				if z != b.owner {
					z.places.Get(z.box).Set(pose)
					*z.stateOfBox() = state
				}
			}
		}
		if b.player != nil { // what the others know of it
			pose := poseRunner(b.player.State)
			for _, z := range b.all {
				if e, ok := z.ghosts[b.player.Number()]; ok && z != b.owner {
					z.places.Get(e).Set(pose)
				}
			}
		}
		if b.engine != nil {
			b.engine.Update(borderFrame)
		}
		if each != nil {
			each()
		}
	}
}

// visit makes the client visit a zone, and returns whether the visitor is ready there within a
// time.
func (b *border) visit(at string, within time.Duration, each func()) bool {
	b.t.Helper()
	b.tickets++
	id := b.player.ResumeID()
	z := b.zones[at]
	z.server.Invite(ticket(b.tickets), id, 5*time.Second)
	z.server.SetVisitorEye(id, z.hero(b.player.Number()))
	if err := b.player.Move(at, ticket(b.tickets)); err != nil {
		b.t.Fatal(err)
	}
	for end := b.now + within; b.now < end; {
		if ready, _ := z.server.Visitor(id); ready {
			return true
		}
		b.run(borderFrame, each)
	}
	return false
}

// handOver gives the player to a zone, where it arrives some ticks later, and runs what it has
// missed.
func (b *border) handOver(at string, later int, each func()) {
	b.t.Helper()
	from, z, gone := b.owner, b.zones[at], b.player
	data, err := from.server.Export(gone)
	if err != nil {
		b.t.Fatal(err)
	}
	from.server.Release(gone, at)
	b.run(time.Duration(later)*2*borderFrame, each)
	b.owner = z
	b.player, err = z.server.Import(data, func(p *netcode.Player[runner, input]) arche.Entity { return z.hero(p.Number()) })
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *border) mustPlay() {
	b.t.Helper()
	if s, r := b.client.Status(); s != netcode.Playing {
		b.t.Fatalf("the client is %v (%v) at %v", s, r, b.now)
	}
}

// carrier returns the client's entity on which the rider is.
func (b *border) carrier() arche.Entity {
	w := b.engine.World()
	parent := arche.ComponentID[components.Parent](w)
	q := w.Query(arche.All(parent))
	for q.Next() {
		e := (*components.Parent)(q.Get(parent)).Entity
		q.Close()
		return e
	}
	return arche.Entity{}
}

// ids returns the entities of the named bodies on the client.
func (b *border) ids() map[arche.Entity]bool {
	w := b.engine.World()
	all := map[arche.Entity]bool{}
	q := w.Query(arche.All(arche.ComponentID[netcode.Replicated](w)))
	for q.Next() {
		p := (*components.Transform3D)(q.Get(arche.ComponentID[components.Transform3D](w))).Get().Position
		if p[0] < 50 {
			all[q.Entity()] = true
		}
	}
	return all
}
