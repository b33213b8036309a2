package browser_test

import (
	"testing"

	"github.com/tandem-ecs/tandem/render"
	"github.com/tandem-ecs/tandem/render/window/internal/browser"
)

// A full queue takes releases and nothing else.
func TestRoom(t *testing.T) {
	for kind, release := range map[render.EventKind]bool{
		render.KeyPress: false, render.KeyRepeat: false, render.KeyRelease: true, render.MousePress: false, render.MouseRelease: true,
		render.MouseMove: false, render.TouchPress: false, render.TouchMove: false, render.TouchRelease: true, render.Char: false,
	} {
		if got := browser.Room(4095, kind); !got {
			t.Errorf("kind %d: no room behind 4095 events", kind)
		}
		if got := browser.Room(4096, kind); got != release {
			t.Errorf("kind %d: room behind 4096 events: %v, want %v", kind, got, release)
		}
	}
}
