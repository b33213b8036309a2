package report

import (
	"time"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/conformance"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
	"github.com/tandem-ecs/tandem/systems/netcode/interp"
)

// mtu is the size of a datagram without the encryption's overhead.
const mtu = 1150

// overhead is the size of the IPv4 and UDP headers of a packet, in bytes. Encryption would add 46
// more.
const overhead = 28

// wire is the product's path from a server's state to a client's samples: quantised, as changes to
// the acknowledged baseline, in real packets.
type wire struct {
	world   *snapshot.World
	encoder *snapshot.Encoder
	decoder *snapshot.Decoder
	server  *packet.Endpoint
	client  *packet.Endpoint
	ids     []snapshot.ID
	buf     [mtu]byte
	bytes   int // sent by the server, overhead included
}

// positionStep is the quantum of positions on the wire, in metres. It is fine enough for the case
// that allows no jump of a millimetre.
const positionStep = 1.0 / 2048

// newWire connects a server with one body, or with a parent and its child, to a client.
func newWire(bodies int) *wire {
	schema := must(snapshot.NewSchema(snapshot.Config{
		TickRate: tickRate, MaxEntities: 8,
		Position:     snapshot.Grid{Min: mgl32.Vec3{-4096, -64, -64}, Max: mgl32.Vec3{4096, 64, 64}, Resolution: positionStep},
		RotationBits: 15,
		Velocity:     snapshot.Range{Max: 64, Resolution: 1.0 / 64},
		Angular:      snapshot.Range{Max: 32, Resolution: 1.0 / 64},
	}))
	w := &wire{world: snapshot.NewWorld(schema), decoder: snapshot.NewDecoder(schema)}
	w.encoder = snapshot.NewEncoder(w.world)
	w.server = must(packet.NewEndpoint(packet.Config{MTU: mtu, Handler: (*delivered)(w)}))
	w.client = must(packet.NewEndpoint(packet.Config{MTU: mtu}))
	for range bodies {
		id := must(w.world.Spawn(1))
		w.ids = append(w.ids, id)
		w.encoder.SetRelevance(id, 1)
	}
	if bodies > 1 {
		if err := w.world.SetParent(w.ids[1], w.ids[0]); err != nil {
			panic(err)
		}
	}
	return w
}

// delivered passes acknowledgements on to the encoder.
type delivered wire

func (d *delivered) Delivered(n packet.Number, _ time.Duration) { d.encoder.Delivered(n) }
func (d *delivered) Lost(packet.Number)                         {}
func (d *delivered) Message([]byte, bool)                       {}

// set moves a body on the server.
func (w *wire) set(body int, t *conformance.Truth) {
	w.world.SetState(w.ids[body], snapshot.State{
		Position: vec32(t.Position),
		Rotation: mgl32.Quat{W: float32(t.Rotation.W), V: vec32(t.Rotation.V)},
		Velocity: vec32(t.Velocity), Angular: vec32(t.Angular),
		AtRest: t.AtRest, Discontinuity: t.Discontinuity,
	})
}

// send returns the packet with the state after a number of ticks. It is valid until the next call.
func (w *wire) send(k int64, now time.Duration) []byte {
	w.world.Commit()
	n := w.server.Next()
	payload := w.server.Begin(w.buf[:], now, 0)
	w.encoder.Encode(payload, n, tick.Tick(uint32(k)))
	datagram := must(w.server.End()) // two bodies always fit
	w.bytes += len(datagram) + overhead
	return datagram
}

// receive decodes a packet. It calls push for every body in it and arrive for the snapshot as a
// whole. A duplicate has no effect.
func (w *wire) receive(datagram []byte, now time.Duration, arrive func(at time.Duration, number uint16), push func(body int, s interp.Sample)) {
	p, err := w.client.Open(datagram)
	if err != nil {
		return // a duplicate, or a packet that half a second of others have overtaken
	}
	snap, err := w.decoder.Decode(&p.Payload, p.Number)
	if err != nil {
		return // counts as lost
	}
	stamp := time.Duration(int32(snap.Tick)) * time.Second / tickRate
	arrive(stamp, uint16(p.Number))
	for i := range snap.Changes {
		c := &snap.Changes[i]
		for body, id := range w.ids {
			if c.ID != id || c.Op == snapshot.Removed {
				continue
			}
			s := interp.Sample{
				Time: stamp, Age: c.State.Age,
				Position: c.State.Position, Rotation: c.State.Rotation,
				Velocity: c.State.Velocity, Angular: c.State.Angular,
				Has:           interp.HasVelocity | interp.HasAngularVelocity,
				Discontinuity: c.State.Discontinuity, AtRest: c.State.AtRest,
			}
			push(body, s)
		}
	}
	if err := w.client.Accept(p, now); err != nil {
		panic(err) // no message is sent here
	}
}

// acknowledge returns the client's packet. A game would fill it with inputs.
func (w *wire) acknowledge(now time.Duration) []byte {
	w.client.Begin(w.buf[:], now, 0)
	return must(w.client.End())
}

// handle reads a packet of the client on the server.
func (w *wire) handle(datagram []byte, now time.Duration) {
	p, err := w.server.Open(datagram)
	if err != nil {
		return
	}
	if err := w.server.Accept(p, now); err != nil {
		panic(err)
	}
}

func vec32(v mgl64.Vec3) mgl32.Vec3 {
	return mgl32.Vec3{float32(v[0]), float32(v[1]), float32(v[2])}
}

func vec64(v mgl32.Vec3) mgl64.Vec3 {
	return mgl64.Vec3{float64(v[0]), float64(v[1]), float64(v[2])}
}
