//go:build cgo

package window

import (
	"testing"

	"github.com/go-gl/glfw/v3.3/glfw"

	"github.com/tandem-ecs/tandem/render"
)

func TestKeys(t *testing.T) {
	for k, want := range map[glfw.Key]render.Key{
		glfw.KeyA: 'A', glfw.KeyApostrophe: render.KeyApostrophe, glfw.KeyGraveAccent: render.KeyGrave, glfw.KeyWorld1: render.KeyUnknown,
		glfw.KeyEscape: render.KeyEscape, glfw.KeyEnter: render.KeyEnter, glfw.KeyTab: render.KeyTab, glfw.KeyBackspace: render.KeyBackspace,
		glfw.KeyInsert: render.KeyInsert, glfw.KeyDelete: render.KeyDelete, glfw.KeyRight: render.KeyRight, glfw.KeyLeft: render.KeyLeft,
		glfw.KeyDown: render.KeyDown, glfw.KeyUp: render.KeyUp, glfw.KeyPageUp: render.KeyPageUp, glfw.KeyPageDown: render.KeyPageDown,
		glfw.KeyHome: render.KeyHome, glfw.KeyEnd: render.KeyEnd, glfw.KeyPause: render.KeyPause, glfw.KeyCapsLock: render.KeyUnknown,
		glfw.KeyF1: render.KeyF1, glfw.KeyF12: render.KeyF12, glfw.KeyF13: render.KeyUnknown, glfw.KeyKP0: '0', glfw.KeyKP9: '9',
		glfw.KeyKPEnter: render.KeyEnter, glfw.KeyKPAdd: render.KeyPadAdd, glfw.KeyKPSubtract: render.KeyPadSubtract,
		glfw.KeyLeftShift: render.KeyShift, glfw.KeyLeftControl: render.KeyControl, glfw.KeyLeftAlt: render.KeyAlt, glfw.KeyLeftSuper: render.KeySuper,
		glfw.KeyRightShift: render.KeyShift, glfw.KeyRightControl: render.KeyControl, glfw.KeyRightAlt: render.KeyAlt, glfw.KeyRightSuper: render.KeySuper,
		glfw.KeyMenu: render.KeyUnknown, glfw.KeyUnknown: render.KeyUnknown,
	} {
		if got := keyOf(k); got != want {
			t.Errorf("key %d is %v, want %v", k, got, want)
		}
	}
}
