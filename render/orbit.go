package render

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
)

// Orbit is a camera on a sphere around a target. The zero value is not ready for use: set Distance.
type Orbit struct {
	Target   mgl32.Vec3
	Yaw      float32 // radians around +Y; 0 looks along -Z from the side of +Z
	Pitch    float32 // radians above the horizon, within [PitchLimit]
	Distance float32 // from the target, within MinDistance and MaxDistance

	MinDistance, MaxDistance float32 // bounds of [Orbit.Zoom]; zero means none
	FOV                      float32 // of the camera; zero means [DefaultFOV]
}

// PitchLimit is the largest angle above or below the horizon, in radians: just short of the poles,
// where yaw has no meaning.
const PitchLimit = math.Pi/2 - 0.01

// Rotate turns the camera by the given angles in radians and keeps yaw within a turn and pitch
// within its limit.
func (o *Orbit) Rotate(yaw, pitch float32) {
	o.Yaw = float32(math.Remainder(float64(o.Yaw+yaw), 2*math.Pi))
	o.Pitch = mgl32.Clamp(o.Pitch+pitch, -PitchLimit, PitchLimit)
}

// Zoom multiplies the distance: 0.5 halves it. Factors that are not positive are ignored.
func (o *Orbit) Zoom(factor float32) {
	if !(factor > 0) {
		return
	}
	o.Distance *= factor
	if o.MinDistance > 0 {
		o.Distance = max(o.Distance, o.MinDistance)
	}
	if o.MaxDistance > 0 {
		o.Distance = min(o.Distance, o.MaxDistance)
	}
}

// Pan moves the target in the plane of the picture, x to the right and y up, in heights of the
// picture.
func (o *Orbit) Pan(x, y float32) {
	c := o.Camera()
	h := 2 * o.Distance * float32(math.Tan(float64(c.fov())/2))
	right := c.Right()
	up := right.Cross(c.Forward())
	o.Target = o.Target.Add(right.Mul(x * h)).Add(up.Mul(y * h))
}

// Camera returns the orbit's camera.
func (o *Orbit) Camera() Camera {
	return Camera{Position: o.Target.Add(o.offset()), Target: o.Target, FOV: o.FOV}
}

func (o *Orbit) offset() mgl32.Vec3 {
	sy, cy := math.Sincos(float64(o.Yaw))
	sp, cp := math.Sincos(float64(mgl32.Clamp(o.Pitch, -PitchLimit, PitchLimit)))
	d := float64(o.Distance)
	return mgl32.Vec3{float32(d * cp * sy), float32(d * sp), float32(d * cp * cy)}
}
