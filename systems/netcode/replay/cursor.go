package replay

import (
	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

// Cursor reads the frames of a [Tape] in order. It is for one goroutine. It uses its memory again
// and allocates nothing once it has read the largest chunk.
type Cursor struct {
	tape   *Tape
	chunk  int // the next one
	raw    []byte
	tick   tick.Tick
	number packet.Number
	gap    bool
	unpacker
}

// Cursor returns a cursor at the first frame.
func (t *Tape) Cursor() *Cursor { return &Cursor{tape: t} }

// Seek goes to the last keyframe at or before a tick, or to the first one.
func (c *Cursor) Seek(k tick.Tick) {
	c.chunk, c.raw, c.gap = c.tape.keyAt(k), nil, false
}

// Next returns the next frame, and false at the end. The data are valid until the next call. Where
// a part of the recording is missing, it goes on at the next keyframe, and says so in Gap.
func (c *Cursor) Next() (Frame, bool) {
	for {
		if len(c.raw) == 0 {
			if c.chunk == len(c.tape.entries) {
				return Frame{}, false
			}
			c.open(c.tape.entries[c.chunk])
			c.chunk++
			continue
		}
		f, rest, err := nextFrame(c.raw, c.tick)
		if err != nil {
			c.raw, c.gap = nil, true
			continue
		}
		c.raw, c.tick = rest, f.Tick
		if f.Kind == Snapshot {
			f.Number = c.number
			c.number++
		}
		if c.gap && !f.Key {
			continue
		}
		f.Gap, c.gap = c.gap, false
		return f, true
	}
}

// open reads a chunk. A damaged one, and those after it without a keyframe, have no frames.
func (c *Cursor) open(e entry) {
	c.gap = c.gap || e.flags&chunkGap != 0
	if c.gap && e.flags&chunkKey == 0 {
		return
	}
	h, raw, ok := c.read(c.tape.source, e.at, chunkMark, e.size)
	if !ok || h.first != e.first || h.last != e.last {
		c.gap = true
		return
	}
	c.raw, c.tick, c.number = raw, h.first, h.number
}
