package link_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/loopback"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/custody"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/internal/link"
)

// connect returns a stranger's connection to a zone, open.
func (w *world) connect(z *zone) *loopback.Conn {
	c := z.listener.Dial()
	w.run(w.now+step, func() { c.Poll(w.now) })
	return c
}

// A connection that does not show the key, or is not of the present process, must get nothing but a
// reason. Without the key it learns nothing about the processes.
func TestStrangersGetNoLink(t *testing.T) {
	self, friend := process(5, 3), process(2, 7)
	right := keyOf(self)
	var wrong [32]byte
	almost := right
	almost[31] ^= 0x80
	hello := func(from, to custody.Process, key [32]byte) []byte { return link.Hello(protocol, from, to, key) }
	good := hello(friend, self, right)
	for _, test := range []struct {
		name string
		data []byte
		want transport.Code
		text string // in the reason
	}{
		{"no key", hello(friend, self, wrong), transport.Unauthorized, "key is wrong"},
		{"a wrong bit in the key", hello(friend, self, almost), transport.Unauthorized, "key is wrong"},
		{"the key of the process that dials", hello(friend, self, keyOf(friend)), transport.Unauthorized, "key is wrong"},
		{"a wrong key and an unknown zone", hello(process(4, 1), self, wrong), transport.Unauthorized, "key is wrong"},
		{"a wrong key and another protocol", link.Hello(1, friend, self, wrong), transport.Unauthorized, "key is wrong"},
		{"another protocol", link.Hello(1, friend, self, right), transport.Mismatch, "builds or settings differ"},
		{"an old epoch", hello(process(2, 6), self, right), transport.Replaced, "later process"},
		{"an epoch to come", hello(process(2, 8), self, right), transport.Refused, "does not know the process yet"},
		{"an unknown zone", hello(process(3, 1), self, right), transport.Refused, "does not know the process yet"},
		{"the zone itself", hello(self, self, right), transport.Refused, "lower number dials"},
		{"a zone that is dialed", hello(process(9, 1), self, right), transport.Refused, "lower number dials"},
		{"for an earlier process", hello(friend, process(5, 2), right), transport.Refused, "another process"},
		{"for another zone", hello(friend, process(6, 3), right), transport.Refused, "another process"},
		{"cut off", good[:len(good)-1], transport.TimedOut, "in time"},
		{"too long", append(bytes.Clone(good), 0), transport.TimedOut, "in time"},
		{"a packet", []byte{link.KindPacket, 0, 1, 0}, transport.TimedOut, "in time"},
		{"another magic", append([]byte{good[0], 'x'}, good[2:]...), transport.TimedOut, "in time"},
	} {
		w := newWorld(t, near, friend, process(9, 1), self)
		w.open()
		z := w.zones[2]
		z.events = nil
		c := w.connect(z)
		if err := c.Send(test.data); err != nil {
			t.Fatal(err)
		}
		w.run(w.now+4*time.Second, func() { c.Poll(w.now) })
		if reason := c.CloseReason(); c.State() != transport.Closed || reason.Code != test.want || !strings.Contains(reason.Text, test.text) {
			t.Errorf("%s: %v, %v; want %v, %q", test.name, c.State(), reason, test.want, test.text)
		}
		if _, ok := c.Recv(make([]byte, transport.MaxMTU)); ok {
			t.Errorf("%s: an answer", test.name)
		}
		if len(z.events) > 0 || !z.Open(2) || !z.Open(9) {
			t.Errorf("%s: %v", test.name, z.events)
		}
	}
}

// A stranger that sends garbage is closed after a few datagrams.
func TestGarbageIsCutShort(t *testing.T) {
	w := newWorld(t, near, process(2, 1))
	c := w.connect(w.zones[0])
	for i := range 20 {
		if err := c.Send([]byte{byte(i), 1, 2, 3}); err != nil {
			t.Fatal(err)
		}
	}
	w.run(w.now+2*step, func() { c.Poll(w.now) })
	if reason := c.CloseReason(); reason.Code != transport.Mismatch {
		t.Errorf("%v", reason)
	}
}

