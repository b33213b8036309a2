package view

import (
	"time"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/demo/internal/arena"
	"github.com/tandem-ecs/tandem/demo/internal/scene"
	"github.com/tandem-ecs/tandem/render"
)

// camera follows the own player from above and behind; north is always up.
type camera struct {
	orbit    render.Orbit
	follow   render.Follow
	control  render.OrbitControl // of the free view of a replay
	aim      mgl32.Vec3          // of the eyes in a replay
	shown    render.Camera
	viewport render.Rect
}

func newCamera() camera {
	return camera{
		orbit:  render.Orbit{Target: mgl32.Vec3{0, 1, 2}, Pitch: 0.82, Distance: 25, MinDistance: 8, MaxDistance: 60},
		follow: render.Follow{HalfLife: 90 * time.Millisecond, Snap: 7},
	}
}

// orbitFor returns the camera for a picture with the given aspect ratio, width by height. A fixed
// camera looks at the arena's front half and shows everything near the middle.
func (c *camera) orbitFor(aspect float32, still bool) render.Orbit {
	orbit := c.orbit
	if still {
		orbit.Target, orbit.Distance = mgl32.Vec3{0, 0.5, 4}, orbit.Distance*0.84
	}
	if aspect < 1.4 {
		orbit.Distance *= 1.4 / max(aspect, 0.5)
	}
	return orbit
}

// follow moves the camera after the drawn pose of the own player.
func (c *Client) follow(real time.Duration) {
	switch c.look {
	case Free:
		return
	case Eyes:
		if v := c.byEyes(); v != nil {
			c.turnEyes(v, real)
		}
	}
	for _, v := range c.objects {
		if v.own {
			c.camera.frame(v.pose.Position, c.rules.Level.Half, real)
		}
	}
}

// frame moves the camera after a place on a floor of half the edge length.
func (c *camera) frame(at mgl32.Vec3, half float32, real time.Duration) {
	// Near the wall the picture shows the floor, not the ground outside.
	const far = 8 // a perspective picture shows more of the far side
	edge := half - 10
	at = mgl32.Vec3{mgl32.Clamp(at[0], -edge, edge), 1 + 0.4*at[1], mgl32.Clamp(at[2], -edge+far, edge+2)}
	c.follow.Update(&c.orbit, at, real)
}

// Zoom brings the camera nearer by steps of a wheel.
func (c *Client) Zoom(steps float32) {
	c.camera.orbit.Zoom(scene.WheelZoom(steps))
}

// ResetCamera undoes all zooming, and in a replay all turns.
func (c *Client) ResetCamera() {
	own := newCamera().orbit
	c.camera.orbit.Distance, c.camera.orbit.Yaw, c.camera.orbit.Pitch = own.Distance, own.Yaw, own.Pitch
}

// AimAt returns the aim at the player under a point of the picture, in points, or else at the plane
// at the height of the own muzzle.
func (c *Client) AimAt(x, y float32) (yaw uint16, pitch int8, ok bool) {
	me, playing := c.net.State()
	if !playing || c.camera.viewport.W <= 0 {
		return 0, 0, false
	}
	origin, direction := c.camera.shown.Ray(x, y, c.camera.viewport)
	muzzle := me.Pos.Add(mgl32.Vec3{0, arena.Muzzle, 0})
	target, best := mgl32.Vec3{}, float32(-1)
	for _, v := range c.objects {
		if v.rep.Archetype != arena.ArchetypePlayer || v.own {
			continue
		}
		// A little larger than the player, because moving targets are hard to hit.
		d, hit := arena.Shot{From: origin, Direction: direction}.Hits(v.pose.Position, 0.8, arena.Height+0.3, 200)
		if hit && (best < 0 || d < best) {
			best, target = d, v.pose.Position.Add(mgl32.Vec3{0, arena.Height / 2, 0})
		}
	}
	if best < 0 {
		if direction[1] > -0.05 {
			return 0, 0, false
		}
		target = origin.Add(direction.Mul((muzzle[1] - origin[1]) / direction[1]))
	}
	if target.Sub(muzzle).Len() < 0.3 {
		return 0, 0, false
	}
	yaw, pitch = arena.Toward(muzzle, target)
	return yaw, pitch, true
}
