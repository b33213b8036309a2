package replay

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"sort"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

// Tape is a recording to be read. Any number of cursors may read it, each on a goroutine of its
// own, if its reader allows that, as files and bytes do.
type Tape struct {
	info   Info
	source io.ReaderAt
	closer io.Closer
	closed bool
	index
}

// Open opens a file. Close it when its cursors are done. Errors say what is wrong: those about the
// contents wrap [ErrFormat].
func Open(name string) (*Tape, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("replay: %w", err)
	}
	s, err := f.Stat()
	if err == nil {
		var t *Tape
		if t, err = Read(f, s.Size()); err == nil {
			t.closer = f
			return t, nil
		}
	}
	_ = f.Close()
	return nil, fmt.Errorf("%s: %w", name, err)
}

// Read is Open for a recording of a size in bytes that is somewhere else, such as in memory.
func Read(r io.ReaderAt, size int64) (*Tape, error) {
	info, begin, err := readHeader(r, size)
	if err != nil {
		return nil, err
	}
	t := &Tape{info: info, source: r}
	if t.index, t.closed = readIndex(r, begin, size); !t.closed {
		t.index = scan(r, begin, size)
	}
	for len(t.entries) > 0 && t.entries[0].flags&chunkKey == 0 {
		t.entries = t.entries[1:]
	}
	if len(t.entries) == 0 {
		return nil, fmt.Errorf("%w: it holds no whole second with a keyframe", ErrFormat)
	}
	return t, nil
}

// Close closes the file. Cursors read nothing after that.
func (t *Tape) Close() error {
	if t.closer == nil {
		return nil
	}
	return t.closer.Close()
}

// Closed reports whether the recording has its end, which [File.Close] writes. A program that was
// stopped leaves none, and cut or damaged files may have lost it. They play up to their last
// second.
func (t *Tape) Closed() bool { return t.closed }

// Info returns the description of the recording.
func (t *Tape) Info() Info { return t.info }

// First returns the tick of the first frame, and Last that of the last.
func (t *Tape) First() tick.Tick { return t.entries[0].first }

// Last returns the tick of the last frame.
func (t *Tape) Last() tick.Tick { return t.entries[len(t.entries)-1].last }

// Length returns the time from the first frame to the last.
func (t *Tape) Length() time.Duration { return t.At(t.Last()) }

// At returns the time of a tick since the first frame.
func (t *Tape) At(k tick.Tick) time.Duration {
	n := time.Duration(k.Sub(t.First()))
	rate := time.Duration(t.info.Rate)
	return n/rate*time.Second + n%rate*time.Second/rate
}

// Tick returns the last tick at or before a time since the first frame, within the recording.
func (t *Tape) Tick(at time.Duration) tick.Tick {
	at = min(max(at, 0), t.Length())
	rate := time.Duration(t.info.Rate)
	whole := at / time.Second
	n := whole*rate + (at-whole*time.Second)*rate/time.Second
	if t.At(t.First().Add(int(n)+1)) <= at { // a tick begins at a rounded nanosecond
		n++
	}
	return t.First().Add(int(n))
}

// Marks returns the marks of the match in the order of time. The slice belongs to the tape.
func (t *Tape) Marks() []Mark { return t.marks }

// Gap is a part of a recording that is missing: damaged, or never written.
type Gap struct {
	From, To time.Duration // since the first frame
}

// Gaps returns the missing parts that the index shows. A damaged chunk in a file with an index is
// found when it is read.
func (t *Tape) Gaps() (gaps []Gap) {
	for i, e := range t.entries[1:] {
		if e.flags&chunkGap != 0 {
			gaps = append(gaps, Gap{t.At(t.entries[i].last), t.At(e.first)})
		}
	}
	return gaps
}

// keyAt returns the chunk of the last keyframe at or before a tick, or of the first one.
func (t *Tape) keyAt(k tick.Tick) int {
	i := sort.Search(len(t.entries), func(i int) bool { return t.entries[i].first.Sub(k) > 0 }) - 1
	for i > 0 && t.entries[i].flags&chunkKey == 0 {
		i--
	}
	return max(i, 0)
}

// scan finds the chunks of a file without an index, and its marks.
func scan(r io.ReaderAt, at, size int64) (x index) {
	var u unpacker
	lost := false
	// Heads that are none, each with a long body, could make the search quadratic.
	for budget := 4 * size; at+chunkHead <= size && budget > 0; {
		h, raw, ok := u.read(r, at, chunkMark, size-at)
		budget -= int64(len(u.bytes))
		if n := len(x.entries); ok && n > 0 && (h.first.Sub(x.entries[n-1].last) < 0 || h.last.Sub(x.entries[0].first) < 0) {
			ok = false
		}
		if !ok {
			lost = true
			if at = findMark(r, at+1, size); at < 0 {
				break
			}
			continue
		}
		next := at + chunkHead + int64(h.packed)
		if lost && h.flags&chunkKey == 0 {
			at = next // changes to what is lost
			continue
		}
		if lost {
			h.flags |= chunkGap
			lost = false
		}
		x.add(h, at, next-at)
		x.takeMarks(h, raw)
		at = next
	}
	return x
}

// takeMarks notes the marks among the frames of a chunk.
func (x *index) takeMarks(h head, raw []byte) {
	for last := h.first; len(raw) > 0; {
		f, rest, err := nextFrame(raw, last)
		if err != nil {
			return
		}
		if m, ok := readMark(f.Tick, f.Data); ok && f.Kind == Marker {
			x.marks = append(x.marks, m)
		}
		last, raw = f.Tick, rest
	}
}

// findMark returns the next place of a chunk's mark, -1 if there is none.
func findMark(r io.ReaderAt, at, size int64) int64 {
	mark := binary.LittleEndian.AppendUint32(nil, chunkMark)
	b := make([]byte, 64<<10)
	for at < size {
		n, err := r.ReadAt(b[:min(int64(len(b)), size-at)], at)
		if i := bytes.Index(b[:n], mark); i >= 0 {
			return at + int64(i)
		}
		if err != nil && !errors.Is(err, io.EOF) || n < len(mark) {
			return -1
		}
		at += int64(n - len(mark) + 1)
	}
	return -1
}
