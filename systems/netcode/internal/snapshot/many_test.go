package snapshot_test

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

// audience is a world of thrown bodies, each with a component that changes with it, and clients of
// which each third gets a snapshot in every third tick. Their round trips differ, so that one has
// acknowledged two snapshots less than another.
type audience struct {
	world   *snapshot.World
	ids     []snapshot.ID
	body    snapshot.Component[body]
	shared  *snapshot.Shared
	clients []listener
	now     tick.Tick
	buf     []byte

	records, bytes int
}

// listener is a client that acknowledges all packets, after some snapshots.
type listener struct {
	encoder *snapshot.Encoder
	next    packet.Number
	sent    [][2]packet.Number // first and last packet of the newest snapshots, the oldest first
}

type body struct {
	Spin  float32
	Awake bool
}

type bodyCodec struct{}

func (bodyCodec) Quantize(b body) body {
	return body{float32(math.Round(float64(b.Spin)*16)) / 16, b.Awake}
}

func (bodyCodec) Encode(w *packet.Writer, b body, base *body) {
	var from body
	if base != nil {
		from = *base
	}
	w.Bool(b.Awake)
	w.SignedGolomb(int64((b.Spin-from.Spin)*16), 3)
}

func (bodyCodec) Decode(r *packet.Reader, base *body) (b body) {
	if base != nil {
		b = *base
	}
	b.Awake = r.Bool()
	b.Spin += float32(r.SignedGolomb(3)) / 16
	return b
}

func newAudience(t testing.TB, entities, clients int, shared bool) *audience {
	s := schema(t, snapshot.Config{
		MaxEntities: entities, Velocity: snapshot.Range{Max: 64, Resolution: 1.0 / 16}, Angular: snapshot.Range{Max: 32, Resolution: 1.0 / 16},
	})
	a := &audience{buf: make([]byte, 1150)}
	a.body = snapshot.Register(s, "body", bodyCodec{})
	a.world = snapshot.NewWorld(s)
	for range entities {
		id, err := a.world.Spawn(1)
		if err != nil {
			t.Fatal(err)
		}
		a.ids = append(a.ids, id)
	}
	newEncoder := func() *snapshot.Encoder { return snapshot.NewEncoder(a.world) }
	if shared {
		a.shared = snapshot.NewShared(a.world)
		newEncoder = a.shared.NewEncoder
	}
	for k := range clients {
		c := listener{encoder: newEncoder(), next: 1, sent: make([][2]packet.Number, 1+k%3)}
		for i, id := range a.ids {
			c.encoder.SetRelevance(id, 1+float32(i%5))
		}
		a.clients = append(a.clients, c)
	}
	return a
}

// step moves the world by a tick and sends snapshots to a third of the clients.
func (a *audience) step(t testing.TB) {
	a.move()
	a.send(t)
}

func (a *audience) move() {
	a.now++
	f := float64(a.now) / 60
	for i, id := range a.ids {
		sin, cos := math.Sincos(f*2 + float64(i))
		a.world.SetState(id, snapshot.State{
			Position: mgl32.Vec3{float32(i%30) + 2*float32(sin), float32(math.Abs(sin)), float32(i/30) + 2*float32(cos)},
			Velocity: mgl32.Vec3{4 * float32(cos), 2 * float32(cos), -4 * float32(sin)},
			Rotation: mgl32.QuatRotate(float32(f+float64(i)), mgl32.Vec3{0.6, 0.8, 0}),
			Angular:  mgl32.Vec3{0.6, 0.8, float32(sin)},
		})
		a.body.Set(a.world, id, body{8 * float32(sin), true})
	}
	a.world.Commit()
	if a.shared != nil {
		a.shared.Gather()
	}
}

func (a *audience) send(t testing.TB) {
	for k := int(a.now) % 3; k < len(a.clients); k += 3 {
		c := &a.clients[k]
		for n := c.sent[0][0]; n != 0 && n <= c.sent[0][1]; n++ {
			c.encoder.Delivered(n)
		}
		copy(c.sent, c.sent[1:])
		first := c.next
		for waiting := 1; waiting > 0; c.next++ {
			w := packet.NewWriter(a.buf)
			res := c.encoder.Encode(&w, c.next, a.now)
			if w.Err() != nil {
				t.Fatal(w.Err())
			}
			waiting = res.Waiting
			a.records += res.Records
			a.bytes += len(w.Bytes())
		}
		c.sent[len(c.sent)-1] = [2]packet.Number{first, c.next - 1}
	}
}

// BenchmarkEncodeForMany measures the cost of the snapshots of a server with 64 clients and 500
// entities that all move, sent twenty times a second.
func BenchmarkEncodeForMany(b *testing.B) {
	for _, shared := range []bool{false, true} {
		name := map[bool]string{false: "each", true: "shared"}[shared]
		b.Run(name, func(b *testing.B) {
			a := newAudience(b, 500, 64, shared)
			for range 60 {
				a.step(b)
			}
			a.records, a.bytes = 0, 0
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				b.StopTimer()
				a.move()
				b.StartTimer()
				a.send(b)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(a.records), "ns/entity")
			b.ReportMetric(float64(a.bytes)/float64(a.records), "B/entity")
		})
	}
}
