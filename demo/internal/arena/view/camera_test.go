package view

import (
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/demo/internal/arena"
	"github.com/tandem-ecs/tandem/render"
)

// The first picture of a player shows a portal and a platform, clear of the panels at the edges, at
// every spawn point and at every time, in a wide picture and in the half of one.
func TestTheFirstPictureShowsThePlaces(t *testing.T) {
	level := arena.NewLevel()
	// The part of the picture that no panel covers.
	clear := render.Rect{X: 0.03, Y: 0.12, W: 0.94, H: 0.68}
	for _, aspect := range []float32{16.0 / 9, 8.0 / 9} {
		for _, spawn := range level.Spawns {
			c := newCamera()
			c.frame(spawn, level.Half, 10*time.Second)
			orbit := c.orbitFor(aspect, false)
			camera := orbit.Camera()
			shown := func(at mgl32.Vec3) bool {
				x, y, _, ok := camera.Project(at, render.Rect{W: aspect, H: 1})
				x /= aspect
				return ok && x > clear.X && x < clear.X+clear.W && y > clear.Y && y < clear.Y+clear.H
			}
			portal := false
			for _, p := range level.Portals {
				portal = portal || shown(p.Place)
			}
			if !portal {
				t.Errorf("aspect %.2f, spawn %v: no portal is in the picture", aspect, spawn)
			}
			missing := 0
			for s := range 180 { // after that all platforms are near their places again
				platform := false
				for _, path := range level.Platforms {
					platform = platform || shown(path(float64(s)/2))
				}
				if !platform {
					missing++
				}
			}
			if missing > 0 {
				t.Errorf("aspect %.2f, spawn %v: no platform is in the picture in %d of 180 half seconds", aspect, spawn, missing)
			}
		}
	}
}
