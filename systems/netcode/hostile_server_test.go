package netcode_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/clocksync"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/prediction"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/loopback"
)

// rogue is a server that speaks the protocol by hand and sends random content.
type rogue struct {
	m        *match
	rng      *rand.Rand
	box      snapshot.Component[box]
	world    *snapshot.World
	conn     transport.Conn
	endpoint *packet.Endpoint
	encoder  *snapshot.Encoder
	ids      []netcode.EntityID
	held     [][]byte // to be sent later
	buf      [transport.MaxMTU]byte

	shots bool // the protocol has them

	arrival bool // a welcome states this
	// its clock runs with rare leaps, so that the client begins to predict
	sane   bool
	epoch  time.Duration // of that clock
	now    netcode.Tick
	ping   uint8
	pinged bool
}

func (r *rogue) odds(n int) bool { return r.rng.IntN(n) == 0 }

func (r *rogue) anyID() netcode.EntityID {
	if len(r.ids) == 0 || r.odds(10) {
		return netcode.EntityID(r.rng.Uint32())
	}
	return r.ids[r.rng.IntN(len(r.ids))]
}

// hear reads the client's datagrams, and answers with a welcome.
func (r *rogue) hear() {
	r.m.listener.Poll(r.m.now)
	if c, ok := r.m.listener.Accept(); ok {
		r.conn, r.endpoint = c, nil
	}
	if r.conn == nil {
		return
	}
	r.conn.Poll(r.m.now)
	hello := false
	for n, ok := r.conn.Recv(r.buf[:]); ok; n, ok = r.conn.Recv(r.buf[:]) {
		hello = hello || r.buf[0] == 0x48
		if r.buf[0] != 0x53 || r.endpoint == nil || r.odds(4) {
			continue
		}
		if pk, err := r.endpoint.Open(r.buf[1:n]); err == nil {
			if pk.Payload.Bool() {
				r.ping, r.pinged = uint8(pk.Payload.Bits(8)), true
			}
			_ = r.endpoint.Accept(pk, r.m.now)
		}
	}
	if !hello {
		return
	}
	w := netcode.NewWriter(r.buf[1:])
	r.buf[0] = 0x57
	w.Bits(uint64(r.rng.IntN(3)), 16)
	w.Bits(r.rng.Uint64(), 64)
	w.Bits(r.rng.Uint64(), 64)
	resumed := r.odds(2)
	w.Bool(resumed)
	w.Bool(r.arrival)
	w.Bits(uint64(r.rng.IntN(256)), 8)
	_ = r.conn.Send(r.buf[:1+len(w.Bytes())])
	if r.endpoint == nil || !resumed {
		r.endpoint, _ = packet.NewEndpoint(packet.Config{MTU: r.conn.MTU() - 1})
		r.encoder = snapshot.NewEncoder(r.world)
	}
}

// edit changes the world at random.
func (r *rogue) edit() {
	if r.shots {
		r.editShots()
	}
	for range r.rng.IntN(6) {
		switch r.rng.IntN(8) {
		case 0:
			if id, err := r.world.Spawn([]uint16{kindRun, kindCrate, kindLift, kindBox, 99}[r.rng.IntN(5)]); err == nil {
				r.ids = append(r.ids, id)
			}
		case 1:
			if len(r.ids) > 0 {
				i := r.rng.IntN(len(r.ids))
				r.world.Despawn(r.ids[i])
				r.ids = append(r.ids[:i], r.ids[i+1:]...)
			}
		case 2:
			_ = r.world.SetParent(r.anyID(), r.anyID())
		case 3:
			r.world.SetOwner(r.anyID(), uint16(r.rng.IntN(3)))
		case 4:
			r.box.Set(r.world, r.anyID(), box{X: float32(r.rng.NormFloat64() * 100), VX: float32(r.rng.NormFloat64() * 100)})
		case 5:
			r.box.Remove(r.world, r.anyID())
		default:
			r.world.SetState(r.anyID(), snapshot.State{
				Position: mgl32.Vec3{float32(r.rng.NormFloat64() * 1000), float32(r.rng.NormFloat64()), 0}, Rotation: mgl32.QuatIdent(),
				Velocity: mgl32.Vec3{float32(r.rng.NormFloat64() * 30)}, Discontinuity: uint8(r.rng.IntN(3)), AtRest: r.odds(2), Age: time.Duration(r.rng.IntN(1e9)),
			})
		}
	}
	r.world.Commit()
	for _, id := range r.ids {
		r.encoder.SetRelevance(id, float32(r.rng.IntN(4)))
	}
}

