package link_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/custody"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/internal/link"
)

// letter returns a message whose contents follow from its number.
func letter(number uint64, size int) []byte {
	b := make([]byte, max(size, 12))
	binary.LittleEndian.PutUint64(b, number)
	binary.LittleEndian.PutUint32(b[8:], uint32(len(b)))
	for i := 12; i < len(b); i++ {
		b[i] = byte(number) + byte(i)
	}
	return b
}

// inbox checks that the messages of one sender arrive in order, once and whole.
type inbox struct {
	t    interface{ Fatalf(string, ...any) }
	next uint64
}

func (i *inbox) take(_ custody.Process, data []byte) {
	if len(data) < 12 || !bytes.Equal(data, letter(i.next, len(data))) || int(binary.LittleEndian.Uint32(data[8:])) != len(data) {
		i.t.Fatalf("message %d arrived with other contents: % x", i.next, data[:min(len(data), 20)])
	}
	i.next++
}

// Messages of all sizes must arrive in order and exactly once over any path, beside ghosts that use
// the rest of the rate.
func TestMessagesArriveInOrderOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := linksim.Condition{
			Delay: time.Duration(rapid.IntRange(0, 40).Draw(t, "delay")) * time.Millisecond,
			Loss:  0.1, Seed: rapid.Uint64().Draw(t, "seed"),
			Jitter:    time.Duration(rapid.IntRange(0, 10).Draw(t, "jitter")) * time.Millisecond,
			Duplicate: rapid.SampledFrom([]float64{0, 0.3}).Draw(t, "duplicate"),
			Reorder:   rapid.SampledFrom([]float64{0, 0.2}).Draw(t, "reorder"), ReorderBy: 30 * time.Millisecond,
		}
		w := newWorld(t, linksim.Symmetric(c), process(1, 1), process(2, 5))
		w.open()
		r := rand.New(rand.NewPCG(1, c.Seed))
		var boxes [2]inbox
		var sent [2]uint64
		for i, z := range w.zones {
			boxes[i].t = t
			z.messages = boxes[i].take
			z.write = func(_ custody.Process, p *packet.Writer, _ packet.Number) int {
				for range min(20, p.Room()/8) {
					p.Bits(7, 8)
				}
				return 0
			}
		}
		end := w.now + 2*time.Second
		w.run(end, func() {
			for i, z := range w.zones {
				size := r.IntN(60)
				if r.IntN(60) == 0 {
					size = r.IntN(link.MaxMessage + 1)
				}
				for range r.IntN(20) {
					if err := z.Send(w.zones[1-i].config.Self.Zone, letter(sent[i], size)); err == nil {
						sent[i]++
					} else if !errors.Is(err, link.ErrBackpressure) {
						t.Fatalf("Send: %v", err)
					}
				}
			}
		})
		for range 60 {
			if boxes[1].next == sent[0] && boxes[0].next == sent[1] {
				break
			}
			w.run(w.now+250*time.Millisecond, nil)
		}
		if boxes[1].next != sent[0] || boxes[0].next != sent[1] || sent[0] < 500 {
			t.Fatalf("%d and %d messages sent, %d and %d arrived", sent[0], sent[1], boxes[1].next, boxes[0].next)
		}
		for _, z := range w.zones {
			if len(z.events) != 1 {
				t.Fatalf("a link ended: %v", z.events)
			}
		}
	})
}

// Five thousand small messages a second are no load: each arrives in the step after it was sent.
func TestThousandsOfSmallMessages(t *testing.T) {
	w := newWorld(t, near, process(1, 1), process(2, 1))
	w.open()
	a, b := w.zones[0], w.zones[1]
	const perStep = 84
	sentAt := map[uint64]time.Duration{}
	box := inbox{t: t}
	worst := time.Duration(0)
	b.messages = func(from custody.Process, data []byte) {
		worst = max(worst, w.now-sentAt[box.next])
		box.take(from, data)
	}
	sent := uint64(0)
	w.run(w.now+3*time.Second, func() {
		for range perStep / 2 {
			if err := a.Send(2, letter(sent, 30)); err != nil {
				t.Fatal(err)
			}
			sentAt[sent] = w.now
			sent++
		}
	})
	w.run(w.now+10*step, nil)
	if box.next != sent || sent < 15_000 {
		t.Errorf("%d of %d messages arrived", box.next, sent)
	}
	if worst > 3*step {
		t.Errorf("a message took %v", worst)
	}
	s := a.Stats(2)
	if s.MessagesSent != sent || b.Stats(1).MessagesTaken != sent || s.Resent > 0 {
		t.Errorf("%+v", s)
	}
	// 31 bytes each, and the rest is shared by the eight of a piece.
	if most := sent * 36; s.SentBytes > most {
		t.Errorf("%d bytes for %d messages, want at most %d", s.SentBytes, sent, most)
	}
}

