package replay

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

// Ring keeps the last seconds of a match in memory, for kill cams and for "again". It is a
// [Recorder]. Its memory grows to what these seconds take, and then stays.
type Ring struct {
	length time.Duration
	info   Info
	chunker
	begun  bool
	ended  bool        // by Stop
	chunks []ringChunk // the oldest first; the first begins with a keyframe
	free   [][]byte
}

type ringChunk struct {
	head head
	raw  []byte
}

// maxRing is the longest time that a ring keeps. Its ticks, at any rate, are far from turning over.
const maxRing = 24 * time.Hour

// NewRing returns a ring that holds at least the given time once so much was recorded. It holds one
// distance of keyframes more, since a clip begins with one. It panics if length is not positive, or
// more than a day: such a recording belongs into a [File].
func NewRing(length time.Duration) *Ring {
	switch {
	case length <= 0:
		panic("replay: NewRing of no time: say how much it keeps, 30 * time.Second for example")
	case length > maxRing:
		panic(fmt.Sprintf("replay: NewRing of %v: a ring is in memory and keeps %v at most: record into a File", length, maxRing))
	}
	return &Ring{length: length}
}

// Begin implements [Recorder].
func (r *Ring) Begin(s Session) error {
	if r.begun {
		return errors.New("replay: this Ring has a recording already: make one for each")
	}
	if r.ended {
		return errors.New("replay: this Ring was stopped: make another one")
	}
	if s.Kind == Exact {
		return errors.New("replay: a Ring keeps the last seconds only, and a capture is of use from its begin on: use a File")
	}
	r.begun = true
	r.info.Session, r.rate = s, s.Rate
	return nil
}

// Stop ends the recording: the ring takes no further frame, and its recorder drops it at the next
// one. Call it before a ring is dropped for another: a server or a client records into each of its
// rings as long as it runs, and keeps their memory. Clip goes on to return what was recorded. A
// stopped ring refuses to begin. Call it on the goroutine that records; a second call does nothing.
func (r *Ring) Stop() { r.ended = true }

// Add implements [Recorder].
func (r *Ring) Add(f Frame) bool {
	if r.ended {
		return false
	}
	if !r.add(f) {
		return true
	}
	r.chunks = append(r.chunks, ringChunk{r.head, r.raw})
	keep := f.Tick.Add(-int(r.length * time.Duration(r.rate) / time.Second))
	for r.covers(keep) {
		r.free = append(r.free, r.chunks[0].raw)
		copy(r.chunks, r.chunks[1:])
		r.chunks = r.chunks[:len(r.chunks)-1]
	}
	var raw []byte
	if n := len(r.free); n > 0 {
		raw, r.free = r.free[n-1], r.free[:n-1]
	}
	r.restart(raw)
	r.add(f)
	return true
}

// covers reports whether the ring holds the tick without its first chunk, or begins with chunks
// that nothing can be read from.
func (r *Ring) covers(t tick.Tick) bool {
	if len(r.chunks) == 0 {
		return false
	}
	if r.chunks[0].head.flags&chunkKey == 0 {
		return true
	}
	for _, c := range r.chunks[1:] {
		if c.head.flags&chunkKey != 0 {
			return c.head.first.Sub(t) <= 0
		}
	}
	return false
}

// Clip returns what was recorded in the last time before now, and a little more: a clip begins
// with a keyframe. It is a copy, and the ring records on. A time longer than the ring's is all that
// it holds, and one below zero counts as zero.
func (r *Ring) Clip(last time.Duration) (*Tape, error) {
	last = min(max(last, 0), maxRing)
	from := r.tick.Add(-int(last * time.Duration(max(r.rate, 1)) / time.Second))
	first := -1
	for i, c := range r.chunks {
		if c.head.flags&chunkKey != 0 && (first < 0 || c.head.first.Sub(from) <= 0) {
			first = i
		}
	}
	open := r.chunker.begun && len(r.raw) > 0
	if first < 0 && !(open && r.head.flags&chunkKey != 0) {
		return nil, errors.New("replay: the ring holds no keyframe yet: record for some seconds first")
	}
	b, err := appendHeader(nil, r.info)
	if err != nil {
		return nil, err
	}
	if first >= 0 && !(open && r.head.flags&chunkKey != 0 && r.head.first.Sub(from) <= 0) {
		for _, c := range r.chunks[first:] {
			b = seal(b, chunkMark, c.head, c.raw, nil, nil)
		}
	}
	if open {
		b = seal(b, chunkMark, r.head, r.raw, nil, nil)
	}
	return Read(bytes.NewReader(b), int64(len(b)))
}
