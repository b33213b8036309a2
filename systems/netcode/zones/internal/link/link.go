package link

import (
	"errors"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/bucket"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/clocksync"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/custody"
)

const (
	// leastMTU is the smallest datagram of a transport that a link can use.
	leastMTU = 600
	// leastRate lets a packet pass in each of twenty steps a second.
	leastRate = 32 << 10
	// silence is how long a link lasts without a packet.
	silence = 3 * time.Second
	// perPoll is the most datagrams of a connection that one Poll reads. Transports hold as many.
	perPoll = 256
	// perFlush is the most packets of a link in one step. If the network shuffles so many, none is
	// too old to be acknowledged.
	perFlush = 32
	// piece is how many bytes of messages share an acknowledgement: the most that the endpoint does
	// not cut.
	piece = 256
	// ackEvery is how many packets are acknowledged at once. An acknowledgement covers 33 packets.
	ackEvery = 16
	// leastGhosts is the room in bytes with which ghosts are written into a packet with messages.
	leastGhosts = 200
	// burst is how long a link that was idle may send at once, at its rate.
	burst = time.Second / 16
)

// link is an open connection to another process.
type link struct {
	links    *Links
	process  custody.Process
	conn     transport.Conn
	mtu      int
	overhead int
	endpoint *packet.Endpoint
	bucket   bucket.Paced
	clock    clock
	messages outStream
	received inStream
	broken   bool // what arrived is no stream of messages

	heard    time.Duration // when the last packet was accepted
	answered bool          // the hello, in this Poll
	owed     int           // packets with contents that no packet of this end has acknowledged
	stats    Stats
}

// begin opens a link over a connection.
func (l *Links) begin(p *peer, conn transport.Conn, now time.Duration) {
	overhead := conn.Stats().Overhead
	k := &link{links: l, process: p.Process, conn: conn, mtu: conn.MTU(), overhead: overhead, heard: now}
	var err error
	k.endpoint, err = packet.NewEndpoint(packet.Config{MTU: k.mtu - 1, Handler: k, Overhead: overhead + 1})
	if k.mtu < leastMTU || err != nil {
		conn.Close(transport.Reason{Code: transport.Refused, Text: "the connection's packets are too small"})
		p.later(now)
		return
	}
	k.bucket = bucket.NewPaced(float64(l.config.Rate), float64(l.config.Rate)*burst.Seconds()+float64(k.mtu+overhead))
	k.clock.reference = clocksync.NewReference()
	k.stats.Since = now
	p.link, p.logged = k, ""
	k.answer()
	l.config.Log.Info("tandem: link to a zone", "zone", p.Name, "epoch", p.Process.Epoch, "address", conn.RemoteAddr())
	l.handler.Opened(p.Process)
}

// answer tells the other end that the link is open, if it dialed.
func (k *link) answer() {
	if self := k.links.config.Self; k.process.Zone < self.Zone {
		_ = k.conn.Send(appendAnswer(k.links.out[:0], self, k.process)) // after a loss it asks
	}
}

// drop ends a link. It is dialed anew, if this end dials.
func (l *Links) drop(p *peer, reason transport.Reason, now time.Duration) {
	p.link.conn.Close(reason)
	p.link = nil
	p.later(now)
	l.config.Log.Warn("tandem: lost the link to a zone", "zone", p.Name, "epoch", p.Process.Epoch, "reason", reason.String())
	l.handler.Closed(p.Process)
}

// receive handles the datagrams of a link, and its end.
func (l *Links) receive(p *peer, now time.Duration) {
	k := p.link
	k.conn.Poll(now)
	k.answered = false
	for range perPoll {
		n, at, ok := transport.RecvAt(k.conn, now, l.in[:])
		if !ok {
			break
		}
		k.stats.Received++
		k.stats.ReceivedBytes += uint64(n)
		switch {
		case n > 0 && l.in[0] == kindPacket:
			if err := k.packet(l.in[1:n], now, at); err != nil {
				l.drop(p, transport.Reason{Code: transport.Failed, Text: "the other zone broke the protocol: " + err.Error()}, now)
				return
			}
		case n > 0 && l.in[0] == kindHello && !k.answered: // the answer was lost
			if _, form := readHello(l.in[:n], &l.config.Key); form == goodHello {
				k.answer()
				k.answered = true
			}
		}
		if k.owed >= ackEvery {
			l.send(k, now, 0, false, false)
		}
	}
	switch {
	case k.conn.State() == transport.Closed:
		l.drop(p, k.conn.CloseReason(), now)
	case now-k.heard > silence:
		l.drop(p, transport.Reason{Code: transport.TimedOut, Text: "nothing was received for 3 s"}, now)
	}
}

var errStream = errors.New("malformed messages")

// packet handles one packet, which arrived at a time up to now. The error says that the link cannot
// go on. Other malformed packets are dropped.
func (k *link) packet(datagram []byte, now, at time.Duration) error {
	pk, err := k.endpoint.Open(datagram)
	if err != nil {
		if !errors.Is(err, packet.ErrDuplicate) && !errors.Is(err, packet.ErrTooOld) {
			k.stats.Refused++
		}
		return nil
	}
	r := &pk.Payload
	urgent, stamped := r.Bool(), r.Bool()
	var s stamps
	if stamped {
		s = readStamps(r)
	}
	ghosts := r.Bool()
	if ghosts && r.Err() == nil {
		err = k.links.handler.Snapshot(k.process, r, pk.Number)
	} else {
		err = r.Close()
	}
	if err != nil || r.Err() != nil {
		k.stats.Refused++
		return nil
	}
	n := pk.Number
	if err := k.endpoint.Accept(pk, at); err != nil {
		return err
	}
	if k.broken {
		return errStream
	}
	k.heard = now
	if p := k.links.find(k.process.Zone); p != nil {
		p.wait = 0 // a later attempt begins soon
	}
	if stamped {
		k.clock.take(&s, n, at)
	}
	if urgent || ghosts {
		k.owed++
	}
	return nil
}

// Message implements [packet.Handler]. Each of the endpoint's messages is a piece of the stream.
func (k *link) Message(data []byte, reliable bool) {
	if !reliable || k.broken || !k.received.take(data, k) {
		k.broken = true
	}
}

// message passes on a whole message.
func (k *link) message(data []byte) {
	k.stats.MessagesTaken++
	k.links.handler.Message(k.process, data)
}

// Delivered implements [packet.Handler].
func (k *link) Delivered(n packet.Number, _ time.Duration) { k.links.handler.Delivered(k.process, n) }

// Lost implements [packet.Handler].
func (k *link) Lost(packet.Number) {}
