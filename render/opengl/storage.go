//go:build cgo

package opengl

import (
	"unsafe"

	"github.com/go-gl/gl/v3.3-core/gl"
)

// storage is an array in graphics memory whose contents change.
type storage struct{ buffer uint32 }

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
// The array gets new memory, so that filling it need not wait for frames that still read the old.
func (r *Renderer) replace(s *storage, room, size int, data unsafe.Pointer) {
	s.bind()
	gl.BufferData(gl.ARRAY_BUFFER, room, nil, gl.STREAM_DRAW)
	if size > 0 {
		gl.BufferSubData(gl.ARRAY_BUFFER, 0, size, data)
		r.stats.Uploaded += size
	}
}

// write replaces a part of the array, which must be bound.
func (r *Renderer) write(offset, size int, data unsafe.Pointer) {
	gl.BufferSubData(gl.ARRAY_BUFFER, offset, size, data)
	r.stats.Uploaded += size
}
