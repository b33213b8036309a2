package netcode

import "github.com/tandem-ecs/tandem/systems/netcode/replay"

// frameReader reads the frames of a recording up to a tick. The first one beyond it waits for the
// next call.
type frameReader struct {
	cursor *replay.Cursor
	ahead  replay.Frame // read, but not returned; valid with has
	has    bool
}

// seek goes to the last keyframe at or before a tick, or to the first one.
func (r *frameReader) seek(k Tick) {
	r.cursor.Seek(k)
	r.has = false
}

// peek returns the next frame of any tick, which stays the next one, and nil at the end.
func (r *frameReader) peek() *replay.Frame {
	if !r.has {
		if r.ahead, r.has = r.cursor.Next(); !r.has {
			return nil
		}
	}
	return &r.ahead
}

// upTo returns the next frame if it is of a tick up to a last one. The data are valid until the
// next call of any method.
func (r *frameReader) upTo(last Tick) (f replay.Frame, ok bool) {
	next := r.peek()
	if next == nil || next.Tick.IsNewer(last) {
		return f, false
	}
	r.has = false
	return *next, true
}
