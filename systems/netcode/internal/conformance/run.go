package conformance

import (
	"encoding/binary"
	"math/rand/v2"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/tandem-ecs/tandem/systems/netcode/articles"
	"github.com/tandem-ecs/tandem/systems/netcode/interp"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// WarmUp is the time after joining that is left out of all measures: three round trips for the
// clock, and a few seconds for the first estimate of the loss.
const WarmUp = 5 * time.Second

// Spec is one run: a body in motion, drawn in all lanes from the same packets.
type Spec struct {
	Network Network
	Motion  *Motion
	Child   *Motion // in the frame of the body, its child on the wire; may be nil
	Lanes   []Lane
	Length  time.Duration // of server time, warm-up included
	Seed    uint64

	// Watch, if set, is called for every frame of every lane after it was drawn. Step, if set, is
	// called for every fixed step of the lanes that are sampled in it.
	Watch func(lane int, f *Frame)
	Step  func(lane int, at, view time.Duration, info *interp.Info)
	Truth func(now time.Duration, t Truth) // of every frame, at the server's present
}

// Frame is the picture of one lane in one frame, with the truth.
type Frame struct {
	Now    time.Duration // server time of the frame
	Claim  time.Duration // server time that the picture claims to show
	Drawn  mgl64.Vec3    // in the world; the child's, if there is one
	Turn   mgl64.Quat
	Truth  Truth // at Claim
	Jumped bool  // drawn as a teleport
	Info   interp.Info
}

// Result holds the measures of one run.
type Result struct {
	Lanes []Measure
	Bytes float64 // per second from the server, with 28 bytes of IP and UDP a packet
}

const (
	pingEvery  = 250 * time.Millisecond
	tickLength = time.Second / TickRate
	// of a frame, as the engine's default; what is beyond is dropped
	maxDelta = 250 * time.Millisecond
)

// run is the state of a run.
type run struct {
	spec     Spec
	motion   func(float64) Truth // shifted by the seed
	child    func(float64) Truth
	lanes    []fitted
	clocks   *clocks
	up, down *linksim.Link
	top      topSpeeds
	dt       float64 // of a frame, seconds

	// The server.
	tick int64
	wire *wire

	// The client.
	lastPing time.Duration
	step     int64
	phase    time.Duration // of the client's ticks against its clock
	buf      [mtu + 1]byte
}

// Run runs a Spec and returns its measures. The same Spec gives the same Result on every machine.
func Run(spec Spec) Result {
	r := &run{spec: spec}
	n := &r.spec.Network
	random := rand.New(rand.NewPCG(spec.Seed, 0x7a4d656d))
	n.Down.Seed, n.Up.Seed = 2*spec.Seed, 2*spec.Seed+1
	r.down, r.up = must(linksim.NewLink(n.Down)), must(linksim.NewLink(n.Up))
	r.phase = n.Epoch + time.Duration(random.Int64N(int64(tickLength)))
	framePhase := time.Duration(random.Int64N(int64(tickLength)))
	shift := random.Float64() * 10 // so every seed begins at another point of the motion

	r.motion = func(t float64) Truth { return spec.Motion.at(t + shift) }
	m := Motion{at: r.motion}
	if spec.Child != nil {
		r.child = func(t float64) Truth { return spec.Child.at(t + shift) }
		m.at = r.world
	}
	r.top = m.topSpeeds(spec.Length)

	r.wire = newWire(1)
	if spec.Child != nil {
		r.wire = newWire(2)
	}
	r.clocks = newClocks(n.Interval(), tickLength)
	for _, l := range spec.Lanes {
		l.Config.Interval = n.Interval()
		if l.Kind == interp.Chase || l.Kind == articles.SeedChase {
			l.Config.Speed = float32(spec.Motion.At(0).Velocity.Len())
		}
		f := fitted{Lane: l}
		if l.Clock != Local {
			f.body = articles.New(l.Kind, l.Config)
			f.child = articles.New(l.Kind, l.Config)
		}
		r.lanes = append(r.lanes, f)
	}

	rate := n.frameRate()
	r.dt = 1 / rate
	first := r.local(0) + framePhase
	r.lastPing = first - pingEvery
	r.step = int64((first - r.phase) / tickLength)
	for j := 0; ; j++ {
		local := first + time.Duration(float64(j)/rate*float64(time.Second))
		now := r.trueTime(local)
		if now >= spec.Length {
			break
		}
		if s := n.Suspend; now >= s[0] && now < s[1] {
			continue
		}
		r.frame(local, now)
	}

	res := Result{Bytes: float64(r.wire.bytes) / spec.Length.Seconds()}
	for i := range r.lanes {
		r.lanes[i].measure.finish()
		res.Lanes = append(res.Lanes, r.lanes[i].measure)
	}
	return res
}

// must returns a value and panics on an error, which the package's own settings never cause.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// frame runs one turn of the client's loop, at a time of its clock.
func (r *run) frame(local, now time.Duration) {
	if calm := r.spec.Network.Calm; calm > 0 && now >= calm {
		r.spec.Network.Calm = 0
		c := r.spec.Network.Down
		c.Loss = 0
		if err := r.down.SetCondition(c); err != nil {
			panic(err)
		}
	}
	r.serve(now)
	r.receive(local, now)
	r.up.Push(now, r.framed(kindPacket, r.wire.acknowledge(local)))
	if local-r.lastPing >= pingEvery {
		r.lastPing = local
		r.buf[0] = kindPing
		binary.LittleEndian.PutUint64(r.buf[1:], uint64(local))
		r.up.Push(now, r.buf[:9])
	}
	r.clocks.frame(local)

	// The engine's clock drops time beyond MaxDelta. Then steps run until the next edge lies ahead
	// of the frame.
	if late := local - r.edge(r.step); late > maxDelta {
		r.step += int64((late - maxDelta) / tickLength)
	}
	for r.edge(r.step) <= local {
		r.step++
		r.fixed(r.edge(r.step))
	}
	r.draw(local, now)
}

// edge returns the start of a step on the client's clock.
func (r *run) edge(k int64) time.Duration {
	return r.phase + time.Duration(k)*time.Second/TickRate
}
