package app

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/timebar"
	"github.com/tandem-ecs/tandem/render"
	"github.com/tandem-ecs/tandem/render/record"
	"github.com/tandem-ecs/tandem/systems/netcode/replay"
)

// The bar of a replay, with a mark that has just passed, and a part that is missing.
func TestBarGolden(t *testing.T) {
	on := surface(t, 640, 100)
	f := render.NewFrame(render.Daylight())
	f.Begin(on.Size())
	bar := timebar.Bar{
		Marks: []timebar.Mark{{At: 7 * time.Second, Text: "the round begins"}, {At: 40 * time.Second, Text: "player 1 beats player 2"}},
		Gaps:  []replay.Gap{{From: 60 * time.Second, To: 66 * time.Second}},
	}
	bar.Draw(&f.Overlay, f.Overlay.Bounds().Inset(10), timebar.State{At: 41200 * time.Millisecond, Length: 95 * time.Second, Speed: 0.25, Leaves: true})
	if err := on.Draw(f); err != nil {
		t.Fatal(err)
	}
	got, err := on.Capture(nil)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", "replay-bar.png")
	if *update {
		if err := record.SavePNG(path, got); err != nil {
			t.Fatal(err)
		}
	}
	if share := different(got, load(t, path)); share > 0.004 {
		out := filepath.Join(os.TempDir(), "tandem-replay-bar.png")
		if err := record.SavePNG(out, got); err != nil {
			t.Error(err)
		}
		t.Errorf("%.2f %% of the pixels differ from %s; the new picture is %s", 100*share, path, out)
	}
}
