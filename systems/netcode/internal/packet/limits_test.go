package packet_test

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
)

func TestSilentPeer(t *testing.T) {
	a := newPeer(t, packet.Config{MTU: 100})
	sent := 0
	for {
		err := a.SendReliable([]byte{1})
		if errors.Is(err, packet.ErrBackpressure) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		sent++
	}
	if sent != packet.Window {
		t.Errorf("%d pieces queued, want Window", sent)
	}
	for i := range 1000 {
		a.pack(time.Duration(i)*step, 1)
	}
	if got, want := len(a.lost), 1000-packet.Outstanding; got != want {
		t.Errorf("%d packets lost, want %d", got, want)
	}
	if s := a.Stats(); s.Pending != packet.Window || s.Loss < 0.99 {
		t.Errorf("%+v", s)
	}
}

func TestReserveIsKept(t *testing.T) {
	a := newPeer(t, packet.Config{MTU: 1150})
	for range 20 {
		if err := a.SendReliable(make([]byte, 200)); err != nil {
			t.Fatal(err)
		}
	}
	w := a.Begin(make([]byte, 1150), 0, 700)
	if w.Room() < 700*8 || w.Room() > 950*8 {
		t.Errorf("room for %d bytes of payload, want 700 or a little more", w.Room()/8)
	}
	if _, err := a.End(); err != nil {
		t.Fatal(err)
	}
	for _, reserve := range []int{300, 1 << 20, -1} {
		w = a.Begin(make([]byte, 300), 0, reserve)
		if reserve > 0 && w.Room() < 290*8 {
			t.Errorf("room for %d bytes of payload, of which %d were reserved", w.Room()/8, reserve)
		}
		if d, err := a.End(); err != nil || reserve < 0 && len(d) < 200 {
			t.Errorf("packet of %d bytes, %v", len(d), err)
		}
	}
}

func TestPayloadThatDoesNotFit(t *testing.T) {
	a, b := newPeer(t, packet.Config{MTU: 100}), newPeer(t, packet.Config{MTU: 100})
	_ = a.SendReliable([]byte("r"))
	_ = a.SendUnreliable([]byte("u"))
	w := a.Begin(make([]byte, 100), 0, 0)
	w.Append(make([]byte, 100), 800)
	if d, err := a.End(); !errors.Is(err, packet.ErrFull) || d != nil {
		t.Fatalf("End returned %d bytes, %v", len(d), err)
	}
	if n := a.Next(); n != 1 {
		t.Errorf("the failed packet used up a number: next is %d", n)
	}
	b.receive(0, a.pack(0))
	if len(b.reliable) != 1 || len(b.others) != 1 {
		t.Error("messages were lost with a packet that was never sent")
	}
}

