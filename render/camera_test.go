package render

import (
	"math"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	"pgregory.net/rapid"
)

func near(a, b, tolerance float32) bool { return float32(math.Abs(float64(a-b))) <= tolerance }

func near3(a, b mgl32.Vec3, tolerance float32) bool { return a.Sub(b).Len() <= tolerance }

func TestProjectAnalytic(t *testing.T) {
	viewport := Rect{100, 50, 400, 200} // aspect 2
	c := Camera{Position: mgl32.Vec3{0, 0, 10}, FOV: math.Pi / 2}
	// With a field of view of 90 degrees half the height is seen as 1 at distance 1.
	for _, test := range []struct {
		point       mgl32.Vec3
		x, y, depth float32
		ok          bool
	}{
		{mgl32.Vec3{0, 0, 0}, 300, 150, 10, true},
		{mgl32.Vec3{0, 10, 0}, 300, 50, 10, true},      // upper edge
		{mgl32.Vec3{20, 0, 0}, 500, 150, 10, true},     // right edge
		{mgl32.Vec3{-10, -5, 0}, 200, 200, 10, true},   // halfway to the lower left
		{mgl32.Vec3{-10, -5, 5}, 100, 250, 5, true},    // twice as near: the lower left corner
		{mgl32.Vec3{0, 11, 0}, 300, 40, 10, false},     // above
		{mgl32.Vec3{30, 0, 0}, 600, 150, 10, false},    // to the right
		{mgl32.Vec3{3, 4, 12}, 0, 0, -2, false},        // behind
		{mgl32.Vec3{0, 0, -1e6}, 300, 150, 1e6, false}, // beyond the far plane
	} {
		x, y, depth, ok := c.Project(test.point, viewport)
		if !near(x, test.x, 0.01) || !near(y, test.y, 0.01) || !near(depth, test.depth, depth*1e-5+1e-4) || ok != test.ok {
			t.Errorf("%v is seen at %g, %g, depth %g, %v; want %g, %g, depth %g, %v", test.point, x, y, depth, ok, test.x, test.y, test.depth, test.ok)
		}
	}
}

func TestProjectOrtho(t *testing.T) {
	c := Camera{Position: mgl32.Vec3{0, 50, 0}, Target: mgl32.Vec3{0, 0, 0}, Ortho: 20}
	viewport := Rect{0, 0, 200, 100}
	// Looking straight down, -Z is up in the picture.
	for _, y := range []float32{-3, 0, 7} { // the height does not matter
		sx, sy, _, ok := c.Project(mgl32.Vec3{10, y, -5}, viewport)
		if !near(sx, 150, 0.01) || !near(sy, 25, 0.01) || !ok {
			t.Errorf("at height %g: seen at %g, %g, %v; want 150, 25", y, sx, sy, ok)
		}
	}
}

func TestRayIsTheInverseOfProject(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := func(name string, lo, hi float32) float32 { return rapid.Float32Range(lo, hi).Draw(t, name) }
		c := Camera{
			Position: mgl32.Vec3{f("px", -20, 20), f("py", -20, 20), f("pz", -20, 20)},
			Target:   mgl32.Vec3{f("tx", -20, 20), f("ty", -20, 20), f("tz", -20, 20)},
			FOV:      f("fov", 0.2, 2),
			// a distance of 1 along a slanted ray may be very near the camera's plane
			Near: 1e-3,
		}
		if rapid.Bool().Draw(t, "ortho") {
			c.Ortho = f("height", 1, 100)
		}
		if c.Distance() < 0.1 {
			t.Skip("no direction")
		}
		viewport := Rect{f("x", 0, 100), f("y", 0, 100), f("w", 50, 2000), f("h", 50, 2000)}
		sx, sy := viewport.X+viewport.W*f("u", 0.01, 0.99), viewport.Y+viewport.H*f("v", 0.01, 0.99)
		origin, direction := c.Ray(sx, sy, viewport)
		if !near(direction.Len(), 1, 1e-4) {
			t.Fatalf("the direction has length %g", direction.Len())
		}
		x, y, _, ok := c.Project(origin.Add(direction.Mul(f("distance", 1, 50))), viewport)
		// A pixel corresponds to 1/h of the picture; the float32 matrices are good to about 1e-4 of
		// it.
		if tolerance := 2e-3 * (viewport.W + viewport.H); !near(x, sx, tolerance) || !near(y, sy, tolerance) || !ok {
			t.Fatalf("the ray through %g, %g meets a point seen at %g, %g, %v", sx, sy, x, y, ok)
		}
	})
}

