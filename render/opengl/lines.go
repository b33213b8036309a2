//go:build cgo || js

package opengl

import (
	"unsafe"

	"github.com/tandem-ecs/tandem/render"
	"github.com/tandem-ecs/tandem/render/opengl/internal/gl"
)

const lineSize = int(unsafe.Sizeof(render.Line{}))

// lineAttributes describes the memory of a LineBatch.
func (b *instances) lineAttributes() {
	b.style = lineStyle
	b.poses[0].bind()
	attribute(0, 3, gl.FLOAT, lineSize, 0, 1)
	attribute(1, 3, gl.FLOAT, lineSize, 12, 1)
	attribute(2, 4, gl.UNSIGNED_BYTE, lineSize, 24, 1)
	attribute(3, 4, gl.UNSIGNED_BYTE, lineSize, 28, 1)
}

func (r *Renderer) uploadLines(l *render.LineBatch) {
	g, uploaded := r.instancesOf(l, (*instances).lineAttributes)
	if uploaded {
		return
	}
	g.count = len(l.Lines)
	if g.count > 0 && !replace(r, &g.poses[0], l.Lines) {
		g.refused()
	}
}

func (r *Renderer) drawLines(l *render.LineBatch, pixelsPerPoint float32) {
	g := r.instances[l]
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
	r.drawn(2 * g.count)
}
