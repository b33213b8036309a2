package snapshot_test

import (
	"fmt"
	"time"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
)

// acknowledgements passes the acknowledgements of a packet.Endpoint to the encoder of its client.
type acknowledgements struct{ encoder *snapshot.Encoder }

func (a acknowledgements) Delivered(n packet.Number, _ time.Duration) { a.encoder.Delivered(n) }
func (acknowledgements) Lost(packet.Number)                           {}
func (acknowledgements) Message([]byte, bool)                         {}

// must stands for a program's own handling of errors.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// Both ends of a connection, without the network between them.
func Example() {
	// Both ends agree on the data that is sent.
	schema, err := snapshot.NewSchema(snapshot.Config{Velocity: snapshot.Range{Max: 64, Resolution: 1.0 / 16}})
	must(err)
	hp := snapshot.Register(schema, "health", healthCodec{})

	// Server: one world, and for each client an encoder and an endpoint.
	world := snapshot.NewWorld(schema)
	encoder := snapshot.NewEncoder(world)
	server, err := packet.NewEndpoint(packet.Config{MTU: 1150, Handler: acknowledgements{encoder}})
	must(err)
	player, err := world.Spawn(1)
	must(err)
	world.SetOwner(player, 7)
	hp.Set(world, player, 100)
	encoder.SetRelevance(player, 10)

	// Client: a decoder and an endpoint.
	decoder := snapshot.NewDecoder(schema)
	client, err := packet.NewEndpoint(packet.Config{MTU: 1150})
	must(err)

	buf := make([]byte, 1150)
	for tick := range 3 {
		now := time.Duration(tick) * time.Second / 20

		world.SetState(player, snapshot.State{
			Position: mgl32.Vec3{0.15 * float32(tick), 0, 0},
			Velocity: mgl32.Vec3{3, 0, 0},
			Rotation: mgl32.QuatIdent(),
		})
		world.Commit() // once for all clients
		w := server.Begin(buf, now, 500)
		encoder.Encode(w, server.Next(), 0)
		datagram, err := server.End()
		must(err)

		in, err := client.Open(datagram)
		must(err) // a real client ignores duplicates and the like
		s, err := decoder.Decode(&in.Payload, in.Number)
		must(err) // and does not accept a packet that it cannot decode
		must(client.Accept(in, now))
		for _, c := range s.Changes {
			v, _ := hp.Get(decoder, c.ID)
			fmt.Printf("%v, spawned %v: kind %d of player %d at %.2f m with health %d (%d bytes)\n", c.ID, c.Op == snapshot.Spawned, c.Kind, c.Owner, c.State.Position[0], v, len(datagram))
		}

		client.Begin(buf, now, 0) // acknowledges; inputs would be its payload
		datagram, err = client.End()
		must(err)
		in, err = server.Open(datagram)
		must(err)
		must(server.Accept(in, now))
	}
	// Output:
	// 0.1, spawned true: kind 1 of player 7 at 0.00 m with health 100 (38 bytes)
	// 0.1, spawned false: kind 1 of player 7 at 0.15 m with health 100 (26 bytes)
	// 0.1, spawned false: kind 1 of player 7 at 0.30 m with health 100 (26 bytes)
}

// Builds that do not match report the reason to each other in one line, before anything else is
// sent.
func ExampleSchema_CheckHello() {
	build := func(components ...string) *snapshot.Schema {
		schema, err := snapshot.NewSchema(snapshot.Config{Version: 12})
		must(err)
		for _, name := range components {
			snapshot.Register(schema, name, healthCodec{})
		}
		return schema
	}
	server, client := build("health", "ammo"), build("ammo", "health")

	hello := packet.NewWriter(make([]byte, 512))
	client.WriteHello(&hello)
	r := packet.NewReader(hello.Bytes())
	fmt.Println(server.CheckHello(&r))
	// Output:
	// builds do not match: component 0 is "health" here, "ammo" there: register the same components in the same order
}
