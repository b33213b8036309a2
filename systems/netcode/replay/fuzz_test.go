package replay_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/tandem-ecs/tandem/systems/netcode/replay"
)

// Any bytes are a tape or an error. A tape ends, its frames are in the order of ticks within a
// chunk, and seeks in it work.
func FuzzRead(f *testing.F) {
	b := recorded(f, script(3, 50, 3))
	f.Add(b)
	f.Add(b[:len(b)-1])
	f.Add(b[:len(b)/2])
	f.Fuzz(func(t *testing.T, b []byte) {
		tape, err := replay.Read(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			if !errors.Is(err, replay.ErrFormat) {
				t.Fatal(err)
			}
			return
		}
		tape.Gaps()
		c := tape.Cursor()
		for n := 0; ; n++ {
			if _, ok := c.Next(); !ok {
				break
			}
			if n > 64*len(b)+4<<10 {
				t.Fatalf("more than %d frames", n)
			}
		}
		c.Seek(tape.Tick(tape.Length() / 2))
		if f, ok := c.Next(); ok && f.Gap && !f.Key {
			t.Fatalf("a gap before %+v, which is no keyframe", f)
		}
	})
}

// The same for frames and indexes with a right checksum, as a stranger can make them.
func FuzzFrames(f *testing.F) {
	f.Add([]byte{0, 0, 3, 2, 'a', 'b', 1, 1, 0, 1, 'c'}, []byte{})
	f.Add([]byte{0, 2, 0, 3, 1, 'g', 'o'}, []byte{1, 1, 0, 9, 40, 7, 0, 0, 0, 2, 1, 'm'})
	f.Fuzz(func(t *testing.T, frames, index []byte) {
		if len(frames)+len(index) > 1<<20 {
			return
		}
		b := replay.Seal(frames, index)
		tape, err := replay.Read(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return
		}
		for _, m := range tape.Marks() {
			if len(m.Name) > replay.MaxMarkName {
				t.Fatalf("a mark of %d bytes", len(m.Name))
			}
		}
		c := tape.Cursor()
		for n := 0; ; n++ {
			fr, ok := c.Next()
			if !ok {
				break
			}
			if len(fr.Data) > len(frames) || n > len(frames) {
				t.Fatalf("frame %d of %d bytes from %d bytes", n, len(fr.Data), len(frames))
			}
		}
	})
}
