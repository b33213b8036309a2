package netcode

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
)

type counterCodec struct{}

func (counterCodec) Write(w *Writer, n int) { w.Bits(uint64(n), 32) }
func (counterCodec) Read(r *Reader) int     { return int(r.Bits(32)) }

// Packets and acknowledgements are lost and overtake each other. The client reads in each packet
// the state of the time when it was sent. A state that does not change is not sent again after its
// acknowledgement.
func TestOwnStateOverAnyPath(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var sent ownSent
		var heard ownReceived[int]
		codec := ownCodec[int]{counterCodec{}, 2}
		type flight struct {
			number packet.Number
			bytes  []byte
			truth  ownState[int]
		}
		var down, up []flight
		truth, newest, calm := ownState[int]{}, packet.Number(0), 0
		for n := packet.Number(1); n < 400; n++ {
			before := truth
			if rapid.IntRange(0, 19).Draw(t, "change") == 0 {
				switch rapid.IntRange(0, 3).Draw(t, "what") {
				case 0:
					truth.state = rapid.IntRange(0, 3).Draw(t, "state") // also an earlier one
				case 1:
					truth.jumps++
				case 2:
					kind := rapid.IntRange(0, 1).Draw(t, "kind")
					truth.launched[kind] = (truth.launched[kind] + 1) % (1 << launchedBits)
				default:
					truth.body ^= 1
				}
			}
			if truth != before {
				calm = 0
			}
			full := NewWriter(make([]byte, 64))
			truth.write(&full, codec)
			sent.note(full.Bytes(), n)
			w := NewWriter(make([]byte, 64))
			if sent.name(&w, n) {
				if calm == 0 {
					t.Fatalf("packet %d names an older one, and nobody has acknowledged what is new", n)
				}
			} else {
				truth.write(&w, codec)
			}
			down = append(down, flight{n, w.Bytes(), truth})
			for range rapid.IntRange(0, 2).Draw(t, "arrivals") {
				if len(down) == 0 {
					break
				}
				k := rapid.IntRange(max(0, len(down)-8), len(down)-1).Draw(t, "which")
				f := down[k]
				down = append(down[:k], down[k+1:]...)
				if f.number+32 < newest { // the endpoint accepts none that old
					continue
				}
				newest = max(newest, f.number)
				r := NewReader(f.bytes)
				got := heard.read(&r, f.number, codec)
				if r.Err() != nil || got != f.truth {
					t.Fatalf("packet %d says %+v (%v), want %+v", f.number, got, r.Err(), f.truth)
				}
				heard.keep(f.number, got)
				up = append(up, f)
			}
			if len(up) > 0 && rapid.Bool().Draw(t, "ack") {
				k := rapid.IntRange(0, len(up)-1).Draw(t, "ack of")
				sent.delivered(up[k].number)
				if up[k].number >= sent.since {
					calm++
				}
				up = append(up[:k], up[k+1:]...)
			}
		}
	})
}

// A server never refers to a packet that did not arrive, that is too old, or that contains the
// reference. The client refuses such references.
func TestOwnStateReferencesAreChecked(t *testing.T) {
	var heard ownReceived[int]
	heard.keep(10, ownState[int]{state: 7})
	for _, test := range []struct {
		n    packet.Number
		back uint64
		want bool
	}{{11, 1, true}, {73, 63, true}, {11, 0, false}, {11, 2, false}, {5, 5, false}, {5, 9, false}, {10 + remembered, 0, false}, {12, 1, false}} {
		w := NewWriter(make([]byte, 8))
		w.Bool(true)
		w.Bits(test.back, recallBits)
		r := NewReader(w.Bytes())
		got := heard.read(&r, test.n, ownCodec[int]{counterCodec{}, 0})
		if ok := r.Err() == nil; ok != test.want || ok && got.state != 7 {
			t.Errorf("packet %d names the one %d before: %+v, %v", test.n, test.back, got, r.Err())
		}
	}
}
