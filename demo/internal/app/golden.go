package app

import (
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/settings"
	"github.com/tandem-ecs/tandem/demo/internal/simulation"
	"github.com/tandem-ecs/tandem/render"
)

// Golden is a picture that is kept in testdata under its name. Tests compare it with what each
// platform draws in a surface of 320 by 180 pixels of render.QualityBalanced.
type Golden struct {
	Name     string
	Moment   time.Duration
	Settings settings.Settings
}

// Goldens returns the golden pictures: every scene but one with and without interpolation at the
// same moment, and each other thing that is drawn once.
func Goldens() (all []Golden) {
	add := func(name string, moment time.Duration, change func(*settings.Settings)) {
		set := settings.Default()
		set.Overlay, set.Ghosts = settings.OverlayNone, false
		change(&set)
		all = append(all, Golden{name, moment, set})
	}
	both := func(name string, moment time.Duration, change func(*settings.Settings)) {
		add(name, moment, change)
		add(name+"-raw", moment, func(s *settings.Settings) { change(s); s.Interpolate = false })
	}
	stress := func(s *settings.Settings) { s.Scene, s.Entities, s.Rate = "stress", 400, 5 }
	both("lanes", 3060*time.Millisecond, func(s *settings.Settings) { s.Scene, s.Rate = "lanes", 5 })
	both("orbits", 6030*time.Millisecond, func(s *settings.Settings) { s.Scene = "orbits" })
	both("teleports", 2560*time.Millisecond, func(s *settings.Settings) { s.Scene = "teleports" })
	both("physics", 1020*time.Millisecond, func(s *settings.Settings) { s.Scene = "physics" })
	both("stress", 2020*time.Millisecond, stress)
	add("stress-ghosts", 2020*time.Millisecond, func(s *settings.Settings) { stress(s); s.Ghosts = true })
	// At 60 Hz interpolation makes next to no difference: these are two moments instead.
	add("lab", 5030*time.Millisecond, func(s *settings.Settings) { s.Scene = "lab" })
	add("lab-jump", 9500*time.Millisecond, func(s *settings.Settings) { s.Scene, s.Link.SendRate, s.Link.Loss = "lab", 10, 0.3 })
	return all
}

// Draw runs the scene in virtual time, at 60 frames per second up to the moment, and draws that.
func (g Golden) Draw(on render.Surface) error {
	scene, err := newScene(g.Settings, &simulation.VirtualClock{})
	if err != nil {
		return err
	}
	s := NewShow(scene, nil, nil)
	defer s.Close()
	const frame = time.Second / 60
	for scene.Time().Real+frame <= g.Moment {
		s.Advance(frame)
	}
	s.Advance(g.Moment - scene.Time().Real)
	return s.Draw(on)
}
