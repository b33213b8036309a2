package view

import (
	"time"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/demo/internal/arena"
	"github.com/tandem-ecs/tandem/render"
)

// camera follows the own player from above and behind; north is always up.
type camera struct {
	orbit render.Orbit
	after render.Follow
	shown render.Camera
	part  render.Rect
}

func newCamera() camera {
	return camera{
		orbit: render.Orbit{Target: mgl32.Vec3{0, 1, 2}, Pitch: 0.82, Distance: 25, MinDistance: 8, MaxDistance: 60},
		after: render.Follow{HalfLife: 90 * time.Millisecond, Snap: 7},
	}
}

// seen returns the camera of a picture with the given proportion of width to height. One that
// stands still looks at the arena's front half, from where everything that is near the middle is in
// the picture.
func (c *camera) seen(aspect float32, still bool) render.Orbit {
	orbit := c.orbit
	if still {
		orbit.Target, orbit.Distance = mgl32.Vec3{0, 0.5, 4}, orbit.Distance*0.84
	}
	if aspect < 1.4 {
		orbit.Distance *= 1.4 / max(aspect, 0.5)
	}
	return orbit
}

// follow moves the camera after the own player as he is drawn.
func (s *Seat) follow(real time.Duration) {
	s.eachView(func(v *thing) {
		if v.own {
			at := v.pose.Position
			// Near the wall the floor stays in the picture, not what is beyond.
			const edge, far = arena.Half - 10, 8 // more is seen of what is far away
			at = mgl32.Vec3{mgl32.Clamp(at[0], -edge, edge), 1 + 0.4*at[1], mgl32.Clamp(at[2], -edge+far, edge+2)}
			s.camera.after.Update(&s.camera.orbit, at, real)
		}
	})
}

// Zoom brings the camera nearer by steps of a wheel.
func (s *Seat) Zoom(steps float32) {
	for range int(max(steps, -steps) + 0.5) {
		if steps > 0 {
			s.camera.orbit.Zoom(0.9)
		} else {
			s.camera.orbit.Zoom(1 / 0.9)
		}
	}
}

// ResetCamera undoes all zooming.
func (s *Seat) ResetCamera() { s.camera.orbit.Distance = newCamera().orbit.Distance }

// AimAt returns the aim at what lies under a point of the picture, in points: a player, else the
// level at the height of the own muzzle.
func (s *Seat) AimAt(x, y float32) (yaw uint16, pitch int8, ok bool) {
	me, playing := s.client.State()
	if !playing || s.camera.part.W <= 0 {
		return 0, 0, false
	}
	origin, direction := s.camera.shown.Ray(x, y, s.camera.part)
	muzzle := me.Pos.Add(mgl32.Vec3{0, arena.Muzzle, 0})
	target, best := mgl32.Vec3{}, float32(-1)
	s.eachView(func(v *thing) {
		if v.rep.Archetype != arena.KindPlayer || v.own {
			return
		}
		// A little larger than he is: aiming at what moves is hard enough.
		d, hit := arena.Shot{From: origin, Direction: direction}.Hits(v.pose.Position, 0.8, arena.Height+0.3, 200)
		if hit && (best < 0 || d < best) {
			best, target = d, v.pose.Position.Add(mgl32.Vec3{0, arena.Height / 2, 0})
		}
	})
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
