//go:build cgo

package opengl

import (
	"fmt"
	"unsafe"

	"github.com/go-gl/gl/v3.3-core/gl"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/render"
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
	uploaded bool
	revision uint64 // of what was uploaded last
	frame    uint64 // in which it was drawn last
}

// lineStyle is the style of lines, which no pass of instances draws.
const lineStyle = render.Style(255)

type meshKey struct {
	mesh   render.Mesh
	coarse bool
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
	attribute(9, 1, int32(timeSize), 4, 1)
	b.colors.bind()
	colorAttribute(colorLocation, int32(colorSize), 0, 1)
}

// poseAttributes describes the poses in the bound array to the bound vertex array, at three
// locations.
func poseAttributes(first uint32) {
	attribute(first, 3, int32(poseSize), 0, 1)
	attribute(first+1, 4, int32(poseSize), 12, 1)
	attribute(first+2, 3, int32(poseSize), 28, 1)
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
	key := meshKey{m, n >= coarseFrom && m != render.Cube}
	if b.mesh != key {
		r.meshOf(key).bind()
		b.mesh = key
	}
}

// meshOf returns a mesh's buffers. It makes them when they are needed first.
func (r *Renderer) meshOf(k meshKey) *meshBuffer {
	i := int(k.mesh) * 2
	if k.coarse {
		i++
	}
	if r.meshes[i].count == 0 {
		vao := int32(0)
		gl.GetIntegerv(gl.VERTEX_ARRAY_BINDING, &vao)
		r.meshes[i] = newMeshBuffer(k.mesh, k.coarse)
		gl.BindVertexArray(uint32(vao))
	}
	return &r.meshes[i]
}

// uploadBatch updates the graphics memory of a batch.
func (r *Renderer) uploadBatch(b *render.Batch) error {
	if b.Mesh >= render.MeshCount {
		return fmt.Errorf("opengl: a Batch has the unknown mesh %d: use the constants render.Cube to render.Disc", b.Mesh)
	}
	if len(b.Colors) != 0 && len(b.Colors) != len(b.Poses) {
		return fmt.Errorf("opengl: a Batch has %d poses and %d colours: give each pose a colour (AppendColor), or none", len(b.Poses), len(b.Colors))
	}
	g, uploaded := r.instancesOf(b, (*instances).batchAttributes)
	if uploaded {
		return nil
	}
	r.shape(g, b.Mesh, len(b.Poses))
	g.count, g.style, g.color = len(b.Poses), b.Style, b.Color
	if g.uploaded && b.Revision != 0 && uint64(b.Revision) == g.revision {
		return nil
	}
	g.revision = uint64(b.Revision)
	g.uploaded = true
	if len(b.Poses) == 0 {
		return nil
	}
	colored := len(b.Colors) > 0
	if !r.replace(&g.poses[0], len(b.Poses)*poseSize, unsafe.Pointer(unsafe.SliceData(b.Poses))) ||
		colored && !r.replace(&g.colors, len(b.Colors)*colorSize, unsafe.Pointer(unsafe.SliceData(b.Colors))) {
		g.refused()
		return nil
	}
	if colored != g.colored {
		g.colored = colored
		if colored { // replace has bound the array
			colorAttribute(colorLocation, int32(colorSize), 0, 1)
		} else {
			gl.DisableVertexAttribArray(colorLocation)
		}
	}
	return nil
}

// uploadMotion updates the graphics memory of a motion batch. It uploads the changed ranges only.
func (r *Renderer) uploadMotion(b *render.MotionBatch) error {
	if b.Mesh >= render.MeshCount {
		return fmt.Errorf("opengl: a MotionBatch has the unknown mesh %d: use the constants render.Cube to render.Disc", b.Mesh)
	}
	g, uploaded := r.instancesOf(b, (*instances).motionAttributes)
	if uploaded {
		return nil
	}
	n := b.Len()
	r.shape(g, b.Mesh, n)
	g.count, g.style = n, b.Style
	since := g.revision
	g.revision = b.Revision()
	if g.revision == since || n == 0 {
		return nil
	}
	v := b.View()
	for _, c := range [...]struct {
		column render.MotionColumn
		to     *storage
		size   int
		data   unsafe.Pointer
	}{
		{render.MotionPoses0, &g.poses[0], poseSize, unsafe.Pointer(unsafe.SliceData(v.Poses[0]))},
		{render.MotionPoses1, &g.poses[1], poseSize, unsafe.Pointer(unsafe.SliceData(v.Poses[1]))},
		{render.MotionTimes, &g.times, timeSize, unsafe.Pointer(unsafe.SliceData(v.Times))},
		{render.MotionColors, &g.colors, colorSize, unsafe.Pointer(unsafe.SliceData(v.Colors))},
	} {
		if c.to.size < n*c.size || mostChanged(b, c.column, since) {
			if !r.replace(c.to, n*c.size, c.data) {
				g.refused()
				return nil
			}
			continue
		}
		c.to.bind()
		for from, to := b.NextChange(c.column, since, 0); from < to; from, to = b.NextChange(c.column, since, to) {
			r.write(from*c.size, (to-from)*c.size, unsafe.Add(c.data, from*c.size))
		}
	}
	return nil
}

// refused leaves a batch without memory out of this frame. The next frame uploads all of it again.
func (b *instances) refused() {
	b.count, b.revision, b.uploaded = 0, 0, false
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
	n := r.meshOf(g.mesh).count
	gl.DrawElementsInstanced(gl.TRIANGLES, n, gl.UNSIGNED_SHORT, nil, int32(g.count))
	r.stats.DrawCalls++
	r.stats.Triangles += int(n) / 3 * g.count
}
