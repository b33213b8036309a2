package snapshot_test

import (
	"errors"
	"testing"

	"github.com/tandem-ecs/tandem/systems/netcode/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/snapshot"
	"github.com/tandem-ecs/tandem/systems/netcode/tick"
)

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
