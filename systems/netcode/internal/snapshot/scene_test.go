package snapshot_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

// pair is a world, one client of it, and the bad network in between: a packet every tick in each
// direction.
type pair struct {
	t       testing.TB
	schema  *snapshot.Schema
	world   *snapshot.World
	encoder *snapshot.Encoder
	decoder *snapshot.Decoder

	server, client *packet.Endpoint
	down, up       wire
	now            tick.Tick
	newest         tick.Tick // of the snapshots that were decoded
	budget         int       // bytes of a packet from the server

	sent   snapshot.Result
	size   int                     // bytes of the last packet from the server
	got    []snapshot.Snapshot     // those of the last tick; Changes are copies
	each   func(snapshot.Snapshot) // called after every Decode
	errors int                     // of Decode
	record bool
	log    [][]byte // packets from the server
	buf    []byte
}

// wire delivers packets after a whole number of ticks. It drops some, and delivers some twice.
type wire struct {
	delay, jitter     int
	loss, duplication float64
	r                 *rand.Rand
	flying            []flight
}

type flight struct {
	at   tick.Tick
	data []byte
}

func (w *wire) send(now tick.Tick, data []byte) {
	copies := 1
	if w.duplication > 0 && w.r.Float64() < w.duplication {
		copies = 2
	}
	for range copies {
		if w.loss > 0 && w.r.Float64() < w.loss {
			continue
		}
		at := now.Add(w.delay)
		if w.jitter > 0 {
			at = at.Add(w.r.IntN(w.jitter + 1))
		}
		w.flying = append(w.flying, flight{at, append([]byte(nil), data...)})
	}
}

func (w *wire) arrived(now tick.Tick) (out [][]byte) {
	rest := w.flying[:0]
	for _, f := range w.flying {
		if f.at.IsNewer(now) {
			rest = append(rest, f)
		} else {
			out = append(out, f.data)
		}
	}
	w.flying = rest
	return out
}

type deliveries struct{ p *pair }

func (d deliveries) Delivered(n packet.Number, _ time.Duration) { d.p.encoder.Delivered(n) }
func (deliveries) Lost(packet.Number)                           {}
func (deliveries) Message([]byte, bool)                         {}

func newPair(t testing.TB, c snapshot.Config, register func(*snapshot.Schema), seed uint64, down, up wire) *pair {
	t.Helper()
	s, err := snapshot.NewSchema(c)
	if err != nil {
		t.Fatal(err)
	}
	if register != nil {
		register(s)
	}
	p := &pair{t: t, schema: s, world: snapshot.NewWorld(s), decoder: snapshot.NewDecoder(s), down: down, up: up, budget: 1150, buf: make([]byte, 1150)}
	p.encoder = snapshot.NewEncoder(p.world)
	p.down.r, p.up.r = rand.New(rand.NewPCG(seed, 1)), rand.New(rand.NewPCG(seed, 2))
	for _, end := range []struct {
		e *(*packet.Endpoint)
		h packet.Handler
	}{{&p.server, deliveries{p}}, {&p.client, nil}} {
		if *end.e, err = packet.NewEndpoint(packet.Config{MTU: 1150, Handler: end.h}); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func (p *pair) time() time.Duration { return time.Duration(p.now) * time.Second / 60 }

// step commits the world, sends a snapshot, and lets both ends receive.
func (p *pair) step() {
	p.t.Helper()
	p.now++
	p.world.Commit()
	p.send()
	p.receive()
}

func (p *pair) send() {
	n := p.server.Next()
	w := p.server.Begin(p.buf[:p.budget], p.time(), p.budget)
	p.sent = p.encoder.Encode(w, n, p.now)
	d, err := p.server.End()
	if err != nil {
		p.t.Fatalf("tick %d: %v", p.now, err)
	}
	p.size = len(d)
	if p.record {
		p.log = append(p.log, append([]byte(nil), d...))
	}
	p.down.send(p.now, d)
}

func (p *pair) receive() {
	p.t.Helper()
	p.got = p.got[:0]
	for _, d := range p.down.arrived(p.now) {
		in, err := p.client.Open(d)
		if err != nil {
			continue
		}
		s, err := p.decoder.Decode(&in.Payload, in.Number)
		if err == nil {
			err = in.Payload.Close()
		}
		if err != nil {
			p.errors++
			continue
		}
		if s.Tick.IsNewer(p.newest) {
			p.newest = s.Tick
		}
		if err := p.client.Accept(in, p.time()); err != nil {
			p.t.Fatal(err)
		}
		if p.each != nil {
			p.each(s)
		}
		s.Changes = append([]snapshot.Change(nil), s.Changes...)
		p.got = append(p.got, s)
	}
	p.client.Begin(p.buf, p.time(), 0)
	d, err := p.client.End()
	if err != nil {
		p.t.Fatal(err)
	}
	p.up.send(p.now, d)
	defer func() {
		if at, ok := p.encoder.AckedTick(); ok && at.IsNewer(p.newest) {
			p.t.Fatalf("tick %d is acknowledged, but the newest that was decoded is %d", at, p.newest)
		}
	}()
	for _, d := range p.up.arrived(p.now) {
		if in, err := p.server.Open(d); err == nil {
			if err := p.server.Accept(in, p.time()); err != nil {
				p.t.Fatal(err)
			}
		}
	}
}

// spawn adds an entity that the client may see.
func (p *pair) spawn(kind uint16, weight float32, s snapshot.State) snapshot.ID {
	p.t.Helper()
	id, err := p.world.Spawn(kind)
	if err != nil {
		p.t.Fatal(err)
	}
	p.world.SetState(id, s)
	p.world.Commit()
	p.encoder.SetRelevance(id, weight)
	return id
}

func at(x, y, z float32) snapshot.State {
	return snapshot.State{Position: mgl32.Vec3{x, y, z}, Rotation: mgl32.QuatIdent()}
}

// angle returns the angle between two rotations in degrees, exact also for small ones.
func angle(a, b mgl32.Quat) float64 {
	p := [4]float64{float64(a.W), float64(a.V[0]), float64(a.V[1]), float64(a.V[2])}
	q := [4]float64{float64(b.W), float64(b.V[0]), float64(b.V[1]), float64(b.V[2])}
	var pp, qq, pq float64
	for k := range 4 {
		pp, qq, pq = pp+p[k]*p[k], qq+q[k]*q[k], pq+p[k]*q[k]
	}
	var apart float64
	for k := range 4 {
		d := p[k]/math.Sqrt(pp) - math.Copysign(1, pq)*q[k]/math.Sqrt(qq)
		apart += d * d
	}
	return 4 * math.Asin(min(1, math.Sqrt(apart)/2)) * 180 / math.Pi
}
