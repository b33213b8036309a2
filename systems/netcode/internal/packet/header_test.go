package packet_test

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
)

func TestHeaderLayout(t *testing.T) {
	for _, test := range []struct {
		name string
		h    packet.Header
		want []byte
	}{
		{"first of all", packet.Header{Sequence: 0x0201}, []byte{0, 1, 2}},
		{"no gaps", packet.Header{Sequence: 1, HasAck: true, Ack: 0x0403, AckTime: 0x0605, AckMask: math.MaxUint32}, []byte{0x10, 1, 0, 3, 4, 5, 6}},
		{"one lost long ago", packet.Header{HasAck: true, Ack: 9, AckMask: 0xff7fffff, Messages: true}, []byte{0x34, 0, 0, 9, 0, 0, 0, 0x7f}},
		{"all lost", packet.Header{HasAck: true, Ack: 9}, []byte{0x1f, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0}},
	} {
		got := test.h.Append(nil)
		if !bytes.Equal(got, test.want) {
			t.Errorf("%s: % x, want % x", test.name, got, test.want)
		}
		if len(got) > packet.MaxHeader {
			t.Errorf("%s: %d bytes, more than MaxHeader", test.name, len(got))
		}
		h, rest, err := packet.ParseHeader(append(got, 0xaa))
		if err != nil || h != test.h || !bytes.Equal(rest, []byte{0xaa}) {
			t.Errorf("%s: parsed %+v, % x, %v", test.name, h, rest, err)
		}
		for n := range len(got) {
			if _, _, err := packet.ParseHeader(got[:n]); !errors.Is(err, packet.ErrHeader) {
				t.Errorf("%s: cut to %d bytes: error %v", test.name, n, err)
			}
		}
	}
}

func TestHeaderHasOneForm(t *testing.T) {
	for _, p := range [][]byte{
		{0x40, 0, 0},                      // an unknown flag
		{0x80, 0, 0},                      // another
		{0x01, 0, 0, 7},                   // a mask without an acknowledgement
		{0x11, 0, 0, 9, 0, 0, 0, 0xff},    // a mask byte that should have been left out
		{0x1f, 0, 0, 9, 0, 0, 0, 0, 0, 0}, // a mask cut off
		{0x10, 0, 0, 9, 0, 0},             // a time cut off
	} {
		if h, _, err := packet.ParseHeader(p); !errors.Is(err, packet.ErrHeader) {
			t.Errorf("% x was parsed as %+v, error %v", p, h, err)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SliceOfN(rapid.Byte(), 0, 14).Draw(t, "p")
		h, rest, err := packet.ParseHeader(p)
		if err != nil {
			return
		}
		if again := append(h.Append(nil), rest...); !bytes.Equal(again, p) {
			t.Fatalf("% x parses as %+v, which is written % x", p, h, again)
		}
	})
}

func TestSequenceSurvivesTheWrap(t *testing.T) {
	for _, test := range []struct {
		a, b  packet.Sequence
		newer bool
		diff  int
	}{
		{1, 0, true, 1},
		{0, 1, false, -1},
		{5, 5, false, 0},
		{3, 65534, true, 5},
		{65534, 3, false, -5},
		{1 << 15, 0, false, -1 << 15},
		{0, 1 << 15, false, -1 << 15},
	} {
		if got := test.a.Sub(test.b) > 0; got != test.newer {
			t.Errorf("Sequence(%d).Sub(%d) > 0 = %v, want %v", test.a, test.b, got, test.newer)
		}
		if got := test.a.Sub(test.b); got != test.diff {
			t.Errorf("Sequence(%d).Sub(%d) = %d, want %d", test.a, test.b, got, test.diff)
		}
	}
	if got := packet.Number(1<<32 + 7).Sequence(); got != 7 {
		t.Errorf("low bits of 2^32+7 are %d, want 7", got)
	}
}
