//go:build cgo || js

package opengl

import (
	"fmt"
	"unsafe"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/render"
	"github.com/tandem-ecs/tandem/render/opengl/internal/gl"
)

const (
	poseSize  = int(unsafe.Sizeof(components.Pose3D{}))
	timeSize  = int(unsafe.Sizeof(render.MotionTime{}))
	colorSize = int(unsafe.Sizeof(render.Color{}))

	colorLocation = 10

	// coarseFrom is the number of instances from which on round meshes are drawn with fewer
	// triangles: so many instances can only be small.
	coarseFrom = 256
)

// The shaders read these types as they lie in memory.
var (
	_ [40 - poseSize]struct{}
	_ [poseSize - 40]struct{}
	_ [8 - timeSize]struct{}
	_ [timeSize - 8]struct{}
)

// instances is the graphics memory of one batch of any kind.
type instances struct {
	vao      uint32
	poses    [2]storage // a Batch has the first only; that of a LineBatch holds its lines
	times    storage    // of a MotionBatch
	colors   storage
	count    int // rows to draw
	mesh     meshKey
	style    render.Style // lineStyle for lines
	color    render.Color // of rows without a colour of their own
	colored  bool         // colours come from the buffer, not from the batch
	revision uint64       // of what was uploaded last; 0: it has none, or nothing was uploaded
	frame    uint64       // in which it was drawn last
}

// lineStyle is the style of lines, which no pass of instances draws.
const lineStyle = render.Style(255)

// meshKey is a mesh and its resolution: 1 for fewer triangles.
type meshKey struct {
	mesh   render.Mesh
	coarse int
}

// instancesOf returns the memory of a batch, and whether another view of this frame has uploaded
// it. It makes the memory when it is needed first; attributes then describes it to its vertex
// array.
func (r *Renderer) instancesOf(batch any, attributes func(*instances)) (g *instances, uploaded bool) {
	g = r.instances[batch]
	if g == nil {
		g = &instances{poses: [2]storage{newStorage(), newStorage()}, times: newStorage(), colors: newStorage()}
		g.mesh.mesh = render.MeshCount // none yet
		gl.GenVertexArrays(1, &g.vao)
		gl.BindVertexArray(g.vao)
		attributes(g)
		r.instances[batch] = g
	}
	uploaded = g.frame == r.frame
	g.frame = r.frame
	return g, uploaded
}

// batchAttributes describes the memory of a Batch.
func (b *instances) batchAttributes() {
	b.poses[0].bind()
	poseAttributes(2)
}

// motionAttributes describes the memory of a MotionBatch.
func (b *instances) motionAttributes() {
	b.batchAttributes()
	b.colored = true
	b.poses[1].bind()
	poseAttributes(5)
	b.times.bind()
	gl.EnableVertexAttribArray(8)
	gl.VertexAttribIPointerWithOffset(8, 1, gl.INT, int32(timeSize), 0)
	gl.VertexAttribDivisor(8, 1)
	attribute(9, 1, gl.FLOAT, timeSize, 4, 1)
	b.colors.bind()
	attribute(colorLocation, 4, gl.UNSIGNED_BYTE, colorSize, 0, 1)
}

// poseAttributes describes the poses in the bound array to the bound vertex array, at three
// locations.
func poseAttributes(first uint32) {
	attribute(first, 3, gl.FLOAT, poseSize, 0, 1)
	attribute(first+1, 4, gl.FLOAT, poseSize, 12, 1)
	attribute(first+2, 3, gl.FLOAT, poseSize, 28, 1)
}

func (b *instances) delete() {
	gl.DeleteVertexArrays(1, &b.vao)
	for _, s := range [...]*storage{&b.poses[0], &b.poses[1], &b.times, &b.colors} {
		s.delete()
	}
}

// shape binds the vertex array, and binds the mesh to it if the mesh has changed.
func (r *Renderer) shape(b *instances, m render.Mesh, n int) {
	gl.BindVertexArray(b.vao)
	key := meshKey{mesh: m}
	if n >= coarseFrom {
		key.coarse = 1
	}
	if b.mesh != key {
		r.meshes[m][key.coarse].bind()
		b.mesh = key
	}
}

