package report

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/conformance"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
	"github.com/tandem-ecs/tandem/systems/netcode/interp"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// This is the scene of G. Fiedler's articles on networked physics, as far as the wire is concerned:
// 901 cubes that hop and tumble over a field. It has no physics solver. Gravity, bounces, friction
// and spin give similar numbers.

const (
	cubeCount  = 901
	cubeBudget = 256_000 // bits per second of packets
	cubeQuanta = 512     // steps per metre
)

type cube struct {
	p, v, w mgl64.Vec3
	q       mgl64.Quat
	rest    bool
}

func (c *cube) state() snapshot.State {
	return snapshot.State{
		Position: vec32(c.p), Velocity: vec32(c.v), Angular: vec32(c.w),
		Rotation: mgl32.Quat{W: float32(c.q.W), V: vec32(c.q.V)}, AtRest: c.rest,
	}
}

// step moves a cube for a tick. A cube that has lost its speed is thrown again.
func (c *cube) step(r *rand.Rand) {
	const dt, half = 1.0 / tickRate, 0.2
	c.v[1] -= 9.81 * dt
	c.p = c.p.Add(c.v.Mul(dt))
	if c.p[1] < half {
		c.p[1] = half
		c.v = mgl64.Vec3{0.8 * c.v[0], -0.5 * c.v[1], 0.8 * c.v[2]}
		c.w = mgl64.Vec3{c.v[2] / half, 0.7 * c.w[1], -c.v[0] / half}
		if c.v.Len() < 0.7 {
			angle, speed := 2*math.Pi*r.Float64(), 0.5+2.5*r.Float64()
			c.v = mgl64.Vec3{speed * math.Cos(angle), 1.5 + 2*r.Float64(), speed * math.Sin(angle)}
			c.w = mgl64.Vec3{2 * r.NormFloat64(), 2 * r.NormFloat64(), 2 * r.NormFloat64()}
		}
	}
	for _, i := range []int{0, 2} { // the field is 40 m wide, with walls
		if math.Abs(c.p[i]) > 20 {
			c.p[i], c.v[i] = math.Copysign(20, c.p[i]), -c.v[i]
		}
	}
	if s := c.w.Len(); s > 0 {
		c.q = mgl64.QuatRotate(s*dt, c.w.Mul(1/s)).Mul(c.q).Normalize()
	}
}

// stream connects the cubes to a client: 100 ms both ways without loss.
type stream struct {
	world   *snapshot.World
	encoder *snapshot.Encoder
	decoder *snapshot.Decoder
	ids     []snapshot.ID
	cubes   []cube
	random  *rand.Rand
	now     int64
	flying  [][]byte // a packet a tick, delivered cubeDelay later
	numbers []packet.Number

	bits int // of the last packet, with the header of package packet
}

const cubeDelay = 6 // ticks

// packetHeader is the size of package packet's header: a sequence number, an acknowledgement and a
// mask, and a byte that ends the messages in front.
const packetHeader = 9

func newStream() *stream {
	schema := must(snapshot.NewSchema(snapshot.Config{
		MaxEntities: 1024, RotationBits: 9, TickRate: tickRate,
		Position: snapshot.Grid{Min: mgl32.Vec3{-32, 0, -32}, Max: mgl32.Vec3{32, 16, 32}, Resolution: 1.0 / cubeQuanta},
		Velocity: snapshot.Range{Max: 32, Resolution: 1.0 / 8},
	}))
	s := &stream{world: snapshot.NewWorld(schema), decoder: snapshot.NewDecoder(schema), random: rand.New(rand.NewPCG(cubeCount, 1))}
	s.encoder = snapshot.NewEncoder(s.world)
	s.cubes = make([]cube, cubeCount)
	for i := range s.cubes {
		c := &s.cubes[i]
		c.p = mgl64.Vec3{float64(i%30) - 15, 0.2 + 2*s.random.Float64(), float64(i/30) - 15}
		c.q = upright
		id := must(s.world.Spawn(0))
		s.ids = append(s.ids, id)
		s.encoder.SetRelevance(id, 1)
	}
	return s
}

// tick moves the world, sends a packet and delivers the packets that are due. It calls the argument
// each with every decoded snapshot.
func (s *stream) tick(each func(at int64, snap snapshot.Snapshot)) {
	s.now++
	for i := range s.cubes {
		if c := &s.cubes[i]; !c.rest {
			c.step(s.random)
		}
		s.world.SetState(s.ids[i], s.cubes[i].state())
	}
	s.world.Commit()
	w := packet.NewWriter(make([]byte, cubeBudget/8/tickRate-packetHeader))
	n := packet.Number(s.now)
	s.encoder.Encode(&w, n, tick.Tick(s.now))
	s.bits = 8 * (len(w.Bytes()) + packetHeader)
	s.flying, s.numbers = append(s.flying, w.Bytes()), append(s.numbers, n)

	if s.now > cubeDelay {
		r := packet.NewReader(s.flying[s.now-cubeDelay-1])
		snap := must(s.decoder.Decode(&r, s.numbers[s.now-cubeDelay-1]))
		if each != nil {
			each(int64(snap.Tick), snap)
		}
	}
	if back := s.now - 2*cubeDelay; back > 0 {
		s.encoder.Delivered(s.numbers[back-1])
	}
}

