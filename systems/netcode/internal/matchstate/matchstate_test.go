package matchstate

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

// plain is a codec of the lowest 8 bits, in so many bits.
type plain struct{ bits uint }

func (plain) Quantize(v int) int { return v & 0xff }
func (c plain) Encode(w *packet.Writer, v int, _ *int) {
	w.Bits(uint64(v), 8)
	w.Bits(0, c.bits-8)
}
func (c plain) Decode(r *packet.Reader, _ *int) int {
	v := int(r.Bits(8))
	if r.Bits(c.bits-8) != 0 {
		r.Fail(packet.ErrMalformed)
	}
	return v
}

// client is a client's history, and what the server knows of it.
type client struct {
	history  History[int]
	received Received[int]
	sent     Sent
	newest   packet.Number
	last     packet.Number
	down     []flight
	up       []packet.Number
}

// flight is a packet on its way, and the server's history when it was sent.
type flight struct {
	number packet.Number
	after  tick.Tick
	bytes  []byte
	truth  History[int]
}

// Packets and acknowledgements are lost, are delivered twice and overtake each other; a client may
// join late or receive nothing for a long time. After each packet that is the newest, the client
// has the server's value in every tick that it may use.
func TestClientsHaveTheValueOfEachTick(t *testing.T) {
	full, revoked, late, longest := 0, 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		codec := plain{bits: uint(rapid.SampledFrom([]int{8, 8, 60}).Draw(t, "bits"))}
		limit := Limits{Bits: 1024, Past: 60}
		tight := codec.bits > 8
		if tight {
			limit.Bits = rapid.SampledFrom([]int{10, 130, 500}).Draw(t, "limit")
		}
		often := rapid.SampledFrom([]int{1, 3, 30}).Draw(t, "ticks for a change")
		start := tick.Tick(rapid.SampledFrom([]uint32{0, 1<<31 - 100, 1<<32 - 100}).Draw(t, "start"))
		server := New(7)
		clients := []*client{{history: New(7)}}
		check := func(c *client, f *flight) {
			from := f.after.Add(-limit.Past)
			if tight {
				from = f.after
			}
			if oldest := f.truth.changes[0]; oldest.number > 0 && oldest.from.IsNewer(from) {
				from = oldest.from
			}
			to := f.after.Add(150)
			if tight {
				to = f.after
			}
			for k := from; !k.IsNewer(to); k++ {
				if got, want := c.history.At(k), f.truth.At(k); got != want {
					t.Fatalf("after packet %d of tick %d: %d in tick %d, want %d", f.number, f.after, got, k, want)
				}
			}
		}
		silent := 0
		for i := range 400 {
			now := start.Add(i)
			server.Trim(now)
			if rapid.IntRange(0, often).Draw(t, "change") == 0 {
				ahead := rapid.SampledFrom([]int{-5, 0, 1, 1, 2, 30, 80}).Draw(t, "ahead")
				from, n := now.Add(ahead), server.n
				before := server.At(now)
				server.Set(codec.Quantize(rapid.IntRange(0, 3).Draw(t, "value")), int(codec.bits), from, now)
				if server.n < n {
					revoked++
				}
				if server.At(now) != before {
					t.Fatalf("a Set in tick %d for tick %d has changed its own value", now, from)
				}
				full += server.n / (1 + Kept)
			}
			if i == 200 {
				clients = append(clients, &client{history: New(7)})
			}
			if silent--; rapid.IntRange(0, 99).Draw(t, "outage") == 0 {
				silent = rapid.IntRange(1, 150).Draw(t, "ticks of it")
			}
			for _, c := range clients {
				if rapid.IntRange(0, 2).Draw(t, "snapshot") == 0 {
					after := now.Add(1)
					c.last++
					w := packet.NewWriter(make([]byte, 2048))
					server.Write(&w, codec, &c.sent, c.last, after, limit)
					if w.Err() != nil || tight && w.Len() > 1+(limit.Bits/60+1)*(2*codeBits+farBits+60) {
						t.Fatalf("%d bits in a packet (%v)", w.Len(), w.Err())
					}
					c.down = append(c.down, flight{c.last, after, w.Bytes(), server})
				}
				for range rapid.IntRange(0, 2).Draw(t, "arrivals") {
					if len(c.down) == 0 || silent > 0 {
						break
					}
					k := rapid.IntRange(max(0, len(c.down)-8), len(c.down)-1).Draw(t, "which")
					f := c.down[k]
					if !rapid.Bool().Draw(t, "twice") {
						c.down = append(c.down[:k], c.down[k+1:]...)
					}
					if f.number+32 < c.newest { // the endpoint accepts none that old
						continue
					}
					r := packet.NewReader(f.bytes)
					c.received.Read(&r, codec)
					if r.Close() != nil {
						t.Fatalf("packet %d: %v", f.number, r.Err())
					}
					longest = max(longest, c.received.n)
					old := c.history
					since, news := c.received.Apply(&c.history, f.number, f.after)
					for k := f.after.Add(-100); !k.IsNewer(f.after.Add(150)); k++ {
						if changed := old.At(k) != c.history.At(k); changed && news && !since.IsNewer(k) {
							break
						} else if changed && c.history.n <= Kept {
							t.Fatalf("tick %d has changed, and the news is %v since tick %d", k, news, since)
						}
					}
					if f.number > c.newest {
						c.newest = f.number
						check(c, &f)
					} else {
						late++
						if news {
							t.Fatal("a late packet has news")
						}
					}
					c.up = append(c.up, f.number)
				}
				if len(c.up) > 0 && rapid.Bool().Draw(t, "ack") {
					k := rapid.IntRange(0, len(c.up)-1).Draw(t, "ack of")
					c.sent.Delivered(c.up[k])
					c.up = append(c.up[:k], c.up[k+1:]...)
				}
			}
		}
		// Without further changes everything arrives and is acknowledged, and a packet takes a bit.
		now := start.Add(400)
		for _, c := range clients {
			for i := range 200 {
				c.last++
				w := packet.NewWriter(make([]byte, 2048))
				server.Write(&w, codec, &c.sent, c.last, now.Add(i), limit)
				r := packet.NewReader(w.Bytes())
				c.received.Read(&r, codec)
				c.received.Apply(&c.history, c.last, now.Add(i))
				c.sent.Delivered(c.last)
			}
			w := packet.NewWriter(make([]byte, 2048))
			server.Write(&w, codec, &c.sent, c.last+1, now.Add(200), limit)
			if w.Len() != 1 {
				t.Fatalf("%d bits when everything is acknowledged", w.Len())
			}
			for k := now.Add(200); k != now.Add(300); k++ {
				if c.history.At(k) != server.At(k) {
					t.Fatalf("the ends are not equal in tick %d", k)
				}
			}
		}
	})
	if !testing.Short() && (full == 0 || revoked == 0 || late == 0 || longest < 10) {
		t.Errorf("full %d, revoked %d, late %d, longest %d: the test does not cover all cases", full, revoked, late, longest)
	}
	t.Logf("full %d, revoked %d, late %d, longest %d", full, revoked, late, longest)
}

