//go:build cgo

package opengl

import (
	"unsafe"

	"github.com/go-gl/gl/v3.3-core/gl"
)

// storage is an array in graphics memory whose contents change.
type storage struct {
	buffer uint32
	size   int // bytes
}

func newStorage() (s storage) {
	gl.GenBuffers(1, &s.buffer)
	return s
}

func (s *storage) delete() { gl.DeleteBuffers(1, &s.buffer) }

func (s *storage) bind() { gl.BindBuffer(gl.ARRAY_BUFFER, s.buffer) }

// grown is the capacity for n elements: with room to grow, so that a slowly growing batch does not move each frame.
func grown(capacity, n int) int {
	if n > capacity {
		return n + n/2 + 16
	}
	return capacity
}

// replace makes the data the beginning of the array, of which nothing else is kept, with room for as many bytes as are given. It binds the array.
//
// The driver hears beforehand that what was there is not needed any more, so that it need not wait for frames that still read it. Mapping says that without asking for new memory,
// which costs as much as filling it where the driver clears it first.
func (r *Renderer) replace(s *storage, room, size int, data unsafe.Pointer) {
	s.bind()
	if s.size != room {
		gl.BufferData(gl.ARRAY_BUFFER, room, nil, gl.STREAM_DRAW)
		s.size = room
	}
	if size == 0 {
		return
	}
	r.stats.Uploaded += size
	if to := gl.MapBufferRange(gl.ARRAY_BUFFER, 0, size, gl.MAP_WRITE_BIT|gl.MAP_INVALIDATE_BUFFER_BIT); to != nil {
		copy(unsafe.Slice((*byte)(to), size), unsafe.Slice((*byte)(data), size))
		if gl.UnmapBuffer(gl.ARRAY_BUFFER) {
			return
		}
	}
	// The memory could not be mapped, or was lost meanwhile, as happens when a display changes its mode.
	gl.BufferSubData(gl.ARRAY_BUFFER, 0, size, data)
}

// write replaces a part of the array, which must be bound.
func (r *Renderer) write(offset, size int, data unsafe.Pointer) {
	gl.BufferSubData(gl.ARRAY_BUFFER, offset, size, data)
	r.stats.Uploaded += size
}