// cubeCases returns the cases of the wire.
func cubeCases() []special {
	const wire = "901 cubes"
	return []special{
		{
			number: "41", condition: "901 cubes, all moving, 60 packets a second, 10 s", once: true,
			bounds: []bound{
				{Lane: wire, What: "packets in the worst second", Unit: kilobits, Limit: cubeBudget},
				{Lane: wire, What: "longest time that a moving cube is not sent", Unit: conformance.Millis, Limit: 0.4},
				{Lane: wire, What: "a received position off by", Unit: tenthsOfMillimetres, Limit: math.Sqrt(3) / 2 / cubeQuanta},
				{Lane: wire, What: "rms error of the newest received position against the present", Unit: millimetres, Compare: true},
				{Lane: wire, What: "IP and UDP beside it", Unit: kilobits, Compare: true},
				{Lane: wire, What: "DTLS beside it", Unit: kilobits, Compare: true},
				{Lane: wire, What: "the naive way: 321 bits a cube, 60 times a second", Unit: kilobits, Compare: true},
			},
			run: func(uint64) []float64 { return storm() },
		},
		{
			number: "42", condition: "901 cubes at rest, 60 packets a second", once: true,
			bounds: []bound{{Lane: wire, What: "packets", Unit: kilobits, Limit: 15_000}},
			run: func(uint64) []float64 {
				s := newStream()
				for range 2 * tickRate {
					s.tick(nil)
				}
				for i := range s.cubes {
					c := &s.cubes[i]
					c.v, c.w, c.rest = mgl64.Vec3{}, mgl64.Vec3{}, true
				}
				bits := 0
				const settle, seconds = 5, 10
				for k := range (settle + seconds) * tickRate {
					s.tick(nil)
					if k >= settle*tickRate {
						bits += s.bits
					}
				}
				return []float64{float64(bits) / seconds}
			},
		},
		{
			number: "44", condition: "10 000 steps of a slow body, changes against changes, 15 % loss",
			bounds: []bound{{Lane: "one body", What: "error in half quanta", Unit: factors, Limit: 1}},
			run:    creeping,
		},
	}
}

// storm streams the scene with everything in motion.
func storm() []float64 {
	s := newStream()
	var truth [][]mgl64.Vec3 // by tick, from 1
	heard := make([]int64, cubeCount)
	known := make([]mgl32.Vec3, cubeCount)
	var worstSecond, second, off, sum float64
	var silence int64
	n := 0
	const fill, seconds = 3, 10
	for k := range int64((fill + seconds) * tickRate) {
		places := make([]mgl64.Vec3, cubeCount)
		s.tick(func(at int64, snap snapshot.Snapshot) {
			for _, c := range snap.Changes {
				i := c.ID.Slot()
				if k >= fill*tickRate {
					silence = max(silence, at-heard[i])
					off = max(off, truth[at-1][i].Sub(vec64(c.State.Position)).Len())
				}
				heard[i], known[i] = at, c.State.Position
			}
		})
		for i := range s.cubes {
			places[i] = s.cubes[i].p
		}
		truth = append(truth, places)
		if k < fill*tickRate {
			continue
		}
		for i := range known {
			d := places[i].Sub(vec64(known[i])).Len()
			sum += d * d
			n++
		}
		if second += float64(s.bits); k%tickRate == tickRate-1 {
			worstSecond, second = max(worstSecond, second), 0
		}
	}
	const dtls = 46 // bytes of a record with a connection id of eight
	return []float64{
		worstSecond, float64(silence) / tickRate, off, math.Sqrt(sum / float64(n)),
		overhead * 8 * tickRate, dtls * 8 * tickRate, cubeCount * 321 * tickRate,
	}
}

// creeping sends a body that moves by less than a quantum per tick, each time as a change to the
// acknowledged state. It returns the worst error on an axis in half quanta. Rounding errors must
// not add up.
func creeping(seed uint64) []float64 {
	w := newWire(1)
	lossy := base
	lossy.Down.Loss, lossy.Down.Seed, lossy.Up.Loss, lossy.Up.Seed = 0.15, 2*seed, 0.15, 2*seed+1
	down, up := must(linksim.NewLink(lossy.Down)), must(linksim.NewLink(lossy.Up))
	place := func(at time.Duration) mgl64.Vec3 {
		t := at.Seconds()
		return mgl64.Vec3{0.0123 * t, math.Sin(0.02 * t), -0.006 * t}
	}
	var worst float64
	for k := range int64(10_000) {
		now := time.Duration(k) * time.Second / tickRate
		for data, at, ok := up.Pop(now); ok; data, at, ok = up.Pop(now) {
			w.handle(data, at)
		}
		w.set(0, &conformance.Truth{Position: place(now), Rotation: upright})
		down.Push(now, w.send(k, now))
		for data, at, ok := down.Pop(now); ok; data, at, ok = down.Pop(now) {
			w.receive(data, at, func(time.Duration, uint16) {}, func(_ int, s interp.Sample) {
				off := place(s.Time).Sub(vec64(s.Position))
				for _, d := range off {
					worst = max(worst, math.Abs(d)/(positionStep/2))
				}
			})
		}
		up.Push(now, w.acknowledge(now))
	}
	return []float64{worst}
}