// editShots spawns shots of random ticks, with poses and without, and replaces their paths.
func (r *rogue) editShots() {
	if r.odds(3) {
		spawn := r.world.Spawn
		if r.odds(2) {
			spawn = r.world.SpawnPoseless
		}
		if id, err := spawn([]uint16{kindRocket, kindCrate}[r.rng.IntN(2)]); err == nil {
			r.ids = append(r.ids, id)
		}
	}
	for range r.rng.IntN(3) {
		tick := r.now.Add(-r.rng.IntN(400))
		if r.odds(10) {
			tick = netcode.Tick(r.rng.Uint32())
		}
		path := rocket{X: r.rng.Float32() * 100, VZ: float32(r.rng.NormFloat64() * 100), Ticks: uint16(r.rng.IntN(2000))}
		netcode.SetShotForTest(r.m.protocol, r.world, r.anyID(), path, tick, tick.Add(r.rng.IntN(3)*r.rng.IntN(100)), uint8(r.rng.IntN(8)), r.odds(3), r.odds(5))
	}
}

// time returns the time that the next packet claims to show.
func (r *rogue) time(grid clocksync.Grid) netcode.Tick {
	r.now++
	wild := 12
	if r.sane {
		if r.odds(400) {
			r.epoch += time.Duration(r.rng.Int64N(6e9) - 3e9)
		}
		r.now, wild = grid.Tick(grid.Index(r.m.now+r.epoch)), 300
	}
	switch r.rng.IntN(wild) {
	case 0:
		return netcode.Tick(r.rng.Uint32())
	case 1:
		return r.now.Add(-r.rng.IntN(1000))
	case 2:
		r.now = r.now.Add(r.rng.IntN(100000))
	case 3:
		r.now = r.now.Add(1<<31 - 1)
	}
	return r.now
}

// packet returns the next datagram.
func (r *rogue) packet(at netcode.Tick) []byte {
	rng := r.rng
	n := r.endpoint.Next()
	if r.odds(5) {
		_, _ = r.endpoint.SendReliable(make([]byte, rng.IntN(3000))), r.endpoint.SendUnreliable(make([]byte, rng.IntN(3000)))
	}
	r.buf[0] = 0x53
	w := r.endpoint.Begin(r.buf[1:], r.m.now, 400)
	pong := r.pinged
	if !r.sane {
		pong, r.ping = r.odds(2), uint8(rng.Uint32())
	}
	w.Bool(pong)
	if pong {
		clock := uint64(r.m.now + r.epoch)
		if !r.sane || r.odds(100) {
			clock = []uint64{rng.Uint64(), math.MaxInt64, 0, 1 << 63}[rng.IntN(4)]
		}
		w.Bits(uint64(r.ping), 8)
		w.Bits(clock, 64)
		w.Bits(uint64(rng.IntN(1000)), 22)
		r.pinged = false
	}
	thin := r.odds(3)
	w.Bool(thin)
	if thin {
		w.Bits(uint64(1+rng.IntN(63)), 6)
	}
	prediction.Feedback{
		Heard: !r.odds(5), Ack: at.Add(rng.IntN(100) - 50), Starved: rng.IntN(16), Report: clocksync.Report{
			Newest: at.Add(rng.IntN(1 << (1 + rng.IntN(30)))), Age: clocksync.Age(rng.IntN(1 << 16)),
			Held: rng.IntN(2) * rng.IntN(1<<(1+rng.IntN(10))), HeldAge: clocksync.Age(rng.IntN(1 << 16)),
		},
	}.Write(w)
	has := !r.odds(5)
	w.Bool(has)
	switch {
	case !has:
	case r.odds(3):
		w.Bool(true)
		w.Bits(uint64(rng.IntN(64)), 6)
	default:
		w.Bool(false)
		runnerCodec{}.Write(w, runner{X: float32(rng.NormFloat64() * 1000), Dash: rng.Float32(), Ride: r.odds(2), On: r.anyID() * netcode.EntityID(rng.IntN(2))})
		w.Bits(uint64(rng.IntN(3)), 8)
		w.Bits(uint64(r.anyID()), 32)
		if r.shots {
			w.Bits(uint64(rng.IntN(16)), 4)
		}
	}
	r.encoder.Encode(w, n, at)
	datagram, err := r.endpoint.End()
	if err != nil {
		r.m.t.Fatal(err)
	}
	return append([]byte(nil), r.buf[:1+len(datagram)]...)
}

