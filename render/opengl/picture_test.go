//go:build cgo

package opengl_test

import (
	"image"
	"image/color"
	"testing"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/render"
)

func TestGoldenThemes(t *testing.T) {
	for name, theme := range map[string]render.Theme{"daylight": render.Daylight(), "dusk": render.Dusk()} {
		t.Run(name, func(t *testing.T) {
			s := newSurface(t, 320, 180, render.QualityBalanced)
			f := render.NewFrame(theme)
			f.Begin(s.Size())
			v := f.View(paradeCamera())
			for _, b := range parade(&theme) {
				v.Add(b)
			}
			lines := &render.LineBatch{}
			lines.AddFade(mgl32.Vec3{-7, 0.02, 4.6}, mgl32.Vec3{7, 0.02, 4.6}, theme.Accent(0), theme.Accent(1))
			lines.Add(mgl32.Vec3{-6, 0.02, 4.2}, mgl32.Vec3{6, 2, 4.2}, theme.Ink)
			v.AddLines(lines)
			golden(t, name, picture(t, s, f))
		})
	}
}

func TestGoldenOverlay(t *testing.T) {
	s := newSurface(t, 320, 180, render.QualityBalanced)
	f := render.NewFrame(render.Dusk())
	f.Begin(s.Size())
	overlay(&f.Overlay, f.Theme)
	golden(t, "overlay", picture(t, s, f))
}

// overlay draws one of each kind.
func overlay(o *render.Overlay, t render.Theme) {
	o.Panel(render.Rect{X: 6, Y: 6, W: 150, H: 84})
	o.Text(14, 10, render.TextHeading, t.Text, "Overlay →")
	o.At(14, 32, render.TextMono, t.TextDim).Str("rate").Tab(50).Color(t.Text).FloatRight(59.94, 2, 50).Str(" Hz\n").
		Color(t.TextDim).Str("tick").Tab(50).Color(t.Good).Int(-12).Str(" / ").Uint(34)
	o.Text(14, 66, render.TextSmall, t.Bad, "small · äöü × µ")
	o.Border(render.Rect{X: 6, Y: 6, W: 150, H: 84}, t.PanelLine)
	o.TextAligned(312, 4, render.AlignRight, render.TextTitle, t.Ink, "Tandem")
	o.Meter(render.Rect{X: 170, Y: 40, W: 140, H: 6}, 0.6, t.Accent(2))
	o.Dot(180, 62, 6, t.Accent(0))
	o.Line(195, 70, 305, 54, 2, t.Accent(1))
	o.Key(170, 76, "Space")
	o.Label(270, 92, t.Text, "label")
	g := render.NewGraph("displacement", "mm", 1, 40, render.Series{Name: "a", Color: t.Accent(3)}, render.Series{Name: "b", Color: t.Accent(5)})
	bars := render.NewGraph("steps", "", 0, 40, render.Series{Color: t.Accent(2)})
	bars.Bars = true
	for i := 0; i < 40; i++ {
		g.Push(5, float32(i*i%11))
		bars.Push(float32(i % 3))
	}
	o.Graph(render.Rect{X: 6, Y: 98, W: 150, H: 76}, g)
	o.Graph(render.Rect{X: 164, Y: 98, W: 150, H: 76}, bars)
}

func TestGoldenSplitViews(t *testing.T) {
	s := newSurface(t, 320, 180, render.QualityBalanced)
	theme := render.Daylight()
	f := render.NewFrame(theme)
	f.Begin(s.Size())
	cameras := []render.Camera{
		paradeCamera(),
		{Position: mgl32.Vec3{0, 20, 0}, Target: mgl32.Vec3{0, 0, -0.3}, Ortho: 12},
		{Position: mgl32.Vec3{-4, 1, 8}, Target: mgl32.Vec3{0, 1, 0}, FOV: 1},
	}
	batches := parade(&theme)
	for i, c := range cameras {
		v := f.ViewIn(render.Whole().Column(i, 3, 0.02), c)
		for _, b := range batches {
			v.Add(b)
		}
	}
	golden(t, "split", picture(t, s, f))
}

// The comparison of the golden tests must notice a body that has moved.
func TestComparisonNoticesAMovedBody(t *testing.T) {
	s := newSurface(t, 320, 180, render.QualityBalanced)
	theme := render.Daylight()
	f := render.NewFrame(theme)
	shot := func(dx float32) *image.RGBA {
		f.Begin(s.Size())
		v := f.View(paradeCamera())
		for i, b := range parade(&theme) {
			if i == 1 {
				b.Poses[0].Position[0] += dx
			}
			v.Add(b)
		}
		return picture(t, s, f)
	}
	still := shot(0)
	if err := like(shot(0), still); err != nil {
		t.Errorf("the same frame again: %v", err)
	}
	if err := like(shot(0.3), still); err == nil {
		t.Error("a sphere that moved by a third of its size went unnoticed")
	}
}

