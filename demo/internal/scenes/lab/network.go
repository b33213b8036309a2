package lab

import (
	"time"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/demo/internal/settings"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/interp"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// network is the server's side and the links in both directions. It runs in the engine's fixed
// time, so that no run depends on its frames. The server's clock shows that time plus an epoch
// unknown to the client.
type network struct {
	path     *path
	link     settings.Link
	seeds    [2]uint64
	down, up *linksim.Link

	due      time.Duration // the next snapshot, on the client's clock
	number   uint16
	lastPing time.Duration
	buf      [32]byte // of a packet
}

const (
	epoch     = 1000 * time.Second
	pingEvery = 250 * time.Millisecond

	kindSnapshot = 1
	kindPing     = 2
	kindPong     = 3
)

func newNetwork(p *path, link settings.Link, down, up uint64) *network {
	n := &network{path: p, link: link, seeds: [2]uint64{down, up}, lastPing: -pingEvery}
	n.down, n.up = mustLink(condition(link, down)), mustLink(condition(link, up))
	return n
}

// condition returns one direction of the link.
func condition(l settings.Link, seed uint64) linksim.Condition {
	l.Seed = seed
	return l.Condition()
}

func mustLink(c linksim.Condition) *linksim.Link {
	l, err := linksim.NewLink(c)
	if err != nil {
		panic("lab: " + err.Error() + "; the limits of settings.Link must exclude this")
	}
	return l
}

// set changes the network for later packets.
func (n *network) set(link settings.Link) {
	n.link = link
	for i, l := range [...]*linksim.Link{n.down, n.up} {
		if err := l.SetCondition(condition(link, n.seeds[i])); err != nil {
			panic("lab: " + err.Error() + "; the limits of settings.Link must exclude this")
		}
	}
}

func (n *network) interval() time.Duration { return time.Second / time.Duration(n.link.SendRate) }

// serve runs the server up to a time: it answers pings on arrival and sends snapshots when they are
// due.
func (n *network) serve(now time.Duration) {
	for {
		ping, at, ok := n.up.Pop(min(n.due, now))
		if ok {
			r := netcode.NewReader(ping)
			r.Bits(8)
			w := n.packet(kindPong)
			w.Bits(r.Bits(64), 64)
			w.Bits(uint64(at+epoch), 64)
			n.down.Push(at, w.Bytes())
			continue
		}
		if n.due > now {
			return
		}
		n.send(n.due)
		n.due += n.interval()
	}
}

// send sends the state at a time: number, server time, place and velocity along x, turn, turning
// speed, teleports.
func (n *network) send(at time.Duration) {
	n.path.extend(at)
	s := n.path.at(at)
	w := n.packet(kindSnapshot)
	w.Bits(uint64(n.number), 16)
	w.Bits(uint64(at+epoch), 64)
	for _, v := range [...]float64{s.x, s.velocity, s.turn, turnRate} {
		w.Float32(float32(v))
	}
	w.Bits(uint64(s.jumps), 8)
	n.number++
	n.down.Push(at, w.Bytes())
}

// packet begins a packet of a kind, in the place of the one before.
func (n *network) packet(kind uint64) netcode.Writer {
	w := netcode.NewWriter(n.buf[:])
	w.Bits(kind, 8)
	return w
}

// ping asks the server for its time, four times a second.
func (n *network) ping(now time.Duration) {
	if now-n.lastPing < pingEvery {
		return
	}
	n.lastPing = now
	w := n.packet(kindPing)
	w.Bits(uint64(now), 64)
	n.up.Push(now, w.Bytes())
}

// receive handles the packets that have reached the client by a time.
func (n *network) receive(now time.Duration, snapshot func(at time.Duration, number uint16, s interp.Sample), pong func(interp.Ping)) {
	for {
		b, at, ok := n.down.Pop(now)
		if !ok {
			return
		}
		r := netcode.NewReader(b)
		if r.Bits(8) == kindPong {
			p := interp.Ping{ClientSend: time.Duration(r.Bits(64)), ServerReceive: time.Duration(r.Bits(64)), ClientReceive: at}
			p.ServerSend = p.ServerReceive
			pong(p)
			continue
		}
		number := uint16(r.Bits(16))
		snapshot(at, number, interp.Sample{
			Time:          time.Duration(r.Bits(64)),
			Position:      mgl32.Vec3{r.Float32()},
			Velocity:      mgl32.Vec3{r.Float32()},
			Rotation:      mgl32.QuatRotate(r.Float32(), mgl32.Vec3{0, 1, 0}),
			Angular:       mgl32.Vec3{0, r.Float32()},
			Has:           interp.HasVelocity | interp.HasAngularVelocity,
			Discontinuity: uint8(r.Bits(8)),
		})
	}
}
