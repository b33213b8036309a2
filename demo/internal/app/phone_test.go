package app

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/scenes"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
	"github.com/tandem-ecs/tandem/demo/internal/simulation"
	"github.com/tandem-ecs/tandem/render/record"
)

// The window of a telephone, upright and lying, with everything that is written into it.
func TestPhoneGolden(t *testing.T) {
	for _, c := range []struct {
		name, scene   string
		width, height int
	}{
		{"phone-upright", "lab", 360, 640},
		{"phone-lying", "orbits", 640, 300},
	} {
		on := surface(t, c.width, c.height)
		set := settings.Default()
		set.Scene, set.Split = c.scene, c.scene == "orbits"
		scene, err := newScene(set, &simulation.VirtualClock{})
		if err != nil {
			t.Fatal(err)
		}
		s := NewShow(scene, scenes.WithArena(), nil)
		s.Live, s.Touched = true, true
		for range 300 {
			s.Advance(time.Second / 60)
		}
		if err := s.Draw(on); err != nil {
			t.Fatal(err)
		}
		got, err := on.Capture(nil)
		if err != nil {
			t.Fatal(err)
		}
		s.Close()
		path := filepath.Join("testdata", c.name+".png")
		if *update {
			if err := record.SavePNG(path, got); err != nil {
				t.Fatal(err)
			}
		}
		if share := different(got, load(t, path)); share > 0.004 {
			out := filepath.Join(os.TempDir(), "tandem-"+c.name+".png")
			if err := record.SavePNG(out, got); err != nil {
				t.Error(err)
			}
			t.Errorf("%.2f %% of the pixels differ from %s; the new picture is %s", 100*share, path, out)
		}
	}
}
