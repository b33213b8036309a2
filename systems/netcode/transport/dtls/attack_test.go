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

// numbered sends datagrams with the numbers, each until it arrived once, and returns all the numbers that arrived, in order.
func numbered(t *testing.T, from, to transport.Conn, first, count int) (got []uint32) {
	t.Helper()
	buf := make([]byte, to.MTU())
	for i := first; i < first+count; i++ {
		until(t, "a datagram arrives", func() bool {
			from.Poll(0)
			to.Poll(0)
			if len(got) == 0 || got[len(got)-1] != uint32(i) {
				if err := from.Send(binary.LittleEndian.AppendUint32(nil, uint32(i))); err != nil {
					t.Fatalf("Send: %v, because %v", err, from.CloseReason())
				}
			}
			for n, ok := to.Recv(buf); ok; n, ok = to.Recv(buf) {
				if n != 4 {
					t.Fatalf("received %x", buf[:n])
				}
				got = append(got, binary.LittleEndian.Uint32(buf))
			}
			return len(got) > 0 && got[len(got)-1] == uint32(i)
		})
	}
	return got
}

// drain returns all that arrived.
func drain(c transport.Conn) (got [][]byte) {
	c.Poll(0)
	buf := make([]byte, c.MTU())
	for n, ok := c.Recv(buf); ok; n, ok = c.Recv(buf) {
		got = append(got, bytes.Clone(buf[:n]))
	}
	return got
}

// Conformance case 36: everything that was ever sent is sent again, and nothing of it is taken; the connection goes on.
func TestReplayedDatagrams(t *testing.T) {
	l := listen(t, open(dtls.Config{HandshakeTimeout: time.Second}))
	r := newRelay(t, l.Addr())
	client, server := join(t, l, r.addr(), dtls.Config{})
	numbered(t, client, server, 0, 50)
	numbered(t, server, client, 0, 50)
	pause()
	drain(client)
	drain(server)
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
	// From another address too, which must not draw the connection there.
	before := server.RemoteAddr()
	stranger := localSocket(t)
	defer stranger.Close()
	for _, b := range up {
		if _, err := stranger.WriteToUDP(b, r.server); err != nil {
			t.Fatal(err)
		}
	}
	pause()
	if got := drain(server); len(got) != 0 {
		t.Errorf("the server took %d datagrams twice", len(got))
	}
	if got := drain(client); len(got) != 0 {
		t.Errorf("the client took %d datagrams twice", len(got))
	}
	if server.RemoteAddr() != before {
		t.Errorf("replayed datagrams moved the connection from %s to %s", before, server.RemoteAddr())
	}
	numbered(t, client, server, 100, 50)
	numbered(t, server, client, 100, 50)
	if _, ok := l.Accept(); ok {
		t.Error("a replayed handshake made a connection")
	}
	until(t, "the replayed handshake has run out", func() bool { return l.Stats().Pending == 0 })
}

// Conformance case 36: one forged datagram with a huge sequence number must not make all genuine ones look old. Nor may any other forged datagram end a
// connection, whatever it looks like: not even those that make the library send a fatal alert.
func TestForgedDatagrams(t *testing.T) {
	l := listen(t, open(dtls.Config{}))
	r := newRelay(t, l.Addr())
	client, server := join(t, l, r.addr(), dtls.Config{})
	numbered(t, client, server, 0, 5)
	numbered(t, server, client, 0, 5)
	pause()
	drain(client)
	drain(server)
	up, down := r.recorded()
	forge := func(original []byte, up bool) {
		huge := bytes.Clone(original)
		copy(huge[5:11], []byte{0x3f, 0xff, 0xff, 0xff, 0xff, 0xff}) // the sequence number
		r.inject(huge, up)
		for bit := range 8 * len(original) {
			b := bytes.Clone(original)
			copy(b[5:11], []byte{0x20, 0, 0, 0, byte(bit >> 8), byte(bit)}) // else it would be a mere replay
			b[bit/8] ^= 1 << (bit % 8)
			r.inject(b, up)
			if bit%32 == 0 {
				numbered(t, client, server, 1000+bit, 1) // or the socket overflows
			}
		}
		for kind := range 256 { // each kind of record, not encrypted, encrypted, and of a later epoch; alone, and behind a harmless one
			for epoch := range byte(3) {
				b := bytes.Clone(original)
				b[0], b[4] = byte(kind), epoch
				r.inject(b, up)
				r.inject(append(bytes.Clone(original), b...), up)
				r.inject([]byte{byte(kind), 0xfe, 0xfd, 0, epoch, 0, 0, 0, 0, 1, byte(kind), 0, 2, 2, 80}, up) // 2, 80: a fatal alert
			}
			if kind%8 == 0 {
				numbered(t, server, client, 1000+kind, 1)
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
	for _, got := range append(drain(client), drain(server)...) {
		if n := binary.LittleEndian.Uint32(got); len(got) != 4 || n < 1000 {
			t.Errorf("a forged datagram was taken: %x", got)
		}
	}
	numbered(t, client, server, 100_000, 20)
	numbered(t, server, client, 100_000, 20)
}

// Conformance case 38: the client's NAT forgets it and gives it another port; the connection goes on in both directions, as soon as the client sends.
func TestAddressChange(t *testing.T) {
	l := listen(t, open(dtls.Config{}))
	r := newRelay(t, l.Addr())
	client, server := join(t, l, r.addr(), dtls.Config{})
	numbered(t, client, server, 0, 5)
	for i := range 3 {
		before := server.RemoteAddr()
		r.rebind(t)
		numbered(t, client, server, 100*(i+1), 5)
		numbered(t, server, client, 100*(i+1), 5)
		if now := server.RemoteAddr(); now == before {
			t.Errorf("the server still sends to %s", before)
		}
	}
	if got := l.Stats(); got.Accepted != 1 {
		t.Errorf("%d connections were made, want the first only", got.Accepted)
	}
}

// A client whose last connection is not dead on the server comes back, even from the same port.
func TestComingBackFromTheSamePort(t *testing.T) {
	l := listen(t, open(dtls.Config{}))
	r := newRelay(t, l.Addr())
	first, server := join(t, l, r.addr(), dtls.Config{})
	numbered(t, first, server, 0, 5)
	r.setDrop(func([]byte, bool) bool { return true }) // its process is killed: nothing tells the server
	first.Close(transport.Reason{})
	<-first.(*dtls.Conn).Done()
	pause()
	r.setDrop(nil)
	second, again := join(t, l, r.addr(), dtls.Config{})
	numbered(t, second, again, 0, 5)
	numbered(t, again, second, 0, 5)
	if server.Poll(0); server.State() != transport.Open {
		t.Errorf("the old connection ended by itself: %v", server.CloseReason())
	}
	if server.RemoteAddr() != again.RemoteAddr() {
		t.Errorf("the test has two ports: %s and %s", server.RemoteAddr(), again.RemoteAddr())
	}
}

// Handshakes get through loss: three of ten datagrams are lost.
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
