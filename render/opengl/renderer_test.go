//go:build cgo

package opengl_test

import (
	"bytes"
	"image"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/render"
)

func TestDrawAllocatesNothing(t *testing.T) {
	s := newSurface(t, 64, 48, render.QualityBalanced)
	theme := render.Daylight()
	f := render.NewFrame(theme)
	batches := parade(&theme)
	colored := render.NewBatch(render.Cube, render.Solid, render.Color{})
	motion := render.NewMotionBatch(render.Sphere, render.Ghost, theme.Accent(1))
	for _, m := range motions(rand.New(rand.NewPCG(3, 4)), 100, 0, int64(time.Second)) {
		motion.Add(m)
	}
	lines := &render.LineBatch{}
	g := render.NewGraph("steps per frame", "", 1, 100, render.Series{Color: theme.Accent(0)})
	orbit := render.Orbit{Yaw: 1, Pitch: 0.5, Distance: 12}
	frame := 0
	draw := func() {
		frame++
		f.Begin(s.Size())
		orbit.Rotate(0.01, 0)
		for i := 0; i < 2; i++ {
			v := f.ViewIn(render.Whole().Column(i, 2, 0.01), orbit.Camera())
			for j := i; j < len(batches); j += 3 {
				v.Add(batches[j])
			}
			v.Add(colored)
			v.AddMotion(motion)
			v.AddLines(lines)
		}
		colored.Reset()
		lines.Reset()
		for i := 0; i < 50; i++ {
			p := components.At3D(float32(i), 0, 0)
			colored.AppendColor(p, theme.Accent(i))
			lines.Add(p.Position, motion.Pose(i).Position, theme.Ink)
			if frame%3 == 0 {
				motion.Set(2*i, render.Motion{From: p, To: motion.Pose(i), End: time.Second})
			}
		}
		motion.SetTime(time.Duration(frame) * time.Millisecond)
		g.Push(float32(frame % 5))
		o := &f.Overlay
		o.Panel(render.Rect{X: 2, Y: 2, W: 60, H: 40})
		o.Text(4, 4, render.TextBody, theme.Text, "allocates nothing →")
		o.At(4, 20, render.TextMono, theme.Text).Str("frame ").Int(int64(frame)).Str(" ").Millis(time.Second/60, 2).FloatRight(1.5, 2, 40)
		o.Graph(render.Rect{X: 0, Y: 0, W: 64, H: 48}, g)
		o.Key(3, 3, "Space")
		if x, y, ok := f.Views()[0].Project(colored.Poses[0].Position); ok {
			o.Label(x, y, theme.Text, "label")
		}
		if err := s.Draw(f); err != nil {
			t.Fatal(err)
		}
	}
	for i := 0; i < 110; i++ { // let everything grow to its size
		draw()
	}
	if n := testing.AllocsPerRun(20, draw); n != 0 {
		t.Errorf("a frame makes %v allocations, want none", n)
	}
	img, err := s.Capture(nil)
	if err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(20, func() {
		if _, err := s.Capture(img); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("Capture into a picture of the right size makes %v allocations, want none", n)
	}
}

// Draw returns an error for a wrong batch and draws the rest of the frame.
func TestBadBatchesAreRefused(t *testing.T) {
	s := newSurface(t, 32, 32, render.QualityPlain)
	f := render.NewFrame(render.Daylight())
	good := render.NewBatch(render.Cube, render.Solid, f.Theme.Neutral)
	good.Append(components.Identity3D())
	half := render.NewBatch(render.Cube, render.Solid, f.Theme.Neutral)
	half.Append(components.Identity3D())
	half.AppendColor(components.Identity3D(), f.Theme.Neutral)
	for name, b := range map[string]*render.Batch{"2 poses and 1 colours": half, "unknown mesh": render.NewBatch(99, render.Solid, f.Theme.Neutral)} {
		f.Begin(s.Size())
		v := f.View(paradeCamera())
		v.Add(b)
		v.Add(good)
		if err := s.Draw(f); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("the error is %v, want one about %q", err, name)
		}
	}
	f.Begin(s.Size())
	f.View(paradeCamera()).AddMotion(render.NewMotionBatch(99, render.Solid, f.Theme.Neutral))
	if err := s.Draw(f); err == nil || !strings.Contains(err.Error(), "unknown mesh") {
		t.Errorf("the error is %v, want one about the mesh", err)
	}
	f.Begin(s.Size())
	f.View(paradeCamera()).Add(good)
	if err := s.Draw(f); err != nil {
		t.Errorf("the next frame: %v", err)
	}
}

