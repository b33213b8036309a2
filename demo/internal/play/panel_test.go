package play

import (
	"testing"

	"github.com/tandem-ecs/tandem/demo/internal/arena/seat"
	"github.com/tandem-ecs/tandem/render"
)

// All keys are explained in a window of half the usual size, too; in a smaller one, what there is room for, and nothing beyond its edges.
func TestHelpFits(t *testing.T) {
	for _, test := range []struct {
		size render.Size
		all  bool
	}{
		{render.Size{Width: 1280, Height: 720}, true}, {render.Size{Width: 640, Height: 360}, true}, {render.Size{Width: 480, Height: 270}, false},
		{render.Size{Width: 2560, Height: 1440, Scale: 2}, true}, {render.Size{Width: 64, Height: 64}, false},
	} {
		frame := render.NewFrame(seat.Theme())
		frame.Begin(test.size)
		if all := drawHelp(&frame.Overlay, bindings()); all != test.all {
			t.Errorf("%v: all keys are explained: %v, want %v", test.size, all, test.all)
		}
		for _, v := range frame.Overlay.Vertices() {
			if test.size.Width >= 480 && (v.X < 0 || v.Y < 0 || v.X > float32(test.size.Width) || v.Y > float32(test.size.Height)) {
				t.Errorf("%v: something is drawn at %v, %v", test.size, v.X, v.Y)
				break
			}
		}
	}
}