// A change takes six bits beside its value, another one in the same packet six more, and no change
// one bit.
func TestBitsOfChanges(t *testing.T) {
	codec, limit := plain{8}, Limits{Bits: 1024, Past: 60}
	h := New(0)
	var sent Sent
	bits := func(n packet.Number, after tick.Tick) int {
		w := packet.NewWriter(make([]byte, 200))
		h.Write(&w, codec, &sent, n, after, limit)
		return w.Len()
	}
	if got := bits(1, 100); got != 1 {
		t.Errorf("%d bits without a change, want 1", got)
	}
	h.Set(1, 8, 141, 100)
	for after := tick.Tick(101); after != 163; after++ {
		if got := bits(2, after); got != 1+6+8 {
			t.Errorf("%d bits for a change %d ticks ahead, want 15", got, 141-int(after))
		}
	}
	for _, after := range []tick.Tick{100, 163} {
		if got := bits(3, after); got != 1+6+32+8 {
			t.Errorf("%d bits for a change %d ticks ahead, want 47", got, 141-int(after))
		}
	}
	h.Set(2, 8, 142, 101)
	if got := bits(4, 120); got != 1+12+8+6+8 {
		t.Errorf("%d bits for two changes, want 35", got)
	}
	sent.Delivered(3)
	if got := bits(5, 120); got != 1+6+8 {
		t.Errorf("%d bits when the first of two changes is acknowledged, want 15", got)
	}
	sent.Delivered(4)
	if got := bits(6, 120); got != 1 {
		t.Errorf("%d bits when all are acknowledged, want 1", got)
	}
}

