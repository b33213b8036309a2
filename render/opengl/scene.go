//go:build cgo || js

package opengl

import (
	"math"
	"unsafe"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/render"
)

// sceneBlock is the uniform block Scene of scene.glsl. It has matrices and vectors of four only, so
// that Go's layout is that of std140.
type sceneBlock struct {
	viewProjection, inverseViewProjection, shadowMatrix mgl32.Mat4
	eye, forward, target                                mgl32.Vec4
	keyDirection, keyColor                              mgl32.Vec4
	fillDirection, fillColor                            mgl32.Vec4
	ambientAbove, ambientBelow                          mgl32.Vec4
	skyTop, skyHorizon                                  mgl32.Vec4
	groundColor, gridMinor, gridMajor                   mgl32.Vec4
	viewport                                            mgl32.Vec4
}

const sceneSize = int(unsafe.Sizeof(sceneBlock{}))

// fill sets all fields except the shadow's matrix and texel size.
func (b *sceneBlock) fill(f *render.Frame, v *render.View, width, height float32) {
	c, t := v.Camera, &f.Theme
	b.viewProjection = c.Matrix(width / height)
	b.inverseViewProjection = b.viewProjection.Inv()
	b.eye = c.Position.Vec4(0)
	if c.Ortho > 0 {
		b.eye[3] = 1
	}
	scale := f.Size.Scale
	if scale <= 0 {
		scale = 1
	}
	b.forward = c.Forward().Vec4(scale)
	fade := v.Ground.Fade
	if fade <= 0 {
		fade = 12 * c.Distance()
		if c.Ortho > 0 {
			fade = 12 * c.Ortho
		}
	}
	_, far := c.Planes()
	b.target = c.Target.Vec4(min(fade, 0.7*far))
	b.keyDirection = direction(t.Key).Vec4(0)
	b.keyColor = light(t.Key)
	b.fillDirection = direction(t.Fill).Vec4(0)
	b.fillColor = light(t.Fill)
	b.ambientAbove = light(t.AmbientAbove)
	b.ambientBelow = light(t.AmbientBelow)
	b.skyTop = t.SkyTop.Linear()
	b.skyHorizon = t.SkyHorizon.Linear()
	b.groundColor = t.Ground.Linear()
	b.groundColor[3] = v.Ground.Height
	b.gridMinor = t.GridMinor.Linear()
	b.gridMajor = t.GridMajor.Linear()
	cell := v.Ground.Cell
	if cell <= 0 {
		cell = 1
	}
	b.viewport = mgl32.Vec4{width, height, cell, 0}
}

// fitShadow sets the shadow's matrices for a map of size texels that covers a sphere. It returns
// the matrix from world to clip space.
func (b *sceneBlock) fitShadow(center mgl32.Vec3, radius float32, size int32) mgl32.Mat4 {
	z := b.keyDirection.Vec3()
	side := mgl32.Vec3{0, 1, 0}
	if math.Abs(float64(z[1])) > 0.99 {
		side = mgl32.Vec3{1, 0, 0}
	}
	x := side.Cross(z).Normalize()
	y := z.Cross(x)
	// The map moves in steps of whole texels, since otherwise its edges crawl when the camera
	// moves.
	texel := 2 * radius / float32(size)
	at := func(axis mgl32.Vec3) float32 {
		return float32(math.Floor(float64(center.Dot(axis)/texel))) * texel
	}
	cx, cy, cz := at(x), at(y), center.Dot(z)
	// The box is twice as deep as the sphere. Bodies nearer to the light are clamped to its front.
	w, d := 1/radius, 1/(2*radius)
	m := mgl32.Mat4{
		x[0] * w, y[0] * w, -z[0] * d, 0,
		x[1] * w, y[1] * w, -z[1] * d, 0,
		x[2] * w, y[2] * w, -z[2] * d, 0,
		-cx * w, -cy * w, cz * d, 1,
	}
	half := mgl32.Mat4{0.5, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 0.5, 0, 0.5, 0.5, 0.5, 1}
	b.shadowMatrix = half.Mul4(m)
	b.keyDirection[3] = 1
	b.keyColor[3] = texel
	return m
}

// direction returns a light's direction at unit length, straight up if it has none.
func direction(l render.Light) mgl32.Vec3 {
	if n := l.Direction.Len(); n > 0 {
		return l.Direction.Mul(1 / n)
	}
	return mgl32.Vec3{0, 1, 0}
}

func light(l render.Light) mgl32.Vec4 {
	c := l.Color.Linear()
	return mgl32.Vec4{c[0] * l.Intensity, c[1] * l.Intensity, c[2] * l.Intensity, 0}
}
