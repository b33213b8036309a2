package snapshot_test

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/snapshot"
	"github.com/tandem-ecs/tandem/systems/netcode/tick"
)

// numbered is a snapshot as it travels, without the header of its packet.
type numbered struct {
	n    packet.Number
	data []byte
}

// recorded returns a Decoder in the middle of a session, with the components of chaos, and the snapshots that come next.
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
		x.encoder.Encode(&w, n, snapshot.Header{Tick: x.now})
		out = append(out, numbered{n, w.Bytes()})
	}
	return x, out
}

// dump returns all that the decoder tells.
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

// TestMangledSnapshots is conformance case 33: every bit flipped, and cut at every length. Nothing panics, and what is refused changes nothing. (A flipped bit may well make another valid snapshot: that is
// for the encryption below to prevent. It then is applied as a whole.)
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
				x, _ = recorded(t) // one with many entities again
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

// TestHugeCounts is conformance case 34.
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
		{"component 2^20", packet.ErrMalformed, func(w *packet.Writer) { abstract(w); w.Bits(0b100001, 6); w.Golomb(1<<20, 1); w.Append(zeros, 400) }},
		{"components without end", packet.ErrMalformed, func(w *packet.Writer) {
			abstract(w)
			w.Bits(0b100001, 6)
			for range 100 {
				w.Bits(0b101, 3) // the next one, no gap; taken away; more
			}
		}},
		{"a parent beyond the last slot", packet.ErrMalformed, func(w *packet.Writer) { abstract(w); w.Bits(0b101, 3); w.Bits(65535, 16); w.Append(zeros, 400) }},
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
	w.Bits(0, 24)
	w.Bits(uint64(back), 8)
	w.Bits(uint64(count), 10)
	if count > 0 {
		w.Bits(0, 3*4)
	}
}

// abstract writes a snapshot up to the traits of an abstract entity.
func abstract(w *packet.Writer) {
	header(w, 0, 1)
	w.Golomb(7, 0)
	w.Bits(4, 3)
	w.Golomb(0, 2)
	w.Bits(0, 4)
	w.Golomb(0, 4)
	w.Bool(true)
}

// TestHello is conformance case 50: builds that do not fit together refuse each other, and say why.
func TestHello(t *testing.T) {
	build := func(c snapshot.Config, names ...string) *snapshot.Schema {
		s, err := snapshot.NewSchema(c)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			snapshot.Register(s, name, healthCodec{})
		}
		return s
	}
	ours := build(snapshot.Config{Version: 3}, "health", "ammo")
	for _, test := range []struct {
		name   string
		theirs *snapshot.Schema
		want   string
	}{
		{"the same", build(snapshot.Config{Version: 3, TickRate: 60, Revisions: 10}, "health", "ammo"), ""},
		{"game version", build(snapshot.Config{Version: 4}, "health", "ammo"), "builds do not match: game version 4 there, 3 here: update the older one"},
		{"tick rate", build(snapshot.Config{Version: 3, TickRate: 30}, "health", "ammo"), "builds do not match: tick rate, ranges or resolutions differ: run the same build on both ends"},
		{"velocity", build(snapshot.Config{Version: 3, Velocity: snapshot.Range{Max: 1, Resolution: 0.5}}, "health", "ammo"), "builds do not match: tick rate, ranges or resolutions differ: run the same build on both ends"},
		{"order", build(snapshot.Config{Version: 3}, "ammo", "health"), `builds do not match: component 0 is "health" here, "ammo" there: register the same components in the same order`},
		{"other", build(snapshot.Config{Version: 3}, "health", "armour"), `builds do not match: component 1 is "ammo" here, an unknown one there: register the same components in the same order`},
		{"fewer", build(snapshot.Config{Version: 3}, "health"), `builds do not match: component 1, "ammo", is not known there: register the same components in the same order`},
		{"more", build(snapshot.Config{Version: 3}, "health", "ammo", "armour"), "builds do not match: 3 components there, 2 here: register the same components in the same order"},
	} {
		w := packet.NewWriter(make([]byte, 300))
		test.theirs.WriteHello(&w)
		r := packet.NewReader(w.Bytes())
		err := ours.CheckHello(&r)
		if got := fmt.Sprint(err); test.want != "" && (got != test.want || !errors.Is(err, snapshot.ErrMismatch)) || test.want == "" && err != nil {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
		for n := range len(w.Bytes()) {
			r := packet.NewReader(w.Bytes()[:n])
			if err := ours.CheckHello(&r); !errors.Is(err, packet.ErrShort) {
				t.Errorf("%s, cut to %d bytes: %v", test.name, n, err)
			}
		}
	}
	other := packet.NewWriter(make([]byte, 20))
	other.Bits(99, 32)
	other.Bits(0, 64)
	other.Bits(0, 8)
	r := packet.NewReader(other.Bytes())
	if err := ours.CheckHello(&r); err == nil || err.Error() != "builds do not match: network protocol 99 there, 1 here: update the older one" {
		t.Errorf("another protocol: %v", err)
	}
	other = packet.NewWriter(make([]byte, 20))
	other.Append(make([]byte, 12), 96)
	other.Bits(255, 8)
	r = packet.NewReader(other.Bytes())
	if err := ours.CheckHello(&r); !errors.Is(err, packet.ErrMalformed) {
		t.Errorf("255 components: %v", err)
	}
}

