package dtls_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/dtls"
)

// flow is one direction of a connection. Each of its datagrams has a number of its own, so the test
// detects one that arrives twice or was never sent, whenever it arrives. A datagram that is still
// under way is not confused with a later one.
type flow struct {
	from, to transport.Conn
	sent     uint32
	newest   uint32
	arrived  map[uint32]bool
}

func newFlow(from, to transport.Conn) *flow {
	return &flow{from: from, to: to, arrived: map[uint32]bool{}}
}

// carry sends until the given number of times a datagram has arrived that was sent after the one
// before.
func (f *flow) carry(t *testing.T, times int) {
	t.Helper()
	for range times {
		before := f.sent
		until(t, "a datagram arrives", func() bool {
			f.from.Poll(0)
			f.sent++
			send(t, f.from, binary.LittleEndian.AppendUint64(nil, uint64(f.sent)|uint64(^f.sent)<<32))
			f.take(t)
			return f.newest > before
		})
	}
}

// take receives the datagrams that have arrived.
func (f *flow) take(t *testing.T) {
	t.Helper()
	f.to.Poll(0)
	buf := make([]byte, f.to.MTU())
	for n, ok := f.to.Recv(buf); ok; n, ok = f.to.Recv(buf) {
		number := binary.LittleEndian.Uint32(buf)
		switch {
		case n != 8 || binary.LittleEndian.Uint32(buf[4:]) != ^number || number == 0 || number > f.sent:
			t.Errorf("received %x, which was never sent", buf[:n])
		case f.arrived[number]:
			t.Errorf("datagram %d of %d was taken twice", number, f.sent)
		}
		f.arrived[number] = true
		f.newest = max(f.newest, number)
	}
}

// drain returns all datagrams that arrived.
func drain(c transport.Conn) (got [][]byte) {
	c.Poll(0)
	buf := make([]byte, c.MTU())
	for n, ok := c.Recv(buf); ok; n, ok = c.Recv(buf) {
		got = append(got, bytes.Clone(buf[:n]))
	}
	return got
}

// Conformance case 36: everything that was ever sent is sent again. None of it is accepted, and the
// connection goes on.
func TestReplayedDatagrams(t *testing.T) {
	l := listen(t, open(dtls.Config{HandshakeTimeout: time.Second})) // a client tries again
	r := newRelay(t, l.Addr())
	client, server := join(t, l, r.addr(), dtls.Config{HandshakeTimeout: time.Second, DialTimeout: time.Minute})
	there, back := newFlow(client, server), newFlow(server, client)
	there.carry(t, 50)
	back.carry(t, 50)
	up, down := r.recorded()
	if len(up) < 50 || len(down) < 50 {
		t.Fatalf("recorded %d and %d datagrams", len(up), len(down))
	}
	for _, b := range up {
		r.inject(b, true)
	}
	for _, b := range down {
		r.inject(b, false)
	}
	// The same from another address, which must not redirect the connection there.
	before := server.RemoteAddr()
	elsewhere := localSocket(t)
	defer elsewhere.Close()
	for _, b := range up {
		if _, err := elsewhere.WriteToUDP(b, r.server); err != nil {
			t.Fatal(err)
		}
	}
	pause()
	there.take(t)
	back.take(t)
	if server.RemoteAddr() != before {
		t.Errorf("replayed datagrams moved the connection from %s to %s", before, server.RemoteAddr())
	}
	there.carry(t, 50)
	back.carry(t, 50)
	if _, ok := l.Accept(); ok {
		t.Error("a replayed handshake made a connection")
	}
	until(t, "the replayed handshake has run out", func() bool { return l.Stats().Pending == 0 })
}