// Capture returns the overlay's colours exactly, and the right way up.
func TestOverlayColorsAreExact(t *testing.T) {
	s := newSurface(t, 64, 48, render.QualityBalanced)
	f := render.NewFrame(render.Dusk())
	f.Begin(s.Size())
	f.Overlay.Rect(render.Rect{X: 0, Y: 0, W: 32, H: 24}, render.Hex(0x123456))
	f.Overlay.Rect(render.Rect{X: 32, Y: 24, W: 32, H: 24}, render.Hex(0xfedcba))
	f.Overlay.Rect(render.Rect{X: 0, Y: 24, W: 32, H: 24}, render.Hex(0x000000))
	f.Overlay.Rect(render.Rect{X: 0, Y: 24, W: 32, H: 24}, render.Hex(0xffffff).Alpha(0.5))
	img := picture(t, s, f)
	for _, test := range []struct {
		x, y int
		want color.RGBA
	}{
		{0, 0, color.RGBA{0x12, 0x34, 0x56, 255}}, {31, 23, color.RGBA{0x12, 0x34, 0x56, 255}},
		{32, 24, color.RGBA{0xfe, 0xdc, 0xba, 255}}, {63, 47, color.RGBA{0xfe, 0xdc, 0xba, 255}},
		{10, 40, color.RGBA{128, 128, 128, 255}},
	} {
		if got := img.RGBAAt(test.x, test.y); got != test.want {
			t.Errorf("pixel %d,%d is %v, want %v", test.x, test.y, got, test.want)
		}
	}
}

// An overlay of more quadrilaterals than one call draws is drawn by several calls, in its order.
func TestOverlayOfManyRectangles(t *testing.T) {
	s := newSurface(t, 32, 32, render.QualityPlain)
	f := render.NewFrame(render.Daylight())
	f.Begin(s.Size())
	below, above := render.Hex(0x112233), render.Hex(0x445566)
	for range 40_000 {
		f.Overlay.Rect(render.Rect{W: 32, H: 32}, below)
	}
	f.Overlay.Rect(render.Rect{W: 16, H: 32}, above)
	img := picture(t, s, f)
	for x, want := range map[int]render.Color{8: above, 24: below} {
		if got := img.RGBAAt(x, 16); got.R != want.R || got.G != want.G || got.B != want.B {
			t.Errorf("at %d the picture is %v, want %v", x, got, want)
		}
	}
	if got := s.Stats().DrawCalls; got != 3 {
		t.Errorf("%d calls, want 3", got)
	}
}

// A background without objects is the theme's sky, converted to light and back without loss.
func TestSkyIsTheThemesColor(t *testing.T) {
	theme := render.Daylight()
	theme.SkyTop = render.Hex(0x3366aa)
	theme.SkyHorizon = theme.SkyTop
	for _, q := range []render.Quality{render.QualityPlain, render.QualityFast, render.QualityBalanced, render.QualityHigh} {
		s := newSurface(t, 32, 32, q)
		f := render.NewFrame(theme)
		f.Begin(s.Size())
		f.View(paradeCamera()).Ground.Hidden = true
		got := picture(t, s, f).RGBAAt(16, 16)
		for i, c := range [3][2]uint8{{got.R, 0x33}, {got.G, 0x66}, {got.B, 0xaa}} {
			if d := int(c[0]) - int(c[1]); d > 1 || d < -1 {
				t.Errorf("quality %d: channel %d is %#x, want %#x", q, i, c[0], c[1])
			}
		}
		s.Close()
	}
}

// brightness returns the mean of the channels around a pixel.
func brightness(img *image.RGBA, x, y int) float64 {
	var sum float64
	for dy := -1; dy <= 1; dy++ {
		for dx := -1; dx <= 1; dx++ {
			c := img.RGBAAt(x+dx, y+dy)
			sum += float64(c.R) + float64(c.G) + float64(c.B)
		}
	}
	return sum / 27
}

func TestSolidsCastShadowsAndOthersDoNot(t *testing.T) {
	s := newSurface(t, 160, 120, render.QualityBalanced)
	theme := render.Daylight()
	theme.Key.Direction = mgl32.Vec3{0, 1, 0}
	theme.GridMinor = render.Color{}
	theme.GridMajor = render.Color{}
	camera := render.LookAt(mgl32.Vec3{0, 6, 9}, mgl32.Vec3{0, 0, 0})
	// The body is above the visible part, and its shadow falls on the middle.
	under := components.At3D(0, 5, 0)
	under.Scale = mgl32.Vec3{2, 0.2, 2}
	shot := func(style render.Style, shadow render.Shadow) float64 {
		f := render.NewFrame(theme)
		f.Begin(s.Size())
		v := f.View(camera)
		v.Shadow = shadow
		b := render.NewBatch(render.Cube, style, theme.Neutral.Alpha(0.5))
		b.Append(under)
		v.Add(b)
		return brightness(picture(t, s, f), 80, 60)
	}
	lit := shot(render.Solid, render.Shadow{Off: true})
	if dark := shot(render.Solid, render.Shadow{}); dark > lit-30 {
		t.Errorf("under a solid body the ground has brightness %.0f, without shadows %.0f", dark, lit)
	}
	if outside := shot(render.Solid, render.Shadow{Center: mgl32.Vec3{50, 0, 0}, Radius: 3}); outside != lit {
		t.Errorf("outside the shadow map the ground has brightness %.0f, want %.0f", outside, lit)
	}
	for _, style := range []render.Style{render.Glass, render.Ghost, render.Glow} {
		if got := shot(style, render.Shadow{}); got != lit {
			t.Errorf("style %d casts a shadow: brightness %.0f, want %.0f", style, got, lit)
		}
	}
}

