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
	poseSize   = int(unsafe.Sizeof(components.Pose3D{}))
	motionSize = int(unsafe.Sizeof(render.MotionRow{}))
	colorSize  = int(unsafe.Sizeof(render.Color{}))

	colorLocation = 10

	// coarseFrom is the number of instances from which round meshes are drawn with fewer triangles: so many can only be small.
	coarseFrom = 256
)

// The shaders read these types as they lie in memory.
var (
	_ [40 - poseSize]struct{}
	_ [poseSize - 40]struct{}
	_ [88 - motionSize]struct{}
	_ [motionSize - 88]struct{}
)

// instances is the graphics memory of one batch of either kind.
type instances struct {
	vao          uint32
	data, colors uint32
	capacity     int // rows
	count        int // rows to draw
	mesh         meshKey
	colored      bool // colours come from the buffer, not from the batch
	uploaded     bool
	revision     uint64 // of what was uploaded last
	frame        uint64 // in which it was drawn last
}

type meshKey struct {
	mesh   render.Mesh
	coarse bool
}

func newInstances() *instances {
	b := &instances{}
	gl.GenVertexArrays(1, &b.vao)
	gl.GenBuffers(1, &b.data)
	gl.GenBuffers(1, &b.colors)
	b.mesh.mesh = render.MeshCount // none yet
	return b
}

func (b *instances) delete() {
	gl.DeleteVertexArrays(1, &b.vao)
	gl.DeleteBuffers(1, &b.data)
	gl.DeleteBuffers(1, &b.colors)
}

// shape binds the vertex array and puts the mesh into it, where that is another one than before.
func (r *Renderer) shape(b *instances, m render.Mesh, n int) {
	gl.BindVertexArray(b.vao)
	key := meshKey{m, n >= coarseFrom && m != render.Cube}
	if b.mesh != key {
		r.meshOf(key).bind()
		b.mesh = key
	}
}

// meshOf returns a mesh's buffers, made when they are first needed.
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

// stream gives the bound array buffer new storage, so that filling it need not wait for frames that still read the old, and fills its beginning.
func (r *Renderer) stream(capacity, size int, data unsafe.Pointer) {
	gl.BufferData(gl.ARRAY_BUFFER, capacity, nil, gl.STREAM_DRAW)
	if size > 0 {
		gl.BufferSubData(gl.ARRAY_BUFFER, 0, size, data)
		r.stats.Uploaded += size
	}
}

// grown is the capacity for n rows: with room to grow, so that a slowly growing batch does not move each frame.
func grown(capacity, n int) int {
	if n > capacity {
		return n + n/2 + 16
	}
	return capacity
}

// uploadBatch brings a batch's memory up to date.
func (r *Renderer) uploadBatch(b *render.Batch) error {
	if b.Mesh >= render.MeshCount {
		return fmt.Errorf("opengl: a Batch has the unknown mesh %d: use the constants render.Cube to render.Disc", b.Mesh)
	}
	if len(b.Colors) != 0 && len(b.Colors) != len(b.Poses) {
		return fmt.Errorf("opengl: a Batch has %d poses and %d colours: give each pose a colour (AppendColor), or none", len(b.Poses), len(b.Colors))
	}
	g := r.batches[b]
	if g == nil {
		g = newInstances()
		r.batches[b] = g
		gl.BindVertexArray(g.vao)
		gl.BindBuffer(gl.ARRAY_BUFFER, g.data)
		attribute(2, 3, int32(poseSize), 0, 1)
		attribute(3, 4, int32(poseSize), 12, 1)
		attribute(4, 3, int32(poseSize), 28, 1)
	}
	if g.frame == r.frame {
		return nil // another view has brought it already
	}
	g.frame = r.frame
	r.shape(g, b.Mesh, len(b.Poses))
	g.count = len(b.Poses)
	if g.uploaded && b.Revision != 0 && uint64(b.Revision) == g.revision {
		return nil
	}
	g.revision = uint64(b.Revision)
	g.uploaded = true
	if len(b.Poses) == 0 {
		return nil
	}
	g.capacity = grown(g.capacity, len(b.Poses))
	gl.BindBuffer(gl.ARRAY_BUFFER, g.data)
	r.stream(g.capacity*poseSize, len(b.Poses)*poseSize, unsafe.Pointer(unsafe.SliceData(b.Poses)))
	colored := len(b.Colors) > 0
	if colored {
		gl.BindBuffer(gl.ARRAY_BUFFER, g.colors)
		r.stream(g.capacity*colorSize, len(b.Colors)*colorSize, unsafe.Pointer(unsafe.SliceData(b.Colors)))
	}
	if colored != g.colored {
		g.colored = colored
		if colored {
			colorAttribute(colorLocation, int32(colorSize), 0, 1)
		} else {
			gl.DisableVertexAttribArray(colorLocation)
		}
	}
	return nil
}

