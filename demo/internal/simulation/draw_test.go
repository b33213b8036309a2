package simulation_test

import (
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/scene"
	"github.com/tandem-ecs/tandem/demo/internal/scenes"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
	"github.com/tandem-ecs/tandem/demo/internal/simulation"
	"github.com/tandem-ecs/tandem/render"
)

// Once a scene is warm, drawing it allocates nothing.
func TestScenesAreDrawnWithoutAllocations(t *testing.T) {
	for _, name := range scenes.Names() {
		set := settings.Default()
		set.Scene = name
		s, err := simulation.New(set, &simulation.VirtualClock{})
		if err != nil {
			t.Fatal(err)
		}
		var brush scene.Brush
		frame := render.NewFrame(render.Daylight())
		var p scene.Picture
		draw := func() {
			frame.Begin(render.Size{Width: 640, Height: 400})
			o := s.Scene().Camera(s.Time())
			view := frame.View(o.Camera())
			brush.Reset()
			p = scene.Picture{View: view, Overlay: &frame.Overlay, Theme: &frame.Theme, Brush: &brush, Now: s.Time(), Ghosts: true, Labels: true, Figures: true}
			s.Scene().Draw(&p)
			brush.Show(view)
		}
		for range 120 {
			s.Update(time.Second / 60)
			draw()
		}
		if n := testing.AllocsPerRun(20, draw); n != 0 {
			t.Errorf("%s: %v allocations per frame", name, n)
		}
		s.Close()
	}
}