// Conformance case 36: one forged datagram with a huge sequence number must not make all genuine
// ones look old. Nor may any other forged datagram end a connection, including those for which the
// library would send a fatal alert.
func TestForgedDatagrams(t *testing.T) {
	l := listen(t, open(dtls.Config{}))
	r := newRelay(t, l.Addr())
	client, server := join(t, l, r.addr(), dtls.Config{})
	there, back := newFlow(client, server), newFlow(server, client)
	there.carry(t, 5)
	back.carry(t, 5)
	up, down := r.recorded()
	forge := func(original []byte, up bool) {
		huge := bytes.Clone(original)
		copy(huge[5:11], []byte{0x3f, 0xff, 0xff, 0xff, 0xff, 0xff}) // the sequence number
		r.inject(huge, up)
		for bit := range 8 * len(original) {
			b := bytes.Clone(original)
			// With its own number it would be a mere replay.
			copy(b[5:11], []byte{0x20, 0, 0, 0, byte(bit >> 8), byte(bit)})
			b[bit/8] ^= 1 << (bit % 8)
			r.inject(b, up)
			if bit%32 == 0 {
				there.carry(t, 1) // otherwise the socket overflows
			}
		}
		for kind := range 256 {
			// Each kind of record is sent unencrypted, encrypted, and of a later epoch, both alone
			// and behind a harmless one.
			for epoch := range byte(3) {
				b := bytes.Clone(original)
				b[0], b[4] = byte(kind), epoch
				r.inject(b, up)
				r.inject(append(bytes.Clone(original), b...), up)
				// 2, 80 is a fatal alert.
				r.inject([]byte{byte(kind), 0xfe, 0xfd, 0, epoch, 0, 0, 0, 0, 1, byte(kind), 0, 2, 2, 80}, up)
			}
			if kind%8 == 0 {
				back.carry(t, 1)
			}
		}
	}
	forge(up[len(up)-1], true)
	forge(down[len(down)-1], false)
	pause()
	for _, c := range []transport.Conn{client, server} {
		if c.Poll(0); c.State() != transport.Open {
			t.Fatalf("forged datagrams ended a connection: %v", c.CloseReason())
		}
	}
	there.carry(t, 20)
	back.carry(t, 20)
}

// Conformance case 38: the client's NAT drops its entry and assigns another port. The connection
// goes on in both directions as soon as the client sends.
func TestAddressChange(t *testing.T) {
	l := listen(t, open(dtls.Config{}))
	r := newRelay(t, l.Addr())
	client, server := join(t, l, r.addr(), dtls.Config{})
	there, back := newFlow(client, server), newFlow(server, client)
	there.carry(t, 5)
	for range 3 {
		before := server.RemoteAddr()
		r.rebind(t)
		there.carry(t, 5)
		back.carry(t, 5)
		if now := server.RemoteAddr(); now == before {
			t.Errorf("the server still sends to %s", before)
		}
	}
	if got := l.Stats(); got.Accepted != 1 {
		t.Errorf("%d connections were made, want the first only", got.Accepted)
	}
}

// A client comes back, even from the same port, while its last connection still exists on the
// server.
func TestComingBackFromTheSamePort(t *testing.T) {
	l := listen(t, open(dtls.Config{}))
	r := newRelay(t, l.Addr())
	first, server := join(t, l, r.addr(), dtls.Config{})
	newFlow(first, server).carry(t, 5)
	// Its process is killed, and the server receives no notice.
	r.setDrop(func([]byte, bool) bool { return true })
	first.Close(transport.Reason{})
	<-first.(*dtls.Conn).Done()
	r.flush(t)
	r.setDrop(nil)
	second, again := join(t, l, r.addr(), dtls.Config{})
	newFlow(second, again).carry(t, 5)
	newFlow(again, second).carry(t, 5)
	if server.Poll(0); server.State() != transport.Open {
		t.Errorf("the old connection ended by itself: %v", server.CloseReason())
	}
	if server.RemoteAddr() != again.RemoteAddr() {
		t.Errorf("the test has two ports: %s and %s", server.RemoteAddr(), again.RemoteAddr())
	}
}

// Handshakes succeed although three of ten datagrams are lost.
func TestHandshakeOverALossyPath(t *testing.T) {
	l := listen(t, open(dtls.Config{}))
	for seed := range uint64(2) {
		r, random := newRelay(t, l.Addr()), rand.New(rand.NewPCG(seed, 0))
		r.setDrop(func([]byte, bool) bool { return random.IntN(10) < 3 })
		client, server := join(t, l, r.addr(), dtls.Config{DialTimeout: time.Minute})
		exchange(t, client, server)
		exchange(t, server, client)
	}
}