// uploadMotion brings a motion batch's memory up to date: nothing where nothing changed, else the changed ranges.
func (r *Renderer) uploadMotion(b *render.MotionBatch) error {
	if b.Mesh >= render.MeshCount {
		return fmt.Errorf("opengl: a MotionBatch has the unknown mesh %d: use the constants render.Cube to render.Disc", b.Mesh)
	}
	rows, colors := b.Rows()
	g := r.motions[b]
	if g == nil {
		g = newInstances()
		r.motions[b] = g
		g.colored = true
		gl.BindVertexArray(g.vao)
		gl.BindBuffer(gl.ARRAY_BUFFER, g.data)
		attribute(2, 3, int32(motionSize), 0, 1)
		attribute(3, 4, int32(motionSize), 12, 1)
		attribute(4, 3, int32(motionSize), 28, 1)
		attribute(5, 3, int32(motionSize), 40, 1)
		attribute(6, 4, int32(motionSize), 52, 1)
		attribute(7, 3, int32(motionSize), 68, 1)
		gl.EnableVertexAttribArray(8)
		gl.VertexAttribIPointerWithOffset(8, 1, gl.INT, int32(motionSize), 80)
		gl.VertexAttribDivisor(8, 1)
		attribute(9, 1, int32(motionSize), 84, 1)
		gl.BindBuffer(gl.ARRAY_BUFFER, g.colors)
		colorAttribute(colorLocation, int32(colorSize), 0, 1)
	}
	if g.frame == r.frame {
		return nil
	}
	g.frame = r.frame
	r.shape(g, b.Mesh, len(rows))
	g.count = len(rows)
	if b.Revision() == g.revision {
		return nil
	}
	since := g.revision
	g.revision = b.Revision()
	if len(rows) == 0 {
		return nil
	}
	if len(rows) > g.capacity || mostChanged(b, since) {
		g.capacity = grown(g.capacity, len(rows))
		gl.BindBuffer(gl.ARRAY_BUFFER, g.data)
		r.stream(g.capacity*motionSize, len(rows)*motionSize, unsafe.Pointer(&rows[0]))
		gl.BindBuffer(gl.ARRAY_BUFFER, g.colors)
		r.stream(g.capacity*colorSize, len(rows)*colorSize, unsafe.Pointer(&colors[0]))
		return nil
	}
	gl.BindBuffer(gl.ARRAY_BUFFER, g.data)
	for from, to := b.NextChange(since, 0); from < to; from, to = b.NextChange(since, to) {
		size := (to - from) * motionSize
		gl.BufferSubData(gl.ARRAY_BUFFER, from*motionSize, size, unsafe.Pointer(&rows[from]))
		r.stats.Uploaded += size
	}
	gl.BindBuffer(gl.ARRAY_BUFFER, g.colors)
	for from, to := b.NextChange(since, 0); from < to; from, to = b.NextChange(since, to) {
		size := (to - from) * colorSize
		gl.BufferSubData(gl.ARRAY_BUFFER, from*colorSize, size, unsafe.Pointer(&colors[from]))
		r.stats.Uploaded += size
	}
	return nil
}

// mostChanged reports whether so much of a batch changed that new storage for all of it is quicker than writing into the old.
func mostChanged(b *render.MotionBatch, since uint64) bool {
	changed := 0
	for from, to := b.NextChange(since, 0); from < to; from, to = b.NextChange(since, to) {
		changed += to - from
	}
	return changed*4 > b.Len()*3
}

// drawInstances draws what has been uploaded with the program in use.
func (r *Renderer) drawInstances(g *instances, p *program, mesh render.Mesh, color render.Color) {
	if g.count == 0 {
		return
	}
	gl.BindVertexArray(g.vao)
	if !g.colored {
		gl.VertexAttrib4Nub(colorLocation, color.R, color.G, color.B, color.A)
	}
	if p.mesh >= 0 {
		gl.Uniform1i(p.mesh, int32(mesh))
	}
	n := r.meshOf(g.mesh).count
	gl.DrawElementsInstanced(gl.TRIANGLES, n, gl.UNSIGNED_SHORT, nil, int32(g.count))
	r.stats.DrawCalls++
	r.stats.Triangles += int(n) / 3 * g.count
}
