package zones

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/nats-io/nats.go"

	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/custody"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/internal/land"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/internal/link"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/internal/mail"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/internal/store"
)

// Zone is a server that simulates a part of a world. It is an ecs.Plugin in the place of the
// netcode.Server, which it has: make it with [New] and install it.
type Zone[S any, I comparable] struct {
	config   Config[S, I]
	protocol *netcode.Protocol[S, I]
	server   *netcode.Server[S, I]
	engine   *ecs.Engine
	world    *arche.World
	ids      componentIDs
	unnamed  arche.CachedFilter // replicated, without a name
	attached arche.CachedFilter // with a parent
	random   io.Reader

	conn    *nats.Conn // its own; nil: the caller's
	unlock  func()
	hold    *store.Hold
	self    custody.Process
	lease   custody.Lease
	renewed time.Duration // when the last renewal was begun
	leaseAt time.Duration // the start of the newest one that has succeeded
	records []store.Seen
	watches map[custody.Zone]*custody.Watch

	land  *land.Map
	me    *land.Zone // nil: the map does not have this zone any more
	links *link.Links

	ledger   *custody.Ledger
	mail     *mail.Outbox
	floors   map[custody.Zone]mail.Stamp // of the letters of other zones
	received map[mail.ID]receipt
	entities map[custody.Name]*entity
	gone     map[custody.Name]tombstone

	neighbors map[custody.Zone]*neighbor
	visits    map[netcode.ResumeID]*visit
	guests    map[netcode.ResumeID]*guest
	questions map[netcode.ResumeID]question
	away      map[uint16]bool         // numbers of this zone's players that are elsewhere
	freed     map[uint16]netcode.Tick // numbers of other zones' players that have left, until
	here      map[netcode.ResumeID]bool
	claims    []claim
	granted   map[custody.Name]bool // claimed, and perhaps under way

	carried      []carried
	carriedNames string
	bind         []func() // of carried

	maxPlayers int
	accepted   int // players that the ledger has taken and that have not arrived
	draining   bool
	populate   bool // no process of this zone has run before
	restoring  bool
	hasSaved   bool
	saving     bool
	savedAt    netcode.Tick
	saves      uint64
	repeatAt   netcode.Tick
	frame      uint64 // the engine's frame whose beginning is known
	frameAt    time.Duration
	stepAt     time.Duration
	frozen     bool
	closed     bool
	final      bool // the last checkpoint is being written
	err        error
	done       chan struct{}

	stats        Stats
	published    atomic.Pointer[Stats]
	checkpointAt time.Duration
	clockError   time.Duration

	// scratch
	scratch, outgoing []byte
	fresh             []arche.Entity
	crossing, group   []*entity
	parcels           []parcel[S, I]
	waiting           []child
	early             []custody.Entity // come before their tick
	held              []heldEvent      // for these
	attachments       []attachment
}

// New takes a zone of a world for this process. It waits for NATS, and for the process that had the
// zone before, as long as the context lasts. The protocol is used by this zone alone, and has had
// names.Replicate. Install the zone and run its engine at once: its clock goes on from here. Close
// ends it. After an error the record in NATS stays, as after a crash.
func New[S any, I comparable](ctx context.Context, p *netcode.Protocol[S, I], c Config[S, I]) (*Zone[S, I], error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	z := &Zone[S, I]{
		config: c, protocol: p, random: c.Server.Random,
		watches: map[custody.Zone]*custody.Watch{}, floors: map[custody.Zone]mail.Stamp{}, received: map[mail.ID]receipt{},
		entities: map[custody.Name]*entity{}, gone: map[custody.Name]tombstone{}, neighbors: map[custody.Zone]*neighbor{},
		visits: map[netcode.ResumeID]*visit{}, guests: map[netcode.ResumeID]*guest{}, questions: map[netcode.ResumeID]question{},
		away: map[uint16]bool{}, granted: map[custody.Name]bool{}, freed: map[uint16]netcode.Tick{}, here: map[netcode.ResumeID]bool{},
		scratch: make([]byte, maxState), done: make(chan struct{}),
	}
	if z.random == nil {
		z.random = rand.Reader
	}
	if err := z.open(ctx); err != nil {
		z.release()
		return nil, err
	}
	return z, nil
}

