package render

import "github.com/tandem-ecs/tandem/components"

// Style is how the surface of an instance is drawn.
type Style uint8

const (
	// Solid is opaque and lit, casts a shadow and receives shadows. Alpha is ignored.
	Solid Style = iota
	// Glass is lit and translucent by the colour's alpha, without a shadow of its own. Instances
	// are not sorted by distance.
	Glass
	// Ghost is a translucent shell with bright edges and no shadow, for logical poses beside visual
	// ones. Alpha scales its strength.
	Ghost
	// Glow is drawn in its own colour, unlit and without a shadow, for suns, portals and markers.
	// Spheres have a halo. A lower alpha lets the background through.
	Glow
)

// Batch is any number of instances of one mesh whose poses the caller computes. The caller fills
// Poses (and Colors) and adds the batch to a view.
//
// Ten floats per instance are uploaded as they lie in memory, and the vertex shader makes matrices
// of them. Poses are in world space.
type Batch struct {
	Mesh  Mesh
	Style Style
	Color Color // of all instances, unless Colors is set

	Poses  []components.Pose3D
	Colors []Color // nil, or one per pose; Draw refuses a batch whose lengths differ

	// Revision saves the upload of instances that do not change. If it is zero, Poses and Colors
	// are uploaded for every frame. Otherwise they are uploaded only when it differs from the
	// Revision that was drawn last.
	Revision uint32
}

// NewBatch returns an empty batch.
func NewBatch(mesh Mesh, style Style, color Color) *Batch {
	return &Batch{Mesh: mesh, Style: style, Color: color}
}

// Reset empties the batch and keeps its memory.
func (b *Batch) Reset() {
	b.Poses = b.Poses[:0]
	b.Colors = b.Colors[:0]
}

// Append adds an instance in the batch's colour. Do not mix it with [Batch.AppendColor] between two
// calls of Reset.
func (b *Batch) Append(pose components.Pose3D) { b.Poses = append(b.Poses, pose) }

// AppendColor adds an instance in a colour of its own.
func (b *Batch) AppendColor(pose components.Pose3D, color Color) {
	b.Poses = append(b.Poses, pose)
	b.Colors = append(b.Colors, color)
}
