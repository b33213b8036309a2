package zones

import (
	"encoding/binary"
	"io"
	"log/slog"
	"math"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/loopback"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/custody"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/internal/land"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/internal/link"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/internal/mail"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/names"
)

// hull is a state of a player, and order its input.
type (
	hull  struct{ X, Z float32 }
	order struct{ X int8 }
	cargo struct{ Tons float32 } // carried
	paint struct{ Color int32 }  // replicated
)

// loneZone is a zone of number 1 without NATS, which has three entities, a copy that is under way,
// and a ghost of zone 2.
func loneZone(t testing.TB) (z *Zone[hull, order], own []custody.Name) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	p, err := netcode.NewProtocol(netcode.Config{MaxEntities: 64}, netcode.Game[hull, order]{
		Step: func(h hull, in order, _ netcode.Tick) hull { h.X += float32(in.X); return h },
		Pose: func(h hull) components.Pose3D { return components.At3D(h.X, 0, h.Z) },
	})
	must(err)
	netcode.ReplicateComponent(p, "paint", netcode.StructComponent[paint]())
	names.Replicate(p)
	engine, err := ecs.New(ecs.Config{FixedRate: 60, Log: slog.New(slog.DiscardHandler)})
	must(err)
	spawn := func(archetype uint16, pose components.Pose3D) arche.Entity {
		l := components.NewLogical(pose)
		bodies := generic.NewMap2[components.Transform3D, netcode.Replicated](engine.World())
		return bodies.NewWith(&l, &netcode.Replicated{Archetype: archetype})
	}
	config := Config[hull, order]{
		Log: slog.New(slog.DiscardHandler), Band: 60, Margin: 2, Now: func() time.Duration { return time.Second },
		Spawn: func(a *Arrival[hull, order]) arche.Entity { return spawn(a.Archetype, a.Pose) },
		Server: netcode.ServerConfig[hull, order]{
			Listener: loopback.Listen(loopback.Config{}), MaxPlayers: 8, Log: slog.New(slog.DiscardHandler), FirstNumber: 1, LastNumber: 100,
			Joined: func(*netcode.Player[hull, order]) (hull, arche.Entity) { return hull{}, arche.Entity{} },
		},
	}
	z = &Zone[hull, order]{
		config: config, protocol: p, random: zeros{}, self: custody.Process{Zone: 1, Epoch: 1},
		watches: map[custody.Zone]*custody.Watch{}, floors: map[custody.Zone]mail.Stamp{}, received: map[mail.ID]receipt{},
		entities: map[custody.Name]*entity{}, gone: map[custody.Name]tombstone{}, neighbors: map[custody.Zone]*neighbor{},
		visits: map[netcode.ResumeID]*visit{}, guests: map[netcode.ResumeID]*guest{}, questions: map[netcode.ResumeID]question{},
		away: map[uint16]bool{}, granted: map[custody.Name]bool{}, freed: map[uint16]netcode.Tick{}, here: map[netcode.ResumeID]bool{},
		scratch: make([]byte, maxState), done: make(chan struct{}), maxPlayers: 8,
	}
	z.mail = mail.NewOutbox(z.self)
	z.ledger, err = custody.Open(z.self, nil, nil)
	must(err)
	z.ledger.Meet(2)
	z.ledger.Meet(3)
	z.ledger.Accept = z.accepts
	z.land = &land.Map{Zones: []land.Zone{
		{Name: "a", Number: 1, Land: []land.Rect{{MinX: -100, MinZ: -100, MaxX: 0, MaxZ: 100}}},
		{Name: "b", Number: 2, Land: []land.Rect{{MinX: 0, MinZ: -100, MaxX: 100, MaxZ: 100}}},
	}}
	z.me = &z.land.Zones[0]
	z.server, err = netcode.NewServer(p, config.Server)
	must(err)
	z.links, err = link.New(link.Config{
		Self: z.self, Key: [32]byte{1}, Listener: loopback.Listen(loopback.Config{}), Handler: z,
		Dial: func(link.Peer) (transport.Conn, error) { return nil, io.EOF },
	})
	must(err)
	Carry(z, "cargo", netcode.StructState[cargo]())
	engine.Install(z.server)
	z.engine, z.world, z.ids = engine, engine.World(), newComponentIDs(engine.World())
	for _, f := range z.bind {
		f()
	}
	unnamed := arche.All(z.ids.replicated, z.ids.transform).Without(z.ids.id)
	z.unnamed = z.world.Cache().Register(&unnamed)
	attached := arche.All(z.ids.parent)
	z.attached = z.world.Cache().Register(attached)
	for i := range 4 {
		e := spawn(1, components.At3D(float32(-i), 0, 0))
		*give[cargo](z.world, e, arche.ComponentID[cargo](z.world)) = cargo{7}
	}
	z.nameEntities()
	engine.Update(time.Second / 60)
	z.Opened(custody.Process{Zone: 2, Epoch: 1})
	names := z.ledger.Owned()
	x := z.entities[names[3]]
	z.group = append(z.group[:0], x)
	if z.handOver(2) != 1 {
		t.Fatal("nothing was handed over")
	}
	return z, names[:3]
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

