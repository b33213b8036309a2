package report

import (
	"encoding/binary"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/clocksync"
	"github.com/tandem-ecs/tandem/systems/netcode/interp"
)

// The first byte on the simulated link marks a packet or a ping. Pings travel beside the packets.
const (
	kindPacket = 1
	kindPing   = 2
	kindPong   = 3
)

// serve runs the server up to a true time. It answers pings on their arrival and sends snapshots at
// its ticks.
func (r *run) serve(now time.Duration) {
	p := r.spec.Network.Pause
	for {
		edge := time.Duration(r.tick) * time.Second / tickRate // on the server's clock
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
				r.wire.handle(ping[1:], at)
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

// framed puts the kind in front of a packet.
func (r *run) framed(kind byte, packet []byte) []byte {
	r.buf[0] = kind
	return r.buf[:1+copy(r.buf[1:], packet)]
}

// receive handles the datagrams that have reached the client by a frame.
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
			// The clock's filter refuses such samples. An answer that overtook another is not an
			// error.
			_, _ = r.clocks.reference.Add(clocksync.Sample{
				ClientSend:    time.Duration(binary.LittleEndian.Uint64(data[1:])),
				ServerReceive: server, ServerSend: server,
				ClientReceive: local,
			})
		case kindPacket:
			r.wire.receive(data[1:], local, func(stamp time.Duration, number uint16) {
				r.clocks.arrive(local, read, stamp, r.spec.Network.interval(), number)
			}, func(body int, s interp.Sample) { r.push(local, body, s) })
		}
	}
}

// push passes a sample to all lanes.
func (r *run) push(local time.Duration, body int, sample interp.Sample) {
	for i := range r.lanes {
		l := &r.lanes[i]
		s := sample
		if l.Clock == clockLog5 {
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
