package play

import (
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/arena/seat"
	"github.com/tandem-ecs/tandem/demo/internal/scene"
	"github.com/tandem-ecs/tandem/render"
)

// What is written stays within the picture, in one of any size, also before the player is in; and drawing allocates nothing once it is.
func TestPicturesOfAnySize(t *testing.T) {
	v := newVirtual(t, nil)
	s := v.join(seed(1), nil)
	v.join(seed(2), nil)
	for _, playing := range []bool{false, true} {
		if playing {
			v.run(3*time.Second, nil)
		} else {
			s.Advance(frame)
		}
		for _, size := range []render.Size{{Width: 128, Height: 96}, {Width: 320, Height: 240}, {Width: 420, Height: 420}, {Width: 800, Height: 500}, {Width: 1280, Height: 720}, {Width: 3840, Height: 2160, Scale: 2}} {
			for _, on := range []seat.Switches{{Overlay: true, Graphs: true, Hint: true}, {Overlay: true, Graphs: true, Still: true, Ghosts: true}, {}} {
				s.Set(on)
				f := render.NewFrame(seat.Theme())
				var brush scene.Brush
				draw := func() {
					f.Begin(size)
					brush.Reset()
					s.Draw(f, render.Whole(), &brush)
				}
				draw()
				for _, corner := range f.Overlay.Vertices() {
					if size.Width >= 320 && (corner.X < 0 || corner.Y < 0 || corner.X > float32(size.Width) || corner.Y > float32(size.Height)) {
						t.Errorf("playing %v, %+v, %v: something is written at %v, %v", playing, on, size, corner.X, corner.Y)
						break
					}
				}
				if n := testing.AllocsPerRun(20, draw); playing && n > 0 {
					t.Errorf("%+v, %v: %v allocations per picture", on, size, n)
				}
			}
		}
	}
}
