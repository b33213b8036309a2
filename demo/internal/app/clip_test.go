package app

import (
	"image"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/render"
)

// canvas is a surface that counts the pictures taken of it.
type canvas struct {
	render.Surface
	taken int
	wide  int
}

func (c *canvas) Capture(dst *image.RGBA) (*image.RGBA, error) {
	c.taken++
	return image.NewRGBA(image.Rect(0, 0, 1+c.wide, 1)), nil
}

// reel is a recorder that adds up how long its pictures are shown.
type reel struct{ shown time.Duration }

func (r *reel) Frame(_ *image.RGBA, shown time.Duration) error { r.shown += shown; return nil }
func (r *reel) Close() error                                   { return nil }
func (r *reel) Abort()                                         {}

// A clip takes about as many pictures as it shows, and lasts as long as the run.
func TestClipTakesWhatItShows(t *testing.T) {
	for _, fps := range []time.Duration{20, 30, 50, 60, 144, 1000} {
		var on canvas
		var r reel
		c := clip{recorder: &r, every: time.Second / 30}
		for range 2 * fps {
			if err := c.frame(&on, time.Second/fps); err != nil {
				t.Fatal(err)
			}
		}
		if want := 2 * min(int(fps), 30); on.taken < want*8/10 || on.taken > want*13/10 {
			t.Errorf("%d fps: %d pictures in 2 s, want about %d", fps, on.taken, want)
		}
		if short := 2*time.Second - r.shown; short < 0 || short > time.Second/10 {
			t.Errorf("%d fps: the clip lasts %v, want 2s", fps, r.shown)
		}
	}
	// A clip has one size; pictures of another size are left out.
	var on canvas
	var r reel
	c := clip{recorder: &r, every: time.Millisecond}
	for _, on.wide = range []int{0, 0, 5, 5, 0} {
		if err := c.frame(&on, time.Second); err != nil {
			t.Fatal(err)
		}
	}
	if r.shown != 3*time.Second {
		t.Errorf("pictures for %v were recorded, want those for 3s of the first size", r.shown)
	}
	var none clip
	if err := none.frame(nil, time.Second); err != nil {
		t.Errorf("no clip: error %v", err)
	}
}
