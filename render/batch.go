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
	// Ghost is a translucent shell with bright edges, without a shadow: for logical poses beside
	// visual ones. Alpha scales its strength.
	Ghost
	// Glow shines in its own colour, unlit and without a shadow, spheres with a halo: for suns,
	// portals, markers. Alpha lets through what lies behind.
	Glow
)

// Batch is any number of instances of one mesh whose poses the caller computes: it fills Poses (and
// Colors) and adds the batch to a view.
//
// Ten floats per instance go to the graphics processor as they lie in memory; matrices are made
// there. Poses are in world space.
type Batch struct {
	Mesh  Mesh
	Style Style
	Color Color // of all instances, unless Colors is set

	Poses  []components.Pose3D
	Colors []Color // nil, or one per pose; a batch whose lengths differ is refused by Draw

	// Revision saves the upload of instances that rest: unless zero, Poses and Colors are taken to
	// be what they were when the same revision was drawn last. With zero they are uploaded for
	// every frame.
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