// buttons is an input.
type buttons struct {
	keys uint8
	turn int16
}

type buttonsCodec struct{}

func (buttonsCodec) Quantize(v buttons) buttons { v.turn = v.turn &^ 3; return v }
func (buttonsCodec) Encode(w *packet.Writer, v buttons, base *buttons) {
	w.Bits(uint64(v.keys), 8)
	turn := v.turn
	if base != nil {
		turn -= base.turn
	}
	w.SignedGolomb(int64(turn>>2), 3)
}
func (buttonsCodec) Decode(r *packet.Reader, base *buttons) buttons {
	v := buttons{uint8(r.Bits(8)), int16(r.SignedGolomb(3)) << 2}
	if base != nil {
		v.turn += base.turn
	}
	return v
}

func TestInputs(t *testing.T) {
	in := make([]buttons, 40)
	for i := range in {
		in[i] = buttons{uint8(i / 8), int16(i*i) &^ 3}
	}
	for _, test := range []struct{ n, bits, buffer, want int }{
		{0, 1000, 100, 0},
		{1, 1000, 100, 1},
		{5, 1000, 100, 5},
		{40, 4000, 400, snapshot.MaxInputs},
		{20, 200, 400, -1}, // the bits run out
		{20, 4000, 20, -1}, // the buffer does
		{5, 10, 100, 0},
	} {
		w := packet.NewWriter(make([]byte, test.buffer))
		n := snapshot.WriteInputs(&w, buttonsCodec{}, 1000, in[:test.n], test.bits)
		if w.Err() != nil || test.want >= 0 && n != test.want || test.want < 0 && (n == 0 || n >= test.n) {
			t.Errorf("%+v: wrote %d (%v)", test, n, w.Err())
		}
		if test.bits > 32 && w.Len() > test.bits {
			t.Errorf("%+v: %d bits", test, w.Len())
		}
		r := packet.NewReader(w.Bytes())
		out := make([]buttons, snapshot.MaxInputs)
		newest, m := snapshot.ReadInputs(&r, buttonsCodec{}, out)
		if m != n || newest != 1000 || r.Close() != nil {
			t.Errorf("%+v: read %d of tick %d (%v)", test, m, newest, r.Err())
		}
		for i := range m {
			if out[i] != in[i] {
				t.Errorf("%+v: input %d is %+v, want %+v", test, i, out[i], in[i])
			}
		}
		for cut := range len(w.Bytes()) {
			r := packet.NewReader(w.Bytes()[:cut])
			if _, m := snapshot.ReadInputs(&r, buttonsCodec{}, out); m != 0 || r.Err() == nil {
				t.Errorf("%+v, cut to %d bytes: read %d (%v)", test, cut, m, r.Err())
			}
		}
	}
	// Inputs that repeat take two bits each: held keys cost little however many packets are lost.
	same := make([]buttons, 20)
	w := packet.NewWriter(make([]byte, 100))
	snapshot.WriteInputs(&w, buttonsCodec{}, tick.Tick(7), same, 800)
	if w.Len() != 32+1+8+4+19*2+1 {
		t.Errorf("20 equal inputs take %d bits", w.Len())
	}
	r := packet.NewReader(w.Bytes())
	if _, n := snapshot.ReadInputs(&r, buttonsCodec{}, make([]buttons, 19)); n != 0 || !errors.Is(r.Err(), packet.ErrMalformed) {
		t.Errorf("20 inputs into room for 19: %d, %v", n, r.Err())
	}
	buf := make([]byte, 60)
	if n := testing.AllocsPerRun(100, func() {
		w = packet.NewWriter(buf) // those of an Endpoint are on the heap already
		snapshot.WriteInputs(&w, buttonsCodec{}, 7, same, 400)
		r = packet.NewReader(w.Bytes())
		snapshot.ReadInputs(&r, buttonsCodec{}, in)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
