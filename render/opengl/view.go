//go:build cgo || js

package opengl

import (
	"math"
	"unsafe"

	"github.com/tandem-ecs/tandem/render"
	"github.com/tandem-ecs/tandem/render/opengl/internal/gl"
)

// drawView draws one view in this order: shadow map, solid instances, ground, sky, translucent
// instances and lines.
func (r *Renderer) drawView(f *render.Frame, v *render.View) {
	x, y, w, h := pixels(v.Part, f.Size)
	if w <= 0 || h <= 0 {
		return
	}
	r.scene.fill(f, v, float32(w), float32(h))
	shadows := r.settings.shadowSize > 0 && !v.Shadow.Off
	if shadows {
		center, radius := v.Shadow.Fit(v.Camera)
		*r.light = r.scene.fitShadow(center, radius, r.shadow.size)
	}
	gl.BindBuffer(gl.UNIFORM_BUFFER, r.uniforms)
	gl.BufferData(gl.UNIFORM_BUFFER, sceneSize, unsafe.Pointer(r.scene), gl.STREAM_DRAW)
	gl.Enable(gl.DEPTH_TEST)
	gl.DepthMask(true)
	gl.Disable(gl.BLEND)
	if shadows {
		r.drawShadow(v)
	}

	gl.BindFramebuffer(gl.FRAMEBUFFER, r.target.scene)
	gl.Viewport(x, y, w, h)
	gl.Scissor(x, y, w, h)
	gl.Enable(gl.SCISSOR_TEST)
	gl.Clear(gl.DEPTH_BUFFER_BIT)
	gl.Enable(gl.CULL_FACE)
	gl.DepthFunc(gl.LEQUAL)
	r.pass(v, render.Solid, &r.programs.solid)

	gl.BindVertexArray(r.empty)
	gl.Disable(gl.CULL_FACE)
	if !v.Ground.Hidden && v.Camera.Position[1] > v.Ground.Height {
		gl.UseProgram(r.programs.ground.id)
		gl.DrawArrays(gl.TRIANGLE_STRIP, 0, 4)
		r.drawn(2)
	}
	gl.UseProgram(r.programs.sky.id)
	gl.DrawArrays(gl.TRIANGLES, 0, 3)
	r.drawn(1)

	gl.Enable(gl.BLEND)
	gl.Enable(gl.CULL_FACE)
	r.pass(v, render.Glow, &r.programs.glow)
	gl.DepthMask(false)
	gl.BlendFunc(gl.SRC_ALPHA, gl.ONE) // light adds up
	r.pass(v, render.Glow, &r.programs.halo)
	blendOver()
	r.pass(v, render.Glass, &r.programs.glass)
	gl.Disable(gl.CULL_FACE)
	gl.UseProgram(r.programs.line.id)
	for _, item := range v.Items() {
		if lines, ok := item.(*render.LineBatch); ok {
			r.drawLines(lines, r.scene.forward[3])
		}
	}
	r.pass(v, render.Ghost, &r.programs.ghost)
	gl.DepthMask(true)
	gl.Disable(gl.SCISSOR_TEST)
}

// blendOver sets ordinary blending by alpha.
func blendOver() {
	gl.BlendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA)
}

// pass draws all instances of one style. pair has the programs for poses and for motions.
func (r *Renderer) pass(v *render.View, style render.Style, pair *[2]program) {
	halo := pair == &r.programs.halo // only spheres have one
	for _, item := range v.Items() {
		g := r.instances[item]
		if g == nil || g.frame != r.frame || g.style != style || halo && g.mesh.mesh != render.Sphere {
			continue
		}
		p := &pair[0]
		motion, moves := item.(*render.MotionBatch)
		if moves {
			p = &pair[1]
		}
		gl.UseProgram(p.id)
		if moves {
			at := motion.View()
			gl.Uniform1i(p.now, at.Tick)
			gl.Uniform1f(p.weight, at.Weight)
		}
		r.drawInstances(g, p)
	}
}

// drawn counts a draw call.
func (r *Renderer) drawn(triangles int) {
	r.stats.DrawCalls++
	r.stats.Triangles += triangles
}

func (r *Renderer) drawShadow(v *render.View) {
	gl.BindFramebuffer(gl.FRAMEBUFFER, r.shadow.framebuffer)
	gl.Viewport(0, 0, r.shadow.size, r.shadow.size)
	gl.Disable(gl.SCISSOR_TEST)
	gl.Clear(gl.DEPTH_BUFFER_BIT)
	gl.Disable(gl.CULL_FACE)
	gl.Enable(gl.DEPTH_CLAMP)
	gl.Enable(gl.POLYGON_OFFSET_FILL)
	gl.PolygonOffset(1.5, 2)
	for i := range r.programs.depth {
		gl.UseProgram(r.programs.depth[i].id)
		gl.UniformMatrix4fv(r.programs.depth[i].lightMatrix, 1, false, &r.light[0])
	}
	r.pass(v, render.Solid, &r.programs.depth)
	gl.Disable(gl.POLYGON_OFFSET_FILL)
	gl.Disable(gl.DEPTH_CLAMP)
}

// pixels returns a part of a surface in OpenGL's window coordinates. Their origin is at the lower
// left. Neighbouring parts share their edge exactly.
func pixels(part render.Rect, size render.Size) (x, y, w, h int32) {
	at := func(f float32, of int) int32 { return int32(math.Round(float64(f) * float64(of))) }
	x = at(part.X, size.Width)
	y = int32(size.Height) - at(part.Y+part.H, size.Height)
	w = at(part.X+part.W, size.Width) - x
	h = int32(size.Height) - at(part.Y, size.Height) - y
	return x, y, w, h
}