// uploadBatch updates the graphics memory of a batch.
func (r *Renderer) uploadBatch(b *render.Batch) {
	if b.Mesh >= render.MeshCount {
		r.note(fmt.Errorf("opengl: a Batch has the unknown mesh %d: use the constants render.Cube to render.Disc", b.Mesh))
		return
	}
	if len(b.Colors) != 0 && len(b.Colors) != len(b.Poses) {
		r.note(fmt.Errorf("opengl: a Batch has %d poses and %d colours: give each pose a colour (AppendColor), or none", len(b.Poses), len(b.Colors)))
		return
	}
	g, uploaded := r.instancesOf(b, (*instances).batchAttributes)
	if uploaded {
		return
	}
	r.shape(g, b.Mesh, len(b.Poses))
	g.count, g.style, g.color = len(b.Poses), b.Style, b.Color
	if b.Revision != 0 && uint64(b.Revision) == g.revision {
		return
	}
	g.revision = uint64(b.Revision)
	if len(b.Poses) == 0 {
		return
	}
	colored := len(b.Colors) > 0
	if !replace(r, &g.poses[0], b.Poses) || colored && !replace(r, &g.colors, b.Colors) {
		g.refused()
		return
	}
	if colored != g.colored {
		g.colored = colored
		if colored { // replace has bound the array
			attribute(colorLocation, 4, gl.UNSIGNED_BYTE, colorSize, 0, 1)
		} else {
			gl.DisableVertexAttribArray(colorLocation)
		}
	}
}

// uploadMotion updates the graphics memory of a motion batch. It uploads the changed ranges only.
func (r *Renderer) uploadMotion(b *render.MotionBatch) {
	if b.Mesh >= render.MeshCount {
		r.note(fmt.Errorf("opengl: a MotionBatch has the unknown mesh %d: use the constants render.Cube to render.Disc", b.Mesh))
		return
	}
	g, uploaded := r.instancesOf(b, (*instances).motionAttributes)
	if uploaded {
		return
	}
	n := b.Len()
	r.shape(g, b.Mesh, n)
	g.count, g.style = n, b.Style
	since := g.revision
	g.revision = b.Revision()
	if g.revision == since || n == 0 {
		return
	}
	v := b.View()
	if !(uploadColumn(r, b, render.MotionPoses0, since, &g.poses[0], v.Poses[0]) &&
		uploadColumn(r, b, render.MotionPoses1, since, &g.poses[1], v.Poses[1]) &&
		uploadColumn(r, b, render.MotionTimes, since, &g.times, v.Times) &&
		uploadColumn(r, b, render.MotionColors, since, &g.colors, v.Colors)) {
		g.refused()
	}
}

// uploadColumn uploads the rows of a column that have changed. It returns false if there is no
// memory for them.
func uploadColumn[T any](r *Renderer, b *render.MotionBatch, column render.MotionColumn, since uint64, s *storage, rows []T) bool {
	size := int(unsafe.Sizeof(rows[0]))
	if s.size < len(rows)*size || mostChanged(b, column, since) {
		return replace(r, s, rows)
	}
	s.bind()
	for from, to := b.NextChange(column, since, 0); from < to; from, to = b.NextChange(column, since, to) {
		gl.BufferSubData(gl.ARRAY_BUFFER, from*size, (to-from)*size, unsafe.Pointer(&rows[from]))
		r.stats.Uploaded += (to - from) * size
	}
	return true
}

// refused leaves a batch without memory out of this frame. The next frame uploads all of it again.
func (b *instances) refused() {
	b.count, b.revision = 0, 0
}

// mostChanged reports whether so much of a column has changed that replacing all of it is faster
// than writing the changed ranges.
func mostChanged(b *render.MotionBatch, column render.MotionColumn, since uint64) bool {
	changed := 0
	for from, to := b.NextChange(column, since, 0); from < to; from, to = b.NextChange(column, since, to) {
		changed += to - from
	}
	return changed*4 > b.Len()*3
}

// drawInstances draws the uploaded instances with the program in use.
func (r *Renderer) drawInstances(g *instances, p *program) {
	if g.count == 0 {
		return
	}
	gl.BindVertexArray(g.vao)
	if !g.colored {
		gl.VertexAttrib4Nub(colorLocation, g.color.R, g.color.G, g.color.B, g.color.A)
	}
	if p.mesh >= 0 {
		gl.Uniform1i(p.mesh, int32(g.mesh.mesh))
	}
	n := r.meshes[g.mesh.mesh][g.mesh.coarse].count
	gl.DrawElementsInstanced(gl.TRIANGLES, n, gl.UNSIGNED_SHORT, nil, int32(g.count))
	r.drawn(int(n) / 3 * g.count)
}
