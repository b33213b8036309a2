package app

import (
	"errors"
	"flag"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/keys"
	"github.com/tandem-ecs/tandem/demo/internal/scenes"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
	"github.com/tandem-ecs/tandem/demo/internal/simulation"
	"github.com/tandem-ecs/tandem/render"
	"github.com/tandem-ecs/tandem/render/offscreen"
	"github.com/tandem-ecs/tandem/render/record"
)

var update = flag.Bool("update", false, "write the golden pictures anew")

// surface returns something to draw on, or skips the test where there is none.
func surface(t *testing.T, width, height int) *offscreen.Surface {
	t.Helper()
	s, err := offscreen.New(offscreen.Config{Width: width, Height: height, Quality: render.QualityBalanced})
	if errors.Is(err, offscreen.ErrUnavailable) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// open opens the show of a scene.
func open(t *testing.T, set settings.Settings) (*Show, *sceneContent) {
	t.Helper()
	scene, err := newScene(set, &simulation.VirtualClock{})
	if err != nil {
		t.Fatal(err)
	}
	return NewShow(scene, nil, nil), scene
}

// shoot draws a scene at a moment.
func shoot(t *testing.T, on render.Surface, set settings.Settings, moment time.Duration) *image.RGBA {
	t.Helper()
	if err := (Golden{Moment: moment, Settings: set}).Draw(on); err != nil {
		t.Fatal(err)
	}
	picture, err := on.Capture(nil)
	if err != nil {
		t.Fatal(err)
	}
	return picture
}

// TestGolden compares pictures with approved ones. Rasterisers differ in single
// pixels, so a difference counts only when it is in more than a few of them. Run with -update after
// a change that is meant, and look at the result.
func TestGolden(t *testing.T) {
	on := surface(t, 320, 180)
	for _, g := range Goldens() {
		if g.Settings.Scene == "physics" && runtime.GOARCH != "amd64" {
			continue // a collision more or less depends on how the processor rounds
		}
		// No subtests: the surface belongs to this goroutine.
		got := shoot(t, on, g.Settings, g.Moment)
		path := filepath.Join("testdata", g.Name+".png")
		if *update {
			if err := record.SavePNG(path, got); err != nil {
				t.Fatal(err)
			}
		}
		if share := different(got, load(t, path)); share > 0.004 {
			out := filepath.Join(os.TempDir(), "tandem-"+g.Name+".png")
			if err := record.SavePNG(out, got); err != nil {
				t.Error(err)
			}
			t.Errorf("%.2f %% of the pixels differ from %s; the new picture is %s", 100*share, path, out)
		}
		if name := g.Settings.Scene; g.Name == name+"-raw" || g.Name == name+"-ghosts" {
			// The comparison is useful only if it distinguishes the variants.
			if share := different(got, load(t, filepath.Join("testdata", name+".png"))); share < 0.008 {
				t.Errorf("only %.2f %% of the pixels of %s differ from the picture with interpolation and without ghosts", 100*share, g.Name)
			}
		}
	}
}

// Split pictures show logical poses on the left and visual ones on the right, which are the same
// without interpolation.
func TestSplit(t *testing.T) {
	on := surface(t, 320, 180)
	for _, name := range []string{"orbits", "stress"} {
		for _, interpolate := range []bool{true, false} {
			set := settings.Default()
			set.Scene, set.Rate, set.Split, set.Overlay, set.Interpolate = name, 2, true, settings.OverlayNone, interpolate
			if name == "stress" {
				set.Entities = 400
			}
			picture := shoot(t, on, set, 3060*time.Millisecond)
			half := func(from int) *image.RGBA {
				part := image.NewRGBA(image.Rect(0, 0, 150, 180))
				draw.Draw(part, part.Rect, picture, image.Pt(from, 0), draw.Src)
				return part
			}
			share := different(half(4), half(4+161))
			if interpolate && share < 0.01 || !interpolate && share > 0.005 {
				t.Errorf("%s, interpolated %v: %.2f %% of the pixels of the halves differ", name, interpolate, 100*share)
			}
		}
	}
	// It is not done if it makes no sense.
	set := settings.Default()
	set.Overlay = settings.OverlayNone
	whole := shoot(t, on, set, time.Second)
	set.Split = true
	if share := different(whole, shoot(t, on, set, time.Second)); share != 0 {
		t.Errorf("lanes: %.2f %% of the pixels differ", 100*share)
	}
}

// different returns the share of pixels in which two pictures differ visibly.
func different(a, b *image.RGBA) float64 {
	if a.Rect.Size() != b.Rect.Size() {
		return 1
	}
	const visible = 24 // of 255, in any channel
	n := 0
	for i := 0; i < len(a.Pix); i += 4 {
		for c := range 3 {
			if d := int(a.Pix[i+c]) - int(b.Pix[i+c]); d > visible || d < -visible {
				n++
				break
			}
		}
	}
	return float64(n) / float64(len(a.Pix)/4)
}

func load(t *testing.T, path string) *image.RGBA {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatalf("%v; make the golden pictures with -update, and look at them", err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	rgba := image.NewRGBA(img.Bounds())
	draw.Draw(rgba, rgba.Rect, img, img.Bounds().Min, draw.Src)
	return rgba
}

// Every scene draws with every setting, in pictures of odd shapes, without an error.
func TestEverySceneDraws(t *testing.T) {
	on := surface(t, 160, 90)
	for _, size := range []image.Point{{160, 90}, {64, 300}, {400, 64}} {
		if err := on.Resize(size.X, size.Y, 1); err != nil {
			t.Fatal(err)
		}
		for _, name := range scenes.Names() {
			set := settings.Default()
			set.Scene, set.Ghosts, set.Keys = name, true, true
			if name == "stress" {
				set.Entities = 50
			}
			picture := shoot(t, on, set, 500*time.Millisecond)
			colours := map[[3]uint8]bool{}
			for i := 0; i < len(picture.Pix); i += 4 {
				colours[[3]uint8(picture.Pix[i:i+3])] = true
			}
			if len(colours) < 50 {
				t.Errorf("%s at %v: %d colours: is there a picture?", name, size, len(colours))
			}
		}
	}
}

// A window's resize, a restart and another scene in the middle of it all.
func TestShowChanges(t *testing.T) {
	on := surface(t, 200, 120)
	s, _ := open(t, settings.Default())
	defer s.Close()
	frames := func() {
		t.Helper()
		for range 3 {
			s.Advance(20 * time.Millisecond)
			if err := s.Draw(on); err != nil {
				t.Fatal(err)
			}
		}
	}
	frames()
	for i, name := range scenes.Names() {
		set := s.Settings()
		set.Scene, set.Rate, set.Entities = name, 0, 0
		if err := s.Apply(set); err != nil {
			t.Fatal(err)
		}
		s.Say(name)
		if err := on.Resize(200+40*i, 120, 1); err != nil {
			t.Fatal(err)
		}
		frames()
	}
	if err := s.Act(keys.Restart); err != nil {
		t.Fatal(err)
	}
	frames()
	want := fmt.Sprintf("lab: %d frames, 0.480 s of real and 0.480 s of normal time", 3*(len(scenes.Names())+2))
	if got := s.Summary(); len(got) < len(want) || got[:len(want)] != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