// A mirrored instance of a symmetric mesh is the same picture and not turned inside out.
func TestNegativeScale(t *testing.T) {
	s := newSurface(t, 160, 120, render.QualityBalanced)
	theme := render.Daylight()
	shot := func(m render.Mesh, scale mgl32.Vec3, turn mgl32.Quat) *image.RGBA {
		f := render.NewFrame(theme)
		f.Begin(s.Size())
		b := render.NewBatch(m, render.Solid, theme.Accent(0))
		b.Append(components.Pose3D{Position: mgl32.Vec3{0, 1, 0}, Rotation: turn, Scale: scale})
		f.View(render.LookAt(mgl32.Vec3{2, 3, 4}, mgl32.Vec3{0, 1, 0})).Add(b)
		return picture(t, s, f)
	}
	turn := mgl32.QuatRotate(0.6, mgl32.Vec3{1, 1, 0}.Normalize())
	for m := render.Mesh(0); m < render.MeshCount; m++ {
		for _, sign := range []mgl32.Vec3{{-1, 1, 1}, {1, 1, -1}, {-1, 1, -1}, {1, -1, 1}, {-1, -1, -1}} {
			scale := mgl32.Vec3{1.2 * sign[0], 0.9 * sign[1], 1.1 * sign[2]}
			plain := mgl32.Vec3{1.2, 0.9, 1.1}
			want := turn
			if m == render.Cone && sign[1] < 0 {
				want = turn.Mul(mgl32.QuatRotate(mgl32.DegToRad(180), mgl32.Vec3{1, 0, 0}))
			}
			rms, share := difference(shot(m, scale, turn), shot(m, plain, want), 16)
			if rms > 1 || share > 0.003 {
				t.Errorf("%v at scale %v: rms %.2f, %.2f %% of the pixels differ", m, scale, rms, 100*share)
			}
		}
	}
}

func TestResize(t *testing.T) {
	s := newSurface(t, 64, 48, render.QualityBalanced)
	f := render.NewFrame(render.Daylight())
	for _, size := range [][2]int{{64, 48}, {201, 99}, {1, 1}, {320, 20}, {64, 48}} {
		if err := s.Resize(size[0], size[1], 1); err != nil {
			t.Fatal(err)
		}
		f.Begin(s.Size())
		v := f.View(paradeCamera())
		for _, b := range parade(&f.Theme) {
			v.Add(b)
		}
		f.Overlay.Rect(f.Overlay.Bounds().Inset(-1), render.Hex(0x204060))
		img := picture(t, s, f)
		if img.Rect != image.Rect(0, 0, size[0], size[1]) {
			t.Fatalf("the picture is %v, want %v", img.Rect, size)
		}
		for _, p := range []image.Point{{0, 0}, {size[0] - 1, size[1] - 1}} {
			if got := img.RGBAAt(p.X, p.Y); got != (color.RGBA{0x20, 0x40, 0x60, 255}) {
				t.Errorf("%v: corner %v is %v", size, p, got)
			}
		}
	}
	if err := s.Resize(0, 10, 1); err == nil {
		t.Error("a width of zero was accepted")
	}
	if got := s.Size(); got.Width != 64 {
		t.Errorf("a refused size changed something: %v", got)
	}
}

// At twice the pixels per point the layout is the same.
func TestScaleEnlargesTheOverlayOnly(t *testing.T) {
	s := newSurface(t, 320, 180, render.QualityBalanced)
	if err := s.Resize(320, 180, 2); err != nil {
		t.Fatal(err)
	}
	f := render.NewFrame(render.Dusk())
	f.Begin(s.Size())
	if b := f.Overlay.Bounds(); b.W != 160 || b.H != 90 {
		t.Fatalf("the overlay is %v points large, want 160 by 90", b)
	}
	f.Overlay.Rect(render.Rect{X: 10, Y: 10, W: 20, H: 20}, render.Hex(0xffffff))
	img := picture(t, s, f)
	white := color.RGBA{255, 255, 255, 255}
	if img.RGBAAt(20, 20) != white || img.RGBAAt(59, 59) != white || img.RGBAAt(19, 20) == white || img.RGBAAt(60, 59) == white {
		t.Error("a rectangle of 20 points at 10 points does not cover the pixels 20 to 59")
	}
}
