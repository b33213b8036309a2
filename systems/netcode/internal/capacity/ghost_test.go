package capacity

import (
	"hash"
	"hash/fnv"
	"log/slog"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/prediction"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/loopback"
)

// The first bytes of datagrams, and the widths of fields, as in package netcode.
const (
	kindWelcome  = 0x57
	kindSession  = 0x53
	pongBits     = 8 + 64 + 22
	intervalBits = 6
	viewBits     = 4
	recallBits   = 6
	ownBits      = 64 + 8 + 32 // of a state, the count of its jumps and the entity
)

// captureHello returns the first datagram of a client.
func captureHello(t testing.TB, p *netcode.Protocol[state, input]) []byte {
	t.Helper()
	l := loopback.Listen(loopback.Config{})
	c, err := netcode.NewClient(p, netcode.ClientConfig[state, input]{
		Dial: func() (transport.Conn, error) { return l.Dial(), nil }, Log: slog.New(slog.DiscardHandler),
		Input: func(netcode.Tick) input { return input{} },
	})
	if err != nil {
		t.Fatal(err)
	}
	engine, err := ecs.New(ecs.Config{FixedRate: tickRate})
	if err != nil {
		t.Fatal(err)
	}
	engine.Install(c)
	defer engine.Close()
	buf := make([]byte, transport.MaxMTU)
	var server transport.Conn
	for now := frame; now < time.Second; now += frame {
		engine.Update(frame)
		l.Poll(now)
		if conn, ok := l.Accept(); ok {
			server = conn
		}
		if server == nil {
			continue
		}
		server.Poll(now)
		if n, ok := server.Recv(buf); ok {
			return buf[:n]
		}
	}
	t.Fatal("a client has sent no hello in a second")
	return nil
}

// ghost is a client that acknowledges what it receives, from 1 to 4 ticks late, and sends inputs.
// One in a hundred packets to it is lost.
type ghost struct {
	conn    transport.Conn
	hello   []byte
	waits   int // ticks until the hello is sent again
	end     *packet.Endpoint
	pending *prediction.Pending[input]
	in      input
	rng     *rand.Rand
	delay   int // ticks
	late    [32]delayed
	head    int
	tail    int
	buf     []byte
	sum     hash.Hash64 // of all bytes received
	decoder *snapshot.Decoder
	records int // decoded
	packets int // decoded
	broken  int // that could not be decoded
	gone    bool
}

// delayed is a datagram that the ghost will take later.
type delayed struct {
	at, size int
	bytes    [mtu]byte
}

// decoding is how many ghosts decode what they receive.
const decoding = 2

// newGhost returns the i-th ghost. Without a schema none decodes what it receives.
func newGhost(i int, conn transport.Conn, hello []byte, schema *snapshot.Schema) *ghost {
	rng := rand.New(rand.NewPCG(uint64(i), 77))
	g := &ghost{
		conn: conn, hello: hello, pending: prediction.NewPending[input](128), rng: rng, delay: 1 + rng.IntN(4),
		buf: make([]byte, transport.MaxMTU), sum: fnv.New64a(),
	}
	if schema != nil && i < decoding {
		g.decoder = snapshot.NewDecoder(schema)
	}
	return g
}

// tick receives and sends.
func (g *ghost) tick(now time.Duration, t netcode.Tick) {
	if g.gone {
		return
	}
	g.conn.Poll(now)
	for {
		d := &g.late[g.tail%len(g.late)]
		size, ok := g.conn.Recv(d.bytes[:])
		if !ok {
			break
		}
		_, _ = g.sum.Write(d.bytes[:size]) // never an error
		switch {
		case g.end == nil && d.bytes[0] == kindWelcome:
			var err error
			if g.end, err = packet.NewEndpoint(packet.Config{MTU: g.conn.MTU() - 1}); err != nil {
				panic(err)
			}
		case g.end != nil && d.bytes[0] == kindSession && g.rng.IntN(100) > 0:
			d.at, d.size = int(t)+g.delay, size
			if g.tail++; g.tail-g.head == len(g.late) {
				g.head++ // as if it had been lost
			}
		}
	}
	if g.end == nil {
		if g.waits--; g.waits < 0 && g.conn.State() == transport.Open {
			g.waits = 10
			_ = g.conn.Send(g.hello)
		}
		return
	}
	for ; g.head != g.tail && g.late[g.head%len(g.late)].at <= int(t); g.head++ {
		d := &g.late[g.head%len(g.late)]
		g.take(d.bytes[1:d.size], now)
	}
	g.send(now, t)
}

// leave ends the connection.
func (g *ghost) leave() {
	g.conn.Close(transport.Reason{Code: transport.Left})
	g.gone = true
}

// take takes a packet.
func (g *ghost) take(datagram []byte, now time.Duration) {
	pk, err := g.end.Open(datagram)
	if err != nil {
		return
	}
	r := &pk.Payload
	if r.Bool() {
		skip(r, pongBits)
	}
	if r.Bool() {
		skip(r, intervalBits)
	}
	if f := prediction.ReadFeedback(r); f.Heard {
		g.pending.Acknowledge(f.Ack)
	}
	if g.decoder != nil && !g.decode(r, pk.Number) {
		g.broken++
		return
	}
	if err := g.end.Accept(pk, now); err != nil {
		g.broken++
	}
}

// decode decodes the rest of a packet.
func (g *ghost) decode(r *packet.Reader, n packet.Number) bool {
	if r.Bool() { // an own state
		if r.Bool() {
			skip(r, recallBits)
		} else {
			skip(r, ownBits)
		}
	}
	got, err := g.decoder.Decode(r, n)
	if err != nil {
		return false
	}
	g.packets++
	g.records += len(got.Changes)
	return true
}

func skip(r *packet.Reader, bits uint) {
	for ; bits > 32; bits -= 32 {
		r.Bits(32)
	}
	r.Bits(bits)
}

// lead is how many ticks before its own an input is sent.
const lead = 5

// send sends the inputs that the server does not have.
func (g *ghost) send(now time.Duration, t netcode.Tick) {
	if g.rng.IntN(20) == 0 {
		g.in = input{int8(g.rng.IntN(3)) - 1, int8(g.rng.IntN(3)) - 1}
	}
	id := t.Add(lead)
	last, ok := g.pending.Newest()
	if !ok {
		last = id.Add(-1)
	}
	for k := last.Add(1); k.Sub(id) <= 0; k = k.Add(1) {
		g.pending.Push(k, g.in)
	}
	g.pending.Applied(id.Add(-60))
	g.buf[0] = kindSession
	w := g.end.Begin(g.buf[1:g.conn.MTU()], now, 200)
	w.Bool(false) // no ping
	w.Bits(uint64(uint32(t.Add(-g.delay-3))), 32)
	w.Bits(0, viewBits)
	has := g.pending.Unacknowledged() > 0
	w.Bool(has)
	if has {
		g.pending.Write(w, inputs{}, prediction.Redundancy{})
	}
	if d, err := g.end.End(); err == nil {
		_ = g.conn.Send(g.buf[:1+len(d)])
	}
}
