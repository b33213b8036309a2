package scene

import (
	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/render"
)

// Brush draws single bodies: every call adds one instance to the batch of its mesh and style. It
// reuses its memory between frames.
//
// The zero value is ready for use.
type Brush struct {
	batches [render.MeshCount][render.Glow + 1]render.Batch
	lines   render.LineBatch
}

// Reset empties the brush.
func (b *Brush) Reset() {
	for mesh := range b.batches {
		for style := range b.batches[mesh] {
			b.batches[mesh][style].Reset()
		}
	}
	b.lines.Reset()
}

// Put draws one body.
func (b *Brush) Put(mesh render.Mesh, style render.Style, pose components.Pose3D, color render.Color) {
	batch := &b.batches[mesh][style]
	batch.Mesh, batch.Style = mesh, style
	batch.AppendColor(pose, color)
}

// Upright draws a body that is not turned, by its centre and its size along the axes.
func (b *Brush) Upright(mesh render.Mesh, style render.Style, center, size mgl32.Vec3, color render.Color) {
	b.Put(mesh, style, components.Pose3D{Position: center, Rotation: mgl32.QuatIdent(), Scale: size}, color)
}

// Box draws an upright cuboid by its centre and edge lengths.
func (b *Brush) Box(style render.Style, center, size mgl32.Vec3, color render.Color) {
	b.Upright(render.Cube, style, center, size, color)
}

// Ball draws a sphere.
func (b *Brush) Ball(style render.Style, center mgl32.Vec3, diameter float32, color render.Color) {
	b.Upright(render.Sphere, style, center, mgl32.Vec3{diameter, diameter, diameter}, color)
}

// Spot draws a flat unlit disc that faces along the normal, a unit vector. It costs a fraction of a
// ball.
func (b *Brush) Spot(center, normal mgl32.Vec3, diameter float32, color render.Color) {
	b.Put(render.Disc, render.Glow, components.Pose3D{
		Position: center, Rotation: mgl32.QuatBetweenVectors(mgl32.Vec3{0, 0, 1}, normal), Scale: mgl32.Vec3{diameter, diameter, diameter},
	}, color)
}

// Line draws a line of constant width.
func (b *Brush) Line(from, to mgl32.Vec3, color render.Color) { b.lines.Add(from, to, color) }

// Fade draws a line that fades from one colour to another.
func (b *Brush) Fade(from, to mgl32.Vec3, fromColor, toColor render.Color) {
	b.lines.AddFade(from, to, fromColor, toColor)
}

// Show adds everything drawn to a view. The brush must not change until the frame has been drawn.
func (b *Brush) Show(v *render.View) {
	for mesh := range b.batches {
		for style := range b.batches[mesh] {
			if batch := &b.batches[mesh][style]; len(batch.Poses) > 0 {
				v.Add(batch)
			}
		}
	}
	if len(b.lines.Lines) > 0 {
		v.AddLines(&b.lines)
	}
}
