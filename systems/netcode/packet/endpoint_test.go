package packet_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/packet"
)

const step = time.Second / 60

func TestMessagesOverBadWires(t *testing.T) {
	for _, test := range []struct {
		name              string
		delay, jitter     time.Duration
		loss, duplication float64
	}{
		{"perfect", 0, 0, 0, 0},
		{"delay", 100 * time.Millisecond, 0, 0, 0},
		{"jitter reorders", 20 * time.Millisecond, 100 * time.Millisecond, 0, 0},
		{"duplicates", 30 * time.Millisecond, 30 * time.Millisecond, 0, 0.3},
		{"15 % loss", 100 * time.Millisecond, 10 * time.Millisecond, 0.15, 0.05},
		{"half lost", 100 * time.Millisecond, 50 * time.Millisecond, 0.5, 0.1},
	} {
		for seed := range uint64(5) {
			t.Run(fmt.Sprintf("%s/seed %d", test.name, seed), func(t *testing.T) {
				r := rand.New(rand.NewPCG(seed, 0))
				ends := [2]*peer{newPeer(t, packet.Config{MTU: 300}), newPeer(t, packet.Config{MTU: 300})}
				var wires [2]wire
				for i := range wires {
					wires[i] = wire{rand.New(rand.NewPCG(seed, uint64(i+1))), test.delay, test.jitter, test.loss, test.duplication, nil}
				}
				var sent [2][][]byte
				unreliable := [2]map[string]bool{{}, {}}
				buf := make([]byte, 300)
				for i := range 60 * 55 {
					now := time.Duration(i) * step
					for k, e := range ends {
						if i < 60*30 && r.IntN(4) == 0 {
							size := r.IntN(100)
							if r.IntN(10) == 0 {
								size = r.IntN(4000)
							}
							m := make([]byte, size)
							fill(m, r)
							switch err := e.SendReliable(m); {
							case err == nil:
								sent[k] = append(sent[k], m)
							case !errors.Is(err, packet.ErrBackpressure):
								t.Fatal(err)
							}
							u := make([]byte, 12+r.IntN(700))
							fill(u, r)
							binary.LittleEndian.PutUint64(u, uint64(i)) // so that all differ
							if err := e.SendUnreliable(u); err == nil {
								unreliable[k][string(u)] = true
							}
						}
						e.Begin(buf, now, 20).Bits(uint64(i), 40)
						d, err := e.End()
						if err != nil {
							t.Fatal(err)
						}
						wires[k].send(now, d)
						for _, d := range wires[1-k].arrived(now) {
							e.receive(now, d)
						}
					}
				}
				for k, e := range ends {
					other := ends[1-k]
					if got, want := len(other.reliable), len(sent[k]); got != want {
						t.Fatalf("%d of %d reliable messages arrived", got, want)
					}
					for i, m := range other.reliable {
						if !bytes.Equal(m, sent[k][i]) {
							t.Fatalf("reliable message %d differs or is out of order", i)
						}
					}
					seen := map[string]bool{}
					for _, m := range other.others {
						if !unreliable[k][string(m)] || seen[string(m)] {
							t.Fatal("an unreliable message was changed or came twice")
						}
						seen[string(m)] = true
					}
					if test.loss == 0 && test.jitter < 100*time.Millisecond && len(seen) != len(unreliable[k]) {
						t.Errorf("%d of %d unreliable messages arrived over a wire without loss", len(seen), len(unreliable[k]))
					}
					for n := range e.delivered {
						if !other.accepted[n] {
							t.Fatalf("packet %d was acknowledged but never accepted", n)
						}
					}
					s := e.Stats()
					open := s.Sent - s.Delivered - s.Lost
					if open > 60 || int(s.Delivered) != len(e.delivered) || int(s.Lost) != len(e.lost) || s.Malformed != 0 {
						t.Errorf("statistics do not add up: %+v", s)
					}
					if test.loss == 0 && test.jitter == 0 && s.Lost+s.Resent != 0 {
						t.Errorf("%d packets lost and %d pieces sent again over a perfect wire", s.Lost, s.Resent)
					}
					if low, high := test.loss*(1-test.duplication)*0.5, test.loss*1.6+0.02; test.jitter < 20*time.Millisecond && (s.Loss < low || s.Loss > high) {
						t.Errorf("measured loss %.3f of %.2f", s.Loss, test.loss)
					}
					if least := 2 * test.delay; s.MinRTT < least || s.MinRTT > least+test.jitter+4*step {
						t.Errorf("least round trip %v of a link with %v", s.MinRTT, least)
					}
					if s.Pending != 0 {
						t.Errorf("%d pieces without an acknowledgement at the end", s.Pending)
					}
				}
			})
		}
	}
}

