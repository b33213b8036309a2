package affine

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/components"
)

// Matrix2 is an affine matrix of the plane without its last row, column by column: two axes and a
// translation. The zero value maps everything to the origin.
type Matrix2 [6]float32

// Set makes a the matrix of a pose.
func (a *Matrix2) Set(p *components.Pose2D) {
	s, c := math.Sincos(float64(p.Rotation))
	sin, cos := float32(s), float32(c)
	a[0], a[1] = cos*p.Scale[0], sin*p.Scale[0]
	a[2], a[3] = -sin*p.Scale[1], cos*p.Scale[1]
	a[4], a[5] = p.Position[0], p.Position[1]
}

// To writes the whole matrix to m.
func (a *Matrix2) To(m *mgl32.Mat3) {
	*m = mgl32.Mat3{a[0], a[1], 0, a[2], a[3], 0, a[4], a[5], 1}
}

// Compose2 sets m to a times b, as [Compose] does in space.
func Compose2(m, a *mgl32.Mat3, b *Matrix2) {
	x0, x1, y0, y1 := a[0], a[1], a[3], a[4]
	m[0], m[1], m[2] = x0*b[0]+y0*b[1], x1*b[0]+y1*b[1], 0
	m[3], m[4], m[5] = x0*b[2]+y0*b[3], x1*b[2]+y1*b[3], 0
	m[6], m[7], m[8] = x0*b[4]+y0*b[5]+a[6], x1*b[4]+y1*b[5]+a[7], 1
}

// PoseOf2 returns the pose of an affine matrix of the plane. Shear is lost. A mirrored matrix gets
// its mirror on the y axis.
func PoseOf2(m mgl32.Mat3) components.Pose2D {
	x, y := m.Col(0).Vec2(), m.Col(1).Vec2()
	p := components.Pose2D{Position: m.Col(2).Vec2(), Scale: mgl32.Vec2{x.Len(), y.Len()}}
	if x[0]*y[1]-x[1]*y[0] < 0 {
		p.Scale[1] = -p.Scale[1]
	}
	switch {
	case p.Scale[0] != 0:
		p.Rotation = float32(math.Atan2(float64(x[1]), float64(x[0])))
	case p.Scale[1] != 0: // the x axis has no direction
		p.Rotation = float32(math.Atan2(float64(-y[0]), float64(y[1])))
	}
	return p
}
