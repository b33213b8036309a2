//go:build cgo

package opengl

import (
	"unsafe"

	"github.com/go-gl/gl/v3.3-core/gl"

	"github.com/tandem-ecs/tandem/render"
)

const lineSize = int(unsafe.Sizeof(render.Line{}))

// lineBuffer is the graphics memory of one batch of lines.
type lineBuffer struct {
	vao      uint32
	data     storage
	capacity int
	count    int // lines to draw
	frame    uint64
}

func (b *lineBuffer) delete() {
	gl.DeleteVertexArrays(1, &b.vao)
	b.data.delete()
}

func (r *Renderer) uploadLines(l *render.LineBatch) {
	g := r.lines[l]
	if g == nil {
		g = &lineBuffer{data: newStorage()}
		r.lines[l] = g
		gl.GenVertexArrays(1, &g.vao)
		gl.BindVertexArray(g.vao)
		g.data.bind()
		attribute(0, 3, int32(lineSize), 0, 1)
		attribute(1, 3, int32(lineSize), 12, 1)
		colorAttribute(2, int32(lineSize), 24, 1)
		colorAttribute(3, int32(lineSize), 28, 1)
	}
	if g.frame == r.frame {
		return
	}
	g.frame = r.frame
	g.count = len(l.Lines)
	if g.count == 0 {
		return
	}
	g.capacity = grown(g.capacity, g.count)
	if !r.replace(&g.data, g.capacity*lineSize, g.count*lineSize, unsafe.Pointer(&l.Lines[0])) {
		g.count, g.capacity = 0, 0 // not in this frame
	}
}

func (r *Renderer) drawLines(l *render.LineBatch, pixelsPerPoint float32) {
	g := r.lines[l]
	if g.count == 0 {
		return
	}
	width := l.Width
	if width <= 0 {
		width = 1.5
	}
	gl.BindVertexArray(g.vao)
	gl.Uniform1f(r.programs.line.width, width*pixelsPerPoint)
	gl.DrawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, int32(g.count))
	r.stats.DrawCalls++
	r.stats.Triangles += 2 * g.count
}
