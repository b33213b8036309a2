//go:build !js

package websocket

import (
	"encoding/binary"
	"testing"

	"pgregory.net/rapid"
)

// appendFrame appends a frame with a payload of zeros.
func appendFrame(b []byte, opcode byte, fin, masked bool, size int) []byte {
	if fin {
		opcode |= 0x80
	}
	mask := byte(0)
	if masked {
		mask = 0x80
	}
	switch {
	case size < 126:
		b = append(b, opcode, mask|byte(size))
	case size < 1<<16:
		b = binary.BigEndian.AppendUint16(append(b, opcode, mask|126), uint16(size))
	default:
		b = binary.BigEndian.AppendUint64(append(b, opcode, mask|127), uint64(size))
	}
	if masked {
		b = append(b, 1, 2, 3, 4)
	}
	return append(b, make([]byte, size)...)
}

// However a stream is cut into pieces, each frame counts once, and those that carry nothing are
// found.
func TestFramesInPieces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var stream []byte
		want, wantEmpty := 0, 0
		for range rapid.IntRange(1, 40).Draw(t, "frames") {
			opcode := rapid.SampledFrom([]byte{0, 1, 2, 8, 9, 10}).Draw(t, "opcode")
			fin, masked := rapid.Bool().Draw(t, "fin"), rapid.Bool().Draw(t, "masked")
			size := rapid.SampledFrom([]int{0, 0, 1, 2, 125, 126, 127, 1200, 65535, 65536, 70000}).Draw(t, "size")
			stream = appendFrame(stream, opcode, fin, masked, size)
			want++
			if opcode == 9 || opcode == 10 || size == 0 && !fin {
				wantEmpty++
			}
		}
		var f frames
		got, gotEmpty := 0, 0
		for len(stream) > 0 {
			n := min(len(stream), rapid.SampledFrom([]int{1, 2, 3, 5, 100, 4096, 1 << 20}).Draw(t, "piece"))
			begun, empty := f.scan(stream[:n])
			got, gotEmpty = got+begun, gotEmpty+empty
			stream = stream[n:]
		}
		if got != want || gotEmpty != wantEmpty {
			t.Fatalf("%d frames, %d of them empty; want %d and %d", got, gotEmpty, want, wantEmpty)
		}
	})
}

// A length that no stream can have neither panics nor counts anything that follows.
func TestAbsurdLength(t *testing.T) {
	var f frames
	f.scan(append([]byte{0x82, 0xff}, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 2, 3, 4))
	if begun, _ := f.scan(make([]byte, 1<<16)); begun != 0 {
		t.Errorf("%d frames began inside of another one", begun)
	}
}
