package scene_test

import (
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/demo/internal/scene"
	"github.com/tandem-ecs/tandem/render"
)

func TestPoseOfUndoesMat4(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.Float32Range(-10, 10)
		axis := mgl32.Vec3{f.Draw(t, "ax"), f.Draw(t, "ay"), f.Draw(t, "az")}
		if axis.Len() < 0.1 {
			axis = mgl32.Vec3{0, 1, 0}
		}
		size := rapid.Float32Range(0.1, 5)
		pose := components.Pose3D{
			Position: mgl32.Vec3{f.Draw(t, "x"), f.Draw(t, "y"), f.Draw(t, "z")},
			Rotation: mgl32.QuatRotate(f.Draw(t, "angle"), axis.Normalize()),
			Scale:    mgl32.Vec3{size.Draw(t, "sx"), size.Draw(t, "sy"), size.Draw(t, "sz")},
		}
		got := scene.PoseOf(pose.Mat4())
		if !got.Mat4().ApproxEqualThreshold(pose.Mat4(), 1e-3) {
			t.Fatalf("got %v, want %v", got, pose)
		}
	})
	flat := components.Identity3D()
	flat.Scale[1] = 0
	if got := scene.PoseOf(flat.Mat4()); got.Rotation != mgl32.QuatIdent() || got.Scale[1] != 0 {
		t.Errorf("a flat pose became %v", got)
	}
}

// At a steady frame rate marks are a whole number of frames apart, also where the interval is not.
func TestTrailMarksEvenly(t *testing.T) {
	for _, fps := range []time.Duration{20, 50, 60, 75, 144} {
		trail := scene.NewTrail(time.Second/15, 10*time.Second, 100)
		delta := time.Second / fps
		for now := delta; now < 3*time.Second; now += delta {
			trail.Add(now, delta, mgl32.Vec3{float32(now.Seconds())})
		}
		var marks []scene.Mark
		trail.Each(3*time.Second, func(m scene.Mark, age float32) { marks = append(marks, m) })
		for i := 2; i < len(marks); i++ {
			if a, b := marks[i].At-marks[i-1].At, marks[1].At-marks[0].At; a != b {
				t.Errorf("%d fps: marks are %v and %v apart", fps, a, b)
			}
		}
		if len(marks) < 35 || len(marks) > 62 {
			t.Errorf("%d fps: %d marks in 3 s, want about 45", fps, len(marks))
		}
	}
}

func TestTrailForgets(t *testing.T) {
	trail := scene.NewTrail(0, 100*time.Millisecond, 4)
	for i := range 10 {
		trail.Add(time.Duration(i)*10*time.Millisecond, 10*time.Millisecond, mgl32.Vec3{float32(i)})
		// time stands still: nothing to mark
		trail.Add(time.Duration(i)*10*time.Millisecond, 0, mgl32.Vec3{99})
	}
	var places, ages []float32
	trail.Each(100*time.Millisecond, func(m scene.Mark, age float32) {
		places, ages = append(places, m.Place[0]), append(ages, age)
	})
	if len(places) != 4 || places[0] != 6 || places[3] != 9 {
		t.Errorf("marks %v, want the last four: 6 to 9", places)
	}
	if ages[0] < 0.39 || ages[0] > 0.41 {
		t.Errorf("ages %v, want 0.4 first", ages)
	}
	trail.Each(time.Second, func(m scene.Mark, age float32) { t.Errorf("%v is still shown", m) })
}

func TestClamp(t *testing.T) {
	info := scene.Info{Entities: 10, MinEntities: 3, MaxEntities: 100}
	for asked, want := range map[int]int{0: 10, 1: 3, 50: 50, 1000: 100} {
		if got := info.Clamp(asked); got != want {
			t.Errorf("asked for %d: %d, want %d", asked, got, want)
		}
	}
}

func TestBrushShowsWhatWasPut(t *testing.T) {
	var b scene.Brush
	frame := render.NewFrame(render.Daylight())
	draw := func() {
		b.Reset()
		b.Box(render.Solid, mgl32.Vec3{}, mgl32.Vec3{1, 2, 3}, render.Hex(0xff0000))
		b.Ball(render.Glow, mgl32.Vec3{}, 2, render.Hex(0x00ff00))
		b.Ball(render.Glow, mgl32.Vec3{1, 0, 0}, 2, render.Hex(0x0000ff))
		b.Line(mgl32.Vec3{}, mgl32.Vec3{1, 1, 1}, render.Hex(0xffffff))
		frame.Begin(render.Size{Width: 100, Height: 100})
		b.Show(frame.View(render.LookAt(mgl32.Vec3{0, 0, 5}, mgl32.Vec3{})))
	}
	draw()
	items := frame.Views()[0].Items()
	if len(items) != 3 {
		t.Fatalf("%d items, want cubes, spheres and lines", len(items))
	}
	if cubes := items[0].(*render.Batch); cubes.Mesh != render.Cube || len(cubes.Poses) != 1 || cubes.Poses[0].Scale != (mgl32.Vec3{1, 2, 3}) {
		t.Errorf("cubes: %+v", cubes)
	}
	if balls := items[1].(*render.Batch); balls.Mesh != render.Sphere || balls.Style != render.Glow || len(balls.Poses) != 2 || balls.Colors[1] != render.Hex(0x0000ff) {
		t.Errorf("balls: %+v", balls)
	}
	if n := testing.AllocsPerRun(100, draw); n != 0 {
		t.Errorf("%v allocations per frame", n)
	}
}
