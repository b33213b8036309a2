//go:build cgo

package opengl_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/render"
)

func nanos(n int64) time.Duration { return time.Duration(n) }

// The picture of a MotionBatch is that of a Batch whose poses were blended on the processor, at any time: before the start, between, at the
// ends, long after, and far along the time line.
func TestMotionIsLikePosesBlendedOnTheProcessor(t *testing.T) {
	s := newSurface(t, 320, 180, render.QualityBalanced)
	theme := render.Daylight()
	f := render.NewFrame(theme)
	camera := paradeCamera()
	for _, base := range []time.Duration{0, 10 * time.Hour} {
		const step = 50 * time.Millisecond
		rng := rand.New(rand.NewPCG(1, 2))
		motion := render.NewMotionBatch(render.Cube, render.Solid, theme.Accent(0))
		for i, m := range motions(rng, 60, int64(base), int64(base+step)) {
			motion.AddColor(m, theme.Accent(i))
		}
		batch := render.NewBatch(render.Cube, render.Solid, theme.Accent(0))
		for _, dt := range []time.Duration{-time.Second, 0, step / 7, step / 2, step - step/9, step, step + time.Hour} {
			motion.SetTime(base + dt)
			f.Begin(s.Size())
			f.View(camera).AddMotion(motion)
			got := picture(t, s, f)

			batch.Reset()
			for i := 0; i < motion.Len(); i++ {
				batch.AppendColor(motion.Pose(i), theme.Accent(i))
			}
			f.Begin(s.Size())
			f.View(camera).Add(batch)
			want := picture(t, s, f)
			if rms, share := difference(got, want, 12); rms > 0.5 || share > 0.001 {
				t.Errorf("at %v + %v: rms %.3f, %.3f %% of the pixels differ", base, dt, rms, 100*share)
			}
			if dt == step/2 && base == 0 {
				golden(t, "motion", got)
				plain := render.NewMotionBatch(render.Cube, render.Solid, theme.Accent(0)) // what no blending would show
				rng := rand.New(rand.NewPCG(1, 2))
				for i, m := range motions(rng, 60, 0, int64(step)) {
					plain.AddColor(render.Still(m.To), theme.Accent(i))
				}
				f.Begin(s.Size())
				f.View(camera).AddMotion(plain)
				if rms, _ := difference(got, picture(t, s, f), 12); rms < 5 {
					t.Errorf("the comparison cannot tell a blended picture from one that is not: rms %.3f", rms)
				}
			}
		}
	}
}

// Frames without a fixed step upload nothing; after a step only the blocks that changed go up.
func TestMotionUploadsChangesOnly(t *testing.T) {
	s := newSurface(t, 64, 48, render.QualityPlain)
	f := render.NewFrame(render.Daylight())
	const n = 10_000
	motion := render.NewMotionBatch(render.Cube, render.Solid, f.Theme.Neutral)
	for i := 0; i < n; i++ {
		motion.Add(render.Still(components.At3D(float32(i%100), 0, float32(i/100))))
	}
	uploaded := func() int {
		t.Helper()
		f.Begin(s.Size())
		f.View(paradeCamera()).AddMotion(motion)
		if err := s.Draw(f); err != nil {
			t.Fatal(err)
		}
		return s.Stats().Uploaded
	}
	const row = 88 + 4 // a motion and its colour
	if got := uploaded(); got != n*row {
		t.Errorf("the first frame uploads %d bytes, want all %d", got, n*row)
	}
	for i := 1; i <= 11; i++ {
		motion.SetTime(time.Duration(i) * 4 * time.Millisecond)
		if got := uploaded(); got != 0 {
			t.Errorf("frame %d without a step uploads %d bytes", i, got)
		}
	}
	move := func(row int) {
		motion.Set(row, render.Motion{From: components.At3D(0, 0, 0), To: components.At3D(1, 0, 0), End: time.Second})
	}
	move(5000)
	if got := uploaded(); got != 32*row {
		t.Errorf("after one change %d bytes go up, want a block of 32 rows: %d", got, 32*row)
	}
	move(0)
	move(n - 1)
	if got := uploaded(); got != (32+n%32)*row {
		t.Errorf("after changes at both ends %d bytes go up, want %d", got, (32+n%32)*row)
	}
	for i := 0; i < n; i++ {
		move(i)
	}
	if got := uploaded(); got != n*row {
		t.Errorf("when all move %d bytes go up, want %d", got, n*row)
	}
	motion.Remove(10)
	if got := uploaded(); got != 32*row {
		t.Errorf("after a removal %d bytes go up, want %d", got, 32*row)
	}
	if got := s.Stats().Instances; got != n-1 {
		t.Errorf("%d instances are drawn, want %d", got, n-1)
	}
	// A second renderer has seen none of it.
	other := newSurface(t, 64, 48, render.QualityPlain)
	s, other = other, s
	if got := uploaded(); got != (n-1)*row {
		t.Errorf("a second surface uploads %d bytes at first, want all %d", got, (n-1)*row)
	}
	other.Close()
}

