package app

import (
	"image"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/settings"
	"github.com/tandem-ecs/tandem/render"
)

func TestPace(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	set := settings.Default()
	for _, test := range []struct {
		cap      int
		jitter   float64
		from, to float64
	}{
		{0, 0, 0, 0}, {60, 0, 59.999, 60.001}, {20, 0.5, 20 / 1.5, 20 / 0.5}, {0, 0.9, windowCap / 1.9, windowCap / 0.099},
	} {
		set.Cap, set.Jitter = test.cap, test.jitter
		low, high := 1e9, 0.0
		for range 1000 {
			rate := pace(set, random)
			low, high = min(low, rate), max(high, rate)
		}
		if low < test.from || high > test.to {
			t.Errorf("cap %d, jitter %v: %v to %v frames per second, want within %v to %v", test.cap, test.jitter, low, high, test.from, test.to)
		}
		if test.jitter > 0 && high < 1.5*low {
			t.Errorf("cap %d, jitter %v: %v to %v frames per second hardly differ", test.cap, test.jitter, low, high)
		}
	}
}

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

// A clip takes about as many pictures as it shows, and lasts as long as what it shows did.
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
	// A clip has one size; what the window shows at another is left out.
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
	if err := none.frame(nil, time.Second); err != nil || none.length() >= 0 {
		t.Errorf("no clip: error %v, length %v", err, none.length())
	}
}

func TestDescribe(t *testing.T) {
	base := settings.Default()
	base.Rate = 60
	for want, change := range map[string]func(*settings.Settings){
		"scene orbits":    func(s *settings.Settings) { s.Scene, s.Rate = "orbits", 10 },
		"fixed rate 5 Hz": func(s *settings.Settings) { s.Rate = 5 },
		"blending on the GPU on, from the beginning": func(s *settings.Settings) { s.GPU = true },
		"adaptive rate on, from the beginning":       func(s *settings.Settings) { s.Adaptive = true },
		"paused":                                     func(s *settings.Settings) { s.Paused = true },
		"speed 0.25":                                 func(s *settings.Settings) { s.Speed = 0.25 },
		"interpolation off":                          func(s *settings.Settings) { s.Interpolate = false },
		"raw beside interpolated":                    func(s *settings.Settings) { s.Split = true },
		"logical ghosts on":                          func(s *settings.Settings) { s.Ghosts = true },
		"at most 30 frames per second":               func(s *settings.Settings) { s.Cap = 30 },
		"frame jitter 25 %":                          func(s *settings.Settings) { s.Jitter = 0.25 },
		"every step takes 20 ms":                     func(s *settings.Settings) { s.StepCost = 20 * time.Millisecond },
		"waiting for the display: off":               func(s *settings.Settings) { s.VSync = false },
		"network: round trip 400 ms":                 func(s *settings.Settings) { s.Link.Latency = 400 * time.Millisecond },
		"network: jitter 50 %":                       func(s *settings.Settings) { s.Link.Jitter = 0.5 },
		"network: 30 % lost":                         func(s *settings.Settings) { s.Link.Loss = 0.3 },
		"network: bursts of losses 2 %":              func(s *settings.Settings) { s.Link.Burst = 0.02 },
		"network: 10 % twice":                        func(s *settings.Settings) { s.Link.Duplicate = 0.1 },
		"network: 10 % overtaken":                    func(s *settings.Settings) { s.Link.Reorder = 0.1 },
		"network: 10 snapshots a second":             func(s *settings.Settings) { s.Link.SendRate = 10 },
		"":                                           func(s *settings.Settings) { s.Keys = true }, // seen without words
	} {
		after := base
		change(&after)
		if got := describe(base, after); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if got := describe(settings.Settings{Cap: 60}, settings.Settings{}); got != "no frame-rate cap" {
		t.Errorf("got %q", got)
	}
}

// Keys of what only one scene has say so in the others, instead of promising something that nobody sees.
func TestIdleKeys(t *testing.T) {
	for _, test := range []struct {
		scene  string
		change func(*settings.Settings)
		want   string
	}{
		{"lanes", func(s *settings.Settings) { s.Link.Loss = 0.5 }, "the network link belongs to scene lab: key 6"},
		{"lab", func(s *settings.Settings) { s.Link.Loss = 0.5 }, ""},
		{"lab", func(s *settings.Settings) { s.GPU = true }, "the GPU blends in scene stress: key 5"},
		{"stress", func(s *settings.Settings) { s.GPU = true }, ""},
		{"orbits", func(s *settings.Settings) { s.Ghosts = true }, ""},
		{"orbits", func(s *settings.Settings) { s.Split = true }, ""},
		{"physics", func(s *settings.Settings) { s.Split = true }, "this scene makes its own comparison; T is for orbits and stress"},
	} {
		before := settings.Default()
		before.Scene = test.scene
		after := before
		test.change(&after)
		if got := idle(before, after); got != test.want {
			t.Errorf("%s: %q, want %q", test.scene, got, test.want)
		}
	}
}

func TestCamera(t *testing.T) {
	base := render.Orbit{Distance: 10, MinDistance: 2, MaxDistance: 50}
	c := newCamera()
	wideLook := c.look(base, wide)
	if d := wideLook.Distance(); d < 9.99 || d > 10.01 {
		t.Errorf("in a wide picture the distance is %v, want the scene's", d)
	}
	if d := c.look(base, wide/2).Distance(); d < 19.9 || d > 20.1 {
		t.Errorf("in a picture half as wide the distance is %v, want twice the scene's", d)
	}
	c.look(base, wide)
	c.move(0.1, 0)
	if moved := c.look(base, wide).Target; moved[0] >= 0 {
		t.Errorf("dragging to the right moves the picture with the mouse, so the target to the left; it is %v", moved)
	}
	c.approach(3)
	if d := c.look(base, wide).Distance(); d >= 10 {
		t.Errorf("the wheel does not bring it nearer: %v", d)
	}
	for range 100 {
		c.approach(1)
		c.turn(50, 50)
	}
	if d := c.look(base, wide).Distance(); d < 1.99 {
		t.Errorf("nearer than the scene allows: %v", d)
	}
}
