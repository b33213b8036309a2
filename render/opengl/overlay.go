//go:build cgo

package opengl

import (
	"unsafe"

	"github.com/go-gl/gl/v3.3-core/gl"

	"github.com/tandem-ecs/tandem/render"
)

const overlaySize = int(unsafe.Sizeof(render.OverlayVertex{}))

// overlayBuffer is the graphics memory of the overlay.
type overlayBuffer struct {
	vao, indices uint32
	vertices     storage
	texture      uint32
	owner        *render.Overlay // whose atlas the texture is
	version      uint32
	indexed      int // quadrilaterals with indices
}

func newOverlayBuffer() overlayBuffer {
	var b overlayBuffer
	gl.GenVertexArrays(1, &b.vao)
	b.vertices = newStorage()
	gl.GenBuffers(1, &b.indices)
	gl.BindVertexArray(b.vao)
	b.vertices.bind()
	attribute(0, 2, int32(overlaySize), 0, 0)
	gl.EnableVertexAttribArray(1)
	gl.VertexAttribPointerWithOffset(1, 2, gl.UNSIGNED_SHORT, false, int32(overlaySize), 8)
	colorAttribute(2, int32(overlaySize), 12, 0)
	gl.BindBuffer(gl.ELEMENT_ARRAY_BUFFER, b.indices)
	b.texture = newTexture(atlasUnit, gl.LINEAR)
	return b
}

func (b *overlayBuffer) delete() {
	gl.DeleteVertexArrays(1, &b.vao)
	b.vertices.delete()
	gl.DeleteBuffers(1, &b.indices)
	gl.DeleteTextures(1, &b.texture)
}

// drawOverlay draws the whole list in one call on the bound framebuffer.
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
	quads := len(vertices) / 4
	if quads > b.indexed && !r.growIndices(quads+quads/2) || !r.replace(&b.vertices, len(vertices)*overlaySize, unsafe.Pointer(&vertices[0])) {
		return // not in this frame
	}

	// Colours of interfaces are designed for blending in sRGB: translucent panels blended as light
	// come out pale.
	gl.Disable(gl.FRAMEBUFFER_SRGB)
	gl.Disable(gl.DEPTH_TEST)
	gl.Disable(gl.CULL_FACE)
	gl.Enable(gl.BLEND)
	gl.UseProgram(r.programs.overlay.id)
	gl.Uniform2f(r.programs.overlay.surface, float32(r.target.width), float32(r.target.height))
	gl.DrawElements(gl.TRIANGLES, int32(6*quads), gl.UNSIGNED_INT, nil)
	r.stats.DrawCalls++
	r.stats.Triangles += 2 * quads
}

// growIndices makes the indices of the given number of quadrilaterals. Like replace it returns
// false if there is no memory for them.
func (r *Renderer) growIndices(quads int) bool {
	indices := make([]uint32, 0, 6*quads)
	for i := uint32(0); i < uint32(quads); i++ {
		v := 4 * i
		indices = append(indices, v, v+1, v+2, v, v+2, v+3)
	}
	r.overlay.indexed = 0
	if err := r.allocate(gl.ELEMENT_ARRAY_BUFFER, len(indices)*4, unsafe.Pointer(&indices[0]), gl.STATIC_DRAW); err != nil {
		r.note(err)
		return false
	}
	r.overlay.indexed = quads
	return true
}
