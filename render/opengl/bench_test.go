//go:build cgo

package opengl_test

import (
	"fmt"
	"image"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/render"
)

// BenchmarkFrame measures whole frames at 240 frames and 20 fixed steps a second with all instances
// moving, in a picture so small that filling it costs little. It compares poses that the processor
// blends and uploads for each frame with motions that the vertex shader blends, of which one pose
// is uploaded every twelfth frame. Bytes per frame are the mean upload. On a software rasteriser
// the vertex shader runs on the same processor. The figures under work are the share that stays on
// the processor in any case.
func BenchmarkFrame(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("poses/%d", n), func(b *testing.B) { benchmarkPoses(b, n, true) })
		b.Run(fmt.Sprintf("motions/%d", n), func(b *testing.B) { benchmarkMotions(b, n, true) })
	}
}

// BenchmarkWork measures the work of the processor for a frame besides drawing: blending poses, or
// moving instances after every twelfth frame.
func BenchmarkWork(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("poses/%d", n), func(b *testing.B) { benchmarkPoses(b, n, false) })
		b.Run(fmt.Sprintf("motions/%d", n), func(b *testing.B) { benchmarkMotions(b, n, false) })
	}
}

const (
	framesPerStep = 12
	benchStep     = 50 * time.Millisecond
)

// field returns n motions over a field of cubes.
func field(n int) []render.Motion {
	ms := motions(rand.New(rand.NewPCG(5, 6)), n, 0, int64(benchStep))
	for i := range ms {
		ms[i].End = benchStep
		ms[i].From = ms[i].From.Normalize()
		ms[i].To = ms[i].To.Normalize()
	}
	return ms
}

// drawer draws single views, waits for them, and sums up what they upload.
type drawer struct {
	b        *testing.B
	surface  render.Surface
	frame    *render.Frame
	img      *image.RGBA
	uploaded int
}

func newDrawer(b *testing.B, draw bool) *drawer {
	d := &drawer{b: b, frame: render.NewFrame(render.Daylight())}
	if draw {
		d.surface = newSurface(b, 64, 36, render.QualityPlain)
	}
	return d
}

func (d *drawer) draw(add func(*render.View)) {
	if d.surface == nil {
		return
	}
	d.frame.Begin(d.surface.Size())
	add(d.frame.View(render.LookAt(mgl32.Vec3{0, 8, 30}, mgl32.Vec3{0, 3, 0})))
	err := d.surface.Draw(d.frame)
	if err == nil {
		d.img, err = d.surface.Capture(d.img)
	}
	if err != nil {
		d.b.Fatal(err)
	}
	d.uploaded += d.surface.Stats().Uploaded
}

func (d *drawer) report(n int) {
	d.b.ReportMetric(float64(d.b.Elapsed().Nanoseconds())/float64(d.b.N)/float64(n), "ns/instance")
	if d.surface != nil {
		d.b.ReportMetric(float64(d.uploaded)/float64(d.b.N), "B/frame")
	}
}

func benchmarkPoses(b *testing.B, n int, draw bool) {
	d := newDrawer(b, draw)
	ways := field(n)
	batch := render.NewBatch(render.Cube, render.Solid, d.frame.Theme.Accent(1))
	batch.Poses = make([]components.Pose3D, n)
	add := func(v *render.View) { v.Add(batch) }
	step := func(i int) {
		t := float32(i%framesPerStep) / framesPerStep
		for j := range ways {
			batch.Poses[j] = components.Blend3D(ways[j].From, ways[j].To, t)
		}
		d.draw(add)
	}
	for i := 0; i < 3; i++ {
		step(i)
	}
	d.uploaded = 0
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		step(i)
	}
	d.report(n)
}

func benchmarkMotions(b *testing.B, n int, draw bool) {
	d := newDrawer(b, draw)
	ways := field(n)
	batch := render.NewMotionBatch(render.Cube, render.Solid, d.frame.Theme.Accent(1))
	var ends [2][]components.Pose3D // back and forth
	for _, m := range ways {
		batch.Add(m)
		ends[0], ends[1] = append(ends[0], m.From), append(ends[1], m.To)
	}
	add := func(v *render.View) { v.AddMotion(batch) }
	step := func(i int) {
		start := time.Duration(i/framesPerStep) * benchStep
		if i%framesPerStep == 0 {
			batch.Step(start, start+benchStep)
			batch.Move(0, ends[i/framesPerStep%2])
		}
		batch.SetTime(start + benchStep*time.Duration(i%framesPerStep)/framesPerStep)
		d.draw(add)
	}
	for i := 0; i < 3; i++ {
		step(i)
	}
	d.uploaded = 0
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		step(i)
	}
	d.report(n)
}
