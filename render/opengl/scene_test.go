//go:build cgo

package opengl_test

import (
	"errors"
	"flag"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/render"
	"github.com/tandem-ecs/tandem/render/offscreen"
)

var update = flag.Bool("update", false, "write the golden pictures instead of comparing with them; look at them before you commit")

// newSurface returns a surface that the test closes, or skips the test if this machine has none.
func newSurface(t testing.TB, width, height int, q render.Quality) *offscreen.Surface {
	t.Helper()
	s, err := offscreen.New(offscreen.Config{Width: width, Height: height, Quality: q})
	if errors.Is(err, offscreen.ErrUnavailable) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// picture draws a frame and returns the picture.
func picture(t testing.TB, s render.Surface, f *render.Frame) *image.RGBA {
	t.Helper()
	if err := s.Draw(f); err != nil {
		t.Fatal(err)
	}
	img, err := s.Capture(nil)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// halve averages blocks of 2 by 2 pixels, so that drivers may place their samples differently.
func halve(img *image.RGBA) *image.RGBA {
	half := image.NewRGBA(image.Rect(0, 0, img.Rect.Dx()/2, img.Rect.Dy()/2))
	for y := 0; y < half.Rect.Dy(); y++ {
		for x := 0; x < half.Rect.Dx(); x++ {
			for c := 0; c < 4; c++ {
				at := func(dx, dy int) int { return int(img.Pix[img.PixOffset(2*x+dx, 2*y+dy)+c]) }
				half.Pix[half.PixOffset(x, y)+c] = uint8((at(0, 0) + at(1, 0) + at(0, 1) + at(1, 1) + 2) / 4)
			}
		}
	}
	return half
}

// difference returns the root of the mean square difference of the channels, and the share of
// pixels with a channel that is off by more than the limit.
func difference(a, b *image.RGBA, limit int) (rms, share float64) {
	bad := 0
	for i := 0; i < len(a.Pix); i += 4 {
		off := false
		for c := 0; c < 3; c++ {
			d := int(a.Pix[i+c]) - int(b.Pix[i+c])
			rms += float64(d * d)
			off = off || d > limit || d < -limit
		}
		if off {
			bad++
		}
	}
	n := float64(len(a.Pix) / 4)
	return math.Sqrt(rms / (3 * n)), float64(bad) / n
}

// like returns an error if two pictures differ by more than drivers may differ.
func like(got, want *image.RGBA) error {
	if got.Rect != want.Rect {
		return fmt.Errorf("the picture is %v, want %v", got.Rect, want.Rect)
	}
	rms, share := difference(halve(got), halve(want), 20)
	if rms > 2.5 || share > 0.006 {
		return fmt.Errorf("rms %.2f (at most 2.5), %.2f %% of the pixels are far off (at most 0.6)", rms, 100*share)
	}
	return nil
}

// golden compares a picture with the one in testdata.
func golden(t *testing.T, name string, got *image.RGBA) {
	t.Helper()
	path := filepath.Join("testdata", name+".png")
	if *update {
		writePNG(t, path, got)
		return
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatalf("%v (go test -update writes it)", err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	want := image.NewRGBA(img.Bounds())
	draw.Draw(want, want.Rect, img, image.Point{}, draw.Src)
	if err := like(got, want); err != nil {
		path := filepath.Join(os.TempDir(), "tandem-"+name+".png")
		writePNG(t, path, got)
		t.Errorf("%s: %v; the picture is in %s", name, err, path)
	}
}

func writePNG(t *testing.T, path string, img image.Image) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := encoder.Encode(f, img); err != nil {
		t.Fatal(err)
	}
}

// parade returns each mesh in each style.
func parade(theme *render.Theme) []*render.Batch {
	var batches []*render.Batch
	for style := render.Solid; style <= render.Glow; style++ {
		for m := render.Mesh(0); m < render.MeshCount; m++ {
			color := theme.Accent(int(m))
			if style == render.Glass {
				color = color.Alpha(0.5)
			}
			b := render.NewBatch(m, style, color)
			p := components.At3D(1.7*(float32(m)-3), 0.75, 3.2-2.2*float32(style))
			if m == render.Capsule {
				p.Scale = mgl32.Vec3{0.7, 0.7, 0.7}
			}
			p.Rotation = mgl32.QuatRotate(0.5*float32(style)+0.4, mgl32.Vec3{0.2, 1, 0.1}.Normalize())
			b.Append(p)
			batches = append(batches, b)
		}
	}
	return batches
}

func paradeCamera() render.Camera {
	return render.LookAt(mgl32.Vec3{3, 7, 11}, mgl32.Vec3{0, 0.3, -0.3})
}

// motions returns n random motions near the origin between two times. The second half are behind by
// up to their whole length.
func motions(rng *rand.Rand, n int, start, end int64) []render.Motion {
	random := func(scale float32) mgl32.Vec3 {
		return mgl32.Vec3{(rng.Float32() - 0.5) * scale, (rng.Float32() - 0.5) * scale, (rng.Float32() - 0.5) * scale}
	}
	var ms []render.Motion
	for i := 0; i < n; i++ {
		var m render.Motion
		m.From = components.Pose3D{Position: random(9).Add(mgl32.Vec3{0, 3.2, 0}), Rotation: mgl32.QuatRotate(rng.Float32()*6, random(2).Normalize()), Scale: mgl32.Vec3{0.6, 0.8, 1}}
		m.To = m.From
		m.To.Position = m.From.Position.Add(random(2))
		m.To.Scale = m.From.Scale.Add(random(0.6))
		m.To.Rotation = mgl32.QuatRotate(rng.Float32()*1.5, random(2).Normalize()).Mul(m.From.Rotation)
		if i%3 == 0 {
			// the same rotation: the arc must still be the short one
			m.To.Rotation = m.To.Rotation.Scale(-1)
		}
		m.Start, m.End = nanos(start), nanos(end)
		if i >= n/2 {
			m.End = nanos(start + int64(rng.Float64()*float64(end-start)))
		}
		ms = append(ms, m)
	}
	return ms
}
