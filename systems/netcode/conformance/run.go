package conformance

import (
	"encoding/binary"
	"math/rand/v2"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"
	"github.com/tandem-ecs/tandem/systems/netcode/clocksync"
	"github.com/tandem-ecs/tandem/systems/netcode/remote"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// WarmUp is the time after joining that no measure counts: three round trips for the clock, and a few seconds for the first estimate of the loss.
const WarmUp = 5 * time.Second

// Spec is one run: a body in motion, drawn in all lanes from the same packets.
type Spec struct {
	Network Network
	Motion  *Motion
	Child   *Motion // in the frame of the body, its child on the wire; may be nil
	Lanes   []Lane
	Length  time.Duration // of server time, warm-up included
	Seed    uint64

	// Watch, if set, is told of every frame of every lane after it was drawn, and Step of every fixed step of the lanes that are sampled in it.
	Watch func(lane int, f *Frame)
	Step  func(lane int, at, view time.Duration, info *remote.Info)
	Truth func(now time.Duration, t Truth) // of every frame, at the server's present
}

// Frame is what one lane showed in one frame, and what it should have shown.
type Frame struct {
	Now    time.Duration // server time of the frame
	Claim  time.Duration // server time that the picture claims to show
	Drawn  mgl64.Vec3    // in the world; the child's, if there is one
	Turn   mgl64.Quat
	Truth  Truth // at Claim
	Jumped bool  // drawn as a teleport
	Info   remote.Info
}

// Result holds the measures of one run.
type Result struct {
	Lanes []Measure
	Bytes float64 // per second from the server, with 28 bytes of IP and UDP a packet
}

const (
	pingEvery  = 250 * time.Millisecond
	tickLength = time.Second / TickRate
	maxDelta   = 250 * time.Millisecond // of a frame, as the engine's default; what is beyond is dropped

	// The first byte on the simulated link.
	kindPacket = 1
	kindPing   = 2
	kindPong   = 3
)

// fitted is one lane at work.
type fitted struct {
	Lane
	body, child remote.Interpolator
	prev, cur   shown // the two samples that frames are blended from
	prevT, curT time.Duration
	started     bool
	jumped      bool // since the last frame
	viewed      bool
	lastView    time.Duration
	lastAt      time.Duration
	measure     Measure
}

// shown is what a lane holds at one instant.
type shown struct {
	position, childPosition mgl64.Vec3
	rotation, childRotation mgl64.Quat
	claim                   time.Duration
	info                    remote.Info
}

// run is the state of a Spec being run.
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

// Run runs a Spec and returns what it measured. The same Spec gives the same Result, whatever the machine.
func Run(spec Spec) Result {
	r := &run{spec: spec}
	n := &r.spec.Network
	random := rand.New(rand.NewPCG(spec.Seed, 0x7a4d656d))
	n.Down.Seed, n.Up.Seed = 2*spec.Seed, 2*spec.Seed+1
	r.down, r.up = mustLink(n.Down), mustLink(n.Up)
	r.phase = n.Epoch + time.Duration(random.Int64N(int64(tickLength)))
	framePhase := time.Duration(random.Int64N(int64(tickLength)))
	shift := random.Float64() * 10 // so that every seed sees the motion from another point on

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
		if l.Kind == remote.Chase || l.Kind == remote.SeedChase {
			l.Config.Speed = float32(spec.Motion.At(0).Velocity.Len())
		}
		f := fitted{Lane: l}
		if l.Clock != Local {
			f.body = remote.New(l.Kind, l.Config)
			f.child = remote.New(l.Kind, l.Config)
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

func mustLink(c linksim.Condition) *linksim.Link {
	l, err := linksim.NewLink(c)
	if err != nil {
		panic(err) // the conditions are this package's own
	}
	return l
}

// local returns what the client's clock shows at a true time, trueTime the reverse. The server's clock shows the true time, until it pauses.
func (r *run) local(t time.Duration) time.Duration {
	return r.spec.Network.Epoch + t + time.Duration(float64(t)*r.spec.Network.Drift*1e-6)
}

func (r *run) trueTime(local time.Duration) time.Duration {
	return time.Duration(float64(local-r.spec.Network.Epoch) / (1 + r.spec.Network.Drift*1e-6))
}

// server returns what the server's clock shows at a true time: it stands while the server pauses.
func (r *run) server(t time.Duration) time.Duration {
	p := r.spec.Network.Pause
	switch {
	case t <= p[0] || p[1] <= p[0]:
		return t
	case t < p[1]:
		return p[0]
	}
	return t - (p[1] - p[0])
}

// world returns the state of the child in the world.
func (r *run) world(t float64) Truth {
	p, c := r.motion(t), r.child(t)
	arm := p.Rotation.Rotate(c.Position)
	return Truth{
		Position: p.Position.Add(arm),
		Velocity: p.Velocity.Add(p.Angular.Cross(arm)).Add(p.Rotation.Rotate(c.Velocity)),
		Rotation: p.Rotation.Mul(c.Rotation),
	}
}

// frame is one turn of the client's loop, at a time of its clock.
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

	// The engine's clock: time beyond MaxDelta is dropped, then steps are run until the next edge lies ahead of the frame.
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

// serve runs the server up to a true time: it answers pings as they come and sends snapshots at its ticks.
func (r *run) serve(now time.Duration) {
	p := r.spec.Network.Pause
	for {
		edge := time.Duration(r.tick) * time.Second / TickRate // on the server's clock
		due := edge
		if p[1] > p[0] && edge > p[0] {
			due += p[1] - p[0]
		}
		for {
			ping, at, ok := r.up.Pop(min(due, now))
			if !ok {
				break
			}
			if at > p[0] && at < p[1] {
				at = p[1] // it has waited in the socket
			}
			if ping[0] == kindPacket {
				r.wire.hear(ping[1:], at)
				continue
			}
			r.buf[0] = kindPong
			copy(r.buf[1:9], ping[1:9])
			binary.LittleEndian.PutUint64(r.buf[9:], uint64(r.server(at)))
			r.down.Push(at, r.buf[:17])
		}
		if due > now {
			return
		}
		if r.tick%int64(r.spec.Network.ticksPerSnapshot()) == 0 {
			r.send(due, edge)
		}
		r.tick++
	}
}

// send sends the state after the current tick.
func (r *run) send(now, edge time.Duration) {
	t := r.motion(edge.Seconds())
	r.wire.set(0, &t)
	if r.child != nil {
		t = r.child(edge.Seconds())
		r.wire.set(1, &t)
	}
	r.down.Push(now, r.framed(kindPacket, r.wire.send(r.tick, now)))
}

// framed puts the kind in front of a packet; the links carry pings beside packets.
func (r *run) framed(kind byte, packet []byte) []byte {
	r.buf[0] = kind
	return r.buf[:1+copy(r.buf[1:], packet)]
}

// receive takes what has reached the client by a frame.
func (r *run) receive(read, now time.Duration) {
	for {
		data, at, ok := r.down.Pop(now)
		if !ok {
			return
		}
		local := r.local(at)
		switch data[0] {
		case kindPong:
			server := time.Duration(binary.LittleEndian.Uint64(data[9:]))
			// A refused sample (an answer that overtook another) is what the filter is there for.
			_, _ = r.clocks.reference.Add(clocksync.Sample{
				ClientSend:    time.Duration(binary.LittleEndian.Uint64(data[1:])),
				ServerReceive: server, ServerSend: server,
				ClientReceive: local,
			})
		case kindPacket:
			r.wire.receive(data[1:], local, func(stamp time.Duration, number uint16) {
				r.clocks.arrive(local, read, stamp, r.spec.Network.Interval(), number)
			}, func(body int, s remote.Sample) { r.push(local, body, s) })
		}
	}
}

// push gives a sample to all lanes.
func (r *run) push(local time.Duration, body int, sample remote.Sample) {
	for i := range r.lanes {
		l := &r.lanes[i]
		s := sample
		if l.Clock == Log5 {
			s.Time = r.clocks.pllLabel // the article's updates carry no time
		}
		switch {
		case l.body == nil:
		case body == 0:
			l.body.Push(local, s)
		default:
			l.child.Push(local, s)
		}
	}
}

// fixed is one fixed step: every lane is sampled at the step's end.
func (r *run) fixed(end time.Duration) {
	v := r.clocks.at(end)
	if !v.ok {
		return
	}
	for i := range r.lanes {
		if l := &r.lanes[i]; !l.PerFrame() {
			r.ask(i, end, v.of(l.Clock))
			l.prevT = end - tickLength
		}
	}
}

// ask asks a lane for its state and files it as the newer of the two samples, or as both after a jump.
func (r *run) ask(i int, at, view time.Duration) {
	l := &r.lanes[i]
	next := shown{childRotation: upright}
	if l.Clock == Local {
		next.claim = r.server(r.trueTime(at))
		t := r.motion(next.claim.Seconds())
		next.position, next.rotation = t.Position, t.Rotation
		next.info.Discontinuity = l.started && t.Discontinuity != r.motion(l.cur.claim.Seconds()).Discontinuity
		if r.child != nil {
			c := r.child(next.claim.Seconds())
			next.childPosition, next.childRotation = c.Position, c.Rotation
		}
	} else {
		state, info := l.body.At(at, view)
		if info.Empty {
			return
		}
		next.position, next.rotation, next.info = vec64(state.Position), quat64(state.Rotation), info
		next.claim = r.claim(l, info.Time, at)
		if r.child != nil {
			c, ci := l.child.At(at, view)
			if ci.Empty {
				return
			}
			next.childPosition, next.childRotation = vec64(c.Position), quat64(c.Rotation)
			next.info.Starved = info.Starved || ci.Starved
			if ci.Time != info.Time {
				l.measure.Torn++
			}
		}
	}
	warm := r.trueTime(at) > WarmUp
	if warm && r.spec.Step != nil {
		r.spec.Step(i, at, view, &next.info)
	}
	if l.Views() && l.viewed && at > l.lastAt && warm && !(l.Clock == Follow && r.clocks.playback.Waiting()) {
		l.measure.rate(float64(view-l.lastView) / float64(at-l.lastAt))
	}
	l.viewed, l.lastView, l.lastAt = true, view, at
	l.prev, l.prevT, l.cur, l.curT = l.cur, l.curT, next, at
	if !l.started || next.info.Discontinuity {
		l.prev = next
		l.jumped = true
	}
	l.started = true
	if warm {
		p, _ := r.compose(&l.cur)
		t := r.truth(l.cur.claim)
		l.measure.step(p.Sub(t.Position), t.Discontinuity != 0)
	}
}

// claim returns the server time that a lane's picture stands for.
func (r *run) claim(l *fitted, claimed, local time.Duration) time.Duration {
	switch {
	case l.Clock == Log5:
		return claimed + r.clocks.pllFirst
	case l.Kind.Predictive():
		return r.server(r.trueTime(local)) // measured against the true present, whatever the clock believes
	}
	return claimed
}

func (r *run) truth(at time.Duration) Truth {
	if r.child != nil {
		return r.world(at.Seconds())
	}
	return r.motion(at.Seconds())
}

// compose returns the pose in the world.
func (r *run) compose(s *shown) (mgl64.Vec3, mgl64.Quat) {
	if r.child == nil {
		return s.position, s.rotation
	}
	return s.position.Add(s.rotation.Rotate(s.childPosition)), s.rotation.Mul(s.childRotation)
}

// draw blends every lane's picture for the frame and measures it.
func (r *run) draw(local, now time.Duration) {
	if v := r.clocks.atFrame(local); v.ok {
		for i := range r.lanes {
			if l := &r.lanes[i]; l.PerFrame() {
				r.ask(i, local, v.of(l.Clock))
				l.prev = l.cur
			}
		}
	}
	if r.spec.Truth != nil {
		r.spec.Truth(r.server(now), r.truth(r.server(now)))
	}
	for i := range r.lanes {
		l := &r.lanes[i]
		if !l.started {
			continue
		}
		s := l.cur
		if span := l.curT - l.prevT; span > 0 && l.prev != l.cur {
			s = between(&l.prev, &l.cur, float64(local-l.prevT)/float64(span))
		}
		f := Frame{Now: r.server(now), Claim: s.claim, Jumped: l.jumped, Info: l.cur.info, Truth: r.truth(s.claim)}
		f.Drawn, f.Turn = r.compose(&s)
		l.jumped = false
		if now > WarmUp {
			l.measure.frame(&f, r.top.at(f.Claim.Seconds()), r.dt)
			if r.spec.Watch != nil {
				r.spec.Watch(i, &f)
			}
		}
	}
}

// between is the synchronizer's rule: frames are blended linearly between the two samples, local poses each for itself.
func between(a, b *shown, t float64) shown {
	return shown{
		position:      a.position.Add(b.position.Sub(a.position).Mul(t)),
		childPosition: a.childPosition.Add(b.childPosition.Sub(a.childPosition).Mul(t)),
		rotation:      blend(a.rotation, b.rotation, t),
		childRotation: blend(a.childRotation, b.childRotation, t),
		claim:         a.claim + time.Duration(t*float64(b.claim-a.claim)),
	}
}

func quat64(q mgl32.Quat) mgl64.Quat {
	return mgl64.Quat{W: float64(q.W), V: vec64(q.V)}
}

// blend is the rule for rotations: shortest arc, unit length. Between two fixed steps the arc is small, and a straight line is as good as an arc.
func blend(a, b mgl64.Quat, t float64) mgl64.Quat {
	if a.Dot(b) < 0 {
		b = b.Scale(-1)
	}
	return a.Scale(1 - t).Add(b.Scale(t)).Normalize()
}
