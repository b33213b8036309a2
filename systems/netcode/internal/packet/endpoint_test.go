package packet_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
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
					if test.loss == 0 && s.Lost != 0 {
						t.Errorf("%d packets lost over a wire that only delays and reorders them", s.Lost)
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

func (c *counter) Lost(packet.Number) { c.lost++ }

func (c *counter) Message([]byte, bool) { c.messages++ }

// A packet that was opened but not accepted must count as lost: the acknowledgement follows the use
// of the payload, not the arrival.
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

// Conformance case 36, as far as the window covers it: replayed packets must be refused. The
// encryption below keeps forgers out.
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

// Conformance case 10 for the packet layer: duplicates must change nothing but the receive
// counters.
func TestDuplicatesChangeNothing(t *testing.T) {
	run := func(duplicate bool) (out [][]byte, s [2]packet.Stats) {
		a, b := newPeer(t, packet.Config{MTU: 200}), newPeer(t, packet.Config{MTU: 200})
		r := rand.New(rand.NewPCG(7, 7))
		for i := range 600 {
			now := time.Duration(i) * step
			for _, p := range [2][2]*peer{{a, b}, {b, a}} {
				m := make([]byte, r.IntN(400))
				fill(m, r)
				_ = p[0].SendReliable(m) // backpressure is equal in both runs
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

// A piece must be sent again when three later packets have arrived: they are as good a sign of loss
// as time.
func TestOvertakenPiecesAreSentAgainAtOnce(t *testing.T) {
	a, b := newPeer(t, packet.Config{MTU: 300}), newPeer(t, packet.Config{MTU: 300})
	if err := a.SendReliable([]byte("lost")); err != nil {
		t.Fatal(err)
	}
	a.pack(0)
	for i := range 4 {
		if len(b.reliable) != 0 {
			t.Fatalf("sent again after only %d later packets", i)
		}
		b.receive(0, a.pack(0))
		a.receive(0, b.pack(0))
	}
	if len(b.reliable) != 1 {
		t.Error("not sent again after three later packets had arrived")
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

// An acknowledged piece must not be sent again, although a piece before it is still missing. The
// missing piece must be sent as often as necessary.
func TestOnlyMissingPiecesAreResent(t *testing.T) {
	a, b := newPeer(t, packet.Config{MTU: 300}), newPeer(t, packet.Config{MTU: 300})
	buf := make([]byte, 300)
	const lost = 10 // packets, each with the first message
	carried := 0
	for i := range 600 {
		now := time.Duration(i) * step
		if i < 4 {
			if err := a.SendReliable([]byte{byte(i), 1, 2, 3}); err != nil {
				t.Fatal(err)
			}
		}
		before := a.Stats().Resent
		a.Begin(buf, now, 20).Bits(0, 8)
		d, err := a.End()
		if err != nil {
			t.Fatal(err)
		}
		if first := i == 0 || a.Stats().Resent > before; first && carried < lost {
			carried++
		} else {
			b.receive(now, bytes.Clone(d))
		}
		b.Begin(buf, now, 20).Bits(0, 8)
		if d, err = b.End(); err != nil {
			t.Fatal(err)
		}
		a.receive(now, bytes.Clone(d))
	}
	if n := a.Stats().Resent; n != lost {
		t.Errorf("%d pieces were sent again, want %d", n, lost)
	}
	if len(b.reliable) != 4 || a.Stats().Pending != 0 {
		t.Errorf("%d messages of 4 arrived, %d pieces wait", len(b.reliable), a.Stats().Pending)
	}
}
