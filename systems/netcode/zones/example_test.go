package zones_test

import (
	"context"
	"fmt"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/dtls"
	"github.com/tandem-ecs/tandem/systems/netcode/zones"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/names"
)

// The game: heroes walk, and a cart rolls by itself.
type (
	hero    struct{ X, Z float32 }
	buttons struct{ X, Z int8 }
	cart    struct{ Speed float32 } // only servers have it
)

const archetypeCart = 2

func protocolOfHeroes() *netcode.Protocol[hero, buttons] {
	protocol := must(netcode.NewProtocol(netcode.Config{}, netcode.Game[hero, buttons]{
		Step: func(h hero, in buttons, _ netcode.Tick) hero {
			return hero{h.X + float32(in.X)*0.1, h.Z + float32(in.Z)*0.1}
		},
		Pose: func(h hero) components.Pose3D { return components.At3D(h.X, 0, h.Z) },
	}))
	names.Replicate(protocol) // on both ends
	return protocol
}

// newZone makes the zone with a name, on an engine. In production each is a process of its own.
func newZone(ctx context.Context, nats, name string) (*zones.Zone[hero, buttons], *ecs.Engine) {
	engine := must(ecs.New(ecs.Config{}))
	spawn := func(archetype uint16, pose components.Pose3D) arche.Entity {
		at := components.NewLogical(pose)
		bodies := generic.NewMap2[components.Transform3D, netcode.Replicated](engine.World())
		return bodies.NewWith(&at, &netcode.Replicated{Archetype: archetype})
	}
	players := must(dtls.Listen("127.0.0.1:0", dtls.Config{}))
	zone := must(zones.New(ctx, protocolOfHeroes(), zones.Config[hero, buttons]{
		NATS: nats, World: "vale", Zone: name,
		Address: players.Link("127.0.0.1", "").String(), // for clients that come from other zones
		Links:   must(zones.DTLS("127.0.0.1:0", "", nil)),
		Server: netcode.ServerConfig[hero, buttons]{
			Listener: players,
			Joined: func(*netcode.Player[hero, buttons]) (hero, arche.Entity) {
				return hero{}, spawn(1, components.Identity3D())
			},
		},
		Spawn: func(a *zones.Arrival[hero, buttons]) arche.Entity { return spawn(a.Archetype, a.Pose) },
		Populate: func(w *arche.World) {
			if name == "west" {
				carts := generic.NewMap1[cart](w)
				carts.Assign(spawn(archetypeCart, components.At3D(-3, 0, 0)), &cart{Speed: 6})
			}
		},
	}))
	zones.Carry(zone, "cart", netcode.StructState[cart]())
	engine.Install(zone)
	rolling := generic.NewFilter2[components.Transform3D, cart]().Without(generic.T[zones.Ghost]())
	engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(w *arche.World) {
		for q := rolling.Query(w); q.Next(); {
			at, cart := q.Get()
			pose := at.Get()
			pose.Position[0] += cart.Speed / 60
			at.Set(pose)
		}
	}))
	return zone, engine
}

// A world of two zones: a cart rolls over the border between them.
func Example() {
	ctx, stop := context.WithTimeout(context.Background(), 30*time.Second)
	defer stop()
	nats, end, err := zones.Dev("")
	if err != nil {
		panic(err)
	}
	defer end()
	err = zones.WriteMap(ctx, nats, "", "vale", []byte(`{"zones": [
		{"name": "west", "number": 1, "land": [{"min": [-1000, -1000], "max": [0, 1000]}]},
		{"name": "east", "number": 2, "land": [{"min": [0, -1000], "max": [1000, 1000]}]}
	]}`))
	if err != nil {
		panic(err)
	}
	west, westEngine := newZone(ctx, nats, "west")
	east, eastEngine := newZone(ctx, nats, "east")
	defer west.Close()
	defer east.Close()

	for last := time.Now(); east.Stats().Owned == 0 && ctx.Err() == nil; time.Sleep(time.Millisecond) {
		passed := time.Since(last)
		last = last.Add(passed)
		westEngine.Update(passed)
		eastEngine.Update(passed)
	}
	fmt.Println("west:", west.Stats().Owned, "of its own;", "east:", east.Stats().Owned)
	// Output:
	// west: 0 of its own; east: 1
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
