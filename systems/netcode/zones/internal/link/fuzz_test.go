package link_test

import (
	"bytes"
	"encoding/binary"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/custody"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/internal/link"
)

// A hello that is read is written back byte for byte, and shows the key.
func FuzzHello(f *testing.F) {
	key := keyOf(process(2, 1))
	f.Add(link.Hello(protocol, process(1, 4), process(2, 1), key))
	f.Add(link.Hello(protocol, process(1, 4), process(2, 1), keyOf(process(1, 4))))
	f.Add(link.Answer(process(2, 1), process(1, 4)))
	f.Fuzz(func(t *testing.T, data []byte) {
		if p, from, to, ok := link.ReadHello(data, key); ok && !bytes.Equal(link.Hello(p, from, to, key), data) {
			t.Fatalf("% x was read", data)
		}
		if link.IsAnswer(data, process(2, 1), process(1, 4)) && !bytes.Equal(link.Answer(process(2, 1), process(1, 4)), data) {
			t.Fatalf("% x is an answer", data)
		}
	})
}

// The stream of messages must give the same messages whatever the pieces are in which it arrives,
// and hold no more than one message.
func FuzzStream(f *testing.F) {
	f.Add([]byte{3, 'a', 'b', 'c', 0, 1, 'd'}, uint8(2))
	f.Add([]byte{0x80, 0x80, 2, 1, 2, 3}, uint8(1))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff}, uint8(3))
	f.Add([]byte{0x81, 0x80, 2, 1}, uint8(9))
	f.Add(append([]byte{0x80, 0x80, 2}, make([]byte, link.MaxMessage+2)...), uint8(255))
	f.Fuzz(func(t *testing.T, data []byte, size uint8) {
		var whole [][]byte
		rest, ok := data, true
		for len(rest) > 0 {
			n, head := binary.Uvarint(rest)
			if ok = head >= 0 && head <= 3 && n <= link.MaxMessage && (head != 0 || len(rest) < 3); !ok {
				break
			}
			if head == 0 || n > uint64(len(rest)-head) {
				break
			}
			whole = append(whole, rest[head:head+int(n)])
			rest = rest[head+int(n):]
		}
		var s link.Stream
		taken := true
		for left := data; len(left) > 0 && taken; {
			n := min(max(int(size), 1), len(left))
			taken = s.Take(left[:n])
			left = left[n:]
			if s.Held() > link.MaxMessage+3+256 {
				t.Fatalf("%d bytes held", s.Held())
			}
		}
		if taken != ok || len(s.Messages()) != len(whole) {
			t.Fatalf("accepted %v, want %v; %d messages, want %d", taken, ok, len(s.Messages()), len(whole))
		}
		for i, m := range s.Messages() {
			if !bytes.Equal(m, whole[i]) {
				t.Fatalf("message %d is % x, want % x", i, m, whole[i])
			}
		}
	})
}

// A process that has the key and sends anything, as datagrams, in packets and as messages, must not
// make the other end panic, grow, or keep it from having a link to the next process.
func FuzzLink(f *testing.F) {
	f.Add([]byte{3, 0, 0, 9, 9, 9, 3, 1, 1, 2, 5, 2, 2, 'h', 'i', 4, 4, 4}, true)
	f.Add([]byte("\x20\x01\x03\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"), true)
	f.Add([]byte{8, 2, 0x80, 0x80, 0x80, 1, 1, 1, 1, 1, 6, 2, 0xff, 0xff, 0xff, 1}, true)
	f.Add(append([]byte{61, 0}, link.Hello(protocol, process(1, 1), process(2, 1), keyOf(process(2, 1)))...), false)
	f.Fuzz(func(t *testing.T, data []byte, decodes bool) {
		w := newWorld(t, near, process(2, 1))
		z := w.zones[0]
		friend := process(1, 1)
		z.SetPeers([]link.Peer{{Process: friend, Address: "none"}})
		z.snapshot = func(_ custody.Process, r *packet.Reader, _ packet.Number) error {
			if decodes {
				for r.Remaining() > 0 {
					r.Bits(1)
				}
			}
			return r.Close()
		}
		c := w.connect(z)
		_ = c.Send(link.Hello(protocol, friend, z.config.Self, keyOf(z.config.Self)))
		w.run(w.now+step, func() { c.Poll(w.now) })
		if !z.Open(1) {
			t.Fatal("no link")
		}
		e, err := packet.NewEndpoint(packet.Config{MTU: c.MTU() - 1})
		if err != nil {
			t.Fatal(err)
		}
		buf, in := make([]byte, c.MTU()), make([]byte, c.MTU())
		for len(data) >= 2 && z.Open(1) {
			n, kind := min(int(data[0])%64, len(data)-2), data[1]%4
			body := data[2 : 2+n]
			data = data[2+n:]
			switch kind {
			case 0: // any datagram
				_ = c.Send(body)
			case 1: // a payload in a packet
				e.Begin(buf[1:], w.now, 100).Append(body, 8*len(body))
			case 2: // a piece of the messages, in a packet without contents
				_ = e.SendReliable(body)
				e.Begin(buf[1:], w.now, 100).Bits(1, 3)
			case 3: // an unreliable message, which no process sends
				_ = e.SendUnreliable(body)
				e.Begin(buf[1:], w.now, 100).Bits(1, 3)
			}
			if kind > 0 {
				d, err := e.End()
				if err != nil {
					t.Fatal(err)
				}
				buf[0] = link.KindPacket
				_ = c.Send(buf[:1+len(d)])
			}
			w.run(w.now+step, func() {
				c.Poll(w.now)
				for n, ok := c.Recv(in); ok; n, ok = c.Recv(in) {
					if pk, err := e.Open(in[1:n]); err == nil {
						_ = e.Accept(pk, w.now)
					}
				}
			})
			if z.Open(1) && z.Held(1) > 2*link.MaxMessage {
				t.Fatalf("%d bytes held", z.Held(1))
			}
			_, _ = z.Ahead(1, w.now, w.now)
		}
		next := process(1, 2)
		z.SetPeers([]link.Peer{{Process: next, Address: "none"}})
		c = w.connect(z)
		_ = c.Send(link.Hello(protocol, next, z.config.Self, keyOf(z.config.Self)))
		w.run(w.now+step, func() { c.Poll(w.now) })
		if !z.Open(1) {
			t.Fatal("no link to the next process")
		}
		c.Close(transport.Reason{})
	})
}

// A stream that does not consist of messages ends the link, with the reason in the log.
func TestBrokenStreamEndsTheLink(t *testing.T) {
	for name, send := range map[string]func(e *packet.Endpoint) error{
		"a length of four bytes": func(e *packet.Endpoint) error { return e.SendReliable([]byte{0xff, 0xff, 0xff, 1}) },
		"a message too large": func(e *packet.Endpoint) error {
			return e.SendReliable(binary.AppendUvarint(nil, link.MaxMessage+1))
		},
		"an unreliable message": func(e *packet.Endpoint) error { return e.SendUnreliable([]byte{1, 2}) },
	} {
		w := newWorld(t, near, process(1, 1), process(2, 1))
		w.open()
		if err := send(w.zones[0].Endpoint(2)); err != nil {
			t.Fatal(err)
		}
		w.run(w.now+2*step, nil)
		b := w.zones[1]
		if len(b.events) != 2 || !bytes.Contains(b.log.Bytes(), []byte("malformed messages")) {
			t.Errorf("%s: %v, %s", name, b.events, b.log.String())
		}
		w.run(w.now+time.Second, nil)
		if !b.Open(1) {
			t.Errorf("%s: no link again", name)
		}
	}
}
