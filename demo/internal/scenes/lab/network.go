package lab

import (
	"encoding/binary"
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/demo/internal/settings"
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
	buf      [snapshotSize]byte
}

const (
	epoch     = 1000 * time.Second
	pingEvery = 250 * time.Millisecond

	kindSnapshot = 1
	kindPing     = 2
	kindPong     = 3

	snapshotSize = 1 + 2 + 8 + 4*4 + 1
	pingSize     = 1 + 8
	pongSize     = 1 + 8 + 8
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
			sent := binary.LittleEndian.Uint64(ping[1:])
			n.buf[0] = kindPong
			binary.LittleEndian.PutUint64(n.buf[1:], sent)
			binary.LittleEndian.PutUint64(n.buf[9:], uint64(at+epoch))
			n.down.Push(at, n.buf[:pongSize])
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
	b := n.buf[:]
	b[0] = kindSnapshot
	binary.LittleEndian.PutUint16(b[1:], n.number)
	binary.LittleEndian.PutUint64(b[3:], uint64(at+epoch))
	for i, v := range [...]float64{s.x, s.velocity, s.turn, turnRate} {
		binary.LittleEndian.PutUint32(b[11+4*i:], math.Float32bits(float32(v)))
	}
	b[27] = s.jumps
	n.number++
	n.down.Push(at, b)
}

// ping asks the server for its time, four times a second.
func (n *network) ping(now time.Duration) {
	if now-n.lastPing < pingEvery {
		return
	}
	n.lastPing = now
	n.buf[0] = kindPing
	binary.LittleEndian.PutUint64(n.buf[1:], uint64(now))
	n.up.Push(now, n.buf[:pingSize])
}

// receive handles the packets that have reached the client by a time.
func (n *network) receive(now time.Duration, snapshot func(at time.Duration, number uint16, s interp.Sample), pong func(interp.Ping)) {
	for {
		b, at, ok := n.down.Pop(now)
		if !ok {
			return
		}
		if b[0] == kindPong {
			server := time.Duration(binary.LittleEndian.Uint64(b[9:]))
			pong(interp.Ping{
				ClientSend:    time.Duration(binary.LittleEndian.Uint64(b[1:])),
				ServerReceive: server, ServerSend: server,
				ClientReceive: at,
			})
			continue
		}
		float := func(i int) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b[11+4*i:])) }
		snapshot(at, binary.LittleEndian.Uint16(b[1:]), interp.Sample{
			Time:          time.Duration(binary.LittleEndian.Uint64(b[3:])),
			Position:      mgl32.Vec3{float(0)},
			Velocity:      mgl32.Vec3{float(1)},
			Rotation:      mgl32.QuatRotate(float(2), mgl32.Vec3{0, 1, 0}),
			Angular:       mgl32.Vec3{0, float(3)},
			Has:           interp.HasVelocity | interp.HasAngularVelocity,
			Discontinuity: b[27],
		})
	}
}