// What Upload has brought, Draw need not bring again, and draws.
func TestUploadAheadOfDraw(t *testing.T) {
	s := newSurface(t, 64, 48, render.QualityPlain)
	f := render.NewFrame(render.Daylight())
	b := render.NewBatch(render.Cube, render.Solid, f.Theme.Accent(0))
	b.Append(components.Identity3D())
	begin := func() {
		f.Begin(s.Size())
		f.View(paradeCamera()).Add(b)
	}
	begin()
	want := picture(t, s, f)
	moved := components.At3D(2, 0, 0)
	for frame := range 3 {
		b.Poses[0] = components.Identity3D()
		begin()
		if err := s.Upload(f); err != nil {
			t.Fatal(err)
		}
		if got := s.Stats().Uploaded; got != 40 {
			t.Errorf("frame %d: Upload brings %d bytes, want 40", frame, got)
		}
		b.Poses[0] = moved // too late for this picture
		if rms, _ := difference(picture(t, s, f), want, 12); rms != 0 {
			t.Errorf("frame %d: the picture is not of what Upload brought: rms %.3f", frame, rms)
		}
		if got := s.Stats(); got.Uploaded != 40 || got.DrawCalls == 0 {
			t.Errorf("frame %d: %+v after Draw, want 40 bytes in all", frame, got)
		}
	}
	begin() // and without Upload, the next frame brings what there is now
	if rms, _ := difference(picture(t, s, f), want, 12); rms == 0 {
		t.Error("a body that has moved is drawn where it was")
	}
}

func TestRevisionSavesUploads(t *testing.T) {
	s := newSurface(t, 64, 48, render.QualityPlain)
	f := render.NewFrame(render.Daylight())
	b := render.NewBatch(render.Cube, render.Solid, f.Theme.Neutral)
	b.Append(components.Identity3D())
	uploaded := func() int {
		t.Helper()
		f.Begin(s.Size())
		f.ViewIn(render.Whole().Column(0, 2, 0), paradeCamera()).Add(b)
		f.ViewIn(render.Whole().Column(1, 2, 0), paradeCamera()).Add(b)
		if err := s.Draw(f); err != nil {
			t.Fatal(err)
		}
		return s.Stats().Uploaded
	}
	for i, want := range []int{40, 40, 40} { // without a revision: each frame, but once for both views
		if got := uploaded(); got != want {
			t.Errorf("frame %d uploads %d bytes, want %d", i, got, want)
		}
	}
	b.Revision = 1
	for i, want := range []int{40, 0, 0} {
		if got := uploaded(); got != want {
			t.Errorf("with a revision: frame %d uploads %d bytes, want %d", i, got, want)
		}
	}
	b.Append(components.Identity3D())
	b.Revision++
	if got := uploaded(); got != 80 {
		t.Errorf("after a new revision %d bytes go up, want 80", got)
	}
}
