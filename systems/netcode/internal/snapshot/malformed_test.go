package snapshot_test

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
)

// numbered is a snapshot as it is sent, without the header of its packet.
type numbered struct {
	n    packet.Number
	data []byte
}

// recorded returns a Decoder in the middle of a session, with the components of chaos, and the
// snapshots that follow.
func recorded(t testing.TB) (*chaos, []numbered) {
	x := newChaos(t, 11, snapshot.Config{MaxEntities: 40, Velocity: snapshot.Range{Max: 16, Resolution: 0.125}}, wire{delay: 3, loss: 0.1}, wire{delay: 3, loss: 0.1})
	for range 120 {
		for range 4 {
			x.shake()
		}
		x.history[x.now+1] = x.relevant()
		x.step()
	}
	var out []numbered
	for n := x.server.Next(); len(out) < 12; n++ {
		for range 4 {
			x.shake()
		}
		x.now++
		x.world.Commit()
		buf := make([]byte, 600)
		w := packet.NewWriter(buf)
		x.encoder.Encode(&w, n, x.now)
		out = append(out, numbered{n, w.Bytes()})
	}
	return x, out
}

// dump returns all data of the decoder as text.
func (x *chaos) dump() string {
	var b bytes.Buffer
	for id := range x.decoder.All() {
		s, at, _ := x.decoder.State(id)
		info, _ := x.decoder.Info(id)
		hp, hasHP := x.health.Get(x.decoder, id)
		paint, hasPaint := x.colour.Get(x.decoder, id)
		fmt.Fprintln(&b, id, s, at, info, hp, hasHP, paint, hasPaint)
	}
	return b.String()
}

// TestMangledSnapshots is conformance case 33: every bit flipped, and cut at every length. Nothing
// panics, and a refused snapshot changes nothing. (A flipped bit may make another valid snapshot,
// which is then applied as a whole. The encryption below prevents that.)
func TestMangledSnapshots(t *testing.T) {
	x, snapshots := recorded(t)
	before := x.dump()
	refused, taken, longest := 0, 0, time.Duration(0)
	try := func(n packet.Number, d []byte) {
		r := packet.NewReader(d)
		begin := time.Now()
		_, err := x.decoder.Decode(&r, n)
		longest = max(longest, time.Since(begin))
		if err == nil {
			if taken++; taken%50 == 0 {
				x, _ = recorded(t) // a Decoder with many entities again
			}
			before = x.dump()
			return
		}
		refused++
		if refused%16 == 0 {
			if after := x.dump(); after != before {
				t.Fatalf("a refused snapshot (%v) changed\n%s\nto\n%s", err, before, after)
			}
		}
	}
	for _, s := range snapshots {
		for n := range len(s.data) {
			if n < len(s.data)-1 { // without the last byte only padding may be missing
				try(s.n, s.data[:n])
			}
		}
		for bit := range len(s.data) * 8 {
			d := bytes.Clone(s.data)
			d[bit/8] ^= 1 << (bit % 8)
			try(s.n, d)
		}
	}
	if refused < 500 {
		t.Errorf("only %d of %d mangled snapshots were refused", refused, refused+taken)
	}
	t.Logf("%d refused, %d taken, longest %v", refused, taken, longest)
	x, _ = recorded(t)
	for _, s := range snapshots {
		r := packet.NewReader(s.data)
		if _, err := x.decoder.Decode(&r, s.n); err != nil {
			t.Errorf("a genuine snapshot after the mangled ones: %v", err)
		}
	}
}

// TestHugeCounts is conformance case 34: counts that exceed the data.
func TestHugeCounts(t *testing.T) {
	s, err := snapshot.NewSchema(snapshot.Config{MaxEntities: 100})
	if err != nil {
		t.Fatal(err)
	}
	snapshot.Register(s, "health", healthCodec{})
	d := snapshot.NewDecoder(s)
	zeros := make([]byte, 900)
	claims := []struct {
		name  string
		want  error
		write func(w *packet.Writer)
	}{
		{"1023 records in nothing", packet.ErrShort, func(w *packet.Writer) { header(w, 0, 1023) }},
		{"1023 records in zeros", packet.ErrMalformed, func(w *packet.Writer) { header(w, 0, 1023); w.Append(zeros, 7200) }},
		{"a gap of 2^32", packet.ErrMalformed, func(w *packet.Writer) { header(w, 0, 1); w.Golomb(1<<32-1, 0); w.Bits(0, 3) }},
		{"a slot beyond the last", packet.ErrMalformed, func(w *packet.Writer) { header(w, 0, 1); w.Golomb(100, 0); w.Bits(0, 3) }},
		{"changes to nothing", snapshot.ErrBaseline, func(w *packet.Writer) { header(w, 5, 1); w.Golomb(7, 0); w.Bits(1, 1); w.Bits(0, 8) }},
		{"changes to what packet 0 said", snapshot.ErrBaseline, func(w *packet.Writer) { header(w, 0, 1); w.Golomb(7, 0); w.Bits(0b10, 2); w.Bits(100, 8); w.Bits(0, 8) }},
		{"changes to itself", snapshot.ErrBaseline, func(w *packet.Writer) { header(w, 0, 1); w.Golomb(7, 0); w.Bits(0b10, 2); w.Bits(0, 16) }},
		{"an acknowledgement from before the first packet", packet.ErrMalformed, func(w *packet.Writer) { header(w, 200, 0) }},
		{"a generation of 2^17", packet.ErrMalformed, func(w *packet.Writer) {
			header(w, 0, 1)
			w.Golomb(7, 0)
			w.Bits(0b100, 3)
			w.Golomb(1<<17, 2)
			w.Append(zeros, 400)
		}},
		{"component 2^20", packet.ErrMalformed, func(w *packet.Writer) { upToTraits(w); w.Bits(0b100001, 6); w.Golomb(1<<20, 1); w.Append(zeros, 400) }},
		{"components without end", packet.ErrMalformed, func(w *packet.Writer) {
			upToTraits(w)
			w.Bits(0b100001, 6)
			for range 100 {
				w.Bits(0b101, 3) // the next one, no gap; removed; more
			}
		}},
		{"a parent beyond the last slot", packet.ErrMalformed, func(w *packet.Writer) { upToTraits(w); w.Bits(0b101, 3); w.Bits(65535, 16); w.Append(zeros, 400) }},
		{"more behind the end", packet.ErrMalformed, func(w *packet.Writer) { header(w, 0, 0); w.Bits(0, 16) }},
	}
	buf := make([]byte, 1150)
	for _, claim := range claims {
		w := packet.NewWriter(buf)
		claim.write(&w)
		data := w.Bytes()
		if n := testing.AllocsPerRun(10, func() {
			r := packet.NewReader(data)
			if _, err := d.Decode(&r, 100); !errors.Is(err, claim.want) {
				t.Errorf("%s: error %v, want %v", claim.name, err, claim.want)
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations", claim.name, n)
		}
	}
	for range d.All() {
		t.Fatal("something was applied")
	}
}

// header writes a snapshot's header with all orders zero.
func header(w *packet.Writer, back, count int) {
	w.Bits(1, 32)
	w.Bits(uint64(back), 8)
	w.Bool(false)
	w.Bits(uint64(count), 10)
	if count > 0 {
		w.Bits(0, 3*4)
	}
}

// upToTraits writes a snapshot up to the traits of an entity.
func upToTraits(w *packet.Writer) {
	header(w, 0, 1)
	w.Golomb(7, 0)
	w.Bits(4, 3)
	w.Golomb(0, 2)
	w.Bits(0, 4)
	w.Golomb(0, 4)
	w.Bool(false)
}
