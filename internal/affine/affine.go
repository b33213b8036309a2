// Package affine composes poses as matrices, so that no shear is lost on the way down a hierarchy.
package affine

import (
	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/components"
)

// Matrix is an affine matrix without its last row, column by column: three axes and a translation.
// The zero value maps everything to the origin.
type Matrix [12]float32

// Set makes a the matrix of a pose. A rotation that is not of unit length is normalised.
func (a *Matrix) Set(p *components.Pose3D) {
	x, y, z, w := p.Rotation.V[0], p.Rotation.V[1], p.Rotation.V[2], p.Rotation.W
	// As in components.NormalizeQuat, which is too large to be inlined.
	if d := float32(w*w) + float32(x*x) + float32(y*y) + float32(z*z) - 1; !(d < 3e-7 && d > -3e-7) {
		q := components.NormalizeQuat(p.Rotation)
		x, y, z, w = q.V[0], q.V[1], q.V[2], q.W
	}
	sx, sy, sz := p.Scale[0], p.Scale[1], p.Scale[2]
	a[0], a[1], a[2] = (1-2*(y*y+z*z))*sx, 2*(x*y+w*z)*sx, 2*(x*z-w*y)*sx
	a[3], a[4], a[5] = 2*(x*y-w*z)*sy, (1-2*(x*x+z*z))*sy, 2*(y*z+w*x)*sy
	a[6], a[7], a[8] = 2*(x*z+w*y)*sz, 2*(y*z-w*x)*sz, (1-2*(x*x+y*y))*sz
	a[9], a[10], a[11] = p.Position[0], p.Position[1], p.Position[2]
}

// To writes the whole matrix to m.
func (a *Matrix) To(m *mgl32.Mat4) {
	m[0], m[1], m[2], m[3] = a[0], a[1], a[2], 0
	m[4], m[5], m[6], m[7] = a[3], a[4], a[5], 0
	m[8], m[9], m[10], m[11] = a[6], a[7], a[8], 0
	m[12], m[13], m[14], m[15] = a[9], a[10], a[11], 1
}

// Compose sets m to a times b: the world matrix of an object with the local matrix b below a parent
// with the world matrix a. Both are affine, so the last row is not multiplied.
//
// It is written out, without an array passed by value: Go passes those through memory, which costs
// more than the multiplication.
func Compose(m, a *mgl32.Mat4, b *Matrix) {
	x0, x1, x2 := a[0], a[1], a[2]
	y0, y1, y2 := a[4], a[5], a[6]
	z0, z1, z2 := a[8], a[9], a[10]
	x, y, z := b[0], b[1], b[2]
	m[0], m[1], m[2], m[3] = x0*x+y0*y+z0*z, x1*x+y1*y+z1*z, x2*x+y2*y+z2*z, 0
	x, y, z = b[3], b[4], b[5]
	m[4], m[5], m[6], m[7] = x0*x+y0*y+z0*z, x1*x+y1*y+z1*z, x2*x+y2*y+z2*z, 0
	x, y, z = b[6], b[7], b[8]
	m[8], m[9], m[10], m[11] = x0*x+y0*y+z0*z, x1*x+y1*y+z1*z, x2*x+y2*y+z2*z, 0
	x, y, z = b[9], b[10], b[11]
	m[12], m[13], m[14], m[15] = x0*x+y0*y+z0*z+a[12], x1*x+y1*y+z1*z+a[13], x2*x+y2*y+z2*z+a[14], 1
}

// PoseOf returns the pose of an affine matrix. Shear is lost. A mirrored matrix gets its mirror on
// the x axis.
func PoseOf(m mgl32.Mat4) components.Pose3D {
	x, y, z := m.Col(0).Vec3(), m.Col(1).Vec3(), m.Col(2).Vec3()
	scale := mgl32.Vec3{x.Len(), y.Len(), z.Len()}
	if x.Cross(y).Dot(z) < 0 {
		scale[0] = -scale[0]
	}
	axis := func(v mgl32.Vec3, s float32) mgl32.Vec3 {
		if s == 0 {
			return mgl32.Vec3{}
		}
		return v.Mul(1 / s)
	}
	x, y, z = axis(x, scale[0]), axis(y, scale[1]), axis(z, scale[2])
	rotation := mgl32.Mat4ToQuat(mgl32.Mat4FromCols(x.Vec4(0), y.Vec4(0), z.Vec4(0), mgl32.Vec4{0, 0, 0, 1}))
	return components.Pose3D{Position: m.Col(3).Vec3(), Rotation: components.NormalizeQuat(rotation), Scale: scale}
}