// No message of another zone makes a zone panic, and nothing that the zone owns is lost or gets
// another owner.
func FuzzMessage(f *testing.F) {
	z, own := loneZone(f)
	state := z.stateFor(own[0])
	from := custody.Process{Zone: 2, Epoch: 1}
	head := func(kind byte) []byte { return []byte{msgCustody, 1, kind, 2, 1, 1, 1} }
	give := func(kind byte, n custody.Name, hop uint64, state []byte) []byte {
		b := binary.AppendUvarint(binary.AppendUvarint(head(kind), uint64(n)), hop)
		b = append(b, 1, 9)
		return append(binary.AppendUvarint(b, uint64(len(state))), state...)
	}
	foreign := custody.Name(2)<<52 | 1<<32 | 5
	f.Add(give(1, foreign, 1, state))
	f.Add(give(4, foreign, 1, state))
	f.Add(give(1, own[0], 90, state))
	f.Add(give(4, own[0]+3, 3, state))
	f.Add(give(1, foreign, 1, state[:len(state)-1]))
	for kind := byte(2); kind <= 3; kind++ {
		f.Add(binary.AppendUvarint(binary.AppendUvarint(head(kind), uint64(own[0]+3)), 2))
	}
	f.Add(append(head(5), 1, 200))
	f.Add(append(head(6), 1, 0, 1, 3, 9))
	f.Add(append(head(7), 0, 0, 1, 1, 0, 0))
	var id [idSize]byte
	for kind := byte(msgInvite); kind <= msgBack+1; kind++ {
		f.Add(append([]byte{kind}, make([]byte, 16)...))
		f.Add(append([]byte{kind}, make([]byte, 16+idSize)...))
		f.Add(append(append([]byte{kind}, make([]byte, 16)...), append(id[:], 1, 2, 3, 4, 5, 6, 7, 8)...))
		f.Add(binary.LittleEndian.AppendUint64([]byte{kind}, uint64(own[1])))
		f.Add(append(binary.LittleEndian.AppendUint64([]byte{kind}, uint64(own[1])), 0, 'h', 'i'))
		f.Add(binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint64([]byte{kind}, uint64(own[1])), math.Float32bits(1)))
		letter := append([]byte{kind, 2, 0}, make([]byte, 16)...)
		letter[3] = 9
		f.Add(append(binary.LittleEndian.AppendUint64(letter, uint64(own[1])), "coin"...))
		f.Add([]byte{kind, 17, 18})
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		z, _ := loneZone(t)
		for range 2 { // repetitions, too
			var own []custody.Name // a claim hands one over at the end of a step
			for n, x := range z.entities {
				if x.owned {
					own = append(own, n)
				}
			}
			z.Message(from, data)
			for _, n := range own {
				if !z.ledger.Owns(n) || !z.entities[n].owned {
					t.Fatalf("%v is lost by % x", n, data)
				}
			}
			z.takeArrivals()
			z.sendCustody()
			for n, x := range z.entities {
				if (x.owned || z.isEarly(n)) != z.ledger.Owns(n) {
					t.Fatalf("%v: simulated %v, owned by the ledger %v", n, x.owned, z.ledger.Owns(n))
				}
				if z.alive(x.e) && x.owned == z.world.Has(x.e, z.ids.ghost) {
					t.Fatalf("%v: owned %v, and a ghost %v", n, x.owned, !x.owned)
				}
			}
			z.engine.Update(time.Second / 60)
			z.nameEntities()
			z.noteAttachments()
			z.grantClaims()
			z.showEntities()
			z.lookAround()
			z.ageGhosts()
		}
		_, _ = z.ledger.Checkpoint(z.stateFor)
	})
}

// A state that is read is written back the same by the entity that it makes.
func FuzzState(f *testing.F) {
	z, own := loneZone(f)
	for _, n := range own {
		f.Add(z.stateFor(n))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := readState(data)
		if err != nil {
			return
		}
		z, _ := loneZone(t)
		name := custody.Name(2)<<52 | 1<<32 | 5
		before := len(z.entities)
		if _, err = z.arrive(name, &s); err != nil {
			if len(z.entities) != before {
				t.Fatal("an entity is left of a malformed state")
			}
			return
		}
		again, err := z.writeState(z.entities[name], s.player)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := readState(again); err != nil {
			t.Fatalf("% x is read, and % x is not", data, again)
		}
	})
}
