package link_test

import (
	"errors"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/custody"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/internal/link"
)

// fill writes ghosts until the packet is full, and wants more packets.
func fill(_ custody.Process, p *packet.Writer, _ packet.Number) int {
	for p.Room() >= 8 {
		p.Bits(1, 8)
	}
	return 1
}

// A link sends its rate and no more, however much waits.
func TestRateIsKept(t *testing.T) {
	for _, rate := range []int{0, 200_000} {
		w := newWorld(t, near, process(1, 1), process(2, 1))
		a := w.zones[0]
		a.config.Rate = rate
		a.start()
		w.meet()
		w.open()
		a.write = fill
		if rate == 0 {
			rate = 1 << 20
		}
		const span = 4 * time.Second
		before, began := a.Stats(2), w.now
		w.run(w.now+span, func() {
			for a.Send(2, make([]byte, 300)) == nil {
			}
		})
		// Of a packet the endpoint does not count the first byte.
		s := a.Stats(2)
		sent := float64(s.SentBytes - before.SentBytes + s.Sent - before.Sent)
		most := float64(rate)*(w.now-began).Seconds() + float64(rate)/16 + 1200
		if sent > most || sent < most*0.93 {
			t.Errorf("%.0f bytes in %v, want up to %.0f", sent, w.now-began, most)
		}
	}
}

// Messages go before ghosts: while more messages wait than the rate carries, ghosts get what they
// leave over, and all of it when the messages are gone.
func TestMessagesGoFirst(t *testing.T) {
	w := newWorld(t, near, process(1, 1), process(2, 1))
	w.open()
	a, b := w.zones[0], w.zones[1]
	var ghosts, messages int
	a.write = fill
	b.messages = func(_ custody.Process, data []byte) { messages += len(data) }
	b.snapshot = func(_ custody.Process, r *packet.Reader, _ packet.Number) error {
		for ; r.Remaining() >= 8; ghosts++ {
			r.Bits(8)
		}
		return nil
	}
	w.run(w.now+time.Second, func() {
		for a.Send(2, make([]byte, 1000)) == nil {
		}
	})
	if messages < 700_000 || ghosts > messages/3 {
		t.Errorf("with messages: %d bytes of them, %d of ghosts", messages, ghosts)
	}
	for a.Stats(2).Waiting > 0 {
		w.run(w.now+step, nil)
	}
	w.run(w.now+10*step, nil)
	ghosts, messages = 0, 0
	w.run(w.now+time.Second, nil)
	if messages != 0 || ghosts < 900_000 {
		t.Errorf("without: %d bytes of messages, %d of ghosts", messages, ghosts)
	}
}

// Ghosts that find no room follow in more packets of the same step.
func TestGhostsTakeSeveralPackets(t *testing.T) {
	w := newWorld(t, linksim.Path{}, process(1, 1), process(2, 1))
	w.open()
	a, b := w.zones[0], w.zones[1]
	var numbers []packet.Number
	var sizes []int
	left := 0
	a.write = func(to custody.Process, p *packet.Writer, n packet.Number) int {
		if to != process(2, 1) {
			t.Errorf("ghosts for %v", to)
		}
		wrote := 0
		for ; left > 0 && p.Room() >= 8; left-- {
			p.Bits(5, 8)
			wrote++
		}
		if wrote > 0 {
			numbers = append(numbers, n)
		}
		return left
	}
	var read []packet.Number
	b.snapshot = func(from custody.Process, r *packet.Reader, n packet.Number) error {
		size := 0
		for ; r.Remaining() >= 8; size++ {
			if r.Bits(8) != 5 {
				t.Error("other bits")
			}
		}
		read, sizes = append(read, n), append(sizes, size)
		return nil
	}
	w.run(w.now+time.Second/2, nil)
	idle := a.Stats(2).Sent
	clear(a.delivered)
	left = 5000
	w.run(w.now+step, nil)
	if sent := a.Stats(2).Sent - idle; sent != 5 || left != 0 {
		t.Errorf("%d packets in the step, %d bytes left", sent, left)
	}
	w.run(w.now+3*step, nil)
	if len(read) != 5 || len(numbers) != 5 || read[0] != numbers[0] || read[4] != numbers[4] || sizes[0] < 1100 {
		t.Errorf("written %v, read %v with %v bytes", numbers, read, sizes)
	}
	for _, n := range numbers {
		if a.delivered[n] != 1 {
			t.Errorf("packet %d was reported %d times", n, a.delivered[n])
		}
	}
}

// Messages and ghosts share packets, and the other end acknowledges them in its next step.
func TestMessagesAndGhostsSharePackets(t *testing.T) {
	w := newWorld(t, linksim.Path{}, process(1, 1), process(2, 1))
	w.open()
	a := w.zones[0]
	a.write = func(_ custody.Process, p *packet.Writer, n packet.Number) int { p.Bits(1, 64); return 0 }
	for _, message := range []bool{true, false} {
		w.run(w.now+time.Second/2, nil)
		sent, reported := a.Stats(2).Sent, len(a.delivered)
		const steps = 30
		for range steps {
			if message && a.Send(2, make([]byte, 100)) != nil {
				t.Fatal("no link")
			}
			w.run(w.now+step, nil)
			if late := int(a.Stats(2).Sent) - len(a.delivered); late > 2 {
				t.Fatalf("message %v: %d packets are not acknowledged", message, late)
			}
		}
		if n := a.Stats(2).Sent - sent; n != steps {
			t.Errorf("message %v: %d packets in %d steps", message, n, steps)
		}
		if n := len(a.delivered) - reported; n != steps {
			t.Errorf("message %v: %d packets reported in %d steps", message, n, steps)
		}
	}
}

