package replay

import (
	"fmt"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

// Recorder takes a recording: a [File], a [Ring], or a program's own. All methods are called on one
// goroutine, that of the engine which records, and must not wait for anything.
type Recorder interface {
	// Begin is called once, before the first frame. An error refuses the recording.
	Begin(Session) error
	// Add takes a frame, and reports whether the recording goes on. Ticks do not go back, and the
	// first frame is a Key. The data belong to the caller, which changes them after the call.
	Add(Frame) bool
}

// chunker collects frames into chunks.
type chunker struct {
	rate  int
	begun bool
	gap   bool // the next chunk follows a gap
	head  head
	tick  tick.Tick // of the newest frame
	raw   []byte
}

// add takes a frame. If the frame begins a new chunk, it returns true before it takes the frame:
// the caller seals the chunk, calls restart, and adds again.
func (c *chunker) add(f Frame) (full bool) {
	if len(f.Data) > MaxFrame {
		panic(fmt.Sprintf("replay: a frame of %d bytes: a file has room for %d: split it", len(f.Data), MaxFrame))
	}
	ticks := f.Tick.Sub(c.tick)
	switch {
	case !c.begun:
		c.begun = true
		c.head = head{first: f.Tick}
		c.tick = f.Tick
		if f.Key {
			c.head.flags |= chunkKey
		}
		if c.gap {
			c.head.flags |= chunkGap
			c.gap = false
		}
	case ticks < 0:
		panic(fmt.Sprintf("replay: a frame of tick %d after one of tick %d: record in the order of ticks", f.Tick, c.tick))
	case f.Key, ticks > 0 && f.Tick.Sub(c.head.first) >= int32(c.rate), len(c.raw)+len(f.Data)+16 > maxChunk:
		return true
	}
	if f.Kind == Snapshot && c.head.number == 0 {
		c.head.number = f.Number
	}
	c.raw = appendFrame(c.raw, f, c.tick)
	c.tick, c.head.last = f.Tick, f.Tick
	return false
}

// restart begins a chunk in the memory given.
func (c *chunker) restart(raw []byte) { c.begun, c.raw = false, raw[:0] }