// say sends the datagram, or treats it in another way.
func (r *rogue) say(datagram []byte) {
	switch r.rng.IntN(10) {
	case 0: // nothing
	case 1:
		for range 1 + r.rng.IntN(4) {
			datagram[min(len(datagram)-1, 4+r.rng.IntN(len(datagram)))] ^= 1 << r.rng.IntN(8)
		}
		_ = r.conn.Send(datagram)
	case 2:
		r.held = append(r.held, datagram)
	default:
		_ = r.conn.Send(datagram)
	}
	if len(r.held) > 5 {
		i := r.rng.IntN(len(r.held))
		_ = r.conn.Send(r.held[i])
		r.held = append(r.held[:i], r.held[i+1:]...)
	}
	if r.odds(400) {
		r.conn.Close(transport.Reason{Code: []transport.Code{transport.Failed, transport.Shutdown, transport.TimedOut, transport.Refused}[r.rng.IntN(4)]})
		r.conn = nil
	}
}

// A server that the client trusts sends data that no real server sends: clocks that leap and run
// back, feedback on inputs that were never sent, own states that were never sent, random parents,
// owners, bodies and shots, packets that are mangled behind their headers, delayed packets and
// closed connections. The client plays on, shows nothing at an impossible place, and holds no more
// memory than the protocol allows.
func TestRogueServers(t *testing.T) {
	const entities = 64
	heard, malformed, corrected := uint64(0), uint64(0), uint64(0)
	for seed := range uint64(30) {
		p := newProtocolFor(t, netcode.Config{MaxEntities: entities}, runnerGame())
		netcode.PredictBodies(p, "box", boxes())
		shooting := seed >= 24
		if shooting {
			s := shots()
			s.Path = func(r rocket, age float64) (components.Pose3D, bool) {
				pose, flies := rocketPath(r, age)
				return pose, flies && pose.Position.Len() < 1e6 // a path that was mangled
			}
			netcode.PredictShots(p, "rocket", s)
		}
		r := &rogue{shots: shooting, rng: rand.New(rand.NewPCG(seed, 1)), box: netcode.ComponentForTest[box](p)}
		r.world = snapshot.NewWorld(p.SchemaForTest())
		r.arrival, r.sane = seed%5 == 0, seed%3 > 0
		r.epoch, r.now = time.Duration(r.rng.Int64N(1<<50)), netcode.Tick(r.rng.Uint32())
		r.m = newMatchOf(t, p, nil)
		// in the place of the server
		r.m.listener = loopback.Listen(loopback.Config{})
		r.m.engine, _ = ecs.New(ecs.Config{FixedRate: tickRate})
		grid, err := clocksync.NewGrid(tickRate)
		if err != nil {
			t.Fatal(err)
		}
		a := r.m.join(perfect(), nil)
		a.input = func(at netcode.Tick) input { return input{X: int8(at%3) - 1, Dash: at%50 == 0} }
		w := a.engine.World()
		poses := arche.All(arche.ComponentID[components.Transform3D](w))
		frames := 0
		r.m.run(15*time.Second, func() {
			r.hear()
			if frames++; frames%2 == 0 && r.conn != nil && r.endpoint != nil {
				r.edit()
				r.say(r.packet(r.time(grid)))
			}
			if counted, listed, _ := a.client.HeldForTest(); counted != listed {
				t.Fatalf("seed %d: %d pieces of news are held, and %d are found", seed, counted, listed)
			}
			query := w.Query(poses)
			if n := query.Count(); n > 2*entities {
				t.Fatalf("seed %d: %d entities, of which the server can have told %d", seed, n, entities)
			}
			for query.Next() {
				pose := (*components.Transform3D)(query.Get(arche.ComponentID[components.Transform3D](w))).Get()
				if l := pose.Position.Len(); !(l < 1e9) {
					t.Fatalf("seed %d: an entity is at %v", seed, pose.Position)
				}
			}
		})
		if s, reason := a.client.Status(); s == netcode.Ended && reason.Code != transport.Failed {
			t.Errorf("seed %d: ended by %v", seed, reason)
		}
		st := a.client.Stats()
		heard, malformed, corrected = heard+st.Snapshots, malformed+st.Malformed, corrected+st.Corrections
		a.engine.Close()
	}
	if heard < 5000 || malformed < 500 || corrected < 200 {
		t.Errorf("%d packets were taken in, %d refused, %d states corrected: the test says little", heard, malformed, corrected)
	}
}