// Values keep their ticks over the wrap of ticks, and for longer than ticks can tell.
func TestTicksWrap(t *testing.T) {
	h := New(1)
	now := tick.Tick(1<<32 - 10)
	h.Set(2, 8, 5, now) // 15 ticks ahead
	if a, b := h.At(4), h.At(5); a != 1 || b != 2 {
		t.Errorf("%d and %d around the change, want 1 and 2", a, b)
	}
	for range 40 {
		now = now.Add(1 << 27)
		h.Trim(now)
		if got := h.At(now); got != 2 {
			t.Fatalf("%d in tick %d, want 2", got, now)
		}
		w, sent := packet.NewWriter(make([]byte, 20)), Sent{}
		h.Write(&w, plain{8}, &sent, 1, now, Limits{Bits: 100, Past: 60})
		r := packet.NewReader(w.Bytes())
		var received Received[int]
		client := New(1)
		received.Read(&r, plain{8})
		if received.Apply(&client, 1, now); r.Err() != nil || client.At(now) != 2 {
			t.Fatalf("a client that joins in tick %d has %d (%v), want 2", now, client.At(now), r.Err())
		}
	}
}

// With as many changes ahead as are kept, one more takes the place of the newest. The present value
// stays.
func TestTooManyAnnouncements(t *testing.T) {
	h := New(1)
	for i := range 100 {
		h.Set(2+i, 8, tick.Tick(100+i), 50)
	}
	if got := h.At(50); got != 1 {
		t.Errorf("%d at present, want 1", got)
	}
	if got := h.At(162); got != 64 {
		t.Errorf("%d in tick 162, want 64", got)
	}
	if a, b := h.At(163), h.At(1000); a != 101 || b != 101 {
		t.Errorf("%d and %d from tick 163 on, want 101: the value set last", a, b)
	}
}

// Hot paths allocate nothing.
func TestNothingIsAllocated(t *testing.T) {
	server, clientSide := New(0), New(0)
	var sent Sent
	var received Received[int]
	var n packet.Number
	now, buf, codec := tick.Tick(0), make([]byte, 1000), plain{8}
	var w packet.Writer
	var r packet.Reader
	if allocs := testing.AllocsPerRun(1000, func() {
		now++
		n++
		server.Set(int(now)&0xff, 8, now.Add(20), now)
		server.Trim(now)
		w = packet.NewWriter(buf)
		server.Write(&w, codec, &sent, n, now, Limits{Bits: 1024, Past: 60})
		r = packet.NewReader(w.Bytes())
		received.Read(&r, codec)
		received.Apply(&clientSide, n, now)
		sent.Delivered(n - 4)
	}); allocs != 0 {
		t.Errorf("%v allocations a tick, want 0", allocs)
	}
	if clientSide.At(now.Add(20)) != int(now)&0xff {
		t.Error("the changes have not arrived")
	}
}
