package render

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
)

// Camera is a point of view in world space. Start from [LookAt].
type Camera struct {
	Position mgl32.Vec3
	// the point that it looks at; also the centre of the shadow map unless the view says otherwise
	Target mgl32.Vec3
	Up     mgl32.Vec3 // zero means +Y

	FOV  float32 // vertical field of view in radians; zero means [DefaultFOV]
	Near float32 // distance of the near plane; zero means a thousandth of the far plane's
	// distance of the far plane; zero means 50 times the distance to Target, at least 200
	Far float32

	// Ortho, unless zero, makes the projection parallel: it is the height of the visible part of
	// the world, in world units.
	Ortho float32
}

// DefaultFOV is the vertical field of view of a camera whose FOV is zero: 40 degrees in radians,
// narrow enough to keep bodies near the edge undistorted.
const DefaultFOV = 40 * math.Pi / 180

// LookAt returns a perspective camera at position that looks at target.
func LookAt(position, target mgl32.Vec3) Camera { return Camera{Position: position, Target: target} }

// Distance returns the distance from the camera to its target.
func (c Camera) Distance() float32 { return c.Target.Sub(c.Position).Len() }

// Forward returns the unit vector of the direction of view. It is -Z for a camera whose target is
// its own position.
func (c Camera) Forward() mgl32.Vec3 {
	d := c.Target.Sub(c.Position)
	if l := d.Len(); l > 0 {
		return d.Mul(1 / l)
	}
	return mgl32.Vec3{0, 0, -1}
}

// Right returns the unit vector that points to the right in the picture.
func (c Camera) Right() mgl32.Vec3 { return c.Forward().Cross(c.upHint()).Normalize() }

// upHint returns Up, or another axis where Up is parallel to the view, so that a camera may look
// straight down.
func (c Camera) upHint() mgl32.Vec3 {
	up := c.Up
	if up == (mgl32.Vec3{}) {
		up = mgl32.Vec3{0, 1, 0}
	}
	if f := c.Forward(); f.Cross(up).Len() < 1e-4*up.Len() {
		if up = (mgl32.Vec3{0, 0, -1}); f.Cross(up).Len() < 1e-4 {
			up = mgl32.Vec3{0, 1, 0}
		}
	}
	return up
}

// View returns the matrix from world space to the camera's space, in which the camera is at the
// origin and looks along -Z, and Y is up.
func (c Camera) View() mgl32.Mat4 {
	return mgl32.LookAtV(c.Position, c.Position.Add(c.Forward()), c.upHint())
}

// Planes returns the distances of the near and far plane with their defaults filled in.
func (c Camera) Planes() (near, far float32) {
	near, far = c.Near, c.Far
	if far <= 0 {
		far = max(200, 50*c.Distance())
	}
	if near <= 0 {
		near = min(far/1000, 0.2)
	}
	return near, far
}

// fov returns the field of view with its default filled in.
func (c Camera) fov() float32 {
	if c.FOV <= 0 {
		return DefaultFOV
	}
	return c.FOV
}

// Projection returns the matrix from the camera's space to OpenGL's clip space; aspect is width by
// height.
func (c Camera) Projection(aspect float32) mgl32.Mat4 {
	near, far := c.Planes()
	if c.Ortho > 0 {
		h := c.Ortho / 2
		return mgl32.Ortho(-h*aspect, h*aspect, -h, h, near, far)
	}
	return mgl32.Perspective(c.fov(), aspect, near, far)
}

// Matrix returns the projection times the view.
func (c Camera) Matrix(aspect float32) mgl32.Mat4 {
	return c.Projection(aspect).Mul4(c.View())
}

// Project returns the place of a point in world space in viewport, in the viewport's units, and its
// distance from the camera along the direction of view. ok is false for a point outside the
// picture. For a point behind the camera x and y are zero.
func (c Camera) Project(point mgl32.Vec3, viewport Rect) (x, y, depth float32, ok bool) {
	depth = point.Sub(c.Position).Dot(c.Forward())
	clip := c.Matrix(viewport.W / viewport.H).Mul4x1(point.Vec4(1))
	if clip[3] <= 0 {
		return 0, 0, depth, false
	}
	nx, ny, nz := clip[0]/clip[3], clip[1]/clip[3], clip[2]/clip[3]
	x = viewport.X + (nx+1)/2*viewport.W
	y = viewport.Y + (1-ny)/2*viewport.H
	ok = nx >= -1 && nx <= 1 && ny >= -1 && ny <= 1 && nz >= -1 && nz <= 1
	return x, y, depth, ok
}

// Ray returns the line of sight through a point of viewport, in world space: its start and its
// direction at unit length. It is the inverse of [Camera.Project], for picking.
func (c Camera) Ray(x, y float32, viewport Rect) (origin, direction mgl32.Vec3) {
	nx := (x-viewport.X)/viewport.W*2 - 1
	ny := 1 - (y-viewport.Y)/viewport.H*2
	right := c.Right()
	forward := c.Forward()
	up := right.Cross(forward)
	aspect := viewport.W / viewport.H
	if c.Ortho > 0 {
		h := c.Ortho / 2
		return c.Position.Add(right.Mul(nx * h * aspect)).Add(up.Mul(ny * h)), forward
	}
	h := float32(math.Tan(float64(c.fov()) / 2))
	return c.Position, forward.Add(right.Mul(nx * h * aspect)).Add(up.Mul(ny * h)).Normalize()
}