func fill(p []byte, r *rand.Rand) {
	for i := range p {
		p[i] = byte(r.Uint32())
	}
}

func TestSequenceWrapsUnnoticed(t *testing.T) {
	a, b := newPeer(t, packet.Config{MTU: 100}), newPeer(t, packet.Config{MTU: 100})
	a.delivered, b.delivered = nil, nil // 200 000 entries are not needed
	ha, hb := &counter{}, &counter{}
	ea, _ := packet.NewEndpoint(packet.Config{MTU: 100, Handler: ha})
	eb, _ := packet.NewEndpoint(packet.Config{MTU: 100, Handler: hb})
	a.Endpoint, b.Endpoint = ea, eb
	r := rand.New(rand.NewPCG(1, 1))
	buf := make([]byte, 100)
	for i := range 200_000 {
		now := time.Duration(i) * step
		for _, pair := range [2][2]*packet.Endpoint{{ea, eb}, {eb, ea}} {
			if err := pair[0].SendReliable([]byte{byte(i)}); err != nil && r.IntN(3) > 0 {
				continue
			}
			pair[0].Begin(buf, now, 0)
			d, err := pair[0].End()
			if err != nil {
				t.Fatal(err)
			}
			if r.IntN(10) == 0 {
				continue
			}
			in, err := pair[1].Open(d)
			if err != nil {
				t.Fatalf("packet %d: %v", i, err)
			}
			if want := pair[0].Next() - 1; in.Number != want {
				t.Fatalf("packet %d arrived as number %d", want, in.Number)
			}
			if err := pair[1].Accept(in, now); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, h := range []*counter{ha, hb} {
		if h.messages < 199_000 || h.lost < 15_000 || h.lost > 25_000 || h.delivered+h.lost < 199_900 {
			t.Errorf("after three wraps: %+v", *h)
		}
	}
}

type counter struct{ delivered, lost, messages int }

func (c *counter) Delivered(packet.Number, time.Duration) { c.delivered++ }
func (c *counter) Lost(packet.Number)                     { c.lost++ }
func (c *counter) Message([]byte, bool)                   { c.messages++ }

// TestUnacceptedPacketsCountAsLost: the acknowledgement follows the use of the payload, not the arrival.
func TestUnacceptedPacketsCountAsLost(t *testing.T) {
	a, b := newPeer(t, packet.Config{MTU: 100}), newPeer(t, packet.Config{MTU: 100})
	if err := a.SendReliable([]byte("hello")); err != nil {
		t.Fatal(err)
	}
	refused := a.pack(0, 1)
	if _, err := b.Open(refused); err != nil {
		t.Fatal(err)
	}
	if len(b.reliable) != 0 {
		t.Fatal("a message was handed out of a packet that was not accepted")
	}
	for i := range 40 {
		now := time.Duration(i+1) * step
		if !b.receive(now, a.pack(now, 2)) || !a.receive(now, b.pack(now)) {
			t.Fatal("a packet was refused")
		}
	}
	if !a.lost[1] || a.delivered[1] {
		t.Errorf("the refused packet: lost %v, delivered %v", a.lost[1], a.delivered[1])
	}
	if len(b.reliable) != 1 {
		t.Errorf("its message arrived %d times", len(b.reliable))
	}
}

// TestReplaysAreRefused is conformance case 36 as far as the window goes: the encryption below keeps forgers out.
func TestReplaysAreRefused(t *testing.T) {
	a, b := newPeer(t, packet.Config{MTU: 100}), newPeer(t, packet.Config{MTU: 100})
	var recorded [][]byte
	for i := range 60 * 60 {
		now := time.Duration(i) * step
		d := bytes.Clone(a.pack(now, byte(i)))
		recorded = append(recorded, d)
		if !b.receive(now, d) {
			t.Fatalf("packet %d refused", i)
		}
		for _, ago := range []int{0, 1, 6, 31, 32, 33, 60, 600, 3599} {
			if ago <= i && b.receive(now, recorded[i-ago]) {
				t.Fatalf("a packet replayed after %v was accepted", time.Duration(ago)*step)
			}
		}
		a.receive(now, b.pack(now))
	}
	if s := b.Stats(); s.Received != 3600 || s.Duplicates == 0 || s.TooOld == 0 {
		t.Errorf("%+v", s)
	}
}

// TestDuplicatesChangeNothing is conformance case 10 for the packet layer: equal but for the receive counters.
func TestDuplicatesChangeNothing(t *testing.T) {
	run := func(duplicate bool) (out [][]byte, s [2]packet.Stats) {
		a, b := newPeer(t, packet.Config{MTU: 200}), newPeer(t, packet.Config{MTU: 200})
		r := rand.New(rand.NewPCG(7, 7))
		for i := range 600 {
			now := time.Duration(i) * step
			for _, p := range [2][2]*peer{{a, b}, {b, a}} {
				m := make([]byte, r.IntN(400))
				fill(m, r)
				_ = p[0].SendReliable(m) // backpressure is the same in both runs
				_ = p[0].SendUnreliable(m)
				d := p[0].pack(now, byte(i))
				lost, twice := r.IntN(10) == 0, r.IntN(10) < 3
				if lost {
					continue
				}
				p[1].receive(now, d)
				if duplicate && twice {
					p[1].receive(now, d)
				}
				out = append(out, bytes.Clone(d))
			}
		}
		out = append(append(append(append(out, a.reliable...), b.reliable...), a.others...), b.others...)
		return out, [2]packet.Stats{a.Stats(), b.Stats()}
	}
	once, sOnce := run(false)
	twice, sTwice := run(true)
	for i := range sTwice {
		if sTwice[i].Duplicates == 0 {
			t.Fatal("no duplicates in the run with duplicates")
		}
		sTwice[i].Duplicates = 0
	}
	if sOnce != sTwice {
		t.Errorf("statistics differ:\n%+v\n%+v", sOnce, sTwice)
	}
	if len(once) != len(twice) {
		t.Fatalf("%d and %d packets and messages", len(once), len(twice))
	}
	for i := range once {
		if !bytes.Equal(once[i], twice[i]) {
			t.Fatalf("packet or message %d differs", i)
		}
	}
}

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
		"no MTU":            {},
		"chunk too large":   {MTU: 100, ChunkSize: 84},
		"negative chunk":    {MTU: 100, ChunkSize: -1},
		"message too large": {MTU: 100, MaxMessage: 128*83 + 1},
		"reassembly":        {MTU: 100, MaxMessage: 100, ReassemblyBytes: 99},
		"negative time-out": {MTU: 100, ReassemblyTimeout: -1},
	} {
		if _, err := packet.NewEndpoint(c); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	a, b := newPeer(t, packet.Config{MTU: 100, MaxMessage: 500}), newPeer(t, packet.Config{MTU: 100, MaxMessage: 499})
	if err := a.SendReliable(make([]byte, 501)); !errors.Is(err, packet.ErrMessageTooLarge) {
		t.Errorf("SendReliable: %v", err)
	}
	if err := a.SendUnreliable(make([]byte, 501)); !errors.Is(err, packet.ErrMessageTooLarge) {
		t.Errorf("SendUnreliable: %v", err)
	}
	// A sender that does not keep to the receiver's limit is found out, whatever it does then.
	if err := a.SendReliable(make([]byte, 500)); err != nil {
		t.Fatal(err)
	}
	var err error
	for i := range 10 {
		in, openErr := b.Open(a.pack(time.Duration(i) * step))
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
	const size = 2000
	a := newPeer(t, packet.Config{MTU: 300, ChunkSize: 200, MaxMessage: size})
	b := newPeer(t, packet.Config{MTU: 300, ChunkSize: 200, MaxMessage: size, ReassemblyBytes: 2 * size, ReassemblyTimeout: time.Second})
	// Of 100 messages in ten pieces each the last piece is lost.
	now := time.Duration(0)
	for range 100 {
		if err := a.SendUnreliable(make([]byte, size)); err != nil {
			t.Fatal(err)
		}
		for i := range 10 {
			if d := a.pack(now); i < 9 {
				b.receive(now, d)
			}
		}
	}
	if s := b.Stats(); s.PartsDropped < 97 || s.PartsDropped > 98 || len(b.others) != 0 {
		t.Errorf("%d given up for want of memory, %d handed out", s.PartsDropped, len(b.others))
	}
	// Time gives up the rest.
	now += time.Second + 1
	b.receive(now, a.pack(now))
	if s := b.Stats(); s.PartsDropped != 100 {
		t.Errorf("%d of 100 given up after the time-out", s.PartsDropped)
	}
	// And a whole one still arrives.
	if err := a.SendUnreliable(bytes.Repeat([]byte{7}, size)); err != nil {
		t.Fatal(err)
	}
	for range 10 {
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
		"Accept twice":      func() { _ = b.Accept(in, 0) },
		"End without Begin": func() { _, _ = a.End() },
		"tiny buffer":       func() { a.Begin(make([]byte, 8), 0, 0) },
		"Begin twice":       func() { b.Begin(make([]byte, 100), 0, 0); b.Begin(make([]byte, 100), 0, 0) },
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

func TestEndpointDoesNotAllocate(t *testing.T) {
	ea, _ := packet.NewEndpoint(packet.Config{MTU: 1150})
	eb, _ := packet.NewEndpoint(packet.Config{MTU: 1150})
	buf, now := make([]byte, 1150), time.Duration(0)
	small, large := make([]byte, 30), make([]byte, 2000)
	round := func() {
		for _, pair := range [2][2]*packet.Endpoint{{ea, eb}, {eb, ea}} {
			now += step
			for _, m := range [][]byte{small, large} {
				if err := pair[0].SendReliable(m); err != nil && !errors.Is(err, packet.ErrBackpressure) {
					t.Fatal(err)
				}
				_ = pair[0].SendUnreliable(m) // full queues are part of the test
			}
			pair[0].Begin(buf, now, 300).Bits(1, 8)
			d, err := pair[0].End()
			if err != nil {
				t.Fatal(err)
			}
			in, err := pair[1].Open(d)
			if err != nil {
				t.Fatal(err)
			}
			if err := pair[1].Accept(in, now); err != nil {
				t.Fatal(err)
			}
		}
	}
	for range 1000 { // every slot has been used
		round()
	}
	if n := testing.AllocsPerRun(1000, round); n != 0 {
		t.Errorf("%v allocations for a packet in each direction", n)
	}
}

func TestPacerKeepsTheRate(t *testing.T) {
	p := packet.NewPacer(1000, 200)
	var total int
	for i := range 600 { // 10 s
		now := time.Duration(i) * step
		n := p.Allowance(now)
		if again := p.Allowance(now); again != n {
			t.Fatalf("asking twice gave %d and %d", n, again)
		}
		if back := p.Allowance(now - step); back != n {
			t.Fatalf("going back in time gave %d after %d", back, n)
		}
		p.Spend(n)
		total += n
	}
	if total < 9900+200 || total > 10000+200 {
		t.Errorf("%d bytes in 10 s at 1000 a second with a burst of 200", total)
	}
	p.Spend(500)
	if n := p.Allowance(10*time.Second + 400*time.Millisecond); n != 0 {
		t.Errorf("allowance %d while in debt", n)
	}
	p.SetRate(2000, 100)
	if n := p.Allowance(20 * time.Second); n != 100 {
		t.Errorf("allowance %d after a long rest, want the new burst", n)
	}
}

func BenchmarkEndpoint(b *testing.B) {
	ea, _ := packet.NewEndpoint(packet.Config{MTU: 1150})
	eb, _ := packet.NewEndpoint(packet.Config{MTU: 1150})
	buf, payload, now := make([]byte, 1150), make([]byte, 500), time.Duration(0)
	b.ReportAllocs()
	for b.Loop() {
		for _, pair := range [2][2]*packet.Endpoint{{ea, eb}, {eb, ea}} {
			now += step
			_ = pair[0].SendReliable(payload[:40])
			pair[0].Begin(buf, now, 500).Append(payload, 4000)
			d, _ := pair[0].End()
			in, err := pair[1].Open(d)
			if err != nil {
				b.Fatal(err)
			}
			if err := pair[1].Accept(in, now); err != nil {
				b.Fatal(err)
			}
		}
	}
}
