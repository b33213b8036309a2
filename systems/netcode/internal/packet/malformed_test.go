package packet_test

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
)

// corpus returns an Endpoint in the middle of a conversation, and datagrams of all kinds that it
// has not accepted yet.
func corpus(t testing.TB) (*packet.Endpoint, [][]byte) {
	a, b := newPeer(t, packet.Config{MTU: 200}), newPeer(t, packet.Config{MTU: 200})
	r := rand.New(rand.NewPCG(3, 3))
	for i := range 50 {
		now := time.Duration(i) * step
		_ = a.SendReliable(make([]byte, r.IntN(300)))
		_ = b.SendReliable(make([]byte, r.IntN(300)))
		if d := a.pack(now, byte(i)); i%7 != 0 {
			b.receive(now, d)
		}
		if d := b.pack(now); i%5 != 0 {
			a.receive(now, d)
		}
	}
	var out [][]byte
	for i := range 12 {
		now := time.Duration(50+i) * step
		for range i % 4 {
			_ = a.SendReliable(bytes.Repeat([]byte{byte(i)}, i*3))
			_ = a.SendUnreliable(bytes.Repeat([]byte{byte(i)}, i*20))
		}
		out = append(out, bytes.Clone(a.pack(now, byte(i), 1, 2, 3)))
	}
	e, err := packet.NewEndpoint(packet.Config{MTU: 200})
	if err != nil {
		t.Fatal(err)
	}
	*e = *b.Endpoint
	return e, out
}

// Conformance case 33 for the packet layer: every bit is flipped, and datagrams are cut at every
// length. Open may find such a packet valid (it does not check the payload), but it must not panic.
// A refused datagram must change nothing but a counter.
func TestMangledDatagrams(t *testing.T) {
	e, datagrams := corpus(t)
	before := snapshotOf(e)
	refused := 0
	try := func(d []byte) {
		in, err := e.Open(d)
		if err != nil {
			refused++
			return
		}
		in.Payload.Bits(8)
	}
	for _, d := range datagrams {
		for n := range len(d) {
			try(d[:n])
		}
		for bit := range len(d) * 8 {
			m := bytes.Clone(d)
			m[bit/8] ^= 1 << (bit % 8)
			try(m)
		}
		try(append(bytes.Clone(d), make([]byte, 300)...))
	}
	s := e.Stats()
	if got := int(s.Malformed + s.Duplicates + s.TooOld); got < refused || refused < 1000 {
		t.Errorf("%d datagrams refused, %d counted", refused, got)
	}
	if after := snapshotOf(e); !reflect.DeepEqual(before, after) {
		t.Error("a refused datagram changed the endpoint")
	}
	// The genuine datagrams are still accepted.
	for i, d := range datagrams {
		in, err := e.Open(d)
		if err != nil {
			t.Fatalf("genuine datagram %d: %v", i, err)
		}
		if err := e.Accept(in, time.Hour); err != nil {
			t.Fatal(err)
		}
	}
}

// snapshotOf returns the visible state of an endpoint: the statistics without the counters of
// refused datagrams, and the next packet.
func snapshotOf(e *packet.Endpoint) []any {
	s := e.Stats()
	s.Malformed, s.Duplicates, s.TooOld = 0, 0, 0
	c := *e // so that the packet is not really sent
	c.Begin(make([]byte, 200), 0, 0)
	d, err := c.End()
	return []any{s, d, err}
}

func TestHugeClaims(t *testing.T) {
	e, err := packet.NewEndpoint(packet.Config{MTU: 1150})
	if err != nil {
		t.Fatal(err)
	}
	claims := map[string][]byte{
		"255 messages":                     {0x20, 1, 0, 255, 2, 0},
		"no messages":                      {0x20, 1, 0, 0},
		"a message of 2^40 bytes":          {0x20, 1, 0, 1, 2, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20, 1},
		"a message of 2^63 bytes":          {0x20, 1, 0, 1, 2, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1, 1},
		"a length with superfluous bytes":  {0x20, 1, 0, 1, 2, 0x81, 0, 1},
		"a piece beyond the window":        {0x20, 1, 0, 1, 1, 0, 1, 0},
		"a follower of nothing":            {0x20, 1, 0, 1, 9, 0},
		"an unknown kind":                  {0x20, 1, 0, 1, 0, 0},
		"an unknown flag":                  {0x20, 1, 0, 1, 0x12, 0},
		"a fragment beyond the last":       {0x20, 1, 0, 1, 3, 0, 0, 5, 4, 1, 1},
		"a fragment of one":                {0x20, 1, 0, 1, 3, 0, 0, 0, 0, 1, 1},
		"an acknowledgement of the future": {0x10, 1, 0, 9, 0},
	}
	for name, d := range claims {
		if _, err := e.Open(d); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	// A fragment that claims to be the last of 256 large ones must take no more memory than its own
	// bytes.
	fragment := []byte{0x20, 0, 0, 1, 3, 7, 0, 255, 255, 1, 42}
	if n := testing.AllocsPerRun(100, func() {
		for _, d := range claims {
			_, _ = e.Open(d)
		}
		fragment[1]++ // the sequence
		in, err := e.Open(fragment)
		if err != nil {
			t.Fatal(err)
		}
		if err := e.Accept(in, 0); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations for absurd packets", n)
	}
}

// Pieces that arrive twice, or claim another number of pieces, must make no message.
func TestFragmentsThatDoNotFitTogether(t *testing.T) {
	b := newPeer(t, packet.Config{MTU: 1150})
	for i, fragment := range [][]byte{
		{3, 7, 0, 0, 2, 1, 'a'}, // piece 0 of 3
		{3, 7, 0, 0, 2, 1, 'a'}, // again
		{3, 7, 0, 1, 2, 1, 'b'},
		{3, 7, 0, 1, 2, 1, 'x'}, // again, and different
		{3, 7, 0, 0, 1, 1, 'y'}, // of 2 pieces: begins anew
		{3, 7, 0, 2, 2, 1, 'c'}, // of 3 pieces: begins anew
		{3, 7, 0, 0, 2, 0},      // empty
		{3, 7, 0, 1, 2, 1, 'd'},
		{3, 7, 0, 0, 2, 2, 'e', 'f'},
	} {
		b.receive(0, append([]byte{0x20, byte(i + 1), 0, 1}, fragment...))
	}
	if len(b.others) != 1 || string(b.others[0]) != "efdc" {
		t.Errorf("messages %q, want one of the last three pieces", b.others)
	}
}