func TestCameraWithoutUsefulDirections(t *testing.T) {
	for name, c := range map[string]Camera{
		"target at the position": {Position: mgl32.Vec3{1, 2, 3}, Target: mgl32.Vec3{1, 2, 3}},
		"straight down":          {Position: mgl32.Vec3{0, 9, 0}},
		"straight up":            {Position: mgl32.Vec3{0, -9, 0}},
		"up along the view":      {Position: mgl32.Vec3{0, 0, 9}, Up: mgl32.Vec3{0, 0, 5}},
		"nearly straight down":   {Position: mgl32.Vec3{0, 9, 1e-5}},
	} {
		m := c.Matrix(1.5)
		for _, v := range m {
			if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
				t.Errorf("%s: the matrix is %v", name, m)
				break
			}
		}
		if r := c.Right(); !near(r.Len(), 1, 1e-4) {
			t.Errorf("%s: right is %v", name, r)
		}
	}
}

func TestOrbitPlaces(t *testing.T) {
	for _, test := range []struct {
		orbit Orbit
		want  mgl32.Vec3
	}{
		{Orbit{Distance: 5}, mgl32.Vec3{0, 0, 5}},
		{Orbit{Distance: 5, Yaw: math.Pi / 2}, mgl32.Vec3{5, 0, 0}},
		{Orbit{Distance: 2, Yaw: math.Pi, Target: mgl32.Vec3{1, 2, 3}}, mgl32.Vec3{1, 2, 1}},
		{Orbit{Distance: 2, Pitch: math.Pi / 6}, mgl32.Vec3{0, 1, float32(math.Sqrt(3))}},
	} {
		c := test.orbit.Camera()
		if !near3(c.Position, test.want, 1e-5) || c.Target != test.orbit.Target {
			t.Errorf("%+v: camera at %v looks at %v; want %v", test.orbit, c.Position, c.Target, test.want)
		}
	}
}

func TestOrbitLimits(t *testing.T) {
	o := Orbit{Distance: 4, MinDistance: 1, MaxDistance: 10}
	for i := 0; i < 100; i++ {
		o.Rotate(1, 0.3)
	}
	if o.Pitch != PitchLimit || o.Yaw < -math.Pi-1e-5 || o.Yaw > math.Pi+1e-5 {
		t.Errorf("after many turns: yaw %g, pitch %g", o.Yaw, o.Pitch)
	}
	if want := math.Remainder(100, 2*math.Pi); !near(o.Yaw, float32(want), 1e-3) {
		t.Errorf("yaw %g, want %g", o.Yaw, want)
	}
	o.Zoom(0.5)
	if o.Distance != 2 {
		t.Errorf("distance %g, want 2", o.Distance)
	}
	for _, test := range []struct{ factor, want float32 }{{0.001, 1}, {1000, 10}, {0, 10}, {-2, 10}, {float32(math.NaN()), 10}} {
		if o.Zoom(test.factor); o.Distance != test.want {
			t.Errorf("zoomed by %g: distance %g, want %g", test.factor, o.Distance, test.want)
		}
	}
}

// Panning by the height of the picture moves a point from the lower edge to the upper one.
func TestOrbitPan(t *testing.T) {
	o := Orbit{Target: mgl32.Vec3{3, 1, 2}, Yaw: 0.7, Pitch: 0.4, Distance: 8}
	viewport := Rect{0, 0, 300, 200}
	old := o.Target
	o.Pan(0.25, -0.5)
	x, y, _, _ := o.Camera().Project(old, viewport)
	if !near(x, 100, 0.05) || !near(y, 0, 0.05) {
		t.Errorf("the old target is seen at %g, %g; want 100, 0", x, y)
	}
}

func TestFollow(t *testing.T) {
	f := Follow{HalfLife: 100 * time.Millisecond, Snap: 20}
	to := mgl32.Vec3{8, 0, 0}
	var once, often, rigid, jumped Orbit
	f.Update(&once, to, 200*time.Millisecond)
	for i := 0; i < 20; i++ {
		f.Update(&often, to, 10*time.Millisecond)
	}
	if want := (mgl32.Vec3{6, 0, 0}); !near3(once.Target, want, 1e-4) || !near3(often.Target, want, 1e-4) {
		t.Errorf("after two half-lives: %v in one frame, %v in twenty; want %v", once.Target, often.Target, want)
	}
	Follow{}.Update(&rigid, to, time.Millisecond)
	if rigid.Target != to {
		t.Errorf("without a half-life: %v, want %v", rigid.Target, to)
	}
	far := mgl32.Vec3{0, 0, 21}
	f.Update(&jumped, far, time.Millisecond)
	if jumped.Target != far {
		t.Errorf("a teleport is followed to %v, want %v", jumped.Target, far)
	}
	before := often.Target
	f.Update(&often, to, -time.Second)
	if often.Target != before {
		t.Error("a negative time moved the camera")
	}
}