// Floods of connections, silent or with garbage, wrong keys and forged hellos, must not make memory
// or the log grow, open nothing, and keep no zone out.
func TestFloodsOfStrangers(t *testing.T) {
	friend, self := process(1, 4), process(2, 9)
	w := newWorld(t, near, self)
	z := w.zones[0]
	r := rand.New(rand.NewPCG(1, 1))
	random := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		return b
	}
	flood := func(conns int) {
		for range conns {
			c := z.listener.Dial()
			w.run(w.now+step, func() { c.Poll(w.now) })
			for range r.IntN(3) {
				datagram := random(1 + r.IntN(1000))
				switch r.IntN(3) {
				case 0:
					datagram = link.Hello(protocol, friend, self, [32]byte(random(32)))
				case 1:
					datagram = link.Hello(protocol, process(1, r.IntN(9)), process(2, r.IntN(12)), keyOf(self))
					datagram[len(datagram)-20] ^= 1 // the protocol
				}
				_ = c.Send(datagram)
			}
			if z.Pending() > link.MaxPending {
				t.Fatalf("%d connections are pending", z.Pending())
			}
		}
	}
	flood(500)
	before := heap()
	flood(5000)
	if grown := heap() - before; grown > 4<<20 {
		t.Errorf("%d bytes more after 5000 connections", grown)
	}
	if len(z.events) > 0 || z.Refused() < 5000 {
		t.Errorf("%d refused, %v", z.Refused(), z.events)
	}
	if lines := strings.Count(z.log.String(), "\n"); lines > int(w.now/time.Second)+2 {
		t.Errorf("%d lines in the log in %v", lines, w.now)
	}
	// Three connections in each step beside that of a zone.
	w.add(friend)
	w.meet()
	w.run(w.now+time.Second, func() {
		c := z.listener.Dial()
		c.Poll(w.now)
		_ = c.Send(random(20))
	})
	if !z.Open(1) {
		t.Error("a zone is kept out")
	}
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// A process that stood still finds a crowd of connections. The zone that is among them, with a
// hello that has arrived in the meantime, keeps its connection.
func TestCrowdAfterAStall(t *testing.T) {
	w := newWorld(t, near, process(1, 1), process(2, 1))
	z := w.zones[1]
	for z.Pending() == 0 {
		w.run(w.now+step, nil)
	}
	z.stopped = true
	for range 2 * link.MaxPending {
		z.listener.Dial()
		w.run(w.now+step/4, func() { z.listener.Poll(w.now) })
	}
	z.stopped = false
	w.run(w.now+4*step, nil)
	if !z.Open(1) || z.Pending() > link.MaxPending || len(w.conns) != 1 {
		t.Errorf("open: %v, pending: %d, dialed: %d", z.Open(1), z.Pending(), len(w.conns))
	}
}

// A second connection of the same process takes the place of the first one, which cannot speak for
// the process any more.
func TestNewerConnectionReplaces(t *testing.T) {
	a, b := process(1, 1), process(2, 1)
	w := newWorld(t, near, a, b)
	w.open()
	z := w.zones[1]
	z.events = nil
	c := w.connect(z)
	if err := c.Send(link.Hello(protocol, a, b, keyOf(b))); err != nil {
		t.Fatal(err)
	}
	w.run(w.now+2*step, func() { c.Poll(w.now) })
	if got := fmt.Sprint(z.events); got != "[closed {1 1} opened {1 1}]" {
		t.Fatal(got)
	}
	buf := make([]byte, transport.MaxMTU)
	if n, ok := c.Recv(buf); !ok || n == 0 {
		t.Error("no answer")
	}
	// The process that has lost its connection makes another one, which replaces the second.
	w.run(w.now+time.Second, func() { c.Poll(w.now) })
	if reason := c.CloseReason(); reason.Code != transport.Replaced {
		t.Errorf("the second connection: %v", reason)
	}
	if got := fmt.Sprint(w.zones[0].events); got != "[opened {2 1} closed {2 1} opened {2 1}]" || !z.Open(1) {
		t.Error(got)
	}
	if !strings.Contains(w.zones[0].log.String(), "replaced") {
		t.Error("the log does not name the reason")
	}
}

// Both ends of a link must have the same form on the wire. A change of it changes the magic, too.
func TestWire(t *testing.T) {
	want := "\x01TZL1" + "\x02\x01" + strings.Repeat("\x00", 29) + "\x01" + "\x08\x07\x06\x05\x04\x03\x02\x01" + "\x01\x00\x04\x00\x00\x00" + "\x02\x00\x01\x00\x00\x00"
	if got := link.Hello(0x0102030405060708, process(1, 4), process(2, 1), keyOf(process(2, 1))); string(got) != want || len(got) != link.HelloSize {
		t.Errorf("hello: % x", got)
	}
	if got := link.Answer(process(2, 1), process(1, 4)); string(got) != "\x02TZL1\x02\x00\x01\x00\x00\x00\x01\x00\x04\x00\x00\x00" {
		t.Errorf("answer: % x", got)
	}
}