// open takes the zone and restores it.
func (z *Zone[S, I]) open(ctx context.Context) error {
	c := &z.config
	nc := c.Conn
	if nc == nil {
		var err error
		if nc, err = store.Connect(c.NATS, c.Creds); err != nil {
			return err
		}
		z.conn = nc
	}
	st, err := store.Open(ctx, nc, c.World)
	if err != nil {
		return err
	}
	if z.land, _, err = st.Map(ctx); err != nil {
		return err
	}
	if z.me = z.land.ByName(c.Zone); z.me == nil {
		return fmt.Errorf("zones: the map of world %s has no zone %q: add it with `zones map` or `zones split`", c.World, c.Zone)
	}
	record := store.Record{Number: z.me.Number, Address: c.Address, Link: c.Links.Address, Pin: c.Links.Pin}
	if _, err := io.ReadFull(z.random, record.Key[:]); err != nil {
		return fmt.Errorf("zones: no random numbers for a key: %w", err)
	}
	alone := c.Dir != ""
	if alone {
		if record.Instance, z.unlock, err = store.Lock(c.Dir); err != nil {
			return err
		}
	} else {
		record.Instance = fmt.Sprintf("%x", record.Key[:8])
	}
	if z.hold, err = st.Take(ctx, c.Zone, record, alone, c.Now); err != nil {
		return err
	}
	record = z.hold.Record()
	z.self = custody.Process{Zone: record.Number, Epoch: record.Epoch}
	z.lease, z.renewed, z.leaseAt = custody.NewLease(z.hold.Start()), z.hold.Start(), z.hold.Start()
	seen, err := st.Records(ctx)
	if err != nil {
		return err
	}
	var others []custody.Zone
	for _, r := range seen {
		if r.Record.Number != z.self.Zone {
			others = append(others, r.Record.Number)
		}
	}
	z.mail = mail.NewOutbox(z.self)
	data := z.hold.Checkpoint()
	z.populate = data == nil
	if err := z.restore(data, others); err != nil {
		return err
	}
	z.ledger.Accept = z.accepts
	if err := z.makeServer(ctx, st); err != nil {
		return err
	}
	z.links, err = link.New(link.Config{
		Self: z.self, Key: record.Key, Protocol: z.protocolHash(), Listener: c.Links.Listener, Handler: z, Log: c.Log,
		Dial: func(p link.Peer) (transport.Conn, error) { return c.Links.Dial(p.Address, p.Pin) },
	})
	if err != nil {
		return err
	}
	z.noteRecords(seen)
	return nil
}

// Server returns the zone's server. Its players and settings are the game's to use; the zone calls
// what moves players, Steer, Export and Import.
func (z *Zone[S, I]) Server() *netcode.Server[S, I] { return z.server }

// Install implements ecs.Plugin.
func (z *Zone[S, I]) Install(e *ecs.Engine) {
	if z.engine != nil {
		panic("zones: a second Install; make a Zone for each engine")
	}
	if z.config.MakeServer == nil {
		e.Install(z.server)
	}
	z.engine, z.world, z.ids = e, e.World(), newComponentIDs(e.World())
	for _, f := range z.bind {
		f()
	}
	unnamed := arche.All(z.ids.replicated, z.ids.transform).Without(z.ids.id)
	attached := arche.All(z.ids.parent)
	z.unnamed, z.attached = z.world.Cache().Register(&unnamed), z.world.Cache().Register(attached)
	e.SetGate(z.mayStep)
	e.AddAt(ecs.FixedUpdate, netcode.OrderNetwork-1, ecs.SystemFunc(func(*arche.World) { z.beginStep() }))
	e.AddAt(ecs.FixedEnd, netcode.OrderReplicate-1, ecs.SystemFunc(func(*arche.World) { z.beforeSend() }))
	e.AddAt(ecs.FixedEnd, netcode.OrderReplicate+1, ecs.SystemFunc(func(*arche.World) { z.endStep() }))
	e.AddAt(ecs.NormalUpdate, netcode.OrderNetwork-1, ecs.SystemFunc(func(*arche.World) { z.endFrame() }))
	e.Add(ecs.Render, &ending[S, I]{z})
}

// Active reports whether the zone simulates: it has asked the others and holds its lease.
func (z *Zone[S, I]) Active() bool { return z.ledger.Active() && !z.frozen && !z.closed }