// The largest message arrives within three steps.
func TestLargestMessage(t *testing.T) {
	w := newWorld(t, near, process(1, 1), process(2, 1))
	w.open()
	box := inbox{t: t}
	w.zones[1].messages = box.take
	for range 3 {
		if err := w.zones[0].Send(2, letter(box.next, link.MaxMessage)); err != nil {
			t.Fatal(err)
		}
		before := box.next
		w.run(w.now+3*step, nil)
		if box.next != before+1 {
			t.Fatalf("%d messages arrived after three steps, want %d", box.next, before+1)
		}
	}
	if err := w.zones[0].Send(2, make([]byte, link.MaxMessage+1)); !errors.Is(err, link.ErrTooLarge) {
		t.Errorf("a larger one: %v", err)
	}
}

// A zone that makes fewer steps than the other one finds more packets in one step than an
// acknowledgement covers. None of them may count as lost.
func TestMorePacketsThanOneAcknowledgementCovers(t *testing.T) {
	w := newWorld(t, condition(t, "delay=1ms"), process(1, 1), process(2, 1))
	w.fine = 500 * time.Microsecond
	w.open()
	a, b := w.zones[0], w.zones[1]
	box := inbox{t: t}
	b.messages = box.take
	w.run(w.now+10*step, nil)
	for i := range uint64(2) {
		if err := a.Send(2, letter(i, link.MaxMessage)); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 12 {
		b.stopped = i%4 < 3
		w.run(w.now+step, nil)
	}
	w.run(w.now+time.Second, nil)
	if s := a.Stats(2); box.next != 2 || s.Lost > 0 {
		t.Errorf("%d messages arrived, %+v", box.next, s)
	}
}

// A zone that stands still must cost a bounded memory at those that send to it. All that
// was accepted arrives when it goes on.
func TestBackpressure(t *testing.T) {
	w := newWorld(t, near, process(1, 1), process(2, 1))
	w.open()
	a, b := w.zones[0], w.zones[1]
	box := inbox{t: t}
	b.messages = box.take
	b.stopped = true
	sent, refused := uint64(0), 0
	w.run(w.now+2*time.Second, func() {
		for range 100 {
			switch err := a.Send(2, letter(sent, 500)); {
			case err == nil:
				sent++
			case errors.Is(err, link.ErrBackpressure):
				refused++
			default:
				t.Fatal(err)
			}
		}
	})
	if held := a.Held(2); refused == 0 || sent*500 < link.MaxWaiting/2 || held > 3*link.MaxWaiting {
		t.Errorf("%d accepted, %d refused, %d bytes held", sent, refused, held)
	}
	b.stopped = false
	w.run(w.now+4*time.Second, nil)
	if box.next != sent || len(a.events) != 1 {
		t.Errorf("%d of %d messages arrived, events %v", box.next, sent, a.events)
	}
}

func TestSendWithoutLink(t *testing.T) {
	w := newWorld(t, near, process(1, 1), process(2, 1))
	for _, z := range []custody.Zone{1, 2, 3} {
		if err := w.zones[0].Send(z, nil); !errors.Is(err, link.ErrNoLink) {
			t.Errorf("to zone %d: %v", z, err)
		}
		if w.zones[0].Open(z) || w.zones[0].Stats(z) != (link.Stats{}) {
			t.Errorf("zone %d has a link", z)
		}
		if _, ok := w.zones[0].Ahead(z, 0, 0); ok {
			t.Errorf("zone %d has a clock", z)
		}
	}
}

// In steady state a step with messages of all sizes, ghosts, stamps and losses allocates nothing.
func TestStepsDoNotAllocate(t *testing.T) {
	w := newWorld(t, condition(t, "delay=1ms jitter=500us loss=2%"), process(1, 1), process(2, 1))
	w.open()
	for _, z := range w.zones {
		z.events = nil
		z.write = func(_ custody.Process, p *packet.Writer, _ packet.Number) int {
			for p.Room() >= 64 {
				p.Bits(1, 64)
			}
			return 1
		}
		z.delivered = map[packet.Number]int{}
	}
	small, large := make([]byte, 40), make([]byte, 20_000)
	n := 0
	round := func() {
		for i, z := range w.zones {
			n++
			for range 20 {
				_ = z.Send(w.zones[1-i].config.Self.Zone, small)
			}
			if n%7 == 0 {
				_ = z.Send(w.zones[1-i].config.Self.Zone, large)
			}
			clear(z.delivered)
		}
		w.run(w.now+step, nil)
	}
	for range 1000 {
		round()
	}
	if n := testing.AllocsPerRun(500, round); n != 0 {
		t.Errorf("%v allocations in a step", n)
	}
	if s := w.zones[0].Stats(2); s.MessagesTaken < 10_000 || s.Lost == 0 {
		t.Errorf("%+v", s)
	}
}
