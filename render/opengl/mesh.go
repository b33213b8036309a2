//go:build cgo || js

package opengl

import (
	"unsafe"

	"github.com/tandem-ecs/tandem/render"
	"github.com/tandem-ecs/tandem/render/opengl/internal/gl"
)

const vertexSize = int(unsafe.Sizeof(render.Vertex{}))

// meshBuffer holds one mesh in one of its two resolutions.
type meshBuffer struct {
	vertices, indices uint32
	count             int32 // of indices
}

func newMeshBuffer(m render.Mesh, coarse bool) meshBuffer {
	g := render.NewGeometry(m, coarse)
	b := meshBuffer{count: int32(len(g.Indices))}
	gl.GenBuffers(1, &b.vertices)
	gl.BindBuffer(gl.ARRAY_BUFFER, b.vertices)
	gl.BufferData(gl.ARRAY_BUFFER, len(g.Vertices)*vertexSize, unsafe.Pointer(&g.Vertices[0]), gl.STATIC_DRAW)
	gl.GenBuffers(1, &b.indices)
	gl.BindBuffer(gl.ELEMENT_ARRAY_BUFFER, b.indices) // of the bound vertex array
	gl.BufferData(gl.ELEMENT_ARRAY_BUFFER, len(g.Indices)*2, unsafe.Pointer(&g.Indices[0]), gl.STATIC_DRAW)
	return b
}

// bind binds the mesh to the bound vertex array.
func (b *meshBuffer) bind() {
	gl.BindBuffer(gl.ARRAY_BUFFER, b.vertices)
	attribute(0, 3, gl.FLOAT, vertexSize, 0, 0)
	attribute(1, 3, gl.FLOAT, vertexSize, 12, 0)
	gl.BindBuffer(gl.ELEMENT_ARRAY_BUFFER, b.indices)
}

func (b *meshBuffer) delete() {
	gl.DeleteBuffers(1, &b.vertices)
	gl.DeleteBuffers(1, &b.indices)
}

// attribute describes vectors of n numbers in the bound buffer to the bound vertex array. Bytes are
// parts of a colour, 0 to 1 in the shader. divisor is 1 for values of an instance and 0 for values
// of a vertex.
func attribute(location uint32, n int32, kind uint32, stride int, offset uintptr, divisor uint32) {
	gl.EnableVertexAttribArray(location)
	gl.VertexAttribPointerWithOffset(location, n, kind, kind == gl.UNSIGNED_BYTE, int32(stride), offset)
	gl.VertexAttribDivisor(location, divisor)
}