func TestLimits(t *testing.T) {
	for name, c := range map[string]packet.Config{
		"no MTU":        {},
		"too small MTU": {MTU: packet.MinMTU - 1},
		"too large MTU": {MTU: 1 << 16},
	} {
		if _, err := packet.NewEndpoint(c); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	// Half of the window holds 128 pieces of 40 bytes, and of 39.
	const most = 128 * 40
	a, b := newPeer(t, packet.Config{MTU: 100}), newPeer(t, packet.Config{MTU: 98})
	if err := a.SendReliable(make([]byte, most+1)); !errors.Is(err, packet.ErrMessageTooLarge) {
		t.Errorf("SendReliable: %v", err)
	}
	if err := a.SendUnreliable(make([]byte, most+1)); !errors.Is(err, packet.ErrMessageTooLarge) {
		t.Errorf("SendUnreliable: %v", err)
	}
	// A sender that exceeds the receiver's limit must be detected, whatever it sends afterwards.
	if err := a.SendReliable(make([]byte, most)); err != nil {
		t.Fatal(err)
	}
	var err error
	for range 128 {
		in, openErr := b.Open(a.pack(0))
		if openErr != nil {
			t.Fatal(openErr)
		}
		err = b.Accept(in, 0)
	}
	if !errors.Is(err, packet.ErrMessageTooLarge) || len(b.reliable) != 0 {
		t.Errorf("a message beyond the limit: error %v, %d handed out", err, len(b.reliable))
	}
}

func TestReassemblyIsBounded(t *testing.T) {
	const packets, size = 64, 128 * 140 // two pieces in each packet
	a, b := newPeer(t, packet.Config{MTU: 300}), newPeer(t, packet.Config{MTU: 300})
	// Of 100 messages the last packet is lost.
	now := time.Duration(0)
	for range 100 {
		if err := a.SendUnreliable(make([]byte, size)); err != nil {
			t.Fatal(err)
		}
		for i := range packets {
			if d := a.pack(now); i < packets-1 {
				b.receive(now, d)
			}
		}
	}
	if s := b.Stats(); s.PartsDropped < 97 || s.PartsDropped > 98 || len(b.others) != 0 {
		t.Errorf("%d given up for want of memory, %d handed out", s.PartsDropped, len(b.others))
	}
	// The time-out drops the rest.
	now += 2*time.Second + 1
	b.receive(now, a.pack(now))
	if s := b.Stats(); s.PartsDropped != 100 {
		t.Errorf("%d of 100 given up after the time-out", s.PartsDropped)
	}
	// A whole message still arrives.
	if err := a.SendUnreliable(bytes.Repeat([]byte{7}, size)); err != nil {
		t.Fatal(err)
	}
	for range packets {
		b.receive(now, a.pack(now))
	}
	if len(b.others) != 1 || !bytes.Equal(b.others[0], bytes.Repeat([]byte{7}, size)) {
		t.Errorf("%d whole messages", len(b.others))
	}
}

func TestMisusePanics(t *testing.T) {
	a, b := newPeer(t, packet.Config{MTU: 100}), newPeer(t, packet.Config{MTU: 100})
	d := a.pack(0, 1)
	in, err := b.Open(d)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Accept(in, 0); err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]func(){
		"Accept twice":         func() { _ = b.Accept(in, 0) },
		"End without Begin":    func() { _, _ = a.End() },
		"Cancel without Begin": func() { a.Cancel() },
		"tiny buffer":          func() { a.Begin(make([]byte, 8), 0, 0) },
		"Begin twice":          func() { b.Begin(make([]byte, 100), 0, 0); b.Begin(make([]byte, 100), 0, 0) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

// Due must return the room that the next message needs: a packet with that much room includes it,
// and one with a byte less in the worst case does not.
func TestDue(t *testing.T) {
	for _, size := range []int{0, 1, 100, 127, 128, 256, 700} {
		for _, reliable := range []bool{true, false} {
			p := newPeer(t, packet.Config{MTU: 600})
			if n := p.Due(0); n != 0 {
				t.Fatalf("%d bytes are due, and nothing waits", n)
			}
			send := p.SendUnreliable
			if reliable {
				send = p.SendReliable
			}
			if err := send(make([]byte, size)); err != nil {
				t.Fatal(err)
			}
			due := p.Due(0)
			if want := min(size, 256) + packet.MaxOverhead; due != want {
				t.Errorf("%d bytes are due for a message of %d, want %d", due, size, want)
			}
			buf := make([]byte, 600)
			w := p.Begin(buf[:due+50], 0, 50)
			if w.Room() < 50*8 {
				t.Errorf("%d bits are left of 50 bytes", w.Room())
			}
			if _, err := p.End(); err != nil {
				t.Fatal(err)
			}
			if n := p.Due(0); size <= 256 && n != 0 {
				t.Errorf("%d bytes are due of what has just been sent", n)
			}
			if n := p.Due(time.Minute); reliable && n == 0 {
				t.Error("nothing is due of what has not been acknowledged for a minute")
			}
		}
	}
}

// A packet that was cancelled must leave no trace: its number and its messages are those of the
// next one.
func TestCancelledPacket(t *testing.T) {
	a, b := newPeer(t, packet.Config{MTU: 100}), newPeer(t, packet.Config{MTU: 100})
	if err := errors.Join(a.SendReliable([]byte("r")), a.SendUnreliable([]byte("u"))); err != nil {
		t.Fatal(err)
	}
	a.Begin(make([]byte, 100), 0, 0).Bits(1, 8)
	a.Cancel()
	if n, s := a.Next(), a.Stats(); n != 1 || s.Sent != 0 || s.SentBytes != 0 {
		t.Errorf("after Cancel: next is %d, %d packets sent", n, s.Sent)
	}
	b.receive(0, a.pack(0, 1))
	if len(b.reliable) != 1 || len(b.others) != 1 {
		t.Errorf("%d and %d messages arrived, want one each", len(b.reliable), len(b.others))
	}
}
