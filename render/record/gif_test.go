//go:build !js

package record

import (
	"image"
	"image/color"
	"image/gif"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// scene is a gradient with a bright square that moves with the frame.
func scene(w, h, frame int) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := 0; y < h; y++ {
		for x := 0; x < w; x++ {
			img.SetRGBA(x, y, color.RGBA{uint8(60 + 120*y/h), uint8(80 + 100*y/h), uint8(120 + 60*x/w), 255})
		}
	}
	square(img, 4+frame%(w-20), h/2, color.RGBA{230, 60, 20, 255})
	return img
}

func square(img *image.RGBA, x0, y0 int, c color.RGBA) {
	for y := y0; y < y0+10; y++ {
		for x := x0; x < x0+10; x++ {
			img.SetRGBA(x, y, c)
		}
	}
}

func recordGIF(t *testing.T, o Config, shown func(i int) time.Duration, frames []*image.RGBA) *gif.GIF {
	t.Helper()
	path := filepath.Join(t.TempDir(), "clip.gif")
	r, err := Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Abort()
	for i, f := range frames {
		if err := r.Frame(f, shown(i)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(path); err == nil {
		t.Fatal("the file has its name before Close")
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	g, err := gif.DecodeAll(file)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func each(d time.Duration) func(int) time.Duration { return func(int) time.Duration { return d } }

// replay returns the picture on a viewer's screen after each picture of the clip.
func replay(g *gif.GIF) []*image.RGBA {
	canvas := image.NewRGBA(image.Rect(0, 0, g.Config.Width, g.Config.Height))
	var shown []*image.RGBA
	for _, p := range g.Image {
		for y := p.Rect.Min.Y; y < p.Rect.Max.Y; y++ {
			for x := p.Rect.Min.X; x < p.Rect.Max.X; x++ {
				if c := p.At(x, y).(color.RGBA); c.A != 0 {
					canvas.SetRGBA(x, y, c)
				}
			}
		}
		now := image.NewRGBA(canvas.Rect)
		copy(now.Pix, canvas.Pix)
		shown = append(shown, now)
	}
	return shown
}

// worst returns the root of the mean square and the largest difference of a channel.
func worst(a, b *image.RGBA) (rms float64, most int) {
	for i := range a.Pix {
		d := int(a.Pix[i]) - int(b.Pix[i])
		rms += float64(d * d)
		most = max(most, d, -d)
	}
	return math.Sqrt(rms / float64(len(a.Pix))), most
}

func TestGIFDelaysAreExactOnAverage(t *testing.T) {
	for _, test := range []struct {
		fps     float64
		max     float64
		frames  int
		want    int   // pictures in the file
		delays  []int // the first ones, in hundredths of a second
		seconds float64
	}{
		{30, 0, 60, 60, []int{3, 4, 3, 3, 4, 3}, 2},
		{60, 0, 120, 60, []int{3, 4, 3, 3, 4, 3}, 2},
		{50, 0, 100, 100, []int{2, 2, 2, 2, 2}, 2},
		{144, 0, 288, 96, []int{2, 2, 2, 2, 2, 3}, 2},
		{20, 0, 40, 40, []int{5, 5, 5}, 2},
		{240, 0, 480, 96, []int{2, 2, 2, 2, 2, 3}, 2},
		{60, 20, 120, 40, []int{5, 5, 5}, 2},
		{10, 0, 20, 20, []int{10, 10}, 2},
		{59.94, 0, 120, 60, []int{3, 4, 3, 3}, 120 / 59.94},
	} {
		var frames []*image.RGBA
		for i := 0; i < test.frames; i++ {
			frames = append(frames, scene(64, 40, i))
		}
		// Exact edges k/fps, as differences of rounded nanoseconds.
		edge := func(i int) time.Duration { return time.Duration(float64(i) / test.fps * 1e9) }
		g := recordGIF(t, Config{MaxFPS: test.max}, func(i int) time.Duration { return edge(i+1) - edge(i) }, frames)
		if len(g.Image) != test.want {
			t.Errorf("%g frames/s: %d pictures, want %d", test.fps, len(g.Image), test.want)
			continue
		}
		sum := 0
		for i, d := range g.Delay {
			sum += d
			if d < 2 {
				t.Errorf("%g frames/s: delay %d is %d, which browsers slow down", test.fps, i, d)
			}
		}
		if math.Abs(float64(sum)-100*test.seconds) > 0.51 {
			t.Errorf("%g frames/s: lasts %d hundredths of a second, want %g", test.fps, sum, 100*test.seconds)
		}
		for i, want := range test.delays {
			if g.Delay[i] != want {
				t.Errorf("%g frames/s: delays begin with %v, want %v", test.fps, g.Delay[:len(test.delays)], test.delays)
				break
			}
		}
		if g.LoopCount != 0 {
			t.Errorf("loops %d times, want for ever", g.LoopCount)
		}
	}
}

func TestGIFShowsThePictures(t *testing.T) {
	var frames []*image.RGBA
	for i := 0; i < 60; i++ {
		frames = append(frames, scene(96, 64, i))
	}
	g := recordGIF(t, Config{}, each(40*time.Millisecond), frames)
	for i, got := range replay(g) {
		if rms, most := worst(got, frames[i]); rms > 3 || most > 14 {
			t.Fatalf("picture %d: error %.2f rms, %d at most", i, rms, most)
		}
	}
	for i, p := range g.Image[1:] {
		if area := p.Rect.Dx() * p.Rect.Dy(); area > 11*10 {
			t.Errorf("picture %d covers %v, though only a square moved by a pixel", i+1, p.Rect)
		}
	}
}

func TestGIFOfFewColorsIsExact(t *testing.T) {
	colors := []color.RGBA{{0, 0, 0, 255}, {255, 255, 255, 255}, {17, 34, 51, 255}, {200, 100, 0, 255}, {3, 250, 128, 255}}
	var frames []*image.RGBA
	for i := 0; i < 30; i++ {
		img := image.NewRGBA(image.Rect(0, 0, 50, 30))
		for j := range img.Pix {
			img.Pix[j] = 255
		}
		for j, c := range colors {
			square(img, 2+(i+7*j)%38, 4*j, c)
		}
		frames = append(frames, img)
	}
	for i, got := range replay(recordGIF(t, Config{}, each(50*time.Millisecond), frames)) {
		if _, most := worst(got, frames[i]); most != 0 {
			t.Fatalf("picture %d is off by %d", i, most)
		}
	}
}

// Later pictures with other colours than the first need another palette.
func TestGIFChangesThePaletteWithTheScene(t *testing.T) {
	var frames []*image.RGBA
	for i := 0; i < 60; i++ {
		img := scene(96, 64, i)
		if i >= 40 {
			for j := 0; j < len(img.Pix); j += 4 { // other colours altogether
				img.Pix[j], img.Pix[j+1], img.Pix[j+2] = img.Pix[j+2], img.Pix[j]/4, 255-img.Pix[j+1]
			}
		}
		frames = append(frames, img)
	}
	for i, got := range replay(recordGIF(t, Config{}, each(40*time.Millisecond), frames)) {
		if rms, most := worst(got, frames[i]); rms > 3 || most > 14 {
			t.Fatalf("picture %d: error %.2f rms, %d at most", i, rms, most)
		}
	}
}

func TestGIFMergesEqualPictures(t *testing.T) {
	a, b := scene(64, 40, 0), scene(64, 40, 5)
	g := recordGIF(t, Config{}, each(30*time.Millisecond), []*image.RGBA{a, a, a, b, b, a})
	if len(g.Image) != 3 {
		t.Fatalf("%d pictures, want 3", len(g.Image))
	}
	if want := [3]int{9, 6, 3}; [3]int(g.Delay) != want {
		t.Errorf("delays %v, want %v", g.Delay, want)
	}
}

func TestGIFLongPauses(t *testing.T) {
	frames := []*image.RGBA{scene(64, 40, 0), scene(64, 40, 5)}
	g := recordGIF(t, Config{}, func(i int) time.Duration { return []time.Duration{1500 * time.Second, 40 * time.Millisecond}[i] }, frames)
	sum := 0
	for _, d := range g.Delay {
		sum += d
	}
	if sum != 150004 {
		t.Errorf("lasts %d hundredths of a second, want 150004", sum)
	}
	shown := replay(g)
	if _, most := worst(shown[len(shown)-2], frames[0]); most > 14 {
		t.Errorf("the filler changes the picture by %d", most)
	}
	if _, most := worst(shown[len(shown)-1], frames[1]); most > 14 {
		t.Errorf("the last picture is off by %d", most)
	}
}

func BenchmarkGIF640x360(b *testing.B) {
	r, err := Open(filepath.Join(b.TempDir(), "clip.gif"), Config{})
	if err != nil {
		b.Fatal(err)
	}
	defer r.Abort()
	var frames []*image.RGBA
	for i := 0; i < 40; i++ {
		frames = append(frames, scene(640, 360, 7*i))
		if err := r.Frame(frames[i], 40*time.Millisecond); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		if err := r.Frame(frames[i%40], 40*time.Millisecond); err != nil {
			b.Fatal(err)
		}
	}
}
