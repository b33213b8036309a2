//go:build cgo

package opengl_test

import (
	"image"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/render"
)

func nanos(n int64) time.Duration { return time.Duration(n) }

// The picture of a MotionBatch is that of a Batch whose poses the processor has blended, at any
// time: before the start, between, at the ends, long after, and far along the time line.
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
				// a picture without blending
				plain := render.NewMotionBatch(render.Cube, render.Solid, theme.Accent(0))
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

// Over many steps, with instances that rest in some and others with times of their own, the picture
// is that of poses blended on the processor.
func TestStepsAreLikePosesBlendedOnTheProcessor(t *testing.T) {
	s := newSurface(t, 320, 180, render.QualityBalanced)
	theme := render.Daylight()
	f := render.NewFrame(theme)
	camera := paradeCamera()
	rng := rand.New(rand.NewPCG(7, 8))
	const n, length = 60, 50 * time.Millisecond
	ways := make([]render.Motion, n)
	motion, batch := render.NewMotionBatch(render.Cube, render.Solid, theme.Accent(0)), render.NewBatch(render.Cube, render.Solid, theme.Accent(0))
	for i, m := range motions(rng, n, 0, int64(length)) {
		ways[i] = render.Still(m.From.Normalize())
		motion.AddColor(ways[i], theme.Accent(i))
	}
	var before *image.RGBA
	for step := range 5 {
		start := 10*time.Hour + time.Duration(step)*length
		motion.Step(start, start+length)
		next := motions(rng, n, 0, 1)
		poses := make([]components.Pose3D, n)
		for i := range poses {
			ways[i].From, ways[i].Start, ways[i].End = ways[i].To, start, start+length
			poses[i] = ways[i].To
			if (i/10+step)%3 != 0 { // tens rest in turn
				poses[i] = next[i].To.Normalize()
			}
		}
		for i := 0; i < n; i += 10 {
			if (i/10+step)%3 != 0 {
				motion.Move(i, poses[i:i+10])
			}
		}
		for i := range poses {
			ways[i].To = poses[i]
		}
		own := render.Motion{From: ways[step].From, To: next[0].To.Normalize(), Start: start + length/5, End: start + 3*length}
		motion.Set(step, own)
		ways[step] = own
		for _, part := range []time.Duration{0, length / 3, length - 1} {
			motion.SetTime(start + part)
			f.Begin(s.Size())
			f.View(camera).AddMotion(motion)
			got := picture(t, s, f)
			batch.Reset()
			for i, w := range ways {
				t := min(max(float32(float64(start+part-w.Start)/float64(w.End-w.Start)), 0), 1)
				if w.Start == w.End {
					t = 1
				}
				batch.AppendColor(components.Blend3D(w.From, w.To, t), theme.Accent(i))
			}
			f.Begin(s.Size())
			f.View(camera).Add(batch)
			want := picture(t, s, f)
			if rms, share := difference(got, want, 12); rms > 0.5 || share > 0.001 {
				t.Errorf("step %d + %v: rms %.3f, %.3f %% of the pixels differ", step, part, rms, 100*share)
			}
			if before != nil && part > 0 {
				if rms, _ := difference(want, before, 12); rms < 3 {
					t.Errorf("step %d + %v: nothing moves: rms %.3f from the picture before", step, part, rms)
				}
			}
			before = want
		}
		// An instance with a time of its own returns to the steps.
		ways[step] = render.Still(own.To)
		motion.Set(step, ways[step])
	}
}

// Frames without a fixed step upload nothing, and after a step only changed blocks are uploaded.
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
	const pose, row = 40, 2*40 + 8 + 4 // two poses, a time and a colour
	const motionOnly = row - 4
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
	if got := uploaded(); got != 32*motionOnly {
		t.Errorf("after one change %d bytes go up, want a block of 32 rows but their colours: %d", got, 32*motionOnly)
	}
	move(0)
	move(n - 1)
	want := 32*(pose+8) + n%32*motionOnly // the first one comes from where it is
	if got := uploaded(); got != want {
		t.Errorf("after changes at both ends %d bytes go up, want %d", got, want)
	}
	for i := 0; i < n; i++ {
		move(i)
	}
	if got := uploaded(); got != n*motionOnly {
		t.Errorf("when all move %d bytes go up, want %d", got, n*motionOnly)
	}
	// In steps: one pose for each moving instance, one more after it has stopped, nothing for the
	// others.
	for i := 0; i < n; i++ {
		motion.Set(i, render.Still(components.At3D(float32(i%100), 0, float32(i/100))))
	}
	uploaded()
	poses := make([]components.Pose3D, 320)
	for step := range 4 {
		motion.Step(time.Duration(step)*time.Second, time.Duration(step+1)*time.Second)
		for k := range poses {
			poses[k] = components.At3D(float32(k), float32(step+1), 0)
		}
		if step < 3 {
			motion.Move(640, poses)
		}
		for frame := range 3 {
			motion.SetTime(time.Duration(step)*time.Second + time.Duration(frame)*time.Second/3)
			want := 0
			if frame == 0 {
				want = len(poses) * pose
			}
			if got := uploaded(); got != want {
				t.Errorf("step %d, frame %d: %d bytes go up, want %d", step, frame, got, want)
			}
		}
	}
	motion.Step(4*time.Second, 5*time.Second)
	if got := uploaded(); got != 0 {
		t.Errorf("in a step in which nobody moves %d bytes go up", got)
	}
	motion.SetColors(32, []render.Color{{R: 1}})
	if got := uploaded(); got != 32*4 {
		t.Errorf("after a change of colour %d bytes go up, want %d", got, 32*4)
	}
	motion.Remove(10)
	if got := uploaded(); got != 2*32*pose {
		t.Errorf("after a removal %d bytes go up, want those of a block's poses: %d", got, 2*32*pose)
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

// Draw draws the batches of Upload without uploading them again.
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
	for i, want := range []int{40, 40, 40} {
		// without a revision: in each frame, once for both views
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
