//go:build cgo || js

package opengl

import (
	"unsafe"

	"github.com/tandem-ecs/tandem/render/opengl/internal/gl"
)

// storage is an array in graphics memory whose contents change.
type storage struct {
	buffer uint32
	size   int // bytes; 0 if the driver has given none yet
}

func newStorage() (s storage) {
	gl.GenBuffers(1, &s.buffer)
	return s
}

func (s *storage) delete() { gl.DeleteBuffers(1, &s.buffer) }

func (s *storage) bind() { gl.BindBuffer(gl.ARRAY_BUFFER, s.buffer) }

// replace replaces the contents of the array by the data. replace binds the array. It returns false
// if the driver has no memory for it, and notes that as an error of the frame. The array is then
// empty and must not be drawn from, and the next call asks for memory again.
//
// Mapping the array with its old contents invalidated means that the driver need not wait for
// frames that still read them. It needs no new memory: where the driver clears new memory first,
// that costs as much as filling it.
func replace[T any](r *Renderer, s *storage, data []T) bool {
	s.bind()
	size := len(data) * int(unsafe.Sizeof(*new(T)))
	if s.size < size && !r.reserve(s, size) {
		return false
	}
	if size == 0 {
		return true
	}
	r.stats.Uploaded += size
	from := unsafe.Pointer(unsafe.SliceData(data))
	if to := gl.MapBufferRange(gl.ARRAY_BUFFER, 0, size, gl.MAP_WRITE_BIT|gl.MAP_INVALIDATE_BUFFER_BIT); to != nil {
		copy(unsafe.Slice((*byte)(to), size), unsafe.Slice((*byte)(from), size))
		if gl.UnmapBuffer(gl.ARRAY_BUFFER) {
			return true
		}
	}
	// The memory could not be mapped, or it was lost meanwhile, as when a display changes its mode.
	gl.BufferSubData(gl.ARRAY_BUFFER, 0, size, from)
	return true
}

// reserve asks for the memory of the bound array: with room to grow, so that a slowly growing batch
// does not need new memory in each frame, or, if the driver has not so much, for the size needed
// now. It is the only function that asks for errors in the middle of a frame, which makes drivers
// wait. It is called only when an array grows.
func (r *Renderer) reserve(s *storage, size int) bool {
	var err error
	for _, room := range [...]int{size + size/2 + 1024, size} {
		r.note(driverError()) // an error from before is not about this call
		gl.BufferData(gl.ARRAY_BUFFER, room, nil, gl.STREAM_DRAW)
		s.size = room
		if err = driverError(); err == nil {
			return true
		}
	}
	s.size = 0
	r.note(err)
	return false
}
