//go:build cgo || js

package opengl

import (
	"unsafe"

	"github.com/tandem-ecs/tandem/render"
	"github.com/tandem-ecs/tandem/render/opengl/internal/gl"
)

const overlaySize = int(unsafe.Sizeof(render.OverlayVertex{}))

// overlayBuffer is the graphics memory of the overlay.
type overlayBuffer struct {
	vao, indices uint32
	vertices     storage
	texture      uint32
	first        int             // vertex from which on the vertex array reads
	owner        *render.Overlay // whose atlas the texture is
	version      uint32
}

// maxQuads is the most quadrilaterals of a draw call. Their vertices have indices of 16 bits.
const maxQuads = 1 << 14

func newOverlayBuffer() overlayBuffer {
	var b overlayBuffer
	gl.GenVertexArrays(1, &b.vao)
	b.vertices = newStorage()
	gl.GenBuffers(1, &b.indices)
	gl.BindVertexArray(b.vao)
	b.from(0)
	var indices []uint16
	for k := range maxQuads {
		v := uint16(4 * k)
		indices = append(indices, v, v+1, v+2, v, v+2, v+3)
	}
	gl.BindBuffer(gl.ELEMENT_ARRAY_BUFFER, b.indices)
	gl.BufferData(gl.ELEMENT_ARRAY_BUFFER, 2*len(indices), unsafe.Pointer(&indices[0]), gl.STATIC_DRAW)
	b.texture = newTexture(atlasUnit, gl.LINEAR)
	return b
}

// from makes the vertex array, which is bound, read from a vertex on.
func (b *overlayBuffer) from(first int) {
	b.first = first
	b.vertices.bind()
	at := uintptr(first * overlaySize)
	attribute(0, 2, gl.FLOAT, overlaySize, at, 0)
	attribute(1, 2, gl.UNSIGNED_SHORT, overlaySize, at+8, 0)
	attribute(2, 4, gl.UNSIGNED_BYTE, overlaySize, at+12, 0)
}

func (b *overlayBuffer) delete() {
	gl.DeleteVertexArrays(1, &b.vao)
	b.vertices.delete()
	gl.DeleteBuffers(1, &b.indices)
	gl.DeleteTextures(1, &b.texture)
}

// drawOverlay draws the whole list on the bound framebuffer, which keeps bytes as they are. Colours
// of interfaces are designed for blending in sRGB: translucent panels blended as light come out
// pale.
func (r *Renderer) drawOverlay(o *render.Overlay) {
	vertices := o.Vertices()
	if len(vertices) == 0 {
		return
	}
	b := &r.overlay
	if atlas, version := o.Atlas(); b.owner != o || b.version != version {
		b.owner, b.version = o, version
		gl.ActiveTexture(gl.TEXTURE0 + atlasUnit)
		gl.PixelStorei(gl.UNPACK_ALIGNMENT, 1)
		gl.TexImage2D(gl.TEXTURE_2D, 0, gl.R8, int32(atlas.Rect.Dx()), int32(atlas.Rect.Dy()), 0, gl.RED, gl.UNSIGNED_BYTE, unsafe.Pointer(&atlas.Pix[0]))
	}
	gl.BindVertexArray(b.vao)
	if !replace(r, &b.vertices, vertices) {
		return // not in this frame
	}

	gl.Disable(gl.DEPTH_TEST)
	gl.Disable(gl.CULL_FACE)
	gl.Enable(gl.BLEND)
	gl.UseProgram(r.programs.overlay.id)
	gl.Uniform2f(r.programs.overlay.surface, float32(r.target.width), float32(r.target.height))
	for first, quads := 0, len(vertices)/4; first < quads; first += maxQuads {
		n := min(quads-first, maxQuads)
		if b.first != 4*first {
			b.from(4 * first)
		}
		gl.DrawElements(gl.TRIANGLES, int32(6*n), gl.UNSIGNED_SHORT, nil)
		r.drawn(2 * n)
	}
}
