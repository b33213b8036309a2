//go:build cgo

package opengl

import (
	"unsafe"

	"github.com/go-gl/gl/v3.3-core/gl"
)

// storage is an array in graphics memory whose contents change.
type storage struct {
	buffer uint32
	size   int // bytes; 0 where the driver has given none yet
}

func newStorage() (s storage) {
	gl.GenBuffers(1, &s.buffer)
	return s
}

func (s *storage) delete() { gl.DeleteBuffers(1, &s.buffer) }

func (s *storage) bind() { gl.BindBuffer(gl.ARRAY_BUFFER, s.buffer) }

// grown is the capacity for n elements: with room to grow, so that a slowly growing batch does not
// move each frame.
func grown(capacity, n int) int {
	if n > capacity {
		return n + n/2 + 16
	}
	return capacity
}

// replace makes the data the beginning of the array, of which nothing else is kept, with room for
// as many bytes as are given where it must be made larger. It binds the array. It returns false if
// the driver has no memory for it, which is noted as an error of the frame: then the array is
// empty, must not be drawn from, and is asked for again by the next call.
//
// The driver hears beforehand that what was there is not needed any more, so that it need not wait
// for frames that still read it. Mapping says that without asking for new memory, which costs as
// much as filling it where the driver clears it first.
func (r *Renderer) replace(s *storage, room, size int, data unsafe.Pointer) bool {
	s.bind()
	if s.size < size && !r.reserve(s, room, size) {
		return false
	}
	if size == 0 {
		return true
	}
	r.stats.Uploaded += size
	if to := gl.MapBufferRange(gl.ARRAY_BUFFER, 0, size, gl.MAP_WRITE_BIT|gl.MAP_INVALIDATE_BUFFER_BIT); to != nil {
		copy(unsafe.Slice((*byte)(to), size), unsafe.Slice((*byte)(data), size))
		if gl.UnmapBuffer(gl.ARRAY_BUFFER) {
			return true
		}
	}
	// The memory could not be mapped, or was lost meanwhile, as happens when a display changes its
	// mode.
	gl.BufferSubData(gl.ARRAY_BUFFER, 0, size, data)
	return true
}

// reserve asks for the memory of an array, which is bound: with room to grow, or else for what is
// needed now.
func (r *Renderer) reserve(s *storage, room, size int) bool {
	s.size = 0
	err := r.allocate(gl.ARRAY_BUFFER, room, nil, gl.STREAM_DRAW)
	if err != nil {
		room = size
		err = r.allocate(gl.ARRAY_BUFFER, room, nil, gl.STREAM_DRAW)
	}
	if err != nil {
		r.note(err)
		return false
	}
	s.size = room
	return true
}

// allocate asks for the memory of the buffer that is bound, and fills it. This is the one place
// that asks for errors in the middle of a frame, which makes drivers wait, but only where something
// grows.
func (r *Renderer) allocate(target uint32, size int, data unsafe.Pointer, usage uint32) error {
	r.note(driverError()) // what has gone wrong before is not about this
	gl.BufferData(target, size, data, usage)
	return driverError()
}

// write replaces a part of the array, which must be bound.
func (r *Renderer) write(offset, size int, data unsafe.Pointer) {
	gl.BufferSubData(gl.ARRAY_BUFFER, offset, size, data)
	r.stats.Uploaded += size
}