func TestRects(t *testing.T) {
	r := Rect{10, 20, 100, 50}
	for _, test := range []struct{ got, want Rect }{
		{r.Column(0, 1, 5), r},
		{r.Column(0, 3, 5), Rect{10, 20, 30, 50}},
		{r.Column(2, 3, 5), Rect{80, 20, 30, 50}},
		{r.Row(1, 2, 10), Rect{10, 50, 100, 20}},
		{r.Inset(5), Rect{15, 25, 90, 40}},
		{Rect{0.5, 0, 0.5, 1}.In(r), Rect{60, 20, 50, 50}},
	} {
		if test.got != test.want {
			t.Errorf("%v, want %v", test.got, test.want)
		}
	}
	if !r.Contains(10, 20) || r.Contains(110, 30) || r.Contains(50, 70) {
		t.Error("the upper left corner belongs to a rectangle, the right and lower edges do not")
	}
}

// A batch that is not there is not drawn.
func TestNilBatchesAreNotAdded(t *testing.T) {
	f := NewFrame(Daylight())
	f.Begin(Size{Width: 64, Height: 64})
	v := f.View(LookAt(mgl32.Vec3{0, 0, 5}, mgl32.Vec3{}))
	v.Add(nil)
	v.AddMotion(nil)
	v.AddLines(nil)
	if n := len(v.Items()); n != 0 {
		t.Errorf("the view has %d batches", n)
	}
}

func TestViewProjectsToPoints(t *testing.T) {
	f := NewFrame(Dusk())
	f.Begin(Size{Width: 800, Height: 400, Scale: 2})
	v := f.ViewIn(Whole().Column(1, 2, 0), Camera{Position: mgl32.Vec3{0, 0, 10}})
	x, y, ok := v.Project(mgl32.Vec3{})
	if !ok || !near(x, 300, 0.01) || !near(y, 100, 0.01) {
		t.Errorf("the middle of the right half is at %g, %g, %v; want 300, 100 points", x, y, ok)
	}
}

func TestColors(t *testing.T) {
	if got := Hex(0x12ab34); got != (Color{0x12, 0xab, 0x34, 255}) {
		t.Errorf("Hex gives %v", got)
	}
	for i := 0; i < 256; i++ {
		v := uint8(i)
		if back := fromLinear(toLinear(v)); back != v {
			t.Errorf("%d becomes %d on the way to light and back", v, back)
		}
	}
	if got := toLinear(188); !near(got, 0.5029, 0.0005) {
		t.Errorf("188 is %g of full light, want 0.503", got)
	}
	black, white := Hex(0), Hex(0xffffff)
	if got := black.Mix(white, 0.5); got.R != 188 {
		t.Errorf("half of white light is %d, want 188", got.R)
	}
	if black.Mix(white, 0) != black || black.Mix(white, 1) != white {
		t.Error("the ends of a mixture are not its parts")
	}
	for _, test := range []struct {
		alpha float32
		want  uint8
	}{{0, 0}, {0.5, 128}, {1, 255}, {-3, 0}, {7, 255}, {float32(math.NaN()), 0}} {
		if got := white.Alpha(test.alpha).A; got != test.want {
			t.Errorf("alpha %g is %d, want %d", test.alpha, got, test.want)
		}
	}
	theme := Daylight()
	if theme.Accent(0) != theme.Accent(8) || theme.Accent(-1) != theme.Accent(7) {
		t.Error("accents do not repeat after the eighth")
	}
}

func TestShadowAndPlanesDefaults(t *testing.T) {
	c := LookAt(mgl32.Vec3{0, 0, 10}, mgl32.Vec3{})
	if center, radius := (Shadow{}).Fit(c); center != c.Target || radius != 11 {
		t.Errorf("the shadow covers %g around %v", radius, center)
	}
	if center, radius := (Shadow{Center: mgl32.Vec3{1, 2, 3}, Radius: 4}).Fit(c); center != (mgl32.Vec3{1, 2, 3}) || radius != 4 {
		t.Errorf("the shadow covers %g around %v, want what was asked for", radius, center)
	}
	if near, far := c.Planes(); near != 0.2 || far != 500 {
		t.Errorf("planes at %g and %g, want 0.2 and 500", near, far)
	}
	c.Near, c.Far = 1, 50
	if near, far := c.Planes(); near != 1 || far != 50 {
		t.Errorf("planes at %g and %g, want what was asked for", near, far)
	}
}

func TestKeyNames(t *testing.T) {
	for key, want := range map[Key]string{'A': "A", '7': "7", KeySpace: "Space", KeyEscape: "Esc", KeyF1: "F1", KeyF12: "F12", KeyUp: "↑", KeyLeftBracket: "[", KeyGrave: "`", KeyPadAdd: "Num +", KeyUnknown: "?", 999: "?"} {
		if got := key.String(); got != want {
			t.Errorf("key %d is called %q, want %q", key, got, want)
		}
	}
	if len(keyNames) != int(keyEnd-KeyEscape) {
		t.Errorf("%d names for %d keys", len(keyNames), keyEnd-KeyEscape)
	}
	for i := ' '; i < 0x7f; i++ {
		if k := Key(i); i != ' ' && k.String() != string(i) {
			t.Errorf("key %q is called %q", i, k)
		}
	}
}