// A batch without memory is left out of the frame, which returns an error, and is drawn as soon as
// there is memory. The renderer asks the driver again, also for a batch that has become smaller,
// and for one whose revision is the same.
func TestMemoryIsAskedForAgain(t *testing.T) {
	tooMany := 1 << 30
	tooMany *= 16 // some 640 GB, which nobody has; the poses are never read
	if tooMany == 0 {
		t.Skip("a slice cannot be that long here")
	}
	theme := render.Daylight()
	pose, color := components.Identity3D(), theme.Accent(1)
	line := render.Line{To: mgl32.Vec3{3, 1, 0}, FromColor: theme.Ink, ToColor: theme.Ink}
	// Each returns a batch to draw and its number of instances.
	for name, kind := range map[string]func() (draw func(v *render.View), fill func(n int)){
		"poses": func() (func(v *render.View), func(n int)) {
			b := render.NewBatch(render.Cube, render.Solid, color)
			return func(v *render.View) { v.Add(b) }, func(n int) {
				if b.Poses = unsafe.Slice(&pose, n); n > 1 {
					b.Revision++ // and none for the one that comes instead
				}
			}
		},
		"poses and colors": func() (func(v *render.View), func(n int)) {
			b := render.NewBatch(render.Cube, render.Solid, render.Color{})
			return func(v *render.View) { v.Add(b) }, func(n int) { b.Poses, b.Colors = unsafe.Slice(&pose, n), unsafe.Slice(&color, n) }
		},
		"lines": func() (func(v *render.View), func(n int)) {
			l := &render.LineBatch{}
			return func(v *render.View) { v.AddLines(l) }, func(n int) { l.Lines = unsafe.Slice(&line, n) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSurface(t, 64, 64, render.QualityPlain)
			f := render.NewFrame(theme)
			show := func(add func(v *render.View)) error {
				f.Begin(s.Size())
				add(f.View(paradeCamera()))
				return s.Draw(f)
			}
			pictureOf := func(add func(v *render.View)) *image.RGBA {
				t.Helper()
				if err := show(add); err != nil {
					t.Fatal(err)
				}
				return picture(t, s, f)
			}
			empty := pictureOf(func(*render.View) {})
			triangles := s.Stats().Triangles
			add, fill := kind()
			fill(1)
			want := pictureOf(add)
			if bytes.Equal(want.Pix, empty.Pix) {
				t.Fatal("nothing is to be seen")
			}
			add, fill = kind()
			for range 2 {
				fill(tooMany)
				for range 2 {
					if err := show(add); err == nil || !strings.Contains(err.Error(), "out of memory") {
						t.Fatalf("the error is %v, want one about the memory", err)
					}
					if n := s.Stats().Triangles - triangles; n != 0 {
						t.Fatalf("%d triangles are drawn from memory that is not there", n)
					}
				}
				fill(1)
				if got := pictureOf(add); !bytes.Equal(got.Pix, want.Pix) {
					t.Fatal("when there is memory again the picture is another one")
				}
			}
		})
	}
}

func TestEmptyFrames(t *testing.T) {
	s := newSurface(t, 32, 32, render.QualityPlain)
	f := render.NewFrame(render.Daylight())
	if _, err := s.Capture(nil); err == nil {
		t.Error("Capture before the first Draw gives a picture")
	}
	f.Begin(render.Size{}) // a minimised window
	f.View(paradeCamera()).Add(render.NewBatch(render.Cube, render.Solid, f.Theme.Neutral))
	f.Overlay.Text(1, 1, render.TextBody, f.Theme.Text, "unseen")
	if err := s.Draw(f); err != nil || s.Stats() != (render.Stats{}) {
		t.Errorf("a frame of no size: %v, %+v", err, s.Stats())
	}
	f.Begin(s.Size()) // no view
	if err := s.Draw(f); err != nil {
		t.Error(err)
	}
	v := f.View(paradeCamera()) // empty batches
	v.Add(render.NewBatch(render.Cube, render.Solid, f.Theme.Neutral))
	v.AddMotion(render.NewMotionBatch(render.Cube, render.Solid, f.Theme.Neutral))
	v.AddLines(&render.LineBatch{})
	if err := s.Draw(f); err != nil {
		t.Error(err)
	}
	s.Close()
	s.Close()
}

// The memory of batches that are no longer drawn is freed, and they can be drawn again.
func TestBatchesComeBackAfterALongAbsence(t *testing.T) {
	s := newSurface(t, 32, 32, render.QualityPlain)
	f := render.NewFrame(render.Daylight())
	b := render.NewBatch(render.Cube, render.Solid, render.Hex(0xff0000))
	p := components.Identity3D()
	p.Scale = p.Scale.Mul(30)
	b.Append(p)
	b.Revision = 7
	m := render.NewMotionBatch(render.Cube, render.Solid, render.Hex(0xff0000))
	m.Add(render.Still(p))
	l := &render.LineBatch{}
	l.Add(p.Position, p.Scale, render.Hex(0xff0000))
	shot := func() {
		t.Helper()
		f.Begin(s.Size())
		v := f.View(render.LookAt(p.Scale.Mul(2), p.Position))
		v.Add(b)
		v.AddMotion(m)
		v.AddLines(l)
		if got := picture(t, s, f).RGBAAt(16, 16); got.R < 60 || got.G > 60 {
			t.Errorf("the middle of the picture is %v, want red", got)
		}
	}
	shot()
	for i := 0; i < 1100; i++ {
		f.Begin(s.Size())
		if err := s.Draw(f); err != nil {
			t.Fatal(err)
		}
	}
	shot()
	if got := s.Stats().Uploaded; got != 40+92+32 {
		t.Errorf("%d bytes went up, want all again: 164", got)
	}
}
