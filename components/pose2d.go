package components

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
)

// Pose2D is a position, an orientation and a scale in the plane, applied in the order scale,
// rotation, translation.
//
// The zero value has a zero scale, which maps everything to one point. [NewLogical] takes it for
// left out; elsewhere start from [Identity2D].
type Pose2D struct {
	Position mgl32.Vec2 // in the parent's frame
	// radians, counter-clockwise; any number of turns, interpolated by the shortest arc
	Rotation float32
	Scale    mgl32.Vec2 // per axis of the object's own frame; negative mirrors
}

// Identity2D returns the pose at the origin, unrotated, at scale one.
func Identity2D() Pose2D { return Pose2D{Scale: mgl32.Vec2{1, 1}} }

// At2D returns an unrotated pose at scale one at the given position.
func At2D(x, y float32) Pose2D {
	p := Identity2D()
	p.Position = mgl32.Vec2{x, y}
	return p
}

// WithDefaults returns p with what was left out: a zero Scale becomes 1 on both axes. A scale of
// which only one axis is zero stays as it is.
func (p Pose2D) WithDefaults() Pose2D {
	if p.Scale == (mgl32.Vec2{}) {
		p.Scale = mgl32.Vec2{1, 1}
	}
	return p
}

// Apply takes a point from the pose's own frame to its parent's.
func (p Pose2D) Apply(point mgl32.Vec2) mgl32.Vec2 {
	sin, cos := sincos32(p.Rotation)
	x, y := point[0]*p.Scale[0], point[1]*p.Scale[1]
	return mgl32.Vec2{p.Position[0] + x*cos - y*sin, p.Position[1] + x*sin + y*cos}
}

// Mul composes: the result takes a point first through child, then through p. A mirroring p turns
// child's rotation round, as it should; under any other non-uniform scale the exact result would be
// sheared and keeps child's rotation instead.
func (p Pose2D) Mul(child Pose2D) Pose2D {
	rotation := child.Rotation
	if p.Scale[0]*p.Scale[1] < 0 {
		rotation = -rotation
	}
	return Pose2D{
		Position: p.Apply(child.Position),
		Rotation: p.Rotation + rotation,
		Scale:    mgl32.Vec2{p.Scale[0] * child.Scale[0], p.Scale[1] * child.Scale[1]},
	}
}

// Inverse returns the pose that undoes p: p.Inverse().Mul(p) is the identity where p scales both
// axes by the same amount other than zero, mirrored or not. A scale of zero on an axis gives zero
// on that axis.
func (p Pose2D) Inverse() Pose2D {
	sin, cos := sincos32(-p.Rotation)
	inv := Pose2D{Rotation: -p.Rotation}
	if p.Scale[0]*p.Scale[1] < 0 {
		inv.Rotation = p.Rotation
	}
	for i, s := range p.Scale {
		if s != 0 {
			inv.Scale[i] = 1 / s
		}
	}
	x, y := p.Position[0]*cos-p.Position[1]*sin, p.Position[0]*sin+p.Position[1]*cos
	inv.Position = mgl32.Vec2{-x * inv.Scale[0], -y * inv.Scale[1]}
	return inv
}

// Mat3 returns the pose as a column-major matrix, translation in the last column.
func (p Pose2D) Mat3() mgl32.Mat3 {
	sin, cos := sincos32(p.Rotation)
	return mgl32.Mat3{
		cos * p.Scale[0], sin * p.Scale[0], 0,
		-sin * p.Scale[1], cos * p.Scale[1], 0,
		p.Position[0], p.Position[1], 1,
	}
}

func sincos32(angle float32) (sin, cos float32) {
	s, c := math.Sincos(float64(angle))
	return float32(s), float32(c)
}
