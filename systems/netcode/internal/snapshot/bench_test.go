package snapshot_test

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

// crowd is a world in which three quarters of the entities move slowly in the plane, with clients
// whose acknowledgements arrive six ticks late.
type crowd struct {
	world    *snapshot.World
	ids      []snapshot.ID
	health   snapshot.Component[health]
	encoders []*snapshot.Encoder
	decoder  *snapshot.Decoder
	now      tick.Tick
	next     packet.Number
	late     [6][2]packet.Number // first and last packet of the ticks before
	buf      []byte
	reader   packet.Reader

	records, bytes int // of the first client
}

func newCrowd(t testing.TB, entities, clients int) *crowd {
	s := schema(t, snapshot.Config{MaxEntities: entities, Velocity: snapshot.Range{Max: 16, Resolution: 0.125}})
	c := &crowd{next: 1, buf: make([]byte, 1150)}
	c.health = snapshot.Register(s, "health", healthCodec{})
	c.world, c.decoder = snapshot.NewWorld(s), snapshot.NewDecoder(s)
	for range clients {
		c.encoders = append(c.encoders, snapshot.NewEncoder(c.world))
	}
	for i := range entities {
		id, err := c.world.Spawn(1)
		if err != nil {
			t.Fatal(err)
		}
		c.ids = append(c.ids, id)
		c.health.Set(c.world, id, health(i))
		for _, e := range c.encoders {
			e.SetRelevance(id, 1)
		}
	}
	return c
}

// move advances the world by a tick.
func (c *crowd) move() {
	c.now++
	f := float64(c.now) / 60
	for i, id := range c.ids {
		if i%4 == 0 && c.now > 1 {
			continue // it stands
		}
		sin, cos := math.Sincos(f*0.5 + float64(i))
		c.world.SetState(id, snapshot.State{
			Position: mgl32.Vec3{float32(i%30) + 2*float32(sin), 0, float32(i/30) + 2*float32(cos)},
			Velocity: mgl32.Vec3{float32(cos), 0, -float32(sin)},
			Rotation: mgl32.QuatRotate(float32(f+float64(i)), mgl32.Vec3{0, 1, 0}),
			AtRest:   i%4 == 0,
		})
	}
	if id := c.ids[int(c.now)%len(c.ids)]; c.now%8 == 0 {
		c.health.Set(c.world, id, health(c.now))
	}
	c.world.Commit()
}

// send encodes everything for all clients, in as many packets as it takes. Those of the first are
// decoded if receive is set.
func (c *crowd) send(t testing.TB, receive bool) {
	old := c.late[int(c.now)%len(c.late)]
	first := c.next
	last := first
	for k, e := range c.encoders {
		for n := old[0]; n != 0 && n <= old[1]; n++ {
			e.Delivered(n)
		}
		for n := first; ; n++ {
			w := packet.NewWriter(c.buf)
			res := e.Encode(&w, n, c.now)
			if w.Err() != nil {
				t.Fatal(w.Err())
			}
			if k == 0 {
				c.records += res.Records
				c.bytes += len(w.Bytes())
				if receive {
					c.reader = packet.NewReader(w.Bytes())
					if _, err := c.decoder.Decode(&c.reader, n); err != nil {
						t.Fatal(err)
					}
				}
			}
			last = max(last, n)
			if res.Waiting == 0 {
				break
			}
		}
	}
	c.late[int(c.now)%len(c.late)] = [2]packet.Number{first, last}
	c.next = last + 1
}

// TestSteadyStateAllocatesNothing is conformance case 49 for memory.
func TestSteadyStateAllocatesNothing(t *testing.T) {
	entities := 1000
	if testing.Short() {
		entities = 300
	}
	c := newCrowd(t, entities, 2)
	for range 100 {
		c.move()
		c.send(t, true)
	}
	if n := testing.AllocsPerRun(50, func() {
		c.move()
		c.send(t, true)
	}); n != 0 {
		t.Errorf("%v allocations a tick", n)
	}
	if c.records < 100*entities {
		t.Errorf("only %d records", c.records)
	}
}

// TestSnapshotRepeatsNothing sends snapshots of several packets. An entity in the first packet
// is in none of the others, even if it comes to rest.
func TestSnapshotRepeatsNothing(t *testing.T) {
	const entities = 800
	c := newCrowd(t, entities, 1)
	for range 60 {
		c.move()
		c.send(t, true)
	}
	c.records = 0
	for range 30 {
		c.move()
		c.send(t, true)
	}
	if moving := 30 * entities * 3 / 4; c.records < moving || c.records > moving+30 {
		t.Errorf("%d records in 30 snapshots, in each of which %d entities have moved and one more may have changed", c.records, entities*3/4)
	}
}

// BenchmarkEncode measures the cost of one client of a server with 1000 entities, three quarters of
// them moving and all sent at every tick.
func BenchmarkEncode(b *testing.B) {
	c := newCrowd(b, 1000, 1)
	for range 60 {
		c.move()
		c.send(b, false)
	}
	c.records, c.bytes = 0, 0
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		b.StopTimer()
		c.move()
		b.StartTimer()
		c.send(b, false)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(c.records), "ns/entity")
	b.ReportMetric(float64(c.bytes)/float64(c.records), "B/entity")
}

// BenchmarkDecode measures the cost of the same snapshots on the client.
func BenchmarkDecode(b *testing.B) {
	c := newCrowd(b, 1000, 1)
	for range 60 {
		c.move()
		c.send(b, true)
	}
	// Decoding the same packet again changes nothing, since all of it is late then, but it reads
	// everything.
	c.move()
	e := c.encoders[0]
	for n := c.late[int(c.now)%6][0]; n <= c.late[int(c.now)%6][1]; n++ {
		e.Delivered(n)
	}
	w := packet.NewWriter(c.buf)
	res := e.Encode(&w, c.next, c.now)
	data := w.Bytes()
	b.ReportAllocs()
	for b.Loop() {
		c.reader = packet.NewReader(data)
		if _, err := c.decoder.Decode(&c.reader, c.next); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(res.Records), "ns/entity")
}

// BenchmarkCommit measures the cost of the shared part of the same server.
func BenchmarkCommit(b *testing.B) {
	c := newCrowd(b, 1000, 0)
	b.ReportAllocs()
	for b.Loop() {
		c.move()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/750, "ns/entity")
}

// BenchmarkEncodeIdle measures the cost of a client for which nothing has changed, with 5000
// entities.
func BenchmarkEncodeIdle(b *testing.B) {
	c := newCrowd(b, 5000, 1)
	c.move()
	for i, id := range c.ids {
		c.world.SetState(id, snapshot.State{Position: mgl32.Vec3{float32(i), 0, 0}, AtRest: true})
	}
	c.world.Commit()
	for range 20 {
		c.now++
		c.send(b, true)
	}
	b.ReportAllocs()
	for b.Loop() {
		c.now++
		c.send(b, false)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/5000, "ns/entity")
}