// A packet whose ghosts are not decoded counts as lost for both ends. Its messages come again.
func TestGhostsThatAreNotDecoded(t *testing.T) {
	w := newWorld(t, near, process(1, 1), process(2, 1))
	w.open()
	a, b := w.zones[0], w.zones[1]
	box := inbox{t: t}
	b.messages = box.take
	a.write = func(_ custody.Process, p *packet.Writer, n packet.Number) int { p.Bits(uint64(n), 32); return 0 }
	refused := map[packet.Number]bool{}
	b.snapshot = func(_ custody.Process, r *packet.Reader, n packet.Number) error {
		if packet.Number(r.Bits(32)) != n {
			t.Error("packets have other numbers at both ends")
		}
		if n%3 == 0 {
			refused[n] = true
			return errors.New("no baseline")
		}
		return nil
	}
	sent := uint64(0)
	w.run(w.now+time.Second, func() {
		if a.Send(2, letter(sent, 20)) == nil {
			sent++
		}
	})
	w.run(w.now+30*step, nil)
	if box.next != sent || len(refused) < 20 || b.Stats(1).Refused != uint64(len(refused)) {
		t.Errorf("%d of %d messages arrived, %d packets refused, %+v", box.next, sent, len(refused), b.Stats(1))
	}
	for n := range refused {
		if a.delivered[n] != 0 {
			t.Errorf("packet %d was refused and counts as delivered", n)
		}
	}
}

// A link of which nothing is decoded ends, and begins anew.
func TestGhostsThatAreNeverDecoded(t *testing.T) {
	w := newWorld(t, near, process(1, 1), process(2, 1))
	w.open()
	a, b := w.zones[0], w.zones[1]
	a.write = func(_ custody.Process, p *packet.Writer, n packet.Number) int { p.Bits(1, 32); return 0 }
	b.snapshot = func(custody.Process, *packet.Reader, packet.Number) error { return errors.New("no baseline") }
	w.run(w.now+link.Silence+200*time.Millisecond, nil)
	if len(b.events) < 2 || b.events[1] != "closed {1 1}" {
		t.Errorf("%v", b.events)
	}
	b.snapshot = nil
	w.run(w.now+3*time.Second, nil)
	if !a.Open(2) || !b.Open(1) {
		t.Error("no link again")
	}
}

// Ghosts that overflow the packet are left out, and the packet goes without them.
func TestGhostsThatDoNotFit(t *testing.T) {
	w := newWorld(t, near, process(1, 1), process(2, 1))
	w.open()
	a, b := w.zones[0], w.zones[1]
	box := inbox{t: t}
	b.messages = box.take
	a.write = func(_ custody.Process, p *packet.Writer, n packet.Number) int {
		p.Append(make([]byte, 2000), 16_000)
		return 1
	}
	b.snapshot = func(custody.Process, *packet.Reader, packet.Number) error { t.Error("ghosts arrived"); return nil }
	if err := a.Send(2, letter(0, 2000)); err != nil {
		t.Fatal(err)
	}
	w.run(w.now+5*step, nil)
	if box.next != 1 {
		t.Error("the message did not arrive")
	}
}

// An idle link sends some ten small packets a second each way, and lasts.
func TestIdleLink(t *testing.T) {
	w := newWorld(t, near, process(1, 1), process(2, 1))
	w.open()
	before := [2]link.Stats{w.zones[0].Stats(2), w.zones[1].Stats(1)}
	writes := 0
	w.zones[0].write = func(custody.Process, *packet.Writer, packet.Number) int { writes++; return 0 }
	w.run(w.now+10*time.Second, nil)
	if writes > 601+101 {
		t.Errorf("the handler was asked for ghosts %d times in 600 steps", writes)
	}
	for i, z := range w.zones {
		s := z.Stats(custody.Zone(2 - i))
		if n, size := s.Sent-before[i].Sent, s.SentBytes-before[i].SentBytes; n < 80 || n > 101 || size > 60*n {
			t.Errorf("%d packets of %d bytes in ten seconds", n, size)
		}
		if len(z.events) != 1 || s.Lost > 0 {
			t.Errorf("%v, %+v", z.events, s)
		}
	}
}

// The round trip is that of the network, although packets wait for the other end's step.
func TestRTT(t *testing.T) {
	w := newWorld(t, condition(t, "delay=3ms"), process(1, 1), process(2, 1))
	w.fine = 100 * time.Microsecond
	w.open()
	w.run(w.now+5*time.Second, nil)
	if rtt := w.zones[0].Stats(2).RTT; rtt < 6*time.Millisecond || rtt > 6300*time.Microsecond {
		t.Errorf("%v, want 6ms", rtt)
	}
}

// BenchmarkStep is a step of both ends of a link with 20 messages and three packets of ghosts each
// way.
func BenchmarkStep(b *testing.B) {
	w := newWorld(b, linksim.Path{}, process(1, 1), process(2, 1))
	w.open()
	left := 0
	for _, z := range w.zones {
		z.write = func(_ custody.Process, p *packet.Writer, _ packet.Number) int {
			for ; left > 0 && p.Room() >= 64; left -= 8 {
				p.Bits(1, 64)
			}
			return left
		}
	}
	data := make([]byte, 40)
	b.ReportAllocs()
	for b.Loop() {
		w.run(w.now+step, func() {
			for range 10 {
				_ = w.zones[0].Send(2, data)
				_ = w.zones[1].Send(1, data)
			}
			left = 3000
		})
		clear(w.zones[0].delivered)
		clear(w.zones[1].delivered)
	}
}
